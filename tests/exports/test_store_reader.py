"""What is read from the store for an export: whole, and since a time."""

import random

import pytest

from airflow_colgraph.exports.lineage_model import Keys, grouped
from airflow_colgraph.exports.store_reader import lineage
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.latest_lineage import Dataset, Input, JobOutput
from airflow_colgraph.store.model.runs import Job
from airflow_colgraph.store.query.stored_edges import edges
from airflow_colgraph.store.store import Store
from tests.exports.samples import (
    DAILY,
    DAILY_SCHEMA,
    FACTS,
    FACTS_SCHEMA,
    ORDERS,
    ORDERS_SCHEMA,
    daily,
    event,
    load,
    made_of,
    run_id,
)

K, F, D = Dataset(*ORDERS), Dataset(*FACTS), Dataset(*DAILY)
LOAD = JobOutput(
    F,
    Job("airflow", "shop.load", "shop", "load"),
    {
        "customerId": (Input(K, "header.customerId", "DIRECT", "IDENTITY"),),
        "loaded_by": (),
        "note": (Input(K, "note.text", "DIRECT", "IDENTITY"),),
        "skus": (Input(K, "items.sku", "DIRECT", "AGGREGATION", False, "collect_list(sku)"),),
        "timeStamp": (Input(K, "header.timeStamp", "DIRECT", "IDENTITY"),),
    },
    (),
    (K,),
    run_id(1),
    clock.parse_iso("2026-11-20T10:00:00Z"),
)
SUMMED = JobOutput(
    D,
    Job("airflow", "shop.daily", "shop", "daily"),
    {
        "customer": (Input(F, "customerId", "DIRECT", "TRANSFORMATION", True),),
        "day": (Input(F, "timeStamp", "DIRECT", "TRANSFORMATION", False, "date(timeStamp)"),),
        "orders": (
            Input(F, "customerId", "DIRECT", "AGGREGATION"),
            Input(F, "note", "INDIRECT", "CONDITIONAL"),
        ),
    },
    (Input(F, "timeStamp", "INDIRECT", "GROUP_BY"),),
    (F,),
    run_id(2),
    clock.parse_iso("2026-11-20T11:00:00Z"),
)


def read(store: Store, since: str | None = None) -> tuple[set[Dataset], set[Dataset]]:
    """The datasets whose lineage and whose schema an export since then has."""
    with store.connection() as connection:
        found = lineage(connection, clock.parse_iso(since) if since else None)
    return {w.dataset for w in found.outputs}, found.schemas.keys() - found.unchanged


def test_the_whole_store(store: Store) -> None:
    with store.connection() as connection:
        found = lineage(connection)
    assert found.outputs == (LOAD, SUMMED)
    assert found.schemas == {K: ORDERS_SCHEMA, F: FACTS_SCHEMA, D: DAILY_SCHEMA}
    assert found.unchanged == frozenset()


def test_an_empty_store() -> None:
    store = Store.open("sqlite://")
    assert read(store) == (set(), set())
    with store.connection() as connection:
        assert list(edges(connection)) == []


SINCE = {
    None: ({F, D}, {K, F, D}),
    "2026-11-20T10:00:00Z": ({F, D}, {K, F, D}),
    "2026-11-20T10:00:01Z": ({D}, {D}),
    "2026-11-20T11:00:01Z": (set(), set()),
}


@pytest.mark.parametrize("since", SINCE)
def test_since_a_time(store: Store, since: str | None) -> None:
    assert read(store, since) == SINCE[since]


def test_an_unchanged_run_changes_nothing(store: Store) -> None:
    store.add([load(3, "2026-11-21T10:00:00Z"), daily(4, "2026-11-21T11:00:00Z")])
    assert read(store, "2026-11-21T00:00:00Z") == (set(), set())


def test_a_changed_run_brings_its_whole_dataset(store: Store) -> None:
    store.add(load(3, "2026-11-21T10:00:00Z", note="TRANSFORMATION"))
    with store.connection() as connection:
        since = clock.parse_iso("2026-11-21T00:00:00Z")
        found = lineage(connection, since)
        changed = list(edges(connection, since))
    assert [(w.dataset, w.run, set(w.fields or {})) for w in found.outputs] == [
        (F, run_id(3), {"customerId", "timeStamp", "skus", "note", "loaded_by"})
    ]
    assert found.schemas.keys() == found.unchanged == {K, F}
    assert {(e.output.field, e.transformation.subtype, e.closed_at) for e in changed} == {
        ("note", "IDENTITY", clock.parse_iso("2026-11-21T10:00:00Z")),
        ("note", "TRANSFORMATION", None),
    }


def test_a_dataset_that_lost_its_columns_is_exported_without_them(store: Store) -> None:
    bare = event("shop.load", 3, "2026-11-21T10:00:00Z", {}, FACTS, FACTS_SCHEMA, {"note": []})
    store.add(bare)
    with store.connection() as connection:
        found = lineage(connection, clock.parse_iso("2026-11-21T00:00:00Z"))
    (facts,) = (w for w in found.outputs if w.dataset == F)
    assert facts.fields == {"note": ()}
    assert (facts.inputs, facts.run) == ((), run_id(3))


def test_jobs_of_one_dataset_stay_separate(store: Store) -> None:
    other = event(
        "shop.fix", 3, "2026-11-20T10:30:00Z", {ORDERS: []}, FACTS, FACTS_SCHEMA,
        {"note": [made_of(ORDERS, "header.customerId")]},
    )  # fmt: skip
    store.add(other)
    with store.connection() as connection:
        found = lineage(connection)
    assert [(w.dataset, w.job and w.job.name) for w in found.outputs] == [
        (F, "shop.fix"),
        (F, "shop.load"),
        (D, "shop.daily"),
    ]
    assert found.outputs[0].fields == {
        "note": (Input(K, "header.customerId", "DIRECT", "IDENTITY"),)
    }


def test_a_dataset_event_has_no_job_and_no_run() -> None:
    store = Store.open("sqlite://")
    facet = {"fields": {"a": {"inputFields": [made_of(ORDERS, "b")]}, "c": {"inputFields": []}}}
    store.add(
        {
            "eventTime": "2026-11-20T10:00:00Z",
            "dataset": {"namespace": "n", "name": "d", "facets": {"columnLineage": facet}},
        }
    )
    with store.connection() as connection:
        (found,) = lineage(connection).outputs
    fields = {"a": (Input(K, "b", "DIRECT", "IDENTITY"),), "c": ()}
    at = clock.parse_iso("2026-11-20T10:00:00Z")
    assert found == JobOutput(Dataset("n", "d"), None, fields, (), (K,), "", at)


def test_lineage_between_datasets_only() -> None:
    store = Store.open("sqlite://")
    store.add(event("a.b", 1, "2026-11-20T10:00:00Z", {ORDERS: []}, FACTS, [], None))
    with store.connection() as connection:
        (found,) = lineage(connection).outputs
    assert (found.fields, found.rows, found.inputs) == (None, (), (K,))


def test_a_dataset_of_two_names_is_one() -> None:
    store = Store.open("sqlite://")
    made = load()
    made["outputs"][0]["facets"]["symlinks"] = {
        "identifiers": [{"namespace": "hive://m", "name": "demo.facts", "type": "TABLE"}]
    }
    by_alias = event(
        "shop.daily", 2, "2026-11-20T11:00:00Z", {("hive://m", "demo.facts"): []}, DAILY,
        DAILY_SCHEMA, {"day": [made_of(("hive://m", "demo.facts"), "timeStamp")]},
    )  # fmt: skip
    store.add([by_alias, made])
    with store.connection() as connection:
        found = lineage(connection)
    assert [(w.dataset, w.inputs) for w in found.outputs] == [(F, (K,)), (D, (F,))]
    assert found.schemas.keys() == {K, F, D}
    assert found.symlinks == {F: (Dataset("hive://m", "demo.facts"),)}
    with store.connection() as connection:
        (alone,) = lineage(connection, of=[D]).symlinks
    assert alone == F


def test_the_order_of_events_does_not_matter() -> None:
    events = [load(), daily(), load(3, "2026-11-21T10:00:00Z", "TRANSFORMATION")]
    found = []
    for seed in range(4):
        random.Random(seed).shuffle(events)
        store = Store.open("sqlite://")
        store.add(events)
        with store.connection() as connection:
            found.append(lineage(connection))
    assert found[1:] == found[:1] * 3


def test_names_of_fields_become_tuples_where_the_schema_says_so(store: Store) -> None:
    with store.connection() as connection:
        keys = Keys(lineage(connection))
    assert keys.key(K, "header.customerId") == ("header", "customerId")
    assert keys.key(K, "items.sku") == ("items", "sku")
    assert keys.key(K, "note.text") == ("note.text",)
    assert keys.key(K, "gone.field") == ("gone.field",)
    assert keys.key(Dataset("no", "schema"), "a.b") == ("a.b",)


def test_inputs_are_grouped_by_what_is_done() -> None:
    a = Input(K, "a", "DIRECT", "AGGREGATION", False, "sum(a)")
    b = Input(K, "b", "DIRECT", "IDENTITY")
    c = Input(K, "c", "DIRECT", "TRANSFORMATION", True)
    d = Input(K, "d", "INDIRECT")
    assert grouped([d, c, b, a, b, b._replace(field="e")]) == [
        ("DIRECT:AGGREGATION: sum(a)", [a]),
        ("DIRECT:IDENTITY", [b, b._replace(field="e")]),
        ("DIRECT:TRANSFORMATION masking", [c]),
        ("INDIRECT", [d]),
    ]

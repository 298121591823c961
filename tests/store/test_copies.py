"""Where a value has been copied: the demo and generated warehouses against brute force."""

import random
from typing import Any

import pytest

from airflow_colgraph.store.errors import QuestionError, UnknownNode
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query.copies import THROUGH, Copies, copies
from airflow_colgraph.store.query.lookup import dotted_field
from airflow_colgraph.store.store import Store
from bench.synthetic import DAY, FIRST, Size
from bench.synthetic import events as warehouse
from tests.amount import of_all
from tests.store import brute_force
from tests.store.samples import at, copy_event, event, output, run_id
from tests.store.test_unused import flights, one_job


def ask(store: Store, name: str, **how: Any) -> Copies:
    with store.connection() as connection:
        return copies(connection, dotted_field(connection, name), **how)


def names(found: Copies) -> set[tuple[str, str, str]]:
    return {one[:3] for one in found.copies}


@pytest.mark.parametrize("through", THROUGH)
def test_the_demo_equals_brute_force(store: Store, through: str) -> None:
    store.add(flights())
    sizes = set()
    raw = "/data/raw/flights.csv"
    read = next(one for e in flights() for one in e["inputs"] if one["name"] == raw)
    for column in [one["name"] for one in read["facets"]["schema"]["fields"]]:
        start = ("file", raw, column)
        expected = brute_force.copies(flights(), start, clock.OPEN, THROUGH[through])
        assert names(ask(store, f"{start[1]}.{column}", through=through)) == expected
        sizes.add(len(expected))
    assert len(sizes) > 2


def altered(events: list[Any], seed: int) -> list[Any]:
    """The events with some edges masked, and some jobs that append."""
    choose = random.Random(seed)
    facets = {id(one): one for e in events for one in [e["outputs"][0]["facets"]["columnLineage"]]}
    for facet in facets.values():
        for column in facet["fields"].values():
            for one in column["inputFields"]:
                one["transformations"][0]["masking"] = choose.random() < 0.1
    jobs = sorted({e["job"]["name"] for e in events})
    appending = {job for job in jobs if choose.random() < 0.3}
    for e in events:
        if e["job"]["name"] in appending:
            change = {"lifecycleStateChange": "ALTER"}
            e["outputs"][0]["facets"]["lifecycleStateChange"] = change
    return events


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(of_all(4, 1)))
def test_generated_warehouses_equal_brute_force(store: Store, seed: int) -> None:
    events = altered(list(warehouse(Size(40, 4, 10), seed, changed=0.3)), seed)
    store.add(events)
    sizes = []
    for column in range(4):
        start = ("s3://lake", f"warehouse/layer0/dataset_0000{column}", f"column_00{column}")
        for day in (1, 5, 10):
            until = FIRST + day * DAY - 1
            for through, subtypes in THROUGH.items():
                expected = brute_force.copies(events, start, until, subtypes)
                try:
                    found = ask(store, f"{start[1]}.{start[2]}", at=until, through=through)
                except UnknownNode:
                    assert expected == {start}
                    continue
                assert names(found) == expected
                sizes.append(len(expected))
    assert max(sizes) > 10


def test_the_way_and_the_last_run(store: Store) -> None:
    store.add(
        [
            copy_event("load", 1, "raw", {"mail": "csv.mail", "id": "csv.id"}),
            copy_event("mart", 2, "mart", {"contact": "raw.mail"}),
            copy_event("mart", 3, "mart", {"contact": "raw.mail"}),
            copy_event("safe", 4, "safe", {"hash": "raw.mail DIRECT:TRANSFORMATION:masking"}),
            copy_event("low", 5, "low", {"mail": "mart.contact DIRECT:TRANSFORMATION"}),
        ]
    )
    found = ask(store, "csv.mail")
    assert [(one.name, one.field, one.hops) for one in found.copies] == [
        ("csv", "mail", 0),
        ("raw", "mail", 1),
        ("mart", "contact", 2),
    ]
    last = found.copies[-1]
    assert (last.job, last.run, last.written_at) == ("mart", run_id(3), at(3))
    assert [one.name for one in last.path] == ["csv", "raw", "mart"]
    assert not found.unknown
    every = ask(store, "mart.contact", through="transformation", origins=True)
    assert {one.name for one in every.copies} == {"csv", "raw", "mart", "low"}
    hidden = ask(store, "csv.mail", hidden={one_job(store, "mart")}).copies[-1]
    assert (hidden.name, hidden.job, hidden.run) == ("mart", None, None)


def test_a_copy_lives_until_a_run_replaces_it(store: Store) -> None:
    """The source is masked at minute 3; each copy still has what it was given before."""
    store.add(
        [
            copy_event("load", 1, "raw", {"mail": "csv.mail"}),
            copy_event("mart", 2, "mart", {"mail": "raw.mail"}),
            copy_event("load", 3, "raw", {"mail": "csv.mail DIRECT:TRANSFORMATION:masking"}),
        ]
    )
    assert {one.name for one in ask(store, "csv.mail").copies} == {"csv", "mart"}
    assert [one.name for one in ask(store, "csv.mail").copies[-1].path] == ["csv", "raw", "mart"]
    assert {one.name for one in ask(store, "csv.mail", at=clock.parse(at(2))).copies} == {
        *("csv", "raw", "mart")
    }
    store.add(copy_event("mart", 4, "mart", {"mail": "raw.mail"}))
    assert {one.name for one in ask(store, "csv.mail").copies} == {"csv"}


def test_a_run_that_appends_leaves_the_copy(store: Store) -> None:
    change = {"lifecycleStateChange": "APPEND"}

    def write(minute: int, source: str) -> Any:
        lineage = output("log", {"mail": source}, lifecycleStateChange=change)
        return event("log", minute, [lineage])

    store.add([write(1, "csv.mail"), write(2, "csv.other")])
    assert {one.name for one in ask(store, "csv.mail").copies} == {"csv", "log"}


def test_readers_of_unknown_columns_are_named(store: Store) -> None:
    store.add(
        [
            copy_event("load", 1, "raw", {"mail": "csv.mail"}),
            event("opaque", 2, [output("dump")], reads=["raw"]),
            event("collect", 3, [], reads=["csv"]),
        ]
    )
    assert [one[1:] for one in ask(store, "csv.mail").unknown] == [
        ("csv", "collect", None, None),
        ("raw", "opaque", "n", "dump"),
    ]


def test_other_names_of_the_dataset(store: Store) -> None:
    link = {"identifiers": [{"namespace": "hive", "name": "db.raw", "type": "TABLE"}]}
    store.add(event("load", 1, [output("/lake/raw", {"mail": "csv.mail"}, symlinks=link)]))
    assert [one.other_names for one in ask(store, "csv.mail").copies] == [[], ["hive db.raw"]]


@pytest.mark.parametrize("state", ["START", "FAIL", "ABORT", "RUNNING", "COMPLETE"])
def test_a_run_that_may_not_have_replaced_the_rows(store: Store, state: str) -> None:
    """Of a failed overwrite nobody knows whether the former rows are gone."""
    store.add(copy_event("load", 1, "t", {"x": "raw.a"}))
    store.add({**copy_event("load", 2, "t", {"x": "raw.b"}), "eventType": state})
    held = {name for name in ("raw.a", "raw.b") if len(ask(store, name).copies) == 2}
    assert held == {"raw.b"} | ({"raw.a"} if state in ("START", "FAIL", "ABORT") else set())
    store.add(copy_event("load", 3, "t", {"x": "raw.b"}))
    assert len(ask(store, "raw.a").copies) == 1


def test_more_fields_than_the_limit(store: Store) -> None:
    store.add(copy_event("load", 1, "raw", dict.fromkeys("abc", "csv.mail")))
    found = ask(store, "csv.mail", limit=2)
    assert (len(found.copies), found.truncated) == (2, True)
    assert not ask(store, "csv.mail", limit=4).truncated


def test_names_with_dots(store: Store) -> None:
    store.add(copy_event("load", 1, "db.raw", {"s.x": "csv.a", "y": "csv.a"}))
    with store.connection() as connection:
        assert dotted_field(connection, "db.raw.s.x") == Field("n", "db.raw", "s.x")
        assert dotted_field(connection, "db.raw.Y", "n") == Field("n", "db.raw", "y")
        with pytest.raises(UnknownNode, match=r"Field 'z' is not in db\.raw"):
            dotted_field(connection, "db.raw.z")
        with pytest.raises(UnknownNode, match=r"Dataset 'nowhere\.raw' is not in the store"):
            dotted_field(connection, "nowhere.raw.z")
        for text in ("raw", ".x", "raw."):
            with pytest.raises(QuestionError, match="is not a field"):
                dotted_field(connection, text)
    with pytest.raises(QuestionError, match="Through is 'all'"):
        ask(store, "csv.a", through="all")


def test_a_run_whose_last_event_has_no_columns_replaces_what_the_run_before_wrote(
    store: Store,
) -> None:
    """Some producers report columns only at the start; a run's events are about one write."""
    for minute, masked in ((1, ""), (5, " DIRECT:TRANSFORMATION:masking")):
        store.add(event("stage", minute, [output("stage", {"email": f"raw.email{masked}"})]))
        started = [output("copy", {"email": "stage.email"})]
        store.add(event("copy", minute + 1, started, run=minute + 1, state="START"))
        store.add(event("copy", minute + 2, [output("copy")], run=minute + 1))
        assert ("n", "copy", "email") in names(ask(store, "stage.email"))
    assert names(ask(store, "raw.email")) == {("n", "raw", "email")}
    then = names(ask(store, "raw.email", at=clock.parse_iso(at(4))))
    assert then == {("n", "raw", "email"), ("n", "stage", "email"), ("n", "copy", "email")}

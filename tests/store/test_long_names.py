"""Names of up to 1 MB are kept and found in both databases."""

import random
import string

import pytest

from airflow_colgraph.store.admin import transfer
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query import listing
from airflow_colgraph.store.query.graph import upstream
from airflow_colgraph.store.query.job_runs import jobs
from airflow_colgraph.store.query.lookup import fields_of, find_dataset
from airflow_colgraph.store.store import Store
from tests.amount import of_all
from tests.store.samples import at, copy_event, memory_store, run_id, table_rows


def long_name(seed: int, size: int) -> str:
    """Text that no compression shortens by much."""
    return "".join(random.Random(seed).choices(string.ascii_letters + string.digits, k=size))


def long_event(size: int, minute: int = 1) -> dict[str, object]:
    """An event in which each name is so long; the one of an earlier minute begins the same."""
    names = [long_name(seed, size) for seed in range(7)]
    namespace, job, output, field, source, column, alias = (f"{n}{minute}" for n in names)
    inputs = [{"namespace": namespace, "name": source, "field": column}]
    symlinks = {"identifiers": [{"namespace": namespace, "name": alias, "type": "TABLE"}]}
    facets = {
        "columnLineage": {"fields": {field: {"inputFields": inputs}}},
        "schema": {"fields": [{"name": field, "type": names[0]}]},
        "symlinks": symlinks,
    }
    return {
        "eventType": "COMPLETE",
        "eventTime": at(minute),
        "run": {"runId": run_id(minute)},
        "job": {"namespace": namespace, "name": job},
        "outputs": [{"namespace": namespace, "name": output, "facets": facets}],
    }


def check_kept(store: Store, event: dict[str, object]) -> None:
    """The event's names are found by each of the ways in which names are looked up."""
    (output,) = event["outputs"]  # type: ignore[misc]
    namespace, name, facets = output["namespace"], output["name"], output["facets"]
    ((field, entry),) = facets["columnLineage"]["fields"].items()
    (alias,) = facets["symlinks"]["identifiers"]
    (input_,) = entry["inputFields"]
    source = Field(input_["namespace"], input_["name"], input_["field"])
    for other in (name, alias["name"]):
        assert [edge.input for edge in upstream(store, namespace, other, field).edges] == [source]
    with store.connection() as connection:
        for asked in (namespace, ""):
            dataset = find_dataset(connection, asked, name)
            assert [one.field for one in fields_of(connection, dataset).values()] == [field]
        listed = {(each.namespace, each.name): each for each in listing.datasets(connection)}
        assert {(namespace, name), source[:2]} <= listed.keys()
        assert any(alias["name"] in other for other in listed[namespace, name].other_names)
        assert source in listing.columns(connection, source.field[:40])
        job = event["job"]
        assert (job["namespace"], job["name"]) in {j[:2] for j in jobs(connection)}  # type: ignore[index]


@pytest.mark.sampled
def test_names_of_a_megabyte_are_kept(store: Store) -> None:
    event = long_event(of_all(1_000_000, 100_000))
    neighbours = [copy_event("load", minute, "raw", {"x": "csv.a"}) for minute in (2, 3)]
    store.add([neighbours[0], event, neighbours[1]])
    check_kept(store, event)
    before = table_rows(store)
    store.add(event)
    assert table_rows(store) == before
    assert [e.input.field for e in upstream(store, "n", "raw", "x").edges] == ["a"]


def test_names_that_begin_the_same_are_different(store: Store) -> None:
    events = [long_event(3_000, minute) for minute in (1, 2)]
    store.add(events)
    for event in events:
        check_kept(store, event)


def test_they_move_to_another_store(store: Store) -> None:
    store.add(long_event(5_000))
    other = memory_store()
    transfer.load(other, transfer.export(store))
    assert table_rows(other) == table_rows(store)
    other.close()

"""OpenLineage's `lineage` facet of jobs: what it states, and what it says by leaving it out."""

from typing import Any

import pytest

from airflow_colgraph.store.ingest.openlineage import facts
from airflow_colgraph.store.model.runs import Job
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.query.job_datasets import inputs_of, outputs_of
from airflow_colgraph.store.query.job_sources import sources_of
from airflow_colgraph.store.store import Store
from tests.store.samples import at, run_id, short_edges

OWN = Job("jobs", "j")


def stated(
    minute: int, *entries: dict[str, Any], reads: str = "", writes: str = "", run: int = 0
) -> dict[str, Any]:
    """A JobEvent with the facet, or a RunEvent."""
    of_run = {"run": {"runId": run_id(run)}, "eventType": "COMPLETE"} if run else {}
    facet = {"lineage": {"entries": list(entries)}}
    return {
        "eventTime": at(minute),
        "job": {"namespace": "jobs", "name": "j", "facets": facet},
        "inputs": [{"namespace": "n", "name": name} for name in reads],
        "outputs": [{"namespace": "n", "name": name} for name in writes],
        **of_run,
    }


def named(kind: str, name: str, *inputs: dict[str, Any]) -> dict[str, Any]:
    entity = {"type": kind, "namespace": "n" if kind == "DATASET" else "jobs", "name": name}
    return {**entity, "inputs": list(inputs)} if inputs else entity


A, B = named("DATASET", "a"), named("DATASET", "b")
C, D = named("DATASET", "c", A), named("DATASET", "d", B)
TOTAL = {"type": "JOB", "transformations": [{"type": "DIRECT", "subtype": "AGGREGATION"}]}


def edges(store: Store, names: str) -> dict[str, set[str]]:
    return {
        name: {edge[0] for edge in short_edges(graph.upstream(store, "n", name, level="dataset"))}
        for name in names
    }


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "JOB", "inputs": [A]},
        {**C, "fields": {"total": {"inputs": [TOTAL]}}},
        named("JOB", "k", {"type": "JOB"}),
    ],
    ids=["own job", "made by the own job", "from the own job"],
)
def test_a_job_without_a_name_is_the_events_own(entry: dict[str, Any]) -> None:
    """Four events of OpenLineage's own examples were said to be malformed."""
    assert facts(stated(1, entry)).malformed == []


def test_a_dataset_without_a_name_is_malformed() -> None:
    (problem,) = facts(stated(1, {"type": "DATASET", "inputs": [A]})).malformed
    assert problem == "'lineage.entries[0]' has no 'name'."


def test_inputs_and_outputs_beyond_the_entries_are_not_connected(store: Store) -> None:
    store.add(stated(1, C, D, reads="abz", writes="cde", run=1))
    assert edges(store, "cde") == {"c": {"a.*"}, "d": {"b.*"}, "e": set()}
    with store.connection() as connection:
        assert [field.name for field in inputs_of(connection, OWN.id)] == ["a", "b", "z"]
        assert [field.name for field in outputs_of(connection, OWN.id)] == ["c", "d", "e"]


@pytest.mark.parametrize("order", [1, -1])
def test_what_a_later_declaration_leaves_out_has_ended(store: Store, order: int) -> None:
    columns = {"x": {"inputs": [{**A, "field": "k"}]}}
    events = [
        stated(1, {**C, "fields": columns}, D),
        stated(5, C),
        stated(3, named("DATASET", "d", A)),
    ]
    store.add(events[::order])
    assert edges(store, "cd") == {"c": {"a.*"}, "d": set()}
    assert short_edges(graph.upstream(store, "n", "c")) == set()
    then = graph.upstream(store, "n", "d", level="dataset", at=at(4))
    assert short_edges(then) == {("a.*", "d.*", "DATASET")}


def test_a_deleted_facet_declares_that_there_is_none(store: Store) -> None:
    gone = stated(5)
    gone["job"]["facets"]["lineage"] = {"_deleted": True}
    store.add([stated(1, C), gone])
    assert edges(store, "c") == {"c": set()}


def test_what_runs_reported_is_not_ended_by_a_declaration(store: Store) -> None:
    store.add([stated(1, D, run=1), stated(5, C)])
    assert edges(store, "cd") == {"c": {"a.*"}, "d": {"b.*"}}


def test_jobs_that_feed_jobs_and_datasets(store: Store) -> None:
    k = Job("jobs", "k")
    step = {"type": "INDIRECT", "subtype": "FILTER", "description": "", "masking": False}
    filtered = {**A, "field": "x", "transformations": [step]}
    store.add(stated(1, named("JOB", "k", named("JOB", "h"), filtered, {"type": "JOB"}), run=1))
    store.add(stated(2, {"type": "JOB", "inputs": [B]}, named("DATASET", "c", named("JOB", "h"))))

    def fed(id: int) -> list[tuple[str, ...]]:
        with store.connection() as connection:
            return [source[:4] for source in sources_of(connection, id)]

    assert fed(k.id) == [
        ("DATASET", "n", "a", "x"),
        ("JOB", "jobs", "h", ""),
        ("JOB", "jobs", "j", ""),
    ]
    with store.connection() as connection:
        (how,) = sources_of(connection, k.id)[0].transformations
        (dataset,) = outputs_of(connection, OWN.id)
    assert how == ["INDIRECT", "FILTER", False, ""]
    assert fed(OWN.id) == [("DATASET", "n", "b", "")]
    assert fed(dataset.id) == [("JOB", "jobs", "h", "")]
    store.add(stated(3, C))
    assert (fed(OWN.id), fed(dataset.id), len(fed(k.id))) == ([], [], 3)

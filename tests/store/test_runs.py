"""How a run ended, also when nobody was left to say so."""

from itertools import permutations
from typing import Any

import pytest

from airflow_colgraph.store.query import job_runs
from tests.store.samples import at, event, memory_store, run_id

DAG = {"run": {"runId": run_id(1)}, "job": {"namespace": "jobs", "name": "etl"}}
TASK: dict[str, Any] = {
    "parent": DAG,
    "airflow": {
        "dag": {"dag_id": "etl"},
        "dagRun": {"dag_id": "etl", "run_id": "manual"},
        "task": {"task_id": "load"},
        "taskInstance": {"try_number": 1},
    },
}


def task_event(state: str, minute: int) -> dict[str, Any]:
    return event("etl.load", minute, [], run=2, state=state, **TASK)


def dag_event(state: str, minute: int) -> dict[str, Any]:
    return event("etl", minute, [], run=1, state=state)


def spark_event(state: str, minute: int) -> dict[str, Any]:
    parent = {"run": {"runId": run_id(1)}, "job": {"namespace": "jobs", "name": "etl"}}
    return event("app", minute, [], run=2, state=state, parent=parent)


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([task_event("START", 2)], ("START", None)),
        ([dag_event("START", 1), task_event("START", 2)], ("START", None)),
        ([dag_event("START", 1), task_event("START", 2), dag_event("FAIL", 5)], ("ABORT", at(5))),
        ([task_event("START", 2), task_event("FAIL", 3), dag_event("FAIL", 5)], ("FAIL", at(3))),
        (
            [task_event("START", 2), task_event("COMPLETE", 6), dag_event("FAIL", 5)],
            ("COMPLETE", at(6)),
        ),
        (
            [spark_event("START", 2), dag_event("COMPLETE", 5)],
            ("START", None),
        ),  # may outlive the DAG's run
    ],
    ids=["started", "running", "killed", "failed", "late", "no task"],
)
def test_how_a_run_ended_whatever_came_first(
    events: list[dict[str, Any]], expected: tuple[str, str | None]
) -> None:
    for order in permutations(events):
        with memory_store() as store:
            for one in order:
                store.add(one)
            with store.connection() as connection:
                (run,) = job_runs.runs(connection, ids=[bytes.fromhex(run_id(2).replace("-", ""))])
        assert (run.state, run.ended_at) == expected

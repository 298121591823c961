"""Which DAG and task an event of any producer belongs to: that decides who may see it in Airflow.

No earlier test asked it of our own events: all samples had the facets of Airflow's provider.
"""

from typing import Any

import pytest

from airflow_colgraph.store.ingest.openlineage import facts
from airflow_colgraph.store.model.runs import Job, ReportedRun
from tests.store.samples import copy_event, run_id

PROVIDER = "https://github.com/apache/airflow/tree/providers-openlineage/2.20.3"
DAG_RUN, TASK_RUN, QUERY_RUN = run_id(1), run_id(2), run_id(3)
OWN = {"dag_id": "a.b", "run_id": "manual", "task_id": "g.load", "map_index": 3, "try_number": 2}
AIRFLOW = {
    "dag": {"dag_id": "a.b"},
    "dagRun": {"run_id": "manual"},
    "task": {"task_id": "g.load"},
    "taskInstance": {"map_index": 3, "try_number": 2},
}


def job(name: str, run: str) -> dict[str, Any]:
    return {"job": {"namespace": "jobs", "name": name}, "run": {"runId": run}}


OF_DAG = job("a.b", DAG_RUN)
ROOT = {"root": OF_DAG}
IN_DAG = {"parent": {**OF_DAG, **ROOT}}
IN_TASK = {"parent": {**job("a.b.g.load", TASK_RUN), **ROOT}}
TASK = ("a.b", "g.load")


def event(name: str, producer: str = "any", **facets: Any) -> dict[str, Any]:
    return {**copy_event(name, 10, "mart", {"a": "raw.a"}, **facets), "producer": producer}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (event("a.b.g.load", colgraph_task=OWN, **IN_DAG), TASK),
        (event("a.b.g.load", airflow=AIRFLOW, **IN_DAG), TASK),
        (event("a.b.g.load", airflow={"dag": {"dag_id": "***"}}, colgraph_task=OWN), TASK),
        (event("a.b", airflowDagRun={"dag": {"dag_id": "a.b"}}), ("a.b", None)),
        (event("a.b.g.load.spark", colgraph_task=OWN, **IN_TASK), TASK),
        (event("mine", colgraph_task=OWN), TASK),
        # What the provider sends without its facet: queries, and tasks set to a state by hand.
        (event("a.b.g.load.query.1", PROVIDER, **IN_TASK), TASK),
        (event("a.b.g.load", PROVIDER, **IN_DAG), TASK),
        (event("a.b.query", PROVIDER, parent=job("other.load", TASK_RUN) | ROOT), (None, None)),
        (event("a.b.query", PROVIDER, parent=job("a.b.g.load", TASK_RUN)), (None, None)),
        (event("dagster.step", "dagster", **IN_TASK), (None, None)),
        (event("plain"), (None, None)),
        (event("plain", colgraph_task={"dag_id": 3}), (None, None)),
    ],
)  # fmt: skip
def test_the_dag_and_the_task_of_a_job(given: dict[str, Any], expected: tuple[str, str]) -> None:
    found = facts(given).job
    assert found is not None
    assert (found.dag_id, found.task_id) == expected


def runs(given: dict[str, Any]) -> list[ReportedRun]:
    found = facts(given)
    assert found.run is not None
    return [*found.parents, found.run]


def id_of(run: str) -> bytes:
    return bytes.fromhex(run.replace("-", ""))


def test_the_drivers_run_is_below_the_tasks_and_that_one_below_the_dags() -> None:
    task, dag, driver = runs(event("a.b.g.load.spark", colgraph_task=OWN, **IN_TASK))
    assert task._replace(at=0) == ReportedRun(
        id_of(TASK_RUN), Job("jobs", "a.b.g.load", *TASK), 0, 0, id_of(DAG_RUN), 2, 3
    )
    assert dag._replace(at=0) == ReportedRun(
        id_of(DAG_RUN), Job("jobs", "a.b", "a.b"), 0, 0, name="manual"
    )
    assert driver[1:2] + driver[4:] == (
        Job("jobs", "a.b.g.load.spark", *TASK),
        id_of(TASK_RUN),
        2,
        3,
        None,
    )


def test_ours_and_the_providers_event_of_a_task_are_the_same_to_the_store() -> None:
    ours = runs(event("a.b.g.load", colgraph_task=OWN, **IN_DAG))
    assert ours == runs(event("a.b.g.load", airflow=AIRFLOW, **IN_DAG))
    assert [run.name for run in ours] == ["manual", None]


def test_a_dag_that_another_one_has_started_lends_its_name_to_no_run_of_that() -> None:
    root = {"root": job("starter", run_id(9))}
    task, driver = runs(
        event("a.b.g.load.spark", colgraph_task=OWN, parent=job("a.b.g.load", TASK_RUN) | root)
    )
    assert (task.job, task.parent) == (Job("jobs", "a.b.g.load", *TASK), None)
    assert driver.parent == task.id

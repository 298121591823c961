"""The Airflow task or DAG run that an event is about, and the runs that started its run. Pure.

Our own events have the facet `colgraph_task`, those of Airflow's OpenLineage provider and of
openlineage-airflow `airflow` or `airflowDagRun`. The provider's events about a task's queries
have none of them: there the names of the parent and the root tell.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, NamedTuple

from airflow_colgraph.store.errors import EventError
from airflow_colgraph.store.ingest import facets
from airflow_colgraph.store.model.runs import Job, ReportedRun

TASK = "colgraph_task"
PROVIDER = "providers-openlineage"  # in the producer of events of Airflow's OpenLineage provider


class TaskIdentity(NamedTuple):
    """What is known of the task instance; without `task_id` it is the DAG run itself."""

    dag_id: str | None = None
    task_id: str | None = None
    dag_run: str | None = None  # Airflow's run id
    map_index: int | None = None
    attempt: int | None = None

    @property
    def job_name(self) -> str:
        """The name of the task's own job; a job of another name was started by the task."""
        return f"{self.dag_id}.{self.task_id}"


def identity(
    event: Mapping[str, Any], job_name: str, run_facets: Mapping[str, Any]
) -> TaskIdentity:
    """The task instance, or the DAG run, that an event names; an empty one if it names none."""
    own = facets.as_dict(run_facets.get(TASK))
    if own.get("dag_id"):
        return TaskIdentity(
            facets.text_or_none(own["dag_id"]),
            facets.text_or_none(own.get("task_id")),
            facets.text_or_none(own.get("run_id")),
            facets.int_or_none(own.get("map_index")),
            facets.int_or_none(own.get("try_number")),
        )
    airflow = facets.as_dict(run_facets.get("airflow") or run_facets.get("airflowDagRun"))
    if airflow:
        instance = facets.as_dict(airflow.get("taskInstance"))
        return TaskIdentity(
            facets.text_or_none(facets.as_dict(airflow.get("dag")).get("dag_id")),
            facets.text_or_none(facets.as_dict(airflow.get("task")).get("task_id")),
            facets.text_or_none(facets.as_dict(airflow.get("dagRun")).get("run_id")),
            facets.int_or_none(instance.get("map_index")),
            facets.int_or_none(instance.get("try_number")),
        )
    if PROVIDER in str(event.get("producer")):
        return _by_names(job_name, facets.as_dict(run_facets.get("parent")))
    return TaskIdentity()


def _by_names(job_name: str, parent: Mapping[str, Any]) -> TaskIdentity:
    """The task by the provider's names: `dag.task` of the job or its parent, `dag` of the root."""
    name = facets.text_or_none(facets.as_dict(parent.get("job")).get("name")) or ""
    root_job = facets.as_dict(facets.as_dict(parent.get("root")).get("job"))
    dag_id = facets.text_or_none(root_job.get("name"))
    task = job_name if name == dag_id else name
    if not dag_id or not task.startswith(f"{dag_id}."):
        return TaskIdentity()
    return TaskIdentity(dag_id, task.removeprefix(f"{dag_id}."))


def parents(facet: Any, at: int, job: Job, task: TaskIdentity) -> list[ReportedRun]:
    """The runs above an event's run, the nearest first, as far as the event names them.

    Above a task instance is its DAG run; above what the task started are the task instance and,
    where the root is the task's DAG, the DAG run.
    """
    facet = facets.as_dict(facet)
    parent = _started_by(facet, "'parent' job")
    if parent is None:
        return []
    id, (namespace, name, *_) = parent
    if job.name == task.job_name or not task.task_id:
        is_dag_run = bool(task.task_id and task.dag_run)
        above = Job(namespace, name, task.dag_id if is_dag_run else None)
        return [ReportedRun(id, above, at, 0, name=task.dag_run if is_dag_run else None)]
    if name != task.job_name:
        return [ReportedRun(id, Job(namespace, name), at, 0)]
    root = _started_by(facets.as_dict(facet.get("root")), "'root' job")
    instance = ReportedRun(
        id,
        Job(namespace, name, task.dag_id, task.task_id),
        at,
        0,
        root[0] if root and root[1].name == task.dag_id else None,
        task.attempt,
        task.map_index,
    )
    if root is None or instance.parent is None:
        return [instance]
    dag = root[1]._replace(dag_id=task.dag_id)
    return [instance, ReportedRun(root[0], dag, at, 0, name=task.dag_run)]


def _started_by(facet: Mapping[str, Any], where: str) -> tuple[bytes, Job] | None:
    run, job = facets.as_dict(facet.get("run")), facets.as_dict(facet.get("job"))
    if not run.get("runId") or not job:
        return None
    return run_id(run["runId"]), Job(*facets.identity(job, where))


def run_id(value: Any) -> bytes:
    """The bytes of a run's id; EventError if it is none."""
    try:
        return uuid.UUID(str(value)).bytes
    except ValueError:
        raise EventError(f"'runId' is {str(value)[:60]!r}. Expected a UUID.") from None

"""What the lineage of a dataset, or of a DAG's tasks, lacks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from airflow_colgraph.api.access import Reader, TheStore
from airflow_colgraph.api.parameters import pair
from airflow_colgraph.api.responses import as_bounded_json
from airflow_colgraph.api.worker_threads import StoreRoute
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.gaps import ClassCount
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query import gaps as query
from airflow_colgraph.store.query.lookup import find_dataset
from airflow_colgraph.store.query.required import require_tasks

SEVERAL = 'Several datasets as JSON, e.g. ["file", "/lake/mart"], beside or instead of one name.'

router = APIRouter(prefix="/api/v1", tags=["catalog"], route_class=StoreRoute)


@router.get("/gaps")
def gaps(
    store: TheStore,
    access: Reader,
    name: Annotated[str, Query(description="A dataset: the gaps of the jobs that write it.")] = "",
    namespace: Annotated[str, Query(description="The dataset's namespace.")] = "",
    dag_id: Annotated[str, Query(description="An Airflow DAG, instead of a dataset.")] = "",
    task_id: Annotated[str, Query(description="One of its tasks. Default: all.")] = "",
    run_id: Annotated[str, Query(description="One DAG run. Default: each task's latest run.")] = "",
    at: Annotated[str, Query(description="The latest runs of a dataset's jobs by a time.")] = "",
    dataset: Annotated[list[str] | None, Query(description=SEVERAL, max_length=100)] = None,
) -> Response:
    """What the latest runs of jobs reported that their lineage lacks."""
    if bool(name or dataset) == bool(dag_id):
        raise QuestionError("Give the name of a dataset, or several datasets, or a dag_id.")
    if at and dag_id:
        raise QuestionError("at is for a dataset; of a DAG's tasks give a run_id.")
    when = clock.parse(at) if at else clock.OPEN
    wanted = [Field(*pair(text, "Dataset"), "") for text in dataset or ()]
    with store.connection() as connection:
        if dag_id:
            require_tasks(connection, dag_id, task_id, run_id, access.dags)
            of_dag = query.of_tasks(connection, dag_id, task_id, run_id)
            return as_bounded_json({"gaps": list(map(gap, of_dag))}, "gaps")
        if name:
            wanted.append(find_dataset(connection, namespace, name))
        job_gaps = query.of_datasets(connection, wanted, access.dags, when)
    answers = [
        {**gap(lacks), "datasets": [named(*asked[:2]) for asked in concerned]}
        for lacks, concerned in job_gaps
    ]
    return as_bounded_json({"gaps": answers}, "gaps")


def gap(job_gaps: query.JobGaps) -> dict[str, Any]:
    """The gaps of a job as JSON."""
    lacks = job_gaps.gaps
    return {
        **{key: getattr(job_gaps, key) for key in ("job", "dag_id", "task_id", "at")},
        "outputs": [named(*output) for output in job_gaps.outputs],
        "unresolved": counted(lacks.unresolved),
        "opaque": counted(lacks.opaque),
        "truncated": list(lacks.truncated),
        "writes": lacks.writes,
        "without_lineage": lacks.without_lineage,
        "writers": list(lacks.writers),
        "driver_rows": [
            {
                **named(rows.namespace, rows.name),
                "datasets": [named(*read) for read in rows.datasets],
            }
            for rows in lacks.driver_rows
        ],
    }


def named(namespace: str, name: str) -> dict[str, str]:
    """A dataset as JSON."""
    return {"namespace": namespace, "name": name}


def counted(classes: Iterable[ClassCount]) -> list[dict[str, Any]]:
    """Classes with how often they were met, as JSON."""
    return [{"name": class_count.name, "count": class_count.times} for class_count in classes]

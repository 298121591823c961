"""Runs with their Airflow task instances, and the runs that wrote a dataset."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from sqlalchemy.engine import Connection

from airflow_colgraph.api.access import Reader, TheStore
from airflow_colgraph.api.links import task_instance
from airflow_colgraph.api.pagination import Limit, Offset
from airflow_colgraph.api.parameters import pair
from airflow_colgraph.api.responses import as_json
from airflow_colgraph.api.selection import DatasetQuery
from airflow_colgraph.api.worker_threads import StoreRoute
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lifecycle import WITHOUT_WRITE
from airflow_colgraph.store.model.runs import Job
from airflow_colgraph.store.query import job_runs, pagination
from airflow_colgraph.store.query.lookup import find_dataset
from airflow_colgraph.store.query.writes import writes as stored_writes

router = APIRouter(prefix="/api/v1", tags=["catalog"], route_class=StoreRoute)


def named(request: Request, connection: Connection, ids: Iterable[bytes]) -> dict[bytes, Any]:
    """The runs as JSON by id, each with its DAG run's id and its task's page, where known."""
    airflow: str | None = request.app.state.airflow
    rows = job_runs.runs(connection, ids=ids, limit=pagination.MOST)
    dag_runs = job_runs.dag_runs(connection, (uuid.UUID(run.id).bytes for run in rows))
    runs: dict[bytes, Any] = {}
    for run in rows:
        dag_run = dag_runs.get(run.id)
        link = None
        if airflow is not None and run.dag_id and run.task_id and dag_run:
            link = task_instance(airflow, run.dag_id, dag_run, run.task_id, run.map_index)
        runs[uuid.UUID(run.id).bytes] = {**run._asdict(), "dag_run": dag_run, "link": link}
    return runs


@router.get("/latest-runs")
def latest_runs(
    request: Request,
    store: TheStore,
    access: Reader,
    of: Annotated[
        list[str], Query(description='Jobs as JSON, e.g. ["jobs", "shop.mart"].', max_length=100)
    ],
) -> Response:
    """The latest run of each job, whether it reported lineage or not: the first of `/runs`."""
    jobs = [Job(*pair(text, "Job")) for text in of]
    with store.connection() as connection:
        rows = [
            row
            for each in jobs
            for row in job_runs.runs(connection, [each.id], limit=1, dags=access.dags)
        ]
        runs = named(request, connection, {uuid.UUID(row.id).bytes for row in rows})
    return as_json({"runs": list(runs.values())})


@router.get("/writes")
def writes(
    request: Request,
    store: TheStore,
    access: Reader,
    asked: DatasetQuery,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Response:
    """The runs that wrote a dataset, the latest first, each with its lineage's checksum."""
    with store.connection() as connection:
        dataset = find_dataset(connection, *asked)
        rows = stored_writes(connection, dataset, access.dags, limit + 1, offset)
        seen = rows[:limit]
        runs = named(request, connection, {bytes(row.run) for row in seen if row.run})
    rows_json = [
        {
            "at": clock.iso(row.at),
            "checksum": row.checksum.hex(),
            "job": row.job,
            "change": WITHOUT_WRITE.get(row.change),
            "run": runs.get(bytes(row.run)),
        }
        for row in seen
    ]
    more = len(rows) > limit
    return as_json({"writes": rows_json, "next": offset + limit if more else None})

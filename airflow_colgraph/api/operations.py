"""What made a field, step by step; what an Airflow task wrote; how many fields datasets have."""

from __future__ import annotations

from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Query, Response
from sqlalchemy import func, select

from airflow_colgraph.api.access import Reader, TheStore
from airflow_colgraph.api.answers import as_json
from airflow_colgraph.api.cdap import directions, end_point, reduced, span_of
from airflow_colgraph.store import catalog, tables
from airflow_colgraph.store.endpoint import INCOMING, jobs
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.operations import as_json as operation
from airflow_colgraph.store.shape import Field

router = APIRouter(prefix="/api/v1", tags=["catalog"])


@router.get("/operations")
def operations(
    store: TheStore,
    access: Reader,
    name: Annotated[str, Query(description="The dataset's name.")],
    field: Annotated[str, Query(description="The field's name.")],
    namespace: Annotated[str, Query(description="The dataset's namespace.")] = "",
    start: str = "0",
    end: str = "now+1d",
    direction: Annotated[str, Query(pattern="^(upstream|downstream)$")] = "upstream",
) -> Response:
    """The READ, TRANSFORM and WRITE steps of each job that made the field or that it went through.

    An entry per job and distinct chain, the latest first; single level.
    """
    (side,), span = directions(direction), span_of(start, end)
    with store.connection() as connection:
        point = end_point(connection, access, namespace, name, span)
        said = sorted(point.said(side), key=lambda one: -one.last_at)
        known = jobs(connection, (one.job for one in said))
        last = {bytes(one.last_run) for one in said if one.last_run}
        runs = {run.id: run for run in catalog.runs(connection, ids=last, limit=catalog.MOST)}
        chains: dict[str, dict[str, Any]] = {}
        for one in said:
            job = known.get(one.job)
            steps = [operation(step) for step in reduced(point, side, field, one.body)]
            if steps:
                run = runs.get(str(catalog.run_text(one.last_run)))
                entry = {
                    "job": None if job is None else _job(job),
                    "run": None if run is None else run._asdict(),
                    "dataset": {"namespace": one.body["output"][0], "name": one.body["output"][1]},
                    "operations": steps,
                }
                chains.setdefault(repr((one.job, steps)), entry)
    return as_json({"made": side == INCOMING, "chains": list(chains.values())})


def _job(job: Any) -> dict[str, Any]:
    return {key: getattr(job, key) for key in ("namespace", "name", "dag_id", "task_id")}


@router.get("/outputs")
def outputs(
    store: TheStore,
    access: Reader,
    dag_id: Annotated[str, Query(description="An Airflow DAG.")],
    task_id: Annotated[str, Query(description="One of its tasks; else all.")] = "",
) -> Response:
    """The datasets that a DAG's tasks, or one of them, wrote."""
    job, writer, dataset = tables.job, tables.writer, tables.dataset
    query = (
        select(dataset.c.namespace, dataset.c.name, job.c.dag_id, job.c.task_id)
        .join_from(writer, job, writer.c.job == job.c.id)
        .join(dataset, dataset.c.id == writer.c.dataset)
        .where(job.c.dag_id == dag_id)
        .order_by(job.c.task_id, dataset.c.name, dataset.c.namespace)
        .distinct()
    )
    if task_id:
        query = query.where(job.c.task_id == task_id)
    with store.connection() as connection:
        rows = connection.execute(query).all() if access.sees(dag_id) else []
    names = ("namespace", "name", "dag_id", "task_id")
    return as_json({"outputs": [dict(zip(names, row, strict=True)) for row in rows]})


@router.get("/sizes")
def sizes(
    store: TheStore,
    access: Reader,
    dataset: Annotated[
        list[str], Query(description='As JSON, e.g. ["file", "/lake/mart"].', max_length=100)
    ],
) -> Response:
    """How many fields are known of each of the datasets."""
    wanted = {one.id: one for one in map(_dataset, dataset)}
    table = tables.field
    query = (
        select(table.c.dataset, func.count())
        .where(table.c.dataset.in_(wanted), table.c.name != "")
        .group_by(table.c.dataset)
    )
    with store.connection() as connection:
        counts = {row[0]: row[1] for row in connection.execute(query)}
    rows = [
        {"namespace": one.namespace, "name": one.name, "fields": counts.get(id, 0)}
        for id, one in wanted.items()
    ]
    return as_json({"sizes": rows})


def _dataset(text: str) -> Field:
    try:
        namespace, name = orjson.loads(text)
        return Field(str(namespace), str(name), "")
    except (ValueError, TypeError):
        raise QuestionError(f'Dataset is {text!r}. Expected e.g. ["file", "/lake/mart"].') from None

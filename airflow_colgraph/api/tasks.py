"""Lineage that Airflow tasks reported: their latest runs, or those of one DAG run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Depends, Query, Request, Response
from sqlalchemy import or_, select
from sqlalchemy.engine import Connection

from airflow_colgraph.api.access import Reader, TheStore
from airflow_colgraph.api.responses import graph_response, half
from airflow_colgraph.api.runs import named
from airflow_colgraph.api.worker_threads import StoreRoute
from airflow_colgraph.store.db import tables
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import statements, unpack
from airflow_colgraph.store.model.lineage_graph import Edge, Graph
from airflow_colgraph.store.model.question import LIMIT, UP, Question
from airflow_colgraph.store.model.runs import Job, Report, Run
from airflow_colgraph.store.query.dag_runs import join_dag_run

router = APIRouter(prefix="/api/v1", tags=["catalog"], route_class=StoreRoute)


class Task(NamedTuple):
    """Which tasks are meant, and which of their runs."""

    dag_id: str
    task_id: str
    run_id: str
    map_index: int


async def asked(
    dag_id: Annotated[str, Query(description="An Airflow DAG.")],
    task_id: Annotated[str, Query(description="One of its tasks. Default: all.")] = "",
    run_id: Annotated[str, Query(description="One DAG run. Default: each task's latest run.")] = "",
    map_index: Annotated[
        int, Query(ge=-1, le=2**31 - 1, description="One instance of a mapped task.")
    ] = -1,
) -> Task:
    """The parameters."""
    return Task(dag_id, task_id, run_id, map_index)


def reported_outputs(connection: Connection, task: Task) -> list[Any]:
    """The lineage bodies that the tasks' runs reported of their outputs, in the order of the tasks.

    Of several tries only the latest one that reported anything counts, and of a task and the job
    that it submitted the task.
    """
    o, output, job, dataset = tables.occurrence, tables.job_output, tables.job, tables.dataset
    run, last = tables.run, tables.run.alias("last")
    outputs = select(output.c.id).join(job, job.c.id == output.c.job)
    outputs = outputs.where(job.c.dag_id == task.dag_id)
    query = (
        select(o.c.job_output, o.c.lineage_body, o.c.at, o.c.run, run.c.map_index, run.c.parent)
        .add_columns(dataset.c.namespace, dataset.c.name, job.c.dag_id, job.c.task_id)
        .add_columns(job.c.namespace.label("job_namespace"), job.c.name.label("job"))
        .join_from(o, output, output.c.id == o.c.job_output)
        .join(job, job.c.id == output.c.job)
        .join(dataset, dataset.c.id == output.c.dataset)
        .join(run, run.c.id == o.c.run)
        .where(o.c.job_output.in_(connection.execute(outputs).scalars().all()))
        .order_by(job.c.task_id, dataset.c.name, dataset.c.namespace, o.c.at, o.c.run)
    )
    query, dag_run = join_dag_run(query, run)
    if task.run_id:
        query = query.where(dag_run.name == task.run_id)
    else:  # the writer's latest run, and other mapped instances of the same DAG run
        query = query.join(last, last.c.id == output.c.last_run)
        query, last_dag_run = join_dag_run(query, last)
        query = query.where(or_(run.c.id == last.c.id, dag_run.id == last_dag_run.id))
    if task.task_id:
        query = query.where(job.c.task_id == task.task_id)
    if task.map_index >= 0:
        query = query.where(run.c.map_index == task.map_index)
    rows = connection.execute(query).all()
    latest = {(row.job_output, row.map_index): row.run for row in rows}
    rows = [row for row in rows if row.run == latest[row.job_output, row.map_index]]
    by_task = {(row.namespace, row.name, row.run) for row in rows}
    return [row for row in rows if (row.namespace, row.name, row.parent) not in by_task]


def edges(
    rows: list[Any], bodies: dict[int, Any], runs: dict[bytes, Any], kinds: set[str]
) -> list[Edge]:
    """The edges in the rows, each once with all the runs that reported it."""
    by_statement: dict[Any, list[Report]] = {}
    for row in rows:
        at = clock.iso(row.at)
        run = runs.get(bytes(row.run))
        reporting_run = run and Run(**{name: run[name] for name in Run._fields})
        job = Job(row.job_namespace, row.job, row.dag_id, row.task_id)
        report = Report(job, reporting_run, at, at, None)
        for statement in statements(bodies[row.lineage_body]):
            if statement.transformation.type in kinds:
                by_statement.setdefault(statement, []).append(report)
    return [
        Edge(statement.input, statement.output, statement.transformation, 1, UP, tuple(reports))
        for statement, reports in by_statement.items()
    ]


def sources(body: Mapping[str, Any]) -> dict[str, str]:
    """What each written field is made of: `columns`, only `conditions`, `none`, or `unknown`."""
    kinds = {name: "unknown" for name, *_ in body["schema"] or ()}
    for name, rows in body["fields"] or ():
        direct = any(row[3] == "DIRECT" for row in rows)
        kinds[name] = "columns" if direct else "conditions" if rows else "none"
    return kinds


@router.get("/tasks")
def tasks(
    request: Request,
    store: TheStore,
    access: Reader,
    task: Annotated[Task, Depends(asked)],
    indirect: bool = False,
    level: Annotated[str, Query(pattern="^(field|dataset)$")] = "field",
    limit: Annotated[
        int, Query(ge=1, le=100_000, description="The maximum number of edges.")
    ] = LIMIT,
    format: str = "json",
) -> Response:
    """The lineage that a DAG's tasks reported: their latest runs, or the ones of one DAG run."""
    direct = {"DIRECT", "INDIRECT"} if indirect else {"DIRECT"}
    with store.connection() as connection:
        rows = reported_outputs(connection, task) if access.sees(task.dag_id) else []
        body = tables.lineage_body
        wanted = select(body.c.id, body.c.body).where(body.c.id.in_({r.lineage_body for r in rows}))
        bodies = {row.id: unpack(row.body) for row in connection.execute(wanted)}
        runs = named(request, connection, {bytes(row.run) for row in rows})
    reported = edges(rows, bodies, runs, {"DATASET"} if level == "dataset" else direct)
    question = Question(direction=UP, indirect=indirect, level=level)
    graph = Graph(question, (), reported[:limit], len(reported[limit:]))
    outputs = [
        {
            "namespace": row.namespace,
            "name": row.name,
            "task_id": row.task_id,
            "at": clock.iso(row.at),
            "run": runs.get(bytes(row.run)),
            "sources": sources(bodies[row.lineage_body]),
        }
        for row in rows
    ]
    shown, left_out = half(outputs)
    return graph_response(graph, format, outputs=shown, outputs_left_out=left_out)

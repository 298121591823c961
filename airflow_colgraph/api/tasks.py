"""Lineage that Airflow tasks reported: their latest runs, or those of one DAG run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from airflow_colgraph.api.access import Reader, TheStore
from airflow_colgraph.api.graph_examples import RESPONSES
from airflow_colgraph.api.lineage import GraphFormat
from airflow_colgraph.api.read_audit import name_fields
from airflow_colgraph.api.responses import graph_response, half
from airflow_colgraph.api.runs import named
from airflow_colgraph.api.worker_threads import StoreRoute
from airflow_colgraph.exports.formats.registry import draws
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lifecycle import WITHOUT_WRITE
from airflow_colgraph.store.model.lineage_body import Field, Statement, statements
from airflow_colgraph.store.model.lineage_graph import Edge, Graph
from airflow_colgraph.store.model.question import LIMIT, OF_VALUES, UP, Question
from airflow_colgraph.store.model.runs import Job, Report, Run
from airflow_colgraph.store.query.body_contents import read_bodies
from airflow_colgraph.store.query.gone_columns import with_gone_columns
from airflow_colgraph.store.query.required import require_tasks
from airflow_colgraph.store.query.task_reports import Task, other_runs, reported_outputs

router = APIRouter(prefix="/api/v1", tags=["catalog"], route_class=StoreRoute)
MOST_OTHERS = 100  # runs that are listed beside the outputs


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


def edges(
    rows: list[Any], bodies: dict[int, Any], runs: dict[bytes, Any], question: Question
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
            if is_asked(statement, question):
                by_statement.setdefault(statement, []).append(report)
    return [
        Edge(statement.input, statement.output, statement.transformation, 1, UP, tuple(reports))
        for statement, reports in by_statement.items()
    ]


def is_asked(statement: Statement, question: Question) -> bool:
    """Whether the question is about edges of this kind."""
    step = statement.transformation
    if question.level == "dataset" or step.type == "DATASET":
        return question.level == "dataset" and step.type == "DATASET"
    if step.type == "DIRECT" or question.indirect:
        return True
    return question.conditional and bool(statement.output.field) and step.subtype in OF_VALUES


def sources(body: Mapping[str, Any]) -> dict[str, str]:
    """What each written field comes from: `columns`, only `conditions`, `none`, or `unknown`."""
    kinds = {name: "unknown" for name, *_ in body["schema"] or ()}
    for name, rows in body["fields"] or ():
        direct = any(row[3] == "DIRECT" for row in rows)
        kinds[name] = "columns" if direct else "conditions" if rows else "none"
    return kinds


@router.get("/tasks", responses=RESPONSES)
def tasks(
    request: Request,
    store: TheStore,
    access: Reader,
    task: Annotated[Task, Depends(asked)],
    indirect: bool = False,
    conditional: bool = False,
    level: Annotated[str, Query(pattern="^(field|dataset)$")] = "field",
    limit: Annotated[
        int, Query(ge=1, le=100_000, description="The maximum number of edges.")
    ] = LIMIT,
    format: GraphFormat = "json",
) -> Response:
    """The lineage that a DAG's tasks reported: their latest runs, or the ones of one DAG run.

    `other_runs` are the latest runs that did not succeed, or reported none of the outputs of their
    task.
    """
    with store.connection() as connection:
        require_tasks(connection, task.dag_id, task.task_id, task.run_id, access.dags)
        rows = reported_outputs(connection, task)
        bodies = read_bodies(connection, {row.lineage_body for row in rows})
        others = other_runs(connection, task, rows)
        runs = named(request, connection, {bytes(row.run) for row in rows})
        noted = named(request, connection, others[:MOST_OTHERS])
    question = Question(direction=UP, indirect=indirect, conditional=conditional, level=level)
    reported = edges(rows, bodies, runs, question)
    graph = Graph(question, (), reported[:limit], len(reported[limit:]))
    if draws(format) and not task.run_id:
        graph = store.ask(lambda connection: with_gone_columns(connection, graph))
    outputs = [
        {
            "namespace": row.namespace,
            "name": row.name,
            "task_id": row.task_id,
            "at": clock.iso(row.at),
            "run": runs.get(bytes(row.run)),
            "change": WITHOUT_WRITE.get(row.change),
            "sources": sources(bodies[row.lineage_body]),
        }
        for row in rows
    ]
    for row, output in zip(rows, outputs, strict=True):
        name_fields(Field(row.namespace, row.name, ""), output["sources"])
    shown, left_out = half(outputs)
    return graph_response(
        graph,
        format,
        outputs=shown,
        outputs_left_out=left_out,
        other_runs=[noted[id] for id in others[:MOST_OTHERS]],
        other_runs_left_out=len(others[MOST_OTHERS:]),
    )

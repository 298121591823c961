"""The operations behind a field, the outputs of Airflow tasks, and the field counts of datasets."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from sqlalchemy.engine import Connection

from airflow_colgraph.api.access import Reader, TheStore
from airflow_colgraph.api.parameters import pair
from airflow_colgraph.api.read_audit import name_columns, name_fields
from airflow_colgraph.api.responses import as_bounded_json, as_json
from airflow_colgraph.api.runs import named
from airflow_colgraph.api.selection import DatasetQuery, WholeSpan, directions, end_point, reduced
from airflow_colgraph.api.worker_threads import StoreRoute
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field, named_fields
from airflow_colgraph.store.query.dataset_summaries import marks_among
from airflow_colgraph.store.query.endpoint import INCOMING, RangeBody, jobs
from airflow_colgraph.store.query.job_datasets import field_counts, outputs_of_tasks
from airflow_colgraph.store.query.lookup import find_dataset, known_field
from airflow_colgraph.store.query.operations import as_json as operation
from airflow_colgraph.store.query.operations import expressions as written_by
from airflow_colgraph.store.query.required import require_tasks
from airflow_colgraph.store.query.writes import latest_runs

router = APIRouter(prefix="/api/v1", tags=["catalog"], route_class=StoreRoute)


RUNS = 10  # of a chain's runs, the latest that are listed


@router.get("/operations")
def operations(
    request: Request,
    store: TheStore,
    access: Reader,
    asked: DatasetQuery,
    field: Annotated[str, Query(description="The field's name.")],
    span: WholeSpan,
    at: Annotated[str | None, Query(description="The operations as of this time.")] = None,
    direction: Annotated[str, Query(pattern="^(upstream|downstream)$")] = "upstream",
) -> Response:
    """The READ, TRANSFORM and WRITE operations that wrote the field, or that used it.

    An entry per job and distinct chain with its runs, the latest first; single level.
    """
    (side,) = directions(direction)
    if at is not None:
        span = 0, clock.parse(at) + 1
    with store.connection() as connection:
        field = known_field(connection, find_dataset(connection, *asked), field).field
        point = end_point(connection, access, asked, span)
        reports = sorted(point.reported_bodies(side), key=lambda report: -report.last_at)
        latest = {report.job_output: report.last_at for report in reversed(reports)}
        chains: dict[str, tuple[list[RangeBody], list[dict[str, Any]]]] = {}
        for report in reports:
            holds = report.last_at == latest[report.job_output]
            steps = [operation(step) for step in reduced(point, side, field, report.body)]
            if steps and (holds or at is None):
                chains.setdefault(repr((report.job, steps)), ([], steps))[0].append(report)
        jobs_by_id = jobs(connection, (report.job for report in reports))
        rows = {id: _runs(connection, alike, span) for id, (alike, _) in chains.items()}
        runs = named(request, connection, {run for ids in rows.values() for run in ids})
        entries = []
        name_columns(*(named_fields(alike[0].body) for alike, _ in chains.values()))
        for id, (alike, steps) in chains.items():
            job, output = jobs_by_id.get(alike[0].job), alike[0].body["output"]
            entry = {
                "job": None if job is None else _job(job),
                "dataset": {"namespace": output[0], "name": output[1]},
                "operations": steps,
                "holds": any(report.last_at == latest[report.job_output] for report in alike),
                "first_at": clock.iso(min(report.first_at for report in alike)),
                "last_at": clock.iso(alike[0].last_at),
                "count": sum(report.runs for report in alike),
                "runs": [runs[run] for run in rows[id] if run in runs],
            }
            entries.append(entry)
    return as_bounded_json({"made": side == INCOMING, "chains": entries}, "chains")


@router.get("/expressions")
def expressions(
    store: TheStore,
    access: Reader,
    asked: DatasetQuery,
    span: WholeSpan,
    at: Annotated[str | None, Query(description="The expressions as of this time.")] = None,
) -> Response:
    """The expression of each of a dataset's fields, by the latest lineage of each job."""
    if at is not None:
        span = 0, clock.parse(at) + 1
    with store.connection() as connection:
        dataset = find_dataset(connection, *asked)
        point = end_point(connection, access, asked, span)
        reports = sorted(point.reported_bodies(INCOMING), key=lambda report: report.last_at)
    latest = {report.job_output: report for report in reports}
    texts: dict[str, str] = {}
    for report in sorted(latest.values(), key=lambda report: report.last_at):
        texts |= written_by(report.body)
    rows = [{"field": field, "expression": text} for field, text in sorted(texts.items()) if text]
    name_fields(dataset, (row["field"] for row in rows))
    return as_bounded_json({"expressions": rows}, "expressions")


def _runs(connection: Connection, alike: list[RangeBody], span: tuple[int, int]) -> list[bytes]:
    """The latest runs that reported one of the statements."""
    job_outputs = {report.job_output for report in alike}
    bodies = {report.lineage_body for report in alike}
    return latest_runs(connection, job_outputs, bodies, span, RUNS)


def _job(job: Any) -> dict[str, Any]:
    return {key: getattr(job, key) for key in ("namespace", "name", "dag_id", "task_id")}


@router.get("/outputs")
def outputs(
    store: TheStore,
    access: Reader,
    dag_id: Annotated[str, Query(description="An Airflow DAG.")],
    task_id: Annotated[str, Query(description="One of its tasks. Default: all.")] = "",
) -> Response:
    """The datasets that a DAG's tasks, or one of them, wrote."""
    with store.connection() as connection:
        require_tasks(connection, dag_id, task_id, dags=access.dags)
        rows = outputs_of_tasks(connection, dag_id, task_id)
    names = ("namespace", "name", "dag_id", "task_id")
    entries = [dict(zip(names, row, strict=True)) for row in rows]
    return as_bounded_json({"outputs": entries}, "outputs")


@router.get("/sizes")
def sizes(
    store: TheStore,
    access: Reader,
    dataset: Annotated[
        list[str], Query(description='As JSON, e.g. ["file", "/lake/mart"].', max_length=100)
    ],
    at: Annotated[str, Query(description="The writes and latest runs by a time.")] = "",
) -> Response:
    """The number of fields of each dataset, whether lineage of it is missing, and its tags.

    The fields are those of its last write, or else all that are known; null if the dataset is not
    in the store. `is_lacking` counts the latest run of each job that writes it, as the gaps do.
    The tags are those of the dataset as a whole, now.
    """
    wanted = {node.id: node for node in (Field(*pair(text, "Dataset"), "") for text in dataset)}
    when = clock.parse(at) if at else clock.OPEN
    with store.connection() as connection:
        counts = field_counts(connection, wanted)
        marks = marks_among(connection, access.dags, wanted.values(), when)
    rows = [
        {
            "namespace": node.namespace,
            "name": node.name,
            "fields": marks[id].columns or counts.get(id),
            "is_lacking": marks[id].is_lacking,
            "tags": marks[id].tags,
        }
        for id, node in wanted.items()
    ]
    return as_json({"sizes": rows})

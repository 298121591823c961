"""The catalog: search, datasets, fields, properties, history, differences, jobs and runs."""

from __future__ import annotations

import uuid
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from airflow_colgraph.api.access import Reader, TheStore, hidden_jobs
from airflow_colgraph.api.job_json import job_json, runs_json
from airflow_colgraph.api.pagination import Cursor, Limit, Offset, after, digits, page
from airflow_colgraph.api.read_audit import name_columns, name_edges, name_fields
from airflow_colgraph.api.responses import as_bounded_json, as_json, half, immutable
from airflow_colgraph.api.selection import DatasetQuery, WholeSpan
from airflow_colgraph.api.worker_threads import StoreRoute
from airflow_colgraph.store.errors import QuestionError, UnknownNode
from airflow_colgraph.store.model.lineage_body import Statement, named_fields
from airflow_colgraph.store.model.runs import Job
from airflow_colgraph.store.model.tags import TRUE, SetTag
from airflow_colgraph.store.query import dataset_details, job_runs, listing
from airflow_colgraph.store.query.history import difference, history
from airflow_colgraph.store.query.job_datasets import row_counts
from airflow_colgraph.store.query.lookup import find_dataset, known_field
from airflow_colgraph.store.query.required import require_namespace
from airflow_colgraph.store.query.tags import tags_on
from airflow_colgraph.store.query.why import moment
from airflow_colgraph.store.query.writes import body_with_checksum

router = APIRouter(prefix="/api/v1", tags=["catalog"], route_class=StoreRoute)

Text = Annotated[str, Query(max_length=500)]


def dicts(rows: list[Any]) -> list[dict[str, Any]]:
    """Named tuples as JSON objects."""
    return [row._asdict() for row in rows]


@router.get("/datasets")
def datasets(
    store: TheStore,
    access: Reader,
    q: Text = "",
    namespace: str = "",
    limit: Limit = 50,
    offset: Offset = 0,
    cursor: Cursor = "",
) -> Response:
    """Datasets whose name contains each word of `q`; `near`: similar ones if there are none."""
    since = after(cursor, *((int, str, str) if q else (str, str)))
    with store.connection() as connection:
        require_namespace(connection, namespace)
        rows = listing.datasets(connection, q, namespace, limit + 1, offset, since)
        near = [] if rows else listing.near_datasets(connection, q)
    more = page(rows, limit, offset, lambda row: listing.dataset_key(row, q))
    return as_json({"datasets": dicts(rows[:limit]), "near": near, **more})


@router.get("/columns")
def columns(
    store: TheStore,
    access: Reader,
    q: Text,
    limit: Limit = 50,
    offset: Offset = 0,
    cursor: Cursor = "",
) -> Response:
    """Fields whose name contains `q`, the best first; `near`: similar ones if none.

    Of several words all but one may be in the dataset's name; `a.b` also finds b of a.
    """
    since = after(cursor, int, str, str, str)
    with store.connection() as connection:
        rows = listing.columns(connection, q, limit + 1, offset, since)
        near = [] if rows else listing.near_columns(connection, q)
    name_columns(rows[:limit])
    more = page(rows, limit, offset, listing.column_key)
    return as_json({"columns": dicts(rows[:limit]), "near": near, **more})


@router.get("/fields")
def fields(store: TheStore, access: Reader, asked: DatasetQuery) -> Response:
    """A dataset's fields with types and times; its description and owners, and the tags set."""
    with store.connection() as connection:
        dataset = find_dataset(connection, *asked)
        rows = dataset_details.fields(connection, dataset)
        about = dataset_details.about(connection, dataset)
        held = tags_on(connection, dataset)
    name_fields(dataset, (row.name for row in rows))
    described = [
        {**row._asdict(), "description": about.fields.get(row.name), "tags": tags(held, row.name)}
        for row in rows
    ]
    whole = {"description": about.description, "owners": about.owners, "tags": tags(held, "")}
    named = {"namespace": dataset.namespace, "name": dataset.name}
    return as_bounded_json({**named, **whole, "fields": described}, "fields")


def tags(held: list[SetTag], field: str) -> list[dict[str, str]]:
    """The tags on a field, or on the whole dataset; `value` is empty if a tag only is there."""
    pairs = sorted({set_tag.tag for set_tag in held if set_tag.field.field == field})
    return [{"key": key, "value": "" if value == TRUE else value} for key, value in pairs]


@router.get("/properties")
def properties(
    store: TheStore,
    access: Reader,
    asked: DatasetQuery,
    span: WholeSpan,
) -> Response:
    """The properties that each run in [start, end) read the dataset with."""
    with store.connection() as connection:
        dataset = find_dataset(connection, *asked)
        rows = dataset_details.properties(
            connection, dataset, *span, hidden_jobs(connection, access)
        )
    entries = [{"run": run, "properties": values} for run, values in rows]
    return as_bounded_json({"properties": entries}, "properties")


@router.get("/history")
def chapters(
    store: TheStore,
    access: Reader,
    asked: DatasetQuery,
    span: WholeSpan,
    field: str = "",
) -> Response:
    """Each distinct lineage of the field over time, with the first and last run of each."""
    with store.connection() as connection:
        dataset = find_dataset(connection, *asked)
        field = known_field(connection, dataset, field).field
        versions = history(connection, dataset, field, *span, hidden_jobs(connection, access))
    name_edges(edge for version in versions for edge in version.edges)
    name_fields(dataset, [field])
    rows = [{**version._asdict(), "edges": list(map(edge, version.edges))} for version in versions]
    latest, left_out = half(rows[::-1])
    return as_bounded_json({"history": latest[::-1], "left_out": left_out}, "history")


def edge(statement: Statement) -> dict[str, Any]:
    """An edge as JSON; a `field` of null is the dataset as a whole."""
    return {
        "input": {**statement.input._asdict(), "field": statement.input.field or None},
        "output": {**statement.output._asdict(), "field": statement.output.field or None},
        **statement.transformation._asdict(),
    }


@router.get("/diff")
def diff(
    store: TheStore,
    access: Reader,
    asked: DatasetQuery,
    before: Annotated[str, Query(description="A time, or a run's id.")],
    after: Annotated[str, Query(description="A time, or a run's id.")] = "now",
) -> Response:
    """What changed in a dataset's lineage and schema between two times or runs."""
    with store.connection() as connection:
        dataset = find_dataset(connection, *asked)
        hidden = hidden_jobs(connection, access)
        old, new = (moment(connection, text, hidden) for text in (before, after))
        delta = difference(connection, dataset, old, new, hidden)
    name_edges([*delta.added, *delta.removed])
    by_name = (delta.fields_added, delta.fields_removed, delta.types_changed)
    name_fields(dataset, (name for rows in by_name for name, *_ in rows))
    name_fields(dataset, (change.column for change in delta.changes))
    edges = {name: list(map(edge, getattr(delta, name))) for name in ("added", "removed")}
    answer = {**delta._asdict(), **edges, "changes": dicts(delta.changes)}
    return as_bounded_json(answer, *(name for name in delta._fields if name != "counts"))


@router.get("/jobs")
def jobs(
    store: TheStore,
    access: Reader,
    q: Text = "",
    namespace: str = "",
    limit: Limit = 50,
    offset: Offset = 0,
    cursor: Cursor = "",
) -> Response:
    """Jobs whose name contains `q`, with the keys of Marquez's API too."""
    since = after(cursor, str, str)
    with store.connection() as connection:
        require_namespace(connection, namespace)
        rows = job_runs.jobs(connection, q, namespace, limit + 1, offset, since, access.dags)
        seen = [{**job_json(connection, row), **row._asdict()} for row in rows[:limit]]
        total = job_runs.count_jobs(connection, access.dags, q, namespace)
    more = page(rows, limit, offset, job_runs.job_key)
    return as_json({"jobs": seen, "totalCount": total, **more})


@router.get("/runs")
def runs(
    store: TheStore,
    access: Reader,
    job: str,
    namespace: str,
    limit: Limit = 50,
    offset: Offset = 0,
    cursor: Cursor = "",
) -> Response:
    """Runs of a job, the latest first."""
    since = after(cursor, int, digits)
    ids = [Job(namespace, job).id]
    with store.connection() as connection:
        job_runs.job(connection, namespace, job, access.dags)
        rows = job_runs.runs(connection, ids, None, limit + 1, offset, since, access.dags)
    return as_json({"runs": dicts(rows[:limit]), **page(rows, limit, offset, job_runs.run_key)})


@router.get("/runs/{run}")
def run(store: TheStore, access: Reader, run: uuid.UUID) -> Response:
    """One run, with its facets."""
    with store.connection() as connection:
        rows = job_runs.runs(connection, ids=[run.bytes])
        if not rows or not access.can_read(rows[0].dag_id):
            raise UnknownNode(f"Run {run} is not in the store.")
        facets = runs_json(connection, rows)[0]["facets"]
    return as_json({**rows[0]._asdict(), "facets": facets})


@router.get("/lineage-bodies/{checksum}")
def lineage_body(request: Request, store: TheStore, access: Reader, checksum: str) -> Response:
    """A lineage body by its checksum: it never changes, so it has an ETag."""
    try:
        wanted = bytes.fromhex(checksum)
    except ValueError:
        raise QuestionError(f"Checksum is {checksum!r}. Expected 32 hexadecimal digits.") from None
    with store.connection() as connection:
        body = body_with_checksum(connection, wanted)
    if body is None:
        raise UnknownNode(f"Lineage body {checksum} is not in the store.")
    name_columns(named_fields(body))
    return immutable(request, body)


@router.get("/statistics")
def statistics(store: TheStore, access: Reader) -> Response:
    """How much the store holds."""
    with store.connection() as connection:
        counts = row_counts(connection)
    return as_json(counts)

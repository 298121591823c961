"""Questions of a dataset's owner: what nobody uses, where a value is, why it changed."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from sqlalchemy.engine import Connection

from airflow_colgraph.api.access import Reader, TheStore, hidden_jobs
from airflow_colgraph.api.read_audit import name_columns
from airflow_colgraph.api.responses import as_bounded_json, half
from airflow_colgraph.api.runs import named
from airflow_colgraph.api.selection import DatasetQuery
from airflow_colgraph.api.worker_threads import StoreRoute
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.question import DEPTH
from airflow_colgraph.store.query import copies as copies_query
from airflow_colgraph.store.query.lookup import start_nodes
from airflow_colgraph.store.query.pagination import MOST
from airflow_colgraph.store.query.unused import DAYS
from airflow_colgraph.store.query.unused import unused as unused_fields
from airflow_colgraph.store.query.why import moment
from airflow_colgraph.store.query.why import why as changes_upstream

router = APIRouter(prefix="/api/v1", tags=["questions"], route_class=StoreRoute)

Limit = Annotated[int, Query(ge=1, le=100_000, description="The maximum number of rows.")]


@router.get("/unused")
def unused(
    store: TheStore,
    access: Reader,
    days: Annotated[
        int, Query(ge=1, le=36_500, description="Only uses in the last so many days count.")
    ] = DAYS,
    namespace: str = "",
    name: str = "",
    unread: Annotated[
        bool, Query(description="Also of datasets that no job has ever read.")
    ] = True,
    limit: Limit = 1000,
) -> Response:
    """The fields that no job has used for some days; jobs of hidden DAGs count, without names."""
    with store.connection() as connection:
        fields, total, never_read = unused_fields(
            connection,
            clock.parse(f"now-{days}d"),
            namespace=namespace,
            name=name,
            hidden=hidden_jobs(connection, access),
            unread=unread,
            limit=limit,
        )
    name_columns(Field(*row[:3]) for row in fields)
    rows = [field._asdict() for field in fields]
    counts = {"count": total, "unread_count": never_read, "truncated": total > limit}
    return as_bounded_json({"unused": rows, **counts}, "unused")


@router.get("/copies")
def copies(
    request: Request,
    store: TheStore,
    access: Reader,
    asked: DatasetQuery,
    field: Annotated[str, Query(min_length=1, description="The field whose value is looked for.")],
    through: Annotated[
        str, Query(description=f"One of: {', '.join(copies_query.THROUGH)}.")
    ] = "identity",
    origins: Annotated[bool, Query(description="Also from the fields it was copied from.")] = False,
    at: Annotated[str, Query(description="The fields that held it at this time.")] = "now",
    limit: Limit = copies_query.LIMIT,
) -> Response:
    """Every field that holds the value of a field without masking, the nearest first."""
    with store.connection() as connection:
        (start,) = start_nodes(connection, [Field(*asked, field)]).fields
        copied = copies_query.copies(
            connection,
            start,
            through=through,
            origins=origins,
            at=clock.parse(at),
            limit=limit,
            hidden=hidden_jobs(connection, access),
        )
        rows, left_out = half([copy_json(copy) for copy in copied.copies])
        runs = _runs(request, connection, rows)
    name_columns([start], (field for copy in copied.copies for field in copy.path))
    name_columns(Field(copy.namespace, copy.name, copy.field) for copy in copied.copies)
    unknown = [reader._asdict() for reader in copied.unknown]
    answer = {"copies": rows, "unknown": unknown, "truncated": copied.truncated, "runs": runs}
    return as_bounded_json({**answer, "left_out": left_out}, "copies", "unknown")


def _runs(
    request: Request, connection: Connection, rows: Iterable[dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    """The runs of rows by id, each with its DAG run's id and its task's page, where known."""
    by_id: dict[str, dict[str, Any]] = {}
    wanted = sorted({uuid.UUID(row["run"]).bytes for row in rows if row["run"]})
    for begin in range(0, len(wanted), MOST):
        runs = named(request, connection, wanted[begin : begin + MOST])
        by_id.update((run["id"], run) for run in runs.values())
    return by_id


def copy_json(copy: copies_query.Copy) -> dict[str, Any]:
    """A copy as JSON, with the fields of its path as objects."""
    return {**copy._asdict(), "path": [step._asdict() for step in copy.path]}


@router.get("/why")
def why(
    request: Request,
    store: TheStore,
    access: Reader,
    asked: DatasetQuery,
    field: Annotated[str, Query(min_length=1, description="The field that is different.")],
    since: Annotated[str, Query(description="The earlier time, or a run's id.")],
    until: Annotated[str, Query(description="The later time, or a run's id.")] = "now",
    depth: Annotated[int, Query(ge=1, le=10_000, description="Hops.")] = DEPTH,
) -> Response:
    """What changed upstream of a field between two times, the likeliest cause first."""
    access.require_depth(depth)
    with store.connection() as connection:
        (start,) = start_nodes(connection, [Field(*asked, field)]).fields
        hidden = hidden_jobs(connection, access)
        times = (moment(connection, text, hidden) for text in (since, until))
        changes = changes_upstream(connection, start, *times, depth=depth, hidden=hidden)
        rows, left_out = half([reason._asdict() for reason in changes.reasons])
        runs = _runs(request, connection, rows)
    name_columns([start], (Field(r.namespace, r.name, r.field or "") for r in changes.reasons))
    answer = {**changes._asdict(), "reasons": rows, "runs": runs, "left_out": left_out}
    return as_bounded_json(answer, "reasons")

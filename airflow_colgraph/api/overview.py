"""The overview: how much there is, what changed lately, and the DAGs with what they report."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response
from sqlalchemy import Select, case, exists, func, select
from sqlalchemy.engine import Connection

from airflow_colgraph.api.access import Access, Reader, TheStore
from airflow_colgraph.api.responses import as_json
from airflow_colgraph.store.db import tables
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.intervals import DATASET

router = APIRouter(prefix="/api/v1", tags=["catalog"])

LATEST = 12  # changes that are listed
DAGS = 50  # the latest ones


def _counts(connection: Connection) -> dict[str, int]:
    names = (tables.dataset, tables.field, tables.job)
    datasets, fields, jobs = (
        connection.execute(select(func.count()).select_from(table)).scalar() or 0 for table in names
    )
    return {"datasets": datasets, "fields": fields - datasets, "jobs": jobs}


def _visible(query: Select[Any], access: Access) -> Select[Any]:
    dag = tables.job.c.dag_id
    return query if access.dags is None else query.where(dag.is_(None) | dag.in_(access.dags))


def _changes(connection: Connection, access: Access) -> list[dict[str, Any]]:
    """The datasets whose lineage or schema changed last: since when they are as they are."""
    output, body = tables.job_output, tables.lineage_body
    dataset, job, o = tables.dataset, tables.job, tables.occurrence
    query = (
        select(dataset.c.namespace, dataset.c.name, body.c.first_at)
        .add_columns(output.c.id, output.c.last_lineage_body.label("body"))
        .add_columns(job.c.name.label("job"), job.c.dag_id, job.c.task_id)
        .join_from(output, body, body.c.id == output.c.last_lineage_body)
        .join(dataset, dataset.c.id == output.c.dataset)
        .join(job, job.c.id == output.c.job)
        .order_by(body.c.first_at.desc(), dataset.c.name)
        .limit(LATEST)
    )
    found = []
    for row in connection.execute(_visible(query, access)):
        other = select(o.c.lineage_body).where(o.c.job_output == row.id)
        other = other.where(o.c.lineage_body != row.body).limit(1)
        found.append(
            {
                **{key: getattr(row, key) for key in ("namespace", "name", "job")},
                **{key: getattr(row, key) for key in ("dag_id", "task_id")},
                "at": clock.iso(row.first_at),
                "before": clock.iso(row.first_at - 1),
                "new": connection.execute(other).first() is None,
            }
        )
    return found


def _dags(connection: Connection, access: Access) -> list[dict[str, Any]]:
    """The DAGs that reported last, and of how many of their outputs column lineage is known."""
    output, job, edge = tables.job_output, tables.job, tables.edge
    known = exists().where(edge.c.job_output == output.c.id, edge.c.kind != DATASET)
    query = (
        select(job.c.dag_id, func.max(output.c.last_at).label("at"))
        .add_columns(func.count(output.c.dataset.distinct()).label("outputs"))
        .add_columns(func.count(case((known, output.c.dataset)).distinct()).label("columns"))
        .join_from(output, job, job.c.id == output.c.job)
        .where(job.c.dag_id.is_not(None))
        .group_by(job.c.dag_id)
        .order_by(func.max(output.c.last_at).desc())
        .limit(DAGS)
    )
    return [
        {"dag_id": dag_id, "at": clock.iso(at), "outputs": outputs, "columns": columns}
        for dag_id, at, outputs, columns in connection.execute(_visible(query, access))
    ]


@router.get("/overview")
def overview(store: TheStore, access: Reader) -> Response:
    """How much the store holds, what changed last, and the DAGs that reported last."""
    with store.connection() as connection:
        answer = {
            "counts": _counts(connection),
            "changes": _changes(connection, access),
            "dags": _dags(connection, access),
        }
    return as_json(answer)

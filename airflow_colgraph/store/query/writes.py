"""Which runs wrote a dataset, and the lineage bodies that they reported."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.lifecycle import change_without_write
from airflow_colgraph.store.model.lineage_body import Field, unpack
from airflow_colgraph.store.query import listing
from airflow_colgraph.store.query.dag_filter import Dags, of_dags
from airflow_colgraph.store.query.reported_bodies import job_outputs_of


def writes(
    connection: Connection, dataset: Field, dags: Dags, limit: int, offset: int
) -> list[Any]:
    """Rows of at, run, checksum, job and change: the reports by jobs of the DAGs, the latest first.

    `change`: that the dataset was dropped, emptied or altered, where nothing else was reported.
    """
    o, output, body, job = tables.occurrence, tables.job_output, tables.lineage_body, tables.job
    outputs = job_outputs_of(connection, listing.members(connection, dataset))
    query = (
        select(o.c.at, o.c.run, body.c.checksum, job.c.name.label("job"))
        .add_columns(change_without_write(output.c.dataset, o.c.at, o.c.run).label("change"))
        .join_from(o, output, output.c.id == o.c.job_output)
        .join(body, body.c.id == o.c.lineage_body)
        .join(job, job.c.id == output.c.job, isouter=True)
        .where(o.c.job_output.in_(outputs))
        .order_by(o.c.at.desc(), o.c.run)
        .limit(limit)
        .offset(offset)
    )
    return list(connection.execute(of_dags(query, dags)))


def latest_runs(
    connection: Connection,
    job_outputs: Collection[int],
    bodies: Collection[int],
    span: tuple[int, int],
    limit: int,
) -> list[bytes]:
    """The latest runs in [start, end) that reported one of the bodies of one of the outputs."""
    o = tables.occurrence
    query = (
        select(o.c.run)
        .where(o.c.job_output.in_(job_outputs), o.c.lineage_body.in_(bodies))
        .where(o.c.at >= span[0], o.c.at < span[1])
        .order_by(o.c.at.desc(), o.c.run)
        .limit(limit)
    )
    return list(dict.fromkeys(bytes(run) for run in connection.execute(query).scalars() if run))


def body_with_checksum(connection: Connection, checksum: bytes) -> dict[str, Any] | None:
    """The lineage body with the checksum; None if the store has none."""
    table = tables.lineage_body
    id = int.from_bytes(checksum[:8], "big", signed=True)
    row = connection.execute(select(table).where(table.c.id == id)).first()
    return unpack(row.body) if row is not None and bytes(row.checksum) == checksum else None

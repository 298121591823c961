"""Which datasets jobs read and write, and how much there is of everything."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import and_, func, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import symlinks, tables
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.intervals import DATASET
from airflow_colgraph.store.model.lineage_body import Field, unpack


def has_job(connection: Connection, id: int) -> bool:
    """Whether the store has a job."""
    job = tables.job.c.id
    return connection.execute(select(job).where(job == id)).first() is not None


def dags_of_jobs(connection: Connection) -> dict[int, str | None]:
    """The DAG of each job, by the jobs' ids."""
    rows = connection.execute(select(tables.job.c.id, tables.job.c.dag_id))
    return {row.id: row.dag_id for row in rows}


def outputs_of(connection: Connection, job: int) -> list[Field]:
    """The datasets that a job writes."""
    dataset, output = tables.dataset, tables.job_output
    query = select(dataset.c.namespace, dataset.c.name).join_from(
        output, dataset, dataset.c.id == output.c.dataset
    )
    rows = connection.execute(query.where(output.c.job == job))
    return sorted(Field(row.namespace, row.name, "") for row in rows)


def inputs_of(connection: Connection, job: int) -> list[Field]:
    """The datasets that a job reads, by its latest lineage, or as it writes nothing with them."""
    dataset, output, edge = tables.dataset, tables.job_output, tables.edge
    query = (
        select(dataset.c.namespace, dataset.c.name)
        .join_from(output, edge, edge.c.job_output == output.c.id)
        .join(dataset, dataset.c.id == edge.c.input)
        .where(output.c.job == job, edge.c.kind == DATASET)
        .where(edge.c.closed_at == clock.OPEN)
        .distinct()
    )
    inputs = {Field(row.namespace, row.name, "") for row in connection.execute(query)}
    return sorted(inputs | _only_read(connection, job))


def _only_read(connection: Connection, job: int) -> set[Field]:
    """What a job's latest run, or a JobEvent, lists as read beside what its outputs come from."""
    reading, body = tables.reading, tables.lineage_body
    query = (
        select(body.c.body)
        .join_from(reading, body, body.c.id == reading.c.lineage_body)
        .where(reading.c.job == job)
        .order_by(reading.c.at.desc(), reading.c.run.desc(), body.c.id)
        .limit(1)
    )
    packed = connection.execute(query).scalar()
    reads = unpack(packed).get("reads", ()) if packed is not None else ()
    return {Field(namespace, name, "") for namespace, name in reads}


def outputs_of_tasks(connection: Connection, dag_id: str, task_id: str = "") -> list[Any]:
    """Rows of namespace, name, dag_id and task_id: what a DAG's tasks, or one of them, wrote."""
    job, output, dataset = tables.job, tables.job_output, tables.dataset
    query = (
        select(dataset.c.namespace, dataset.c.name, job.c.dag_id, job.c.task_id)
        .join_from(output, job, output.c.job == job.c.id)
        .join(dataset, dataset.c.id == output.c.dataset)
        .where(job.c.dag_id == dag_id)
        .order_by(job.c.task_id, dataset.c.name, dataset.c.namespace)
        .distinct()
    )
    if task_id:
        query = query.where(job.c.task_id == task_id)
    return list(connection.execute(query))


def field_counts(connection: Connection, datasets: Collection[int]) -> dict[int, int]:
    """The number of fields of each dataset that is in the store, under any of its names."""
    stored = symlinks.resolve(connection, datasets)
    dataset, field = tables.dataset.c, tables.field.c
    is_field = and_(field.dataset == dataset.id, field.name != "")
    query = (
        select(dataset.id, func.count(field.id))
        .join_from(tables.dataset, tables.field, is_field, isouter=True)
        .where(dataset.id.in_(set(stored.values())))
        .group_by(dataset.id)
    )
    counts = {row[0]: row[1] for row in connection.execute(query)}
    return {id: counts[kept] for id, kept in stored.items() if kept in counts}


def row_counts(connection: Connection) -> dict[str, int]:
    """The number of rows of each table, and of occurrences."""
    return {
        table.name.removeprefix("colgraph_"): connection.execute(
            select(func.count()).select_from(table)
        ).scalar()
        or 0
        for table in (*tables.metadata.sorted_tables, tables.occurrence)
    }

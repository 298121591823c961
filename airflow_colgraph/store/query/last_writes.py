"""The last write of each dataset, by what its jobs reported last.

A report that only says that the dataset was dropped, emptied or altered is no write.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.db.lifecycle import change_without_write
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.query.dag_filter import Dags, of_dags


class LastWrite(NamedTuple):
    """The write of a dataset that was reported last, and the job that did it."""

    at: int
    job_output: int
    job_id: int
    run: bytes
    lineage_body: int | None
    job_namespace: str
    job: str
    dag_id: str | None
    task_id: str | None


def last_writes(
    connection: Connection, dags: Dags, datasets: Collection[int] | None, at: int = clock.OPEN
) -> Iterator[tuple[int, LastWrite]]:
    """The last write by a time of each output of datasets (None: all), with its dataset's id."""
    output, job = tables.job_output, tables.job
    query = (
        select(output.c.dataset, output.c.last_at, output.c.id, output.c.job)
        .add_columns(output.c.last_run, output.c.last_lineage_body)
        .add_columns(job.c.namespace, job.c.name, job.c.dag_id, job.c.task_id)
        .add_columns(change_without_write(output.c.dataset, output.c.last_at, output.c.last_run))
        .join_from(output, job, job.c.id == output.c.job)
    )
    rows = rows_in(connection, of_dags(query, dags), output.c.dataset, datasets)
    reports = [(dataset, LastWrite(*values), change) for dataset, *values, change in rows]
    others = {
        report.job_output for _, report, change in reports if change is not None or report.at > at
    }
    write_before = _writes_before(connection, others, at)
    for dataset, report, _ in reports:
        write = write_before(report) if report.job_output in others else report
        if write is not None:
            yield dataset, write


def write_rows(connection: Connection, job_outputs: Collection[int]) -> Iterable[Any]:
    """The reports of the outputs without those that only say that the dataset changed."""
    o, output = tables.occurrence.c, tables.job_output.c
    query = select(o.job_output, o.at, o.run, o.lineage_body)
    query = query.join_from(tables.occurrence, tables.job_output, output.id == o.job_output)
    query = query.where(change_without_write(output.dataset, o.at, o.run).is_(None))
    return rows_in(connection, query, o.job_output, job_outputs)


def _writes_before(
    connection: Connection, job_outputs: Collection[int], at: int
) -> Callable[[LastWrite], LastWrite | None]:
    """What turns a report into the last write of the same output by a time, if any."""
    last: dict[int, tuple[int, bytes]] = {}
    for row in write_rows(connection, job_outputs):
        if row.at <= at:
            write = row.at, bytes(row.run)
            last[row.job_output] = max(last.get(row.job_output, (0, b"")), write)

    def of(report: LastWrite) -> LastWrite | None:
        if report.job_output not in last:
            return None
        at, run = last[report.job_output]
        return report._replace(at=at, run=run, lineage_body=None)

    return of

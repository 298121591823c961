"""The lineage bodies that runs reported of datasets; runs with the same body are counted together.

Statements over the view `occurrence` name the outputs in a list: SQLite reads all of a view that is
joined by anything else.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.model import clock


class ReportedBody(NamedTuple):
    """A lineage body that runs of a job reported of a dataset: when, how many, the last one."""

    job_output: int
    job: int | None
    lineage_body: int
    checksum: bytes
    body: bytes
    first_at: int
    last_at: int
    runs: int
    last_run: bytes


def job_outputs_of(connection: Connection, datasets: Iterable[int]) -> list[int]:
    """The ids of the job outputs that write the datasets."""
    table = tables.job_output
    query = select(table.c.id).where(table.c.dataset.in_(set(datasets)))
    return sorted(connection.execute(query).scalars())


def bodies_of_datasets(
    connection: Connection, datasets: Iterable[int], start: int = 0, end: int = clock.OPEN
) -> list[ReportedBody]:
    """The lineage bodies that runs in [start, end) reported of the datasets, in order of time."""
    return bodies_of_outputs(connection, job_outputs_of(connection, datasets), start, end)


def bodies_of_outputs(
    connection: Connection, job_outputs: Iterable[int], start: int = 0, end: int = clock.OPEN
) -> list[ReportedBody]:
    """The lineage bodies that runs in [start, end) reported of the outputs, in order of time."""
    o = tables.occurrence
    runs: dict[tuple[int, int], list[tuple[int, bytes]]] = {}
    query = select(o.c.job_output, o.c.lineage_body, o.c.at, o.c.run)
    query = query.where(o.c.at >= start, o.c.at < end)
    for job_output, body, at, run in rows_in(connection, query, o.c.job_output, job_outputs):
        runs.setdefault((job_output, body), []).append((at, bytes(run)))
    lineage_bodies = _rows(
        connection, tables.lineage_body, {lineage_body for _, lineage_body in runs}
    )
    jobs = _rows(connection, tables.job_output, {job_output for job_output, _ in runs})
    reported = []
    for (job_output, lineage_body), times_and_runs in runs.items():
        last_at, last_run = max(times_and_runs)  # of two at the same time the later id counts
        row = lineage_bodies[lineage_body]
        reported.append(
            ReportedBody(
                job_output,
                jobs[job_output].job,
                lineage_body,
                bytes(row.checksum),
                bytes(row.body),
                min(times_and_runs)[0],
                last_at,
                len(times_and_runs),
                last_run,
            )
        )
    return sorted(reported, key=lambda body: (body.first_at, body.lineage_body, body.last_run))


def _rows(connection: Connection, table: Any, ids: Iterable[int]) -> dict[int, Any]:
    return {row.id: row for row in rows_in(connection, select(table), table.c.id, ids)}

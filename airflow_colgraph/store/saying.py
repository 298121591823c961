"""Who said an edge: the job, its latest run, and between which times."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import bindparam, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store import clock, names, tables
from airflow_colgraph.store.remembered import Row
from airflow_colgraph.store.tables import OPEN


class Job(NamedTuple):
    """A job, and the Airflow task that it is."""

    namespace: str
    name: str
    dag_id: str | None
    task_id: str | None


class Run(NamedTuple):
    """One try of a job."""

    id: str
    started_at: str
    ended_at: str | None
    state: str
    attempt: int | None
    map_index: int | None
    parent: str | None


class Said(NamedTuple):
    """Who said so: the job (None: the dataset's own event), the latest run, and between when."""

    job: Job | None
    run: Run | None
    first_seen: str
    last_seen: str
    closed_at: str | None


def who_said(connection: Connection, rows: Sequence[Row]) -> dict[tuple[int, int, int, int], Said]:
    """By (writer, first seen, last seen, closed): the job, and the last run that said it."""
    different = {row[4:] for row in rows}  # few: the edges of a run share them
    writers = _writers(connection, {writer for writer, *_ in different})
    earlier = {(writer, last) for writer, _, last, _ in different if last != OPEN}
    last_runs = _runs_at(connection, earlier)
    for id, found in writers.items():
        last_runs[id, OPEN] = found.last_run
    runs = _runs(connection, set(last_runs.values()))
    said = {}
    for times in different:
        writer, first, last, closed = times
        found = writers[writer]
        said[times] = Said(
            None if found.namespace is None else Job(*found[:4]),
            runs.get(last_runs.get((writer, last), b"")),
            clock.iso(first),
            clock.iso(found.last_at if last == OPEN else last),
            None if closed == OPEN else clock.iso(closed),
        )
    return said


_WRITERS = select(
    tables.job.c.namespace,
    tables.job.c.name,
    tables.job.c.dag_id,
    tables.job.c.task_id,
    tables.writer.c.id,
    tables.writer.c.last_at,
    tables.writer.c.last_run,
).join_from(tables.writer, tables.job, tables.writer.c.job == tables.job.c.id, isouter=True)
_WRITERS = _WRITERS.where(tables.writer.c.id.in_(bindparam("b_ids", expanding=True)))


def _writers(connection: Connection, ids: set[int]) -> dict[int, Any]:
    return {
        row.id: row
        for batch in names.batches(ids)
        for row in connection.execute(_WRITERS, {"b_ids": batch})
    }


def _runs_at(connection: Connection, times: set[tuple[int, int]]) -> dict[tuple[int, int], bytes]:
    """The run that reported for each (writer, time)."""
    by_writer: dict[int, list[int]] = {}
    for writer, at in sorted(times):
        by_writer.setdefault(writer, []).append(at)
    found: dict[tuple[int, int], bytes] = {}
    for writer, ats in by_writer.items():  # (writer, at) IN (...) would scan the table in SQLite
        for begin in range(0, len(ats), 1000):
            batch = {"b_writer": writer, "b_ats": ats[begin : begin + 1000]}
            for at, run in connection.execute(_RUNS_AT, batch):
                found[writer, at] = run
    return found


_RUNS_AT = (
    select(tables.occurrence.c.at, tables.occurrence.c.run)
    .where(tables.occurrence.c.writer == bindparam("b_writer"))
    .where(tables.occurrence.c.at.in_(bindparam("b_ats", expanding=True)))
    .order_by(tables.occurrence.c.at, tables.occurrence.c.run)
)


_RUNS = select(tables.run).where(tables.run.c.id.in_(bindparam("b_ids", expanding=True)))


def _runs(connection: Connection, ids: set[bytes]) -> dict[bytes, Run]:
    ordered = sorted(ids)
    return {
        row.id: Run(
            str(uuid.UUID(bytes=row.id)),
            clock.iso(row.started_at),
            None if row.ended_at is None else clock.iso(row.ended_at),
            tables.STATES[row.state],
            row.attempt,
            row.map_index,
            None if row.parent is None else str(uuid.UUID(bytes=row.parent)),
        )
        for begin in range(0, len(ordered), 1000)
        for row in connection.execute(_RUNS, {"b_ids": ordered[begin : begin + 1000]})
    }

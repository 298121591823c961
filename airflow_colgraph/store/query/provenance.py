"""Who said an edge: the job, its latest run, and between which times."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import orjson
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.tables import OPEN
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.query.edge_cache import WRITER, Row, expect


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


# For each writer and time at which it said an edge last (OPEN: its latest run says it): when that
# was, the job, and the run, which may be gone or none (a dataset's own event).
_SAID = {
    "sqlite": f"""
SELECT c.edges, n.writer, n.at, w.last_at, j.namespace, j.name, j.dag_id, j.task_id,
    r.id, r.started_at, r.ended_at, r.state, r.attempt, r.map_index, r.parent
FROM (
    SELECT json_extract(value, '$[0]') AS writer, json_extract(value, '$[1]') AS at
    FROM json_each(:pairs)
) AS n CROSS JOIN colgraph_writer AS w CROSS JOIN colgraph_change AS c
LEFT JOIN colgraph_job AS j ON j.id = w.job
LEFT JOIN colgraph_reported AS o ON o.writer = n.writer AND o.at = n.at
LEFT JOIN colgraph_run AS r ON r.id = CASE WHEN n.at = {OPEN} THEN w.last_run ELSE o.run END
WHERE w.id = n.writer
""",
    "postgresql": "SELECT * FROM colgraph_said("
    "CAST(%(writers)s AS bigint[]), CAST(%(times)s AS bigint[]))",
}
Times = tuple[int, int, int, int]  # writer, first seen, last seen, closed


def who_said(connection: Connection, rows: Sequence[Row]) -> dict[Times, Said]:
    """By writer and times: the job, and the last run that said it. Changed if the edges did."""
    different = {row[WRITER:] for row in rows}  # few: the edges of a run share them
    if not different:
        return {}
    jobs: dict[int, Job | None] = {}
    last_at: dict[int, int] = {}
    runs: dict[tuple[int, int], Run | None] = {}
    pairs = sorted({(writer, last) for writer, _, last, _ in different})
    for change, writer, at, latest, *job_and_run in _read(connection, pairs):
        expect(connection, change)
        if writer not in jobs:
            jobs[writer] = None if job_and_run[0] is None else Job(*job_and_run[:4])
            last_at[writer] = latest
        runs[writer, at] = _run(*job_and_run[4:])
    return {
        (writer, first, last, closed): Said(
            jobs[writer],
            runs.get((writer, last)),
            clock.iso(first),
            clock.iso(last_at[writer] if last == OPEN else last),
            None if closed == OPEN else clock.iso(closed),
        )
        for writer, first, last, closed in different
    }


def _read(connection: Connection, pairs: list[tuple[int, int]]) -> list[tuple[Any, ...]]:
    dialect = connection.dialect.name
    cursor = connection.connection.cursor()
    sql = _SAID[dialect]
    if dialect == "sqlite":
        cursor.execute(sql, {"pairs": orjson.dumps(pairs).decode()})
    else:
        writers, times = map(list, zip(*pairs, strict=True))
        cursor.execute(sql, {"writers": writers, "times": times})
    return cursor.fetchall()  # type: ignore[return-value]


@lru_cache(65_536)  # by all that is in the row, so never old
def _run(
    id: bytes | None,
    started_at: int,
    ended_at: int | None,
    state: int,
    attempt: int | None,
    map_index: int | None,
    parent: bytes | None,
) -> Run | None:
    if id is None:
        return None
    return Run(
        run_id(id),
        clock.iso(started_at),
        None if ended_at is None else clock.iso(ended_at),
        tables.STATES[state],
        attempt,
        map_index,
        None if parent is None else run_id(parent),
    )


def run_id(id: bytes) -> str:
    """The 16 bytes as OpenLineage's runId.

    >>> run_id(bytes(range(16)))
    '00010203-0405-0607-0809-0a0b0c0d0e0f'
    """
    text = bytes(id).hex()  # uuid.UUID takes longer, and answers have hundreds
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

"""Who said an edge: the job, its latest run, and between which times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson
from sqlalchemy.engine import Connection

from airflow_colgraph.store import clock, listed, tables
from airflow_colgraph.store.remembered import WRITER, Row, remembered
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


# A run's columns; a writer's latest run may be gone or none (a dataset's own event).
_RUN = "r.id, r.started_at, r.ended_at, r.state, r.attempt, r.map_index, r.parent"
_WRITERS = f"""
SELECT c.edges, w.id, w.last_at, j.namespace, j.name, j.dag_id, j.task_id, {_RUN}
FROM {{ids}} colgraph_writer AS w ON w.id = n.value CROSS JOIN colgraph_change AS c
LEFT JOIN colgraph_job AS j ON j.id = w.job
LEFT JOIN colgraph_run AS r ON r.id = w.last_run
"""
# The run that reported for a writer at a time; of several the last counts. Both are in one list,
# each writer before its time.
_REPORTED = {
    "sqlite": f"""
SELECT o.writer, o.at, {_RUN}
FROM json_each(:pairs) AS n
CROSS JOIN colgraph_occurrence AS o
    ON o.writer = json_extract(n.value, '$[0]') AND o.at = json_extract(n.value, '$[1]')
LEFT JOIN colgraph_run AS r ON r.id = o.run
ORDER BY o.run
""",
    "postgresql": f"""
SELECT o.writer, o.at, {_RUN}
FROM unnest(CAST(%(writers)s AS bigint[]), CAST(%(times)s AS bigint[])) AS n(writer, at)
JOIN colgraph_occurrence AS o ON o.writer = n.writer AND o.at = n.at
LEFT JOIN colgraph_run AS r ON r.id = o.run
ORDER BY o.run
""",
}
Times = tuple[int, int, int, int]  # writer, first seen, last seen, closed


def who_said(connection: Connection, rows: Sequence[Row]) -> dict[Times, Said]:
    """By writer and times: the job, and the last run that said it. Changed if the edges did."""
    different = {row[WRITER:] for row in rows}  # few: the edges of a run share them
    if not different:
        return {}
    state = remembered(connection)
    jobs: dict[int, Job | None] = {}
    last_at: dict[int, int] = {}
    runs: dict[tuple[int, int], Run | None] = {}
    for change, writer, at, *more in listed.rows(connection, _WRITERS, {w for w, *_ in different}):
        state.expect(change)
        jobs[writer] = None if more[0] is None else Job(*more[:4])
        last_at[writer] = at
        runs[writer, OPEN] = _run(more[4:])
    earlier = {(writer, last) for writer, _, last, _ in different if last != OPEN}
    if earlier:
        runs.update(_reported(connection, sorted(earlier)))
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


def _reported(
    connection: Connection, pairs: list[tuple[int, int]]
) -> dict[tuple[int, int], Run | None]:
    dialect = connection.dialect.name
    cursor = connection.connection.cursor()
    if dialect == "sqlite":
        cursor.execute(_REPORTED[dialect], {"pairs": orjson.dumps(pairs).decode()})
    else:
        writers, times = map(list, zip(*pairs, strict=True))
        cursor.execute(_REPORTED[dialect], {"writers": writers, "times": times})
    return {(writer, at): _run(run) for writer, at, *run in cursor.fetchall()}


def _run(row: Sequence[Any]) -> Run | None:
    id, started_at, ended_at, state, attempt, map_index, parent = row
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

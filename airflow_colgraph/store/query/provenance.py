"""Provenance of edges: which job reported each, in which run, and between which times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
from sqlalchemy.engine import Connection

from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.clock import OPEN
from airflow_colgraph.store.model.runs import Job, Report, Run, stored_run
from airflow_colgraph.store.query.edge_cache import JOB_OUTPUT, Row, snapshot

# For each output and time of the last report of an edge (OPEN: by the output's latest run): when
# that was, the job, and the run, which may have been deleted, or none (a DatasetEvent).
_REPORTED = {
    "sqlite": f"""
SELECT c.edges, n.job_output, n.at, w.last_at, j.namespace, j.name, j.dag_id, j.task_id,
    r.id, r.started_at, r.ended_at, r.state, r.attempt, r.map_index, r.parent
FROM (
    SELECT json_extract(value, '$[0]') AS job_output, json_extract(value, '$[1]') AS at
    FROM json_each(:pairs)
) AS n CROSS JOIN colgraph_job_output AS w CROSS JOIN colgraph_change AS c
LEFT JOIN colgraph_job AS j ON j.id = w.job
LEFT JOIN colgraph_reported AS o ON o.job_output = n.job_output AND o.at = n.at
LEFT JOIN colgraph_run AS r ON r.id = CASE WHEN n.at = {OPEN} THEN w.last_run ELSE o.run END
WHERE w.id = n.job_output
""",
    "postgresql": "SELECT * FROM colgraph_reported_by("
    "CAST(%(outputs)s AS bigint[]), CAST(%(times)s AS bigint[]))",
}
Times = tuple[int, int, int, int]  # output, first seen, last seen, closed


def reported_by(connection: Connection, rows: Sequence[Row]) -> dict[Times, Report]:
    """By output and times: the job, and the last run that reported it. Changed if the edges did."""
    different = {row[JOB_OUTPUT:] for row in rows}  # few: the edges of a run share them
    if not different:
        return {}
    jobs: dict[int, Job | None] = {}
    last_at: dict[int, int] = {}
    runs: dict[tuple[int, int], Run | None] = {}
    cached = snapshot(connection)
    pairs = sorted({(job_output, last) for job_output, _, last, _ in different})
    for change, job_output, at, latest, *job_and_run in _read(connection, pairs):
        cached.verify(change)
        if job_output not in jobs:
            jobs[job_output] = None if job_and_run[0] is None else Job(*job_and_run[:4])
            last_at[job_output] = latest
        run = job_and_run[4:]
        runs[job_output, at] = None if run[0] is None else stored_run(*run)
    return {
        (job_output, first, last, closed): Report(
            jobs[job_output],
            runs.get((job_output, last)),
            clock.iso(first),
            clock.iso(last_at[job_output] if last == OPEN else last),
            None if closed == OPEN else clock.iso(closed),
        )
        for job_output, first, last, closed in different
    }


def _read(connection: Connection, pairs: list[tuple[int, int]]) -> list[tuple[Any, ...]]:
    dialect = connection.dialect.name
    cursor = connection.connection.cursor()
    sql = _REPORTED[dialect]
    if dialect == "sqlite":
        cursor.execute(sql, {"pairs": orjson.dumps(pairs).decode()})
    else:
        outputs, times = map(list, zip(*pairs, strict=True))
        cursor.execute(sql, {"outputs": outputs, "times": times})
    return cursor.fetchall()  # type: ignore[return-value]

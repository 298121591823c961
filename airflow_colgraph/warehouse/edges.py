"""Edges with the times in which each held, from the occurrences of lineage bodies. SQL only.

The definition is `store.model.intervals`: a run of a job that replaces the rows of a dataset closes
the edges that it does not report; one without column lineage closes edges between datasets only.
Runs one after the other that report the same are one stretch, so an unchanged run costs no edge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SCHEMA = (
    "job_output bigint, job bigint, kind string, output bigint, input bigint, "
    "transformation bigint, first_seen timestamp, last_seen timestamp, closed_at timestamp, "
    "is_current boolean"
)
# Each run's bodies of an output, at the time of the run's first report.
REPORTS = """
SELECT job_output, any_value(job) AS job, run, min(o.at) AS at,
    array_sort(collect_set(o.body)) AS bodies, bool_or(replaces) AS replaces,
    bool_or(b.has_columns) AS has_columns
FROM {occurrences} AS o JOIN {bodies} AS b ON b.id = o.body
GROUP BY job_output, run, if(run = '', o.at, NULL)
"""
_CHANGED = """
SELECT *, coalesce(bodies <> lag(bodies) OVER w OR replaces <> lag(replaces) OVER w, true)
    AS changed
FROM {reports} WINDOW w AS (PARTITION BY job_output ORDER BY at, run)
"""
_NUMBERED = """
SELECT *, sum(CAST(changed AS int)) OVER (PARTITION BY job_output ORDER BY at, run
    ROWS UNBOUNDED PRECEDING) AS stretch
FROM {changed}
"""
_STRETCHES = """
SELECT job_output, any_value(job) AS job, stretch, any_value(bodies) AS bodies,
    any_value(replaces) AS replaces, any_value(has_columns) AS has_columns,
    min(at) AS first_at, max(at) AS last_at
FROM {numbered} GROUP BY job_output, stretch
"""
# The next stretch that closes edges between datasets (`dataset_end`), or any edge (`field_end`).
_ENDS = """
SELECT *,
    min(if(replaces, struct(stretch, first_at), NULL)) OVER following AS dataset_end,
    min(if(replaces AND has_columns, struct(stretch, first_at), NULL)) OVER following AS field_end
FROM {stretches}
WINDOW following AS (PARTITION BY job_output ORDER BY stretch
    ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)
"""
_STATED = """
SELECT job_output, job, stretch, first_at, last_at, dataset_end, field_end, edge.*
FROM (
    SELECT s.*, explode(b.edges) AS edge
    FROM (SELECT *, explode(bodies) AS body FROM {ends}) AS s JOIN {bodies} AS b ON b.id = s.body
)
"""
# Under the canonical names of datasets; two bodies of a run may state the same edge.
_RESOLVED = """
SELECT job_output, any_value(job) AS job, kind,
    coalesce(o.canonical, output) AS output, coalesce(i.canonical, input) AS input,
    transformation, stretch, any_value(first_at) AS first_at, any_value(last_at) AS last_at,
    any_value(if(kind = 'DATASET', dataset_end, field_end)) AS ends
FROM {stated} AS s
LEFT JOIN {moved} AS o ON o.id = s.output
LEFT JOIN {moved} AS i ON i.id = s.input
GROUP BY job_output, kind, coalesce(o.canonical, output), coalesce(i.canonical, input),
    transformation, stretch
"""
_CLOSED = """
SELECT *, coalesce(ends.stretch < lead(stretch) OVER w, ends IS NOT NULL) AS is_closed
FROM {resolved}
WINDOW w AS (PARTITION BY job_output, kind, output, input, transformation ORDER BY stretch)
"""
_ISLANDS = """
SELECT *, coalesce(sum(CAST(is_closed AS int)) OVER (
    PARTITION BY job_output, kind, output, input, transformation ORDER BY stretch
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS island
FROM {closed}
"""
_INTERVALS = """
SELECT job_output, any_value(job) AS job, kind, output, input, transformation,
    min(first_at) AS first_seen, max(last_at) AS last_seen,
    max(if(is_closed, ends.first_at, NULL)) AS closed_at
FROM {islands} GROUP BY job_output, kind, output, input, transformation, island
"""
_EDGES = "SELECT DISTINCT *, closed_at IS NULL AS is_current FROM {intervals}"


def edges(occurrences: DataFrame, bodies: DataFrame, fields: DataFrame) -> DataFrame:
    """Every edge of every job's output, a row for each interval in which it held."""
    spark = occurrences.sparkSession
    moved = fields.where("id <> canonical").select("id", "canonical")
    frame = spark.sql(REPORTS, occurrences=occurrences, bodies=bodies)
    frame = spark.sql(_CHANGED, reports=frame)
    frame = spark.sql(_NUMBERED, changed=frame)
    frame = spark.sql(_STRETCHES, numbered=frame)
    frame = spark.sql(_ENDS, stretches=frame)
    frame = spark.sql(_STATED, ends=frame, bodies=bodies)
    frame = spark.sql(_RESOLVED, stated=frame, moved=moved)
    frame = spark.sql(_CLOSED, resolved=frame)
    frame = spark.sql(_ISLANDS, closed=frame)
    frame = spark.sql(_INTERVALS, islands=frame)
    return spark.sql(_EDGES, intervals=frame)

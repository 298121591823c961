"""How much of its history a warehouse publishes: what the store's retention would leave.

The rules are those of `store.admin.retention`, table by table: what was reported before a time is
left out, except what the latest lineage needs. Tests compare both row by row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from airflow_colgraph.store.model.clock import EARLIEST, OPEN
from airflow_colgraph.warehouse.edges import REPORTS
from airflow_colgraph.warehouse.folder import Version
from airflow_colgraph.warehouse.names import Keep

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LATEST_ONLY, ALL = OPEN, EARLIEST  # as `since`: no history, and all of it

# What each output's latest run reported.
_LATEST = """
SELECT job_output, any_value(job) AS job, max(struct(at, run, bodies, replaces)) AS last
FROM {reports} GROUP BY job_output
"""
# Runs that lineage from the time on needs, by the rule of `retention.superseded`.
_NEEDED = """
SELECT job_output, run, if(run = '', at, NULL) AS declared_at FROM (
    SELECT *, row_number() OVER (PARTITION BY job_output, bodies, replaces
        ORDER BY at DESC, run DESC) AS number,
        max(if(replaces AND has_columns, struct(at, run), NULL))
        OVER (PARTITION BY job_output) AS begin
    FROM {reports} WHERE at <= {since}
) WHERE number = 1 AND (begin IS NULL OR struct(at, run) >= begin)
UNION SELECT job_output, run, if(run = '', at, NULL) FROM (
    SELECT *, row_number() OVER (PARTITION BY job_output, body
        ORDER BY at DESC, run DESC) AS number,
        max(if(replaces, at, NULL)) OVER (PARTITION BY job_output) AS begin
    FROM {occurrences} WHERE at <= {since}
) WHERE number = 1 AND (begin IS NULL OR at >= begin)
"""
_OCCURRENCES = """
SELECT o.*, o.last_at >= {since} OR n.run IS NOT NULL AS kept
FROM (SELECT *, max(at) OVER (PARTITION BY job_output, run, if(run = '', at, NULL)) AS last_at,
    if(run = '', at, NULL) AS declared_at FROM {occurrences}) AS o
LEFT JOIN {needed} AS n ON n.job_output = o.job_output AND n.run = o.run
    AND n.declared_at <=> o.declared_at
"""
_READINGS = """
SELECT r.* FROM (SELECT *, max(at) OVER (PARTITION BY job) AS latest FROM {readings}) AS r
WHERE at >= {since} OR at >= latest
"""
_DATED = """
SELECT * FROM (SELECT *, max(if(first_at <= {since}, last_at, NULL))
    OVER (PARTITION BY {keys}) AS latest FROM {rows})
WHERE last_at >= {since} OR last_at >= latest
"""
# Reports of gaps since the time, and those that are shown: since the first run began of a job's
# latest that completed or reported, and of its DAG run (`store.db.last_reports`).
_GAPS = """
WITH reported AS (
    SELECT run, any_value(job) AS job, count(*) AS number, bool_or(kept) AS kept
    FROM {occurrences} WHERE run <> '' GROUP BY run
), told AS (
    SELECT r.job, r.id, r.parent, row_number() OVER (PARTITION BY r.job ORDER BY
        r.state = 'COMPLETE' OR coalesce(o.number > 1 OR o.job <> r.job OR o.kept, false) DESC,
        r.started_at DESC, r.id) AS place
    FROM {runs} AS r LEFT JOIN reported AS o ON o.run = r.id
), shown AS (
    SELECT r.job, min(r.started_at) AS since FROM {runs} AS r JOIN told AS t
        ON t.job = r.job AND t.place = 1 AND (r.id = t.id OR r.parent = t.parent) GROUP BY r.job
)
SELECT g.* FROM {gaps} AS g LEFT JOIN shown AS s ON s.job = g.job
WHERE g.last_at >= {since} OR s.since IS NULL OR g.last_at >= s.since
"""
_RUNS = """
SELECT r.id FROM {runs} AS r WHERE coalesce(r.ended_at, r.started_at) >= {since}
UNION SELECT run FROM {occurrences} WHERE kept
UNION SELECT run FROM {readings}
UNION SELECT last.run FROM {latest}
"""
_PARENTS = """
SELECT DISTINCT r.parent AS id FROM {runs} AS r JOIN {kept} AS k ON k.id = r.id
WHERE r.parent IS NOT NULL
"""


class KeptHistory:
    """The tables of a version without what is older than a time and not of the latest lineage."""

    def __init__(self, spark: SparkSession, version: Version, since: int, keep: Keep) -> None:
        """`since` in milliseconds since 1970, or LATEST_ONLY, or ALL; `keep` writes a table."""
        self._spark, self._version, self._since, self._keep = spark, version, since, keep
        reports = spark.sql(
            REPORTS, occurrences=self.table("occurrences"), bodies=self.table("bodies")
        )
        self.latest = keep(spark.sql(_LATEST, reports=reports), "latest")
        occurrences = self.table("occurrences")
        needed = self.sql(_NEEDED, reports=reports, occurrences=occurrences)
        marked = self.sql(_OCCURRENCES, occurrences=occurrences, needed=needed)
        self.occurrences = keep(marked.drop("last_at", "declared_at"), "occurrences")

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out."""
        return self._since <= ALL

    def table(self, name: str) -> DataFrame:
        """A table of the version, whole."""
        return self._version.table(self._spark, name)

    def sql(self, text: str, **frames: DataFrame) -> DataFrame:
        """The rows of a query; `{since}` in it is the time."""
        return self._spark.sql(
            text.replace("{since}", f"timestamp_millis({self._since})"), **frames
        )

    def keep(self, frame: DataFrame, name: str) -> DataFrame:
        """The frame, written as a table and read back."""
        return self._keep(frame, name)

    def kept_occurrences(self) -> DataFrame:
        """The occurrences that are not left out."""
        return self.occurrences.where("kept").drop("kept")

    def readings(self) -> DataFrame:
        """Readings since the time, and each job's latest."""
        if self.is_whole:
            return self.table("readings")
        return self.sql(_READINGS, readings=self.table("readings")).drop("latest")

    def dated(self, name: str, *keys: str) -> DataFrame:
        """Schemas, descriptions or tags reported since the time, and the latest of each key."""
        if self.is_whole:
            return self.table(name)
        text = _DATED.replace("{keys}", ", ".join(keys))
        return self.sql(text, rows=self.table(name)).drop("latest")

    def gaps(self) -> DataFrame:
        """Reports of gaps since the time, and those that are shown."""
        if self.is_whole:
            return self.table("gaps")
        tables = {"gaps": self.table("gaps"), "runs": self.table("runs")}
        return self.sql(_GAPS, occurrences=self.occurrences, **tables)

    def runs(self) -> DataFrame:
        """Runs that ended since the time or that something refers to, and the runs above them."""
        runs = self.table("runs")
        if self.is_whole:
            return runs
        tables = {"runs": runs, "occurrences": self.occurrences, "readings": self.readings()}
        kept = self._keep(self.sql(_RUNS, latest=self.latest, **tables), "runs/0")
        added, level = kept, 0
        while not added.isEmpty():
            level += 1
            parents = self.sql(_PARENTS, runs=runs, kept=added).join(kept, "id", "left_anti")
            added = self._keep(parents, f"runs/{level}")
            kept = kept.union(added)
        return runs.join(kept, "id", "left_semi")

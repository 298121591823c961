"""Occurrences, each a lineage body that a run reported: in the run's row or in `run_output`.

Most runs report one lineage body of one dataset, which takes no row and no index entry of its own.
A run that reports more has a row in `run_output` for each, and so has a DatasetEvent, which has no
run. The view `colgraph_occurrence` shows both. Which form a run has depends on the set of its
reports, not on their order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import bindparam, delete, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.tables import NOT_REPORTED, SEPARATE
from airflow_colgraph.store.db.upsert import upsert

RunRow = dict[
    str, Any
]  # a row of `run`, but with the time `reported_at` instead of `reported_after`


class Occurrence(NamedTuple):
    """A lineage body that a run (or, without one, a DatasetEvent) reported of an output."""

    job_output: int
    job: int | None
    at: int
    run: bytes
    lineage_body: int
    replaces: bool


_HAS_REPORTED = (
    select(tables.run_output.c.at)
    .where(tables.run_output.c.job_output == bindparam("b_job_output"))
    .where(tables.run_output.c.at >= bindparam("b_started"))
    .where(tables.run_output.c.run == bindparam("b_run"))
    .limit(1)
)


class Occurrences:
    """Occurrences of runs whose rows were read; `flush` writes those in `run_output`."""

    def __init__(self, connection: Connection, runs: Mapping[bytes, RunRow]) -> None:
        """`runs`: the row of every run that reports something; they are changed here."""
        self._connection = connection
        self._runs = runs
        self._waiting: list[dict[str, Any]] = []

    def has_reported(self, occurrence: Occurrence) -> bool:
        """Whether the run has reported the output before."""
        run = self._runs[occurrence.run]
        if run["report"] != SEPARATE:
            return run["report"] != NOT_REPORTED and bool(
                run["job_output"] == occurrence.job_output
            )
        self.flush()
        asked = {
            "b_job_output": occurrence.job_output,
            "b_started": run["started_at"],
            "b_run": occurrence.run,
        }
        return self._connection.execute(_HAS_REPORTED, asked).first() is not None

    def add(self, occurrence: Occurrence) -> None:
        """Add an occurrence that the run has not reported before."""
        run = self._runs.get(occurrence.run)
        if run is None:
            self._waiting.append(_row(occurrence))
            return
        if run["report"] == NOT_REPORTED and run["job"] == occurrence.job:
            report = 1 + occurrence.replaces
            run.update(
                report=report,
                job_output=occurrence.job_output,
                lineage_body=occurrence.lineage_body,
                reported_at=occurrence.at,
            )
            return
        self.separate(run)
        self._waiting.append(_row(occurrence))

    def separate(self, run: RunRow) -> None:
        """Move the occurrence in the run's row to `run_output`, as there are several."""
        if run["report"] not in (NOT_REPORTED, SEPARATE):
            separate = run["reported_at"], run["id"], run["lineage_body"], run["report"] > 1
            self._waiting.append(_row(Occurrence(run["job_output"], run["job"], *separate)))
        run.update(report=SEPARATE, job_output=None, lineage_body=None, reported_at=None)

    def merge(self, occurrence: Occurrence) -> bool:
        """Add an occurrence to those of its run; returns whether that changed anything."""
        run = self._runs.get(occurrence.run)
        if run is None or run["report"] == SEPARATE:
            return self._merge_separate(occurrence)
        if (run["job_output"], run["lineage_body"]) != (
            occurrence.job_output,
            occurrence.lineage_body,
        ):
            self.add(occurrence)
            return True
        before = run["reported_at"], run["report"]
        run.update(
            reported_at=min(run["reported_at"], occurrence.at),
            report=max(run["report"], 1 + occurrence.replaces),
        )
        return before != (run["reported_at"], run["report"])

    def _merge_separate(self, occurrence: Occurrence) -> bool:
        self.flush()
        table = tables.run_output
        same = [
            table.c.job_output == occurrence.job_output,
            table.c.run == occurrence.run,
            table.c.lineage_body == occurrence.lineage_body,
        ]
        if not occurrence.run:  # each declaration counts
            same.append(table.c.at == occurrence.at)
        there = self._connection.execute(select(table.c.at, table.c.replaces).where(*same)).first()
        row = _row(occurrence)
        if there is not None:
            row.update(
                at=min(occurrence.at, there.at), replaces=occurrence.replaces or there.replaces
            )
            if (row["at"], row["replaces"]) == (there.at, there.replaces):
                return False
            self._connection.execute(delete(table).where(*same))
        self._waiting.append(row)
        return True

    def flush(self) -> None:
        """Write the rows of `run_output`."""
        upsert(self._connection, tables.run_output, self._waiting)
        self._waiting = []


def _row(occurrence: Occurrence) -> dict[str, Any]:
    return {name: value for name, value in occurrence._asdict().items() if name != "job"}

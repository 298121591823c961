"""Rows of runs: merged from the events about one attempt of a job."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import bindparam, select, update
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.tables import NOT_REPORTED, SEPARATE
from airflow_colgraph.store.db.upsert import upsert
from airflow_colgraph.store.ingest.occurrences import Occurrences, RunRow
from airflow_colgraph.store.model.runs import ReportedRun, rank

_RUNS = select(tables.run).where(tables.run.c.id.in_(bindparam("b_ids", expanding=True)))
_UPDATE = (
    update(tables.run)
    .where(tables.run.c.id == bindparam("b_id"))
    .values({c.key: bindparam(f"b_{c.key}") for c in tables.run.c if c.key != "id"})
)


class RunRows:
    """Rows of runs that are read, changed and written in one transaction."""

    def __init__(self, connection: Connection, ids: Iterable[bytes]) -> None:
        """Read the rows of the runs that exist."""
        self._connection = connection
        rows = connection.execute(_RUNS, {"b_ids": sorted(set(ids))})
        self.rows: dict[bytes, RunRow] = {row["id"]: row for row in map(_read, rows)}
        self._before = {id: dict(row) for id, row in self.rows.items()}
        self.occurrences = Occurrences(connection, self.rows)

    def merge(self, reported: Iterable[RunRow]) -> None:
        """Add what is reported about the runs themselves."""
        for new in reported:
            row = self.rows.get(new["id"])
            self.rows[new["id"]] = merged(row, new) if row else {**NEW, **new}
        for id, before in self._before.items():
            row = self.rows[id]
            if row["job"] != before["job"] and row["report"] not in (NOT_REPORTED, SEPARATE):
                self.occurrences.separate(row)  # the output is no longer of the run's job

    def write(self) -> None:
        """Write the rows that are new or have changed, and `run_output`."""
        self.occurrences.flush()
        new = sorted(self.rows.keys() - self._before.keys())
        upsert(self._connection, tables.run, (_written(self.rows[id]) for id in new))
        changed = [id for id in sorted(self._before) if self.rows[id] != self._before[id]]
        if changed:
            rows = [_written(self.rows[id]) for id in changed]
            named = [{f"b_{name}": value for name, value in row.items()} for row in rows]
            self._connection.execute(_UPDATE, named)


def _read(row: Any) -> RunRow:
    values = dict(row._mapping)
    after = values.pop("reported_after")
    at = None if values["job_output"] is None else values["started_at"] + (after or 0)
    return {**values, "id": bytes(values["id"]), "reported_at": at}


def _written(row: RunRow) -> dict[str, Any]:
    at = row["reported_at"]
    after = None if at is None else (at - row["started_at"]) or None
    return {**{k: v for k, v in row.items() if k != "reported_at"}, "reported_after": after}


NEW: RunRow = {
    "job_output": None,
    "lineage_body": None,
    "reported_at": None,
    "report": NOT_REPORTED,
}


def row_of(run: ReportedRun) -> RunRow:
    """The row of a run as one event reports it, without its output."""
    return {
        "id": run.id,
        "job": run.job.id,
        "parent": run.parent,
        "started_at": run.at,
        "ended_at": run.ended_at,
        "state": run.state,
        "attempt": run.attempt,
        "map_index": run.map_index,
        "name": run.name,
    }


def merged(row: RunRow, new: RunRow) -> RunRow:
    """Both rows merged, in either order."""
    ended, ended_at, state = max(rank(each["ended_at"], each["state"]) for each in (row, new))
    both = {
        **row,
        "started_at": min(row["started_at"], new["started_at"]),
        "ended_at": ended_at if ended else None,
        "state": state,
    }
    for name in ("job", "parent", "attempt", "map_index", "name"):
        values = [value for value in (row[name], new[name]) if value is not None]
        both[name] = max(values, default=None)
    return both

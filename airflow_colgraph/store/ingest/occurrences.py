"""What runs said of what they wrote: in the run's own row, else in rows apart.

Most runs say one thing of one dataset, so that takes no row and no index entry of its own. A run
that says more has a row in `apart` for each thing, and so has what is said without a run. The view
`colgraph_occurrence` shows both. Which form a run has depends on all that it said, in any order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import bindparam, delete, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.tables import APART, NOTHING
from airflow_colgraph.store.db.upsert import upsert

RunRow = dict[str, Any]  # a row of `run`, but with the time `said_at` instead of `said_after`


class Occurrence(NamedTuple):
    """A run (none: a dataset's own event) said a shape of what the writer's job wrote."""

    writer: int
    job: int | None
    at: int
    run: bytes
    shape: int
    replaces: bool


_HAS_SAID = (
    select(tables.apart.c.at)
    .where(tables.apart.c.writer == bindparam("b_writer"))
    .where(tables.apart.c.at >= bindparam("b_started"))
    .where(tables.apart.c.run == bindparam("b_run"))
    .limit(1)
)


class Occurrences:
    """Occurrences of runs whose rows are at hand; `flush` writes what is apart."""

    def __init__(self, connection: Connection, runs: Mapping[bytes, RunRow]) -> None:
        """`runs`: the row of every run that says something, to be changed here."""
        self._connection = connection
        self._runs = runs
        self._waiting: list[dict[str, Any]] = []

    def has_said(self, one: Occurrence) -> bool:
        """Whether the run has said something about the dataset before."""
        run = self._runs[one.run]
        if run["said"] != APART:
            return run["said"] != NOTHING and bool(run["writer"] == one.writer)
        self.flush()
        asked = {"b_writer": one.writer, "b_started": run["started_at"], "b_run": one.run}
        return self._connection.execute(_HAS_SAID, asked).first() is not None

    def add(self, one: Occurrence) -> None:
        """Keep what the run has not said before."""
        run = self._runs.get(one.run)
        if run is None:
            self._waiting.append(_row(one))
            return
        if run["said"] == NOTHING and run["job"] == one.job:
            said = 1 + one.replaces
            run.update(said=said, writer=one.writer, shape=one.shape, said_at=one.at)
            return
        self.put_apart(run)
        self._waiting.append(_row(one))

    def put_apart(self, run: RunRow) -> None:
        """What the run's row says goes into a row apart, where more may follow."""
        if run["said"] not in (NOTHING, APART):
            said = run["said_at"], run["id"], run["shape"], run["said"] > 1
            self._waiting.append(_row(Occurrence(run["writer"], run["job"], *said)))
        run.update(said=APART, writer=None, shape=None, said_at=None)

    def merge(self, one: Occurrence) -> bool:
        """Keep one occurrence beside what its run said before; whether that changed anything."""
        run = self._runs.get(one.run)
        if run is None or run["said"] == APART:
            return self._merge_apart(one)
        if (run["writer"], run["shape"]) != (one.writer, one.shape):
            self.add(one)
            return True
        before = run["said_at"], run["said"]
        run.update(said_at=min(run["said_at"], one.at), said=max(run["said"], 1 + one.replaces))
        return before != (run["said_at"], run["said"])

    def _merge_apart(self, one: Occurrence) -> bool:
        self.flush()
        table = tables.apart
        same = [table.c.writer == one.writer, table.c.run == one.run, table.c.shape == one.shape]
        if not one.run:  # each declaration counts
            same.append(table.c.at == one.at)
        there = self._connection.execute(select(table.c.at, table.c.replaces).where(*same)).first()
        row = _row(one)
        if there is not None:
            row.update(at=min(one.at, there.at), replaces=one.replaces or there.replaces)
            if (row["at"], row["replaces"]) == (there.at, there.replaces):
                return False
            self._connection.execute(delete(table).where(*same))
        self._waiting.append(row)
        return True

    def flush(self) -> None:
        """Write the rows that are apart."""
        upsert(self._connection, tables.apart, self._waiting)
        self._waiting = []


def _row(one: Occurrence) -> dict[str, Any]:
    return {name: value for name, value in one._asdict().items() if name != "job"}

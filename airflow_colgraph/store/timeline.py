"""Occurrences: which run reported which shape of a dataset, each once at the first time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import bindparam, delete, select, update
from sqlalchemy.engine import Connection

from airflow_colgraph.store import tables
from airflow_colgraph.store.shape import key
from airflow_colgraph.store.upsert import upsert


class Occurrence(NamedTuple):
    """One event's statement about one dataset."""

    job: int | None
    dataset: int
    at: int
    run: bytes
    shape: int
    replaces: bool

    @property
    def writer(self) -> int:
        """The id of the job writing the dataset."""
        return key("writer", str(self.job), str(self.dataset))


_WRITERS = select(tables.writer).where(tables.writer.c.id.in_(bindparam("b_ids", expanding=True)))
_MOVE = (
    update(tables.writer)
    .where(tables.writer.c.id == bindparam("b_id"))
    .values(last_at=bindparam("last_at"), last_run=bindparam("last_run"))
)


def record(
    connection: Connection, occurrences: Sequence[Occurrence], started: Mapping[bytes, int | None]
) -> set[int]:
    """Keep the occurrences; the writers whose edges may have changed.

    A run that comes after all others and says what the latest one said changes no edge: only the
    writer's clock moves. `started`: since when each run may have said something; None: it is new.
    """
    if not occurrences:
        return set()
    table = tables.writer
    ids = {one.writer for one in occurrences}
    writers = {
        row.id: dict(row._mapping) for row in connection.execute(_WRITERS, {"b_ids": sorted(ids)})
    }
    changed: set[int] = set()
    moved: dict[int, dict[str, Any]] = {}
    rows: list[dict[str, Any]] = []
    here: set[tuple[int, bytes]] = set()  # writers and runs met in these occurrences
    for one in sorted(occurrences, key=lambda one: (one.at, one.run, one.shape)):
        writer = writers.get(one.writer)
        if writer is None:
            writers[one.writer] = writer = _new_writer(one)
            upsert(connection, table, [writer])
            changed.add(one.writer)
        repeats = (
            one.run
            and one.writer not in changed
            and one.at > writer["last_at"]
            and one.shape == writer["last_shape"]
            and one.replaces == writer["last_replaces"]
            and (one.writer, one.run) not in here
            and not _has_said(connection, one, started[one.run])
        )
        here.add((one.writer, one.run))
        if repeats:
            rows.append(_row(one))
            moved[one.writer] = writer
            writer.update(last_at=one.at, last_run=one.run)
        elif _merge(connection, one, rows):
            changed.add(one.writer)
    upsert(connection, tables.occurrence, rows)
    for id in sorted(moved.keys() - changed):
        values = {name: moved[id][name] for name in ("last_at", "last_run")}
        connection.execute(_MOVE, {"b_id": id, **values})
    return changed


def _new_writer(one: Occurrence) -> dict[str, Any]:
    return {
        "id": one.writer,
        "job": one.job,
        "dataset": one.dataset,
        "last_at": one.at,
        "last_run": one.run,
        "last_shape": None,
        "last_replaces": one.replaces,
    }


def _row(one: Occurrence) -> dict[str, Any]:
    return {
        "writer": one.writer,
        "at": one.at,
        "run": one.run,
        "shape": one.shape,
        "replaces": one.replaces,
    }


_SAID = (
    select(tables.occurrence.c.at)
    .where(tables.occurrence.c.writer == bindparam("b_writer"))
    .where(tables.occurrence.c.at >= bindparam("b_started"))
    .where(tables.occurrence.c.run == bindparam("b_run"))
    .limit(1)
)


def _has_said(connection: Connection, one: Occurrence, started: int | None) -> bool:
    """Whether the run has said something about the dataset before."""
    if started is None:
        return False
    asked = {"b_writer": one.writer, "b_started": started, "b_run": one.run}
    return connection.execute(_SAID, asked).first() is not None


def _merge(connection: Connection, one: Occurrence, waiting: list[dict[str, Any]]) -> bool:
    """Keep one occurrence beside what its run said before; whether that changed anything."""
    upsert(connection, tables.occurrence, waiting)
    waiting.clear()
    table = tables.occurrence
    same = [table.c.writer == one.writer, table.c.run == one.run, table.c.shape == one.shape]
    if not one.run:  # declared by an event without a run: each declaration counts
        same.append(table.c.at == one.at)
    there = connection.execute(select(table.c.at, table.c.replaces).where(*same)).first()
    row = _row(one)
    if there is not None:
        row.update(at=min(one.at, there.at), replaces=one.replaces or there.replaces)
        if (row["at"], row["replaces"]) == (there.at, there.replaces):
            return False
        connection.execute(delete(table).where(*same))
    upsert(connection, table, [row])
    return True

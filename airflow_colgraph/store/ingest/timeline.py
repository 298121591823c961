"""Occurrences: which run reported which shape of a dataset, each once at the first time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import bindparam, select, update
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.upsert import upsert
from airflow_colgraph.store.ingest.occurrences import Occurrence, Occurrences

_WRITERS = select(tables.writer).where(tables.writer.c.id.in_(bindparam("b_ids", expanding=True)))
_MOVE = (
    update(tables.writer)
    .where(tables.writer.c.id == bindparam("b_id"))
    .values(last_at=bindparam("b_last_at"), last_run=bindparam("b_last_run"))
)


def record(
    connection: Connection,
    said: Sequence[Occurrence],
    datasets: dict[int, int],
    kept: Occurrences,
) -> set[int]:
    """Keep the occurrences; the writers whose edges may have changed.

    A run that comes after all others and says what the latest one said changes no edge: only the
    writer's clock moves. `datasets`: what each writer writes.
    """
    if not said:
        return set()
    ids = {one.writer for one in said}
    writers = {
        row.id: dict(row._mapping) for row in connection.execute(_WRITERS, {"b_ids": sorted(ids)})
    }
    changed: set[int] = set()
    moved: dict[int, dict[str, Any]] = {}
    new: list[dict[str, Any]] = []
    here: set[tuple[int, bytes]] = set()  # writers and runs met in these occurrences
    for one in sorted(said, key=lambda one: (one.at, one.run, one.shape)):
        writer = writers.get(one.writer)
        if writer is None:
            writers[one.writer] = writer = _new_writer(one, datasets[one.writer])
            new.append(writer)
            changed.add(one.writer)
        repeats = (
            one.run
            and one.writer not in changed
            and one.at > writer["last_at"]
            and one.shape == writer["last_shape"]
            and one.replaces == writer["last_replaces"]
            and (one.writer, one.run) not in here
            and not kept.has_said(one)
        )
        here.add((one.writer, one.run))
        if repeats:
            kept.add(one)
            moved[one.writer] = writer
            writer.update(last_at=one.at, last_run=one.run)
        elif kept.merge(one):
            changed.add(one.writer)
    upsert(connection, tables.writer, new)
    moves = [
        {"b_id": id, "b_last_at": moved[id]["last_at"], "b_last_run": moved[id]["last_run"]}
        for id in sorted(moved.keys() - changed)
    ]
    if moves:
        connection.execute(_MOVE, moves)
    return changed


def _new_writer(one: Occurrence, dataset: int) -> dict[str, Any]:
    return {
        "id": one.writer,
        "job": one.job,
        "dataset": dataset,
        "last_at": one.at,
        "last_run": one.run,
        "last_shape": None,
        "last_replaces": one.replaces,
    }

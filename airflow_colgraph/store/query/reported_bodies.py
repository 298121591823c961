"""What runs said of the datasets that they wrote, the runs that said the same together.

Statements over the view `occurrence` name the writers in a list: SQLite reads all of a view that is
joined by anything else.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import batches
from airflow_colgraph.store.model import clock


class Written(NamedTuple):
    """A shape in which a job's runs wrote a dataset: when, how many and which was the last."""

    writer: int
    job: int | None
    shape: int
    checksum: bytes
    body: bytes
    first_at: int
    last_at: int
    runs: int
    last_run: bytes


def writers_of(connection: Connection, datasets: Iterable[int]) -> list[int]:
    """Who writes the datasets."""
    table = tables.writer
    query = select(table.c.id).where(table.c.dataset.in_(set(datasets)))
    return sorted(connection.execute(query).scalars())


def written(
    connection: Connection, datasets: Iterable[int], start: int = 0, end: int = clock.OPEN
) -> list[Written]:
    """The shapes that runs in [start, end) wrote the datasets in."""
    return written_by(connection, writers_of(connection, datasets), start, end)


def written_by(
    connection: Connection, writers: Iterable[int], start: int = 0, end: int = clock.OPEN
) -> list[Written]:
    """The shapes of the writers' runs in [start, end), the one that was first said first."""
    o = tables.occurrence
    runs: dict[tuple[int, int], list[tuple[int, bytes]]] = {}
    for batch in batches(sorted(set(writers))):
        query = select(o.c.writer, o.c.shape, o.c.at, o.c.run)
        query = query.where(o.c.writer.in_(batch), o.c.at >= start, o.c.at < end)
        for writer, shape, at, run in connection.execute(query):
            runs.setdefault((writer, shape), []).append((at, bytes(run)))
    shapes = _rows(connection, tables.shape, {shape for _, shape in runs})
    jobs = _rows(connection, tables.writer, {writer for writer, _ in runs})
    found = []
    for (writer, shape), said in runs.items():
        last_at, last_run = max(said)  # of two at the same time the later id counts
        row = shapes[shape]
        found.append(
            Written(
                writer,
                jobs[writer].job,
                shape,
                bytes(row.checksum),
                bytes(row.body),
                min(said)[0],
                last_at,
                len(said),
                last_run,
            )
        )
    return sorted(found, key=lambda one: (one.first_at, one.shape, one.last_run))


def _rows(connection: Connection, table: Any, ids: Iterable[int]) -> dict[int, Any]:
    found: dict[int, Any] = {}
    for batch in batches(sorted(ids)):
        query = select(table).where(table.c.id.in_(batch))
        found.update((row.id, row) for row in connection.execute(query))
    return found

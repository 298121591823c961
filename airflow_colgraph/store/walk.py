"""The search: a level at a time, each node once, one direction, within a number of edges.

A process remembers the edges that it has read until the store says that edges have changed, so a
server answers from memory while runs repeat what earlier ones said.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple, cast

import orjson
from sqlalchemy.engine import Connection

from airflow_colgraph.store.remembered import Row, remembered
from airflow_colgraph.store.tables import DATASET, DIRECT, INDIRECT, OPEN

UP, DOWN = "upstream", "downstream"


class Span(NamedTuple):
    """Which edges count: those that hold now, held at a time, or were seen in [start, end)."""

    start: int | None = None
    end: int | None = None
    at: int | None = None


NAMES = (
    "output",
    "kind",
    "input",
    "transformation",
    "writer",
    "first_seen",
    "last_seen",
    "closed_at",
)
OUTPUT, INPUT = NAMES.index("output"), NAMES.index("input")
WRITER, FIRST_SEEN, LAST_SEEN, CLOSED_AT = range(4, 8)
COLUMNS = ", ".join(f"e.{name}" for name in NAMES)
KINDS = {False: (DIRECT,), True: (DIRECT, INDIRECT), None: (DATASET,)}


def statement(dialect: str, direction: str, kinds: Sequence[int], open_only: bool) -> str:
    """The SQL for the edges at a level's nodes; the parameter :ids.

    SQLite: CROSS JOIN fixes the order of the loops, so that no statistics can lead the planner to
    scan the edges (it would build a Bloom filter over all of them).
    """
    near = "output" if direction == UP else "input"
    which = ", ".join(map(str, kinds))
    if dialect == "sqlite":
        source = f"json_each(:ids) AS n CROSS JOIN colgraph_edge AS e ON e.{near} = n.value"
    else:
        nodes = "unnest(CAST(:ids AS bigint[])) AS n(value)"
        source = f"{nodes} JOIN colgraph_edge AS e ON e.{near} = n.value"
    when = f" AND e.closed_at = {OPEN}" if open_only else ""
    return f"SELECT {COLUMNS} FROM {source} WHERE e.kind IN ({which}){when}"


class Walk:
    """One question's way through the edges."""

    def __init__(
        self, connection: Connection, direction: str, span: Span | None, kinds: Sequence[int]
    ) -> None:
        """A search in one direction over edges of the kinds that count in the span (or all)."""
        self._sqlite = connection.dialect.name == "sqlite"
        open_only = span == Span()
        sql = statement(connection.dialect.name, direction, kinds, open_only)
        self._sql = sql if self._sqlite else re.sub(r":(\w+)", r"%(\1)s", sql)
        self._near = OUTPUT if direction == UP else INPUT
        # The driver's own cursor: SQLAlchemy would take most of the time of a level.
        self._cursor = connection.connection.cursor()
        self._all = remembered(connection)
        self._known = self._all.near.setdefault((direction, kinds, open_only), {})
        self._span = None if open_only else span
        self._stale = self._stale_writers(span)

    def _stale_writers(self, span: Span | None) -> set[int]:
        """Writers whose latest run was before the range: what it said was last seen then."""
        if span is None or span.start is None:
            return set()
        self._cursor.execute(f"SELECT id FROM colgraph_writer WHERE last_at < {span.start}")
        return {id for (id,) in self._cursor.fetchall()}

    def level(self, ids: Collection[int]) -> list[Row]:
        """The edges at the nodes that count in the span."""
        known, span = self._known, self._span
        missing = [id for id in ids if id not in known]
        if missing:
            self._read(missing)
        # Comprehensions without a function call in them: long histories have many rows a node.
        if span is None:
            return [row for id in ids for row in known[id]]
        if span.at is not None:
            at = span.at
            return [r for id in ids for r in known[id] if r[FIRST_SEEN] <= at < r[CLOSED_AT]]
        start = 0 if span.start is None else span.start
        end = OPEN if span.end is None else span.end
        stale = self._stale
        return [
            r
            for id in ids
            for r in known[id]
            if r[FIRST_SEEN] < end
            and r[LAST_SEEN] >= start
            and (r[LAST_SEEN] < OPEN or r[WRITER] not in stale)
        ]

    def _read(self, ids: list[int]) -> None:
        found: dict[int, list[Row]] = {id: [] for id in ids}
        packed = orjson.dumps(ids).decode() if self._sqlite else ids
        self._cursor.execute(self._sql, {"ids": packed})
        for row in cast("list[Row]", self._cursor.fetchall()):
            found[row[self._near]].append(row)
            self._all.count += 1
        self._known.update(found)

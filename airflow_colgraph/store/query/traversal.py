"""The traversal: level by level, each node once, in one direction, within a limit of edges.

Edges come from `edge_cache`, and from the database those that are not there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import cast

from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import id_lists
from airflow_colgraph.store.model.clock import OPEN
from airflow_colgraph.store.model.intervals import DATASET, DIRECT, INDIRECT
from airflow_colgraph.store.model.question import OF_VALUES, UP, Question, Span
from airflow_colgraph.store.query import name_cache
from airflow_colgraph.store.query.containment import Containment
from airflow_colgraph.store.query.edge_cache import (
    FEW,
    FIRST_SEEN,
    INPUT,
    JOB_OUTPUT,
    KIND,
    LAST_SEEN,
    NAMES,
    OUTPUT,
    TRANSFORMATION,
    Row,
    held,
    snapshot,
    timeline,
)

COLUMNS = ", ".join(f"e.{name}" for name in NAMES)
KINDS = {False: (DIRECT,), True: (DIRECT, INDIRECT), None: (DATASET,)}


def kinds_of(question: Question) -> tuple[int, ...]:
    """The kinds of edges that the question follows."""
    return KINDS[None if question.level == "dataset" else question.indirect or question.conditional]


def only_values(question: Question) -> bool:
    """Whether of INDIRECT edges only those count that choose a column's value."""
    return question.conditional and not question.indirect


_LAST_AT = "SELECT w.id, w.last_at FROM {ids} colgraph_job_output AS w ON w.id = n.value"
MOST_AHEAD = 5_000  # nodes that PostgreSQL reads at once


def statement(direction: str, kinds: Sequence[int], open_only: bool) -> str:
    """SQLite's SQL for the edges at the nodes in a list."""
    near = "output" if direction == UP else "input"
    which = ", ".join(map(str, kinds))
    when = f" AND e.closed_at = {OPEN}" if open_only else ""
    return (
        f"SELECT {COLUMNS} FROM {{ids}} colgraph_edge AS e ON e.{near} = n.value "
        f"WHERE e.kind IN ({which}){when}"
    )


def reaching(direction: str) -> str:
    """PostgreSQL's SQL for the edges at all nodes that can be reached, and the state it saw."""
    return (
        f"SELECT c.edges, r.* FROM colgraph_change AS c LEFT JOIN colgraph_{direction}("
        "CAST(%(ids)s AS bigint[]), CAST(%(kinds)s AS smallint[]), %(after)s, %(since)s, %(until)s,"
        " %(depth)s, %(most)s) AS r ON true"
    )


class Traversal:
    """The traversal of one query."""

    def __init__(
        self,
        connection: Connection,
        direction: str,
        span: Span | None,
        kinds: Sequence[int],
        *,
        of_values: bool = False,
    ) -> None:
        """A search in one direction over edges of the kinds that count in the span (or all).

        `of_values` leaves out INDIRECT edges that affect rows.
        """
        self._of_values = of_values
        self._connection = connection
        self._direction, self._kinds = direction, kinds
        self._open_only = span == Span()
        self._span = None if self._open_only else span
        self._snapshot = snapshot(connection)
        self._cache = self._snapshot.cache
        self._cached = self._cache.edges.setdefault((direction, kinds, self._open_only), {})
        self._timelines = self._cache.timelines.setdefault((direction, kinds), {})
        self._stale: set[int] = set()
        self._containment = Containment(connection)
        self._is_nested = self._containment.is_needed and kinds != KINDS[None]
        near, far = (OUTPUT, INPUT) if direction == UP else (INPUT, OUTPUT)
        self._near, self._far = near, far
        self._stated: dict[Row, tuple[int, int]] = {}

    def meets_stale(self, levels: Sequence[Sequence[Row]]) -> bool:
        """Whether an output's latest run was before the range, so its edges were last seen then.

        Those outputs are left out from now on, so the traversal has to be repeated. They are looked
        up afterwards, as only the outputs in the answer matter.
        """
        if self._span is None or self._span.start is None:
            return False
        start, last_at = self._span.start, self._cache.last_at
        open_ones = {row[JOB_OUTPUT] for level in levels for row in level if row[LAST_SEEN] == OPEN}
        asked = [id for id in open_ones if last_at.get(id, -OPEN) < start]
        if not asked:
            return False
        last_at.update(id_lists.rows(self._connection, _LAST_AT, asked))
        outdated = {id for id in asked if last_at.get(id, start) < start}
        self._stale |= outdated
        return bool(outdated)

    def level(self, ids: Collection[int], depth: int = 1, most: int = MOST_AHEAD) -> list[Row]:
        """The edges at the nodes in the span; `depth` levels of `most` nodes may be read ahead.

        Those of a struct that a node is part of are among them, as edges of that part.
        """
        rows = self._own(ids, depth, most)
        if self._is_nested:
            rows = rows + self._of_wholes(ids, rows)
        return self._without_rows(rows) if self._of_values else rows

    def _without_rows(self, edges: Sequence[Row]) -> list[Row]:
        """The edges without those INDIRECT ones that affect which rows exist or their order."""
        names, indirect = name_cache.of(self._connection), [e for e in edges if e[KIND] == INDIRECT]
        steps = names.read_transformations(self._connection, {e[TRANSFORMATION] for e in indirect})
        nodes = names.read_nodes(self._connection, {edge[OUTPUT] for edge in indirect})
        of_rows = {
            edge
            for edge in indirect
            if steps[edge[TRANSFORMATION]].subtype not in OF_VALUES
            or nodes[edge[OUTPUT]].dataset == edge[OUTPUT]
        }
        return [edge for edge in edges if edge not in of_rows]

    def around(self, ids: Iterable[int]) -> set[int]:
        """The nodes that the traversal starts at, and their parts."""
        ids = set(ids)
        if self._kinds != KINDS[None] and self._containment.names.has_unlisted(ids):
            self._is_nested = True  # a part that no event names, in a store that names none
        return ids.union(*self._containment.parts(ids).values()) if self._is_nested else ids

    def ends(self, rows: Iterable[Row]) -> set[int]:
        """The nodes that edges lead to, with the parts of those that they lead to as a whole."""
        far = self._far
        if not self._is_nested:
            return {row[far] for row in rows}
        rows = list(rows)
        parts = self._containment.parts({row[far] for row in rows})
        said = self._said_by_part(parts) if self._direction != UP else set()
        nodes: set[int] = set()
        for row in rows:
            within = parts.get(row[far], [])
            if not any((part, row[INPUT], row[JOB_OUTPUT]) in said for part in within):
                nodes.update((row[far], *within))
        return nodes

    def stated(self, row: Row) -> tuple[int, int]:
        """The input and output that a run reported, of an edge that may be one of a part."""
        return self._stated.get(row, (row[INPUT], row[OUTPUT]))

    def _said_by_part(self, parts: Mapping[int, Sequence[int]]) -> set[tuple[int, int, int]]:
        """Part, input and job output of edges to parts: the struct's own edges only sum them up."""
        if not parts:
            return set()
        up = Traversal(self._connection, UP, Span() if self._open_only else self._span, self._kinds)
        rows = up._own({part for within in parts.values() for part in within})
        return {(row[OUTPUT], row[INPUT], row[JOB_OUTPUT]) for row in rows}

    def _of_wholes(self, ids: Collection[int], rows: Sequence[Row]) -> list[Row]:
        """The edges of the structs that nodes are part of, as edges of the parts.

        Upstream, of each job the edges nearest to the part count: it knows better where each part
        comes from.
        """
        wholes = self._containment.wholes(ids)
        if not wholes:
            return []
        at_whole: dict[int, list[Row]] = {}
        for row in self._own(set[int]().union(*wholes.values())):
            at_whole.setdefault(row[self._near], []).append(row)
        copies = self._containment.copies(row[3] for some in at_whole.values() for row in some)
        there = {row[:5] for row in rows}
        said = self._job_outputs_of(wholes, rows) if self._direction == UP else {}
        moved = (
            self._moved(row, id, row[self._near], row[3] in copies)
            for id, outer in wholes.items()
            for row in self._nearest([at_whole.get(whole, []) for whole in outer], said.get(id))
        )
        return [row for row in moved if row[:5] not in there]

    def _nearest(self, edges: Iterable[list[Row]], said: set[int] | None) -> Iterator[Row]:
        """The edges of the structs around a part, the nearest first; upstream only the nearest of
        each job, and none of those that have said what the part comes from.
        """
        said = said or set()
        for rows in edges:
            nearest = [row for row in rows if row[JOB_OUTPUT] not in said]
            yield from nearest
            if self._direction == UP:
                said |= {row[JOB_OUTPUT] for row in nearest}

    def _job_outputs_of(self, fields: Collection[int], rows: Iterable[Row]) -> dict[int, set[int]]:
        """By field: the job outputs that have edges to it or to a part of it."""
        parts = self._containment.parts(fields)
        owner = {part: id for id, within in parts.items() for part in within}
        owner.update((id, id) for id in fields)
        outputs: dict[int, set[int]] = {}
        for row in (*rows, *self._own(owner.keys() - set(fields))):
            if row[self._near] in owner:
                outputs.setdefault(owner[row[self._near]], set()).add(row[JOB_OUTPUT])
        return outputs

    def _moved(self, row: Row, field: int, whole: int, is_copy: bool) -> Row:
        """An edge of a struct as one of a part of it."""
        ends = list(row)
        ends[self._near] = field
        if is_copy:
            ends[self._far] = self._containment.moved(field, whole, row[self._far])
        moved = cast("Row", tuple(ends))
        self._stated[moved] = row[INPUT], row[OUTPUT]
        return moved

    def _own(self, ids: Collection[int], depth: int = 1, most: int = MOST_AHEAD) -> list[Row]:
        cached, span = self._cached, self._span
        missing = [id for id in ids if id not in cached]
        if missing:
            self._read(missing, depth, min(most, MOST_AHEAD))
        # Comprehensions without a function call in them: long histories have many rows a node.
        if span is None:
            return [row for id in ids for row in cached[id]]
        if span.at is not None:
            return self._held(ids, span.at)
        return self._in_range(ids, span)

    def _in_range(self, ids: Collection[int], span: Span) -> list[Row]:
        start = 0 if span.start is None else span.start
        end = OPEN if span.end is None else span.end
        cached, stale = self._cached, self._stale
        return [
            r
            for id in ids
            for r in cached[id]
            if r[FIRST_SEEN] < end
            and r[LAST_SEEN] >= start
            and (r[LAST_SEEN] < OPEN or r[JOB_OUTPUT] not in stale)
        ]

    def _held(self, ids: Collection[int], at: int) -> list[Row]:
        timelines, search = self._timelines, bisect_right
        rows: list[Row] = []
        for id in ids:
            if id in timelines:
                times, lists = timelines[id]
                rows += lists[search(times, at)]
            else:
                rows += self._held_first(id, at)
        return rows

    def _held_first(self, id: int, at: int) -> list[Row]:
        """Nodes with very many edges get no timeline, which would take too much memory."""
        rows = self._cached[id]
        if len(rows) > FEW:
            return held(rows, at)
        whole = self._timelines[id] = timeline(rows)
        return whole.held(at)

    def _read(self, ids: list[int], depth: int, most: int) -> None:
        if self._connection.dialect.name == "sqlite":
            edges = self._read_level(ids)
        else:
            edges = self._read_ahead(ids, depth, most)
        self._cache.size += sum(map(len, edges.values()))
        self._cached.update(edges)

    def _read_level(self, ids: list[int]) -> dict[int, list[Row]]:
        """SQLite is in this process: each level is read by itself, in one transaction."""
        connection = self._connection
        if not connection.in_transaction():
            connection.begin()
            cursor = connection.connection.cursor()
            cursor.execute("SELECT edges FROM colgraph_change")
            self._snapshot.verify(*cast("tuple[int]", cursor.fetchone()))
        edges: dict[int, list[Row]] = {id: [] for id in ids}
        near = OUTPUT if self._direction == UP else INPUT
        sql = statement(self._direction, self._kinds, self._open_only)
        for row in cast("list[Row]", id_lists.rows(connection, sql, ids)):
            edges[row[near]].append(row)
        return edges

    def _read_ahead(self, ids: list[int], depth: int, most: int) -> dict[int, list[Row]]:
        """PostgreSQL returns what the nodes reach in a single round trip, up to `most` nodes."""
        span = self._span or Span()
        since, until = span.start, span.end
        if span.at is not None:
            since = until = span.at
        if self._open_only:
            since = OPEN - 1
        cursor = self._connection.connection.cursor()
        asked = {
            "ids": ids,
            "kinds": list(self._kinds),
            "after": OPEN - 1 if self._open_only else -OPEN,
            "since": -OPEN if since is None else since,
            "until": OPEN if until is None else until,
            "depth": depth,
            "most": most,
        }
        cursor.execute(reaching(self._direction), asked)
        edges: dict[int, list[Row]] = {id: [] for id in ids}
        for change, node, *row in cursor.fetchall():
            self._snapshot.verify(change)
            rows = edges.setdefault(node, [])
            if row[0] is not None:  # else the node has no edges
                rows.append(cast("Row", tuple(row)))
        return edges

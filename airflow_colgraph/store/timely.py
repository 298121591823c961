"""The walk that respects time: what a value was really made of, run by run.

Upstream: the rows that a run wrote were made of what its inputs held when it ran, so each hop asks
what held at the time of the run before. An ancestor that changed after the run is not followed in
its new form, and one that had not run yet is not followed at all. Downstream it is the other way:
only runs after the value was there can have used it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import bindparam, func, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store import tables
from airflow_colgraph.store.remembered import INPUT, OUTPUT, Row
from airflow_colgraph.store.walk import KINDS, UP, Walk

_AT = tables.occurrence.c.at
_WRITER = tables.occurrence.c.writer == bindparam("b_writer")
_LAST = select(func.max(_AT)).where(_WRITER, bindparam("b_at") >= _AT)
_NEXT = select(func.min(_AT)).where(_WRITER, bindparam("b_at") <= _AT)

State = tuple[int, int]  # a node and a time


class Runs:
    """When the writers ran."""

    def __init__(self, connection: Connection) -> None:
        """Nothing is asked before it is needed."""
        self._connection = connection
        self._known: dict[tuple[bool, int, int], int | None] = {}

    def _ask(self, last: bool, writer: int, at: int) -> int | None:
        asked = last, writer, at
        if asked not in self._known:
            query = _LAST if last else _NEXT
            found = self._connection.execute(query, {"b_writer": writer, "b_at": at}).scalar()
            self._known[asked] = None if found is None else int(found)
        return self._known[asked]

    def made_at(self, row: Row, at: int) -> int | None:
        """The latest run up to the time that said the edge; None if it did not hold then."""
        _, _, _, _, writer, first, last, closed = row
        if not first <= at < closed:
            return None
        return self._ask(True, writer, min(at, last))

    def used_at(self, row: Row, at: int) -> int | None:
        """The first run from the time on that said the edge; None if there was none."""
        _, _, _, _, writer, first, last, _ = row
        found = None if last < at else self._ask(False, writer, max(at, first))
        return found if found is not None and found <= last else None


def timely_search(
    connection: Connection,
    starts: Sequence[int],
    *,
    direction: str,
    at: int,
    indirect: bool,
    depth: int,
    limit: int,
    with_rows: Callable[[set[int]], set[int]],
) -> tuple[list[list[Row]], int]:
    """Like `graph.search`: the edges level by level, and how many nodes were not followed.

    `with_rows` adds to nodes those that share rows with them; it is for INDIRECT edges.
    """
    up = direction == UP
    walk = Walk(connection, direction, None, KINDS[indirect])
    runs = Runs(connection)
    run_at = runs.made_at if up else runs.used_at
    near, far = (OUTPUT, INPUT) if up else (INPUT, OUTPUT)
    levels: list[list[Row]] = []
    met: set[Row] = set()
    seen: set[State] = set()
    frontier: set[State] = {(start, at) for start in starts}
    for _ in range(depth):
        if indirect:
            for time, nodes in _by_time(frontier).items():
                frontier.update((node, time) for node in with_rows(nodes))
        frontier -= seen
        if not frontier:
            break
        seen |= frontier
        times: dict[int, list[int]] = {}
        for node, time in frontier:
            times.setdefault(node, []).append(time)
        level: dict[Row, None] = {}
        following: set[State] = set()
        for row in walk.level(times):
            for time in times[row[near]]:
                ran = run_at(row, time)
                if ran is not None:
                    level[row] = None
                    following.add((row[far], ran))
        new = [row for row in level if row not in met]
        room = limit - len(met)
        met.update(new[:room])
        levels.append(new[:room])
        if len(new) > room:
            return levels, len({row[far] for row in new[room:]})
        frontier = following
    return levels, 0


def _by_time(states: set[State]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for node, time in states:
        found.setdefault(time, set()).add(node)
    return found

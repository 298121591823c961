"""Run-aware traversal: what a value was derived from, run by run.

Upstream: the rows that a run wrote were derived from the state of its inputs when it ran, so each
hop takes the edges at the time of the run that was reached. Edges that changed after that run are
not followed in their new form, and those that did not exist yet are not followed at all.
Downstream it is the reverse: only runs after the value existed can have used it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, ItemsView, Iterable, Sequence
from functools import partial
from itertools import islice
from typing import TypeVar

from sqlalchemy import bindparam, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.model.question import UP, Question
from airflow_colgraph.store.model.walk import walk
from airflow_colgraph.store.query.edge_cache import INPUT, OUTPUT, Row
from airflow_colgraph.store.query.traversal import Traversal, kinds_of, only_values

_AT = tables.occurrence.c.at
_TIMES = (
    select(_AT).where(tables.occurrence.c.job_output == bindparam("b_job_output")).order_by(_AT)
)

State = tuple[int, int]  # a node and a time
Reached = tuple[Row, int]  # an edge, and when the run was that made or used it
T = TypeVar("T")


class RunTimes:
    """The times of the runs that wrote the outputs."""

    def __init__(self, connection: Connection) -> None:
        """Times are read when they are first needed."""
        self._connection = connection
        self._known: dict[int, list[int]] = {}

    def _times(self, job_output: int) -> list[int]:
        """All at once: a traversal asks once for each edge and time that it meets."""
        if job_output not in self._known:
            times = self._connection.execute(_TIMES, {"b_job_output": job_output}).scalars()
            self._known[job_output] = list(times)
        return self._known[job_output]

    def _last(self, job_output: int, at: int) -> int | None:
        times = self._times(job_output)
        place = bisect_right(times, at)
        return times[place - 1] if place else None

    def _next(self, job_output: int, at: int) -> int | None:
        times = self._times(job_output)
        place = bisect_left(times, at)
        return times[place] if place < len(times) else None

    def made_at(self, row: Row, at: int) -> int | None:
        """The latest run up to the time that reported the edge; None if it did not hold then."""
        _, _, _, _, job_output, first, last, closed = row
        if not first <= at < closed:
            return None
        return self._last(job_output, min(at, last))

    def used_at(self, row: Row, at: int) -> int | None:
        """The first run from the time on that reported the edge; None if there was none."""
        _, _, _, _, job_output, first, last, _ = row
        ran = None if last < at else self._next(job_output, max(at, first))
        return ran if ran is not None and ran <= last else None


def run_aware_search(
    connection: Connection,
    starts: Sequence[int],
    question: Question,
    *,
    at: int,
    with_rows: Callable[[set[int]], set[int]],
) -> tuple[list[list[Row]], int]:
    """Like `graph.search`: the edges level by level, and how many nodes were not followed.

    `with_rows` adds to nodes those that share rows with them; it is for INDIRECT edges.
    """
    up, limit = question.direction == UP, question.limit
    traversal = Traversal(
        connection,
        question.direction,
        None,
        kinds_of(question),
        of_values=only_values(question),
    )
    runs = RunTimes(connection)
    run_at = runs.made_at if up else runs.used_at
    near, far = (OUTPUT, INPUT) if up else (INPUT, OUTPUT)

    def around(states: set[State]) -> set[State]:
        if not question.indirect:
            return states
        shared = {(node, time) for time, nodes in by_time(states) for node in with_rows(nodes)}
        return states | shared

    def ends(reached: list[Reached]) -> set[State]:
        return {(node, ran) for row, ran in reached for node in traversal.ends((row,))}

    starting = {(start, at) for start in traversal.around(starts)}
    every = walk(starting, partial(reached_at, traversal, run_at, near), ends, around)
    levels: list[list[Row]] = []
    met: set[Row] = set()
    for _, reached in islice(every, question.depth):
        new = [row for row in dict.fromkeys(row for row, _ in reached) if row not in met]
        room = limit - len(met)
        met.update(new[:room])
        levels.append(new[:room])
        if len(new) > room:
            return levels, len({row[far] for row in new[room:]})
    return levels, 0


def reached_at(
    traversal: Traversal,
    run_at: Callable[[Row, int], int | None],
    near: int,
    states: Iterable[State],
) -> list[Reached]:
    """The edges at nodes at times, each with the time of the run that made or used it then."""
    times: dict[int, list[int]] = {}
    for node, time in states:
        times.setdefault(node, []).append(time)
    runs = ((row, run_at(row, time)) for row in traversal.level(times) for time in times[row[near]])
    return [(row, ran) for row, ran in runs if ran is not None]


def by_time(states: Iterable[tuple[T, int]]) -> ItemsView[int, set[T]]:
    """What is reached at each time."""
    reached: dict[int, set[T]] = {}
    for node, time in states:
        reached.setdefault(time, set()).add(node)
    return reached.items()

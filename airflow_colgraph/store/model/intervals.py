"""Derives the times in which each edge held from the reports of a job's runs. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple

from airflow_colgraph.store.model.clock import OPEN
from airflow_colgraph.store.model.lifecycle import End
from airflow_colgraph.store.model.lineage_body import Statement

# `EdgeKey.kind`: what the input is to the output, in the order in which questions include it.
DIRECT, INDIRECT, DATASET = 0, 1, 2
_KINDS = {"INDIRECT": INDIRECT, "DATASET": DATASET}


class EdgeKey(NamedTuple):
    """An edge without its times; `kind` is DIRECT, INDIRECT or DATASET."""

    output: int
    kind: int
    input: int
    transformation: int


def edge_key(edge: Statement) -> EdgeKey:
    """The statement as ids."""
    kind = _KINDS.get(edge.transformation.type, DIRECT)
    return EdgeKey(edge.output.id, kind, edge.input.id, edge.transformation.id)


class RunEdges(NamedTuple):
    """The edges that one run reported of a dataset, in all its events."""

    at: int
    edges: frozenset[EdgeKey]
    columns: bool  # whether it reported column lineage
    replaces: bool  # whether the rows that were there before are gone
    is_declared: bool = False  # no run: a JobEvent or a DatasetEvent


class Interval(NamedTuple):
    """An edge held from `first_seen` until `closed_at`."""

    edge: EdgeKey
    first_seen: int
    last_seen: int
    closed_at: int


class _Held(NamedTuple):
    first: int
    last: int
    is_declared: bool
    end: End | None = None  # the edge ends there unless it is reported again


def intervals(
    reports: Iterable[RunEdges],
    ends: Iterable[End] = (),
    lasts_until: Callable[[int], int] = lambda at: at,
) -> set[Interval]:
    """The intervals of every edge, from reports in the order of time.

    A run that replaces the rows closes the edges that it does not state; one that appends leaves
    them. A run without column lineage closes no edge of a column. `ends`, in the order of time, end
    what was reported before and is not reported again. `lasts_until`: until when what the dataset's
    end at a time closes lasts on, as something computed from it was still there.
    """
    ended: set[Interval] = set()
    held: dict[EdgeKey, _Held] = {}
    coming = deque(ends)
    at = 0
    before: RunEdges | None = None
    waiting: RunEdges | None = None  # the latest of equal reports: only it needs to be looked at
    for report in reports:
        at = report.at
        has_ended = bool(coming) and coming[0].at <= at
        if before is not None and before[1:] == report[1:] and not has_ended:
            waiting = report
            continue
        if waiting is not None:
            _step(waiting, held, ended, lasts_until)
        while coming and coming[0].at <= at:
            _end(coming.popleft(), held)
        _step(report, held, ended, lasts_until)
        before, waiting = report, None
    if waiting is not None:
        _step(waiting, held, ended, lasts_until)
    for end in coming:
        _end(end, held)
    for edge, (first, last, _, last_end) in held.items():
        closed_at = _closed_at(last_end, OPEN, lasts_until)
        last_seen = OPEN if closed_at == OPEN and last == at else last
        ended.add(Interval(edge, first, last_seen, closed_at))
    return ended


def _closed_at(end: End | None, at_most: int, lasts_until: Callable[[int], int]) -> int:
    """When an edge has ended that was reported before the end, and not after it."""
    if end is None:
        return at_most
    return min(at_most, lasts_until(end.at)) if end.is_of_dataset else end.at


def _end(end: End, held: dict[EdgeKey, _Held]) -> None:
    for edge, times in held.items():
        is_meant = times.is_declared or not end.is_declared
        if is_meant and not (end.of_columns and edge.kind == DATASET) and times.end is None:
            held[edge] = times._replace(end=end)


def _step(
    report: RunEdges,
    held: dict[EdgeKey, _Held],
    ended: set[Interval],
    lasts_until: Callable[[int], int],
) -> None:
    says_something = bool(report.edges) or report.columns
    for edge in held.keys() - report.edges:
        first, last, _, end = held[edge]
        is_replaced = report.replaces and (report.columns or edge.kind == DATASET)
        # An event of a task that reports no columns may list inputs of what it has ended only.
        is_written = report.columns or (end is not None and end.at < report.at)
        if is_replaced or (end is not None and says_something and is_written):
            del held[edge]
            ended.add(Interval(edge, first, last, _closed_at(end, report.at, lasts_until)))
    for edge in report.edges:
        first = held[edge].first if edge in held else report.at
        held[edge] = _Held(first, report.at, report.is_declared)

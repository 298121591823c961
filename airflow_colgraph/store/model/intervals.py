"""Derives the times in which each edge held from the reports of a job's runs. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from airflow_colgraph.store.model.clock import OPEN
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


class Interval(NamedTuple):
    """An edge held from `first_seen` until `closed_at`."""

    edge: EdgeKey
    first_seen: int
    last_seen: int
    closed_at: int


def intervals(reports: Iterable[RunEdges]) -> set[Interval]:
    """The intervals of every edge, from reports in the order of time.

    A run that replaces the rows closes the edges that it does not state; one that appends leaves
    them. A run without column lineage closes no edge of a column.
    """
    ended: set[Interval] = set()
    held: dict[EdgeKey, tuple[int, int]] = {}  # first and last seen
    at = 0
    before: RunEdges | None = None
    waiting: RunEdges | None = None  # the latest of equal reports: only it needs to be looked at
    for report in reports:
        at = report.at
        if before is not None and before[1:] == report[1:]:
            waiting = report
            continue
        if waiting is not None:
            _step(waiting, held, ended)
        _step(report, held, ended)
        before, waiting = report, None
    if waiting is not None:
        _step(waiting, held, ended)
    for edge, (first, last) in held.items():
        ended.add(Interval(edge, first, OPEN if last == at else last, OPEN))
    return ended


def _step(report: RunEdges, held: dict[EdgeKey, tuple[int, int]], ended: set[Interval]) -> None:
    if report.replaces:
        for edge in held.keys() - report.edges:
            if report.columns or edge.kind == DATASET:
                first, last = held.pop(edge)
                ended.add(Interval(edge, first, last, report.at))
    for edge in report.edges:
        first, _ = held.get(edge, (report.at, report.at))
        held[edge] = first, report.at

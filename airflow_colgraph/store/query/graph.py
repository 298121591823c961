"""The questions: what a field is made of (upstream) and what is made of it (downstream).

    store = Store.open("sqlite:///colgraph.db")
    for edge in upstream(store, "file", "/lake/mart", "total").edges:
        print(edge.depth, edge.input, edge.transformation, edge.said[0].job)

Upstream is towards where data comes from. Each direction is walked by itself, so a question never
turns round at a shared dataset and wanders off into the rest of the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import batches
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.clock import OPEN
from airflow_colgraph.store.model.lineage_body import Field, Transformation
from airflow_colgraph.store.model.runs import Job, Report, Run
from airflow_colgraph.store.query import name_cache
from airflow_colgraph.store.query.edge_cache import INPUT, OUTPUT, Row
from airflow_colgraph.store.query.lookup import Starts, start_nodes
from airflow_colgraph.store.query.provenance import who_said
from airflow_colgraph.store.query.run_aware import timely_search
from airflow_colgraph.store.query.traversal import DOWN, KINDS, UP, Span, Walk
from airflow_colgraph.store.store import Store

__all__ = [
    "Edge",
    "Field",
    "Graph",
    "Job",
    "Question",
    "Report",
    "Run",
    "Transformation",
    "downstream",
    "lineage",
    "upstream",
]

DIRECTIONS = (UP, DOWN, "both")
DEPTH, LIMIT = 20, 10_000
Time = str | int | float | datetime


@dataclass(frozen=True)
class Question:
    """How to walk. Times are what `clock.parse` reads; without any the answer is about now.

    `at`: the edges that held at that time. `start` and `end`: those that a run said, or that held
    between two runs that said them, in [start, end). `level` is "field", or "dataset" for edges
    between whole datasets. `collapse`: a regular expression for the names of temporary datasets,
    which are left out: what goes into them is connected with what comes out of it.
    """

    direction: str = UP
    depth: int = DEPTH
    start: Time | None = None
    end: Time | None = None
    at: Time | None = None
    indirect: bool = False
    limit: int = LIMIT
    level: str = "field"
    collapse: str | None = None
    timely: bool = False

    def span(self) -> Span:
        """The times in milliseconds; QuestionError if the question makes no sense."""
        if self.direction not in DIRECTIONS:
            raise QuestionError(
                f"Direction is {self.direction!r}. Expected one of: {', '.join(DIRECTIONS)}."
            )
        if self.level not in ("field", "dataset"):
            raise QuestionError(f"Level is {self.level!r}. Expected field or dataset.")
        if self.depth < 1:
            raise QuestionError(f"Depth is {self.depth}. Expected 1 or more.")
        if self.limit < 1:
            raise QuestionError(f"Limit is {self.limit}. Expected 1 or more.")
        if self.at is not None and (self.start is not None or self.end is not None):
            raise QuestionError("Both a time range and a single time are given. Expected one.")
        times = (None if t is None else clock.parse(t) for t in (self.start, self.end, self.at))
        span = Span(*times)
        if self.timely and (self.level == "dataset" or span.start or span.end):
            raise QuestionError("Timely lineage is of fields, and at a time, not in a range.")
        if self.timely and self.direction != UP and span.at is None:
            raise QuestionError("Timely lineage downstream needs the time that it starts from.")
        if span.start is not None and span.end is not None and span.start > span.end:
            raise QuestionError(f"Start {self.start} is after end {self.end}.")
        return span


class Edge(NamedTuple):
    """`input` goes into `output`; met `depth` hops from the start."""

    input: Field
    output: Field
    transformation: Transformation
    depth: int
    direction: str
    said: tuple[Report, ...]


@dataclass
class Graph:
    """An answer. `unexplored` counts nodes that were not followed: the limit was reached."""

    question: Question
    starts: tuple[Field, ...]
    edges: list[Edge] = field(default_factory=list)
    unexplored: int = 0

    @property
    def truncated(self) -> bool:
        """Whether edges are missing because the limit was reached."""
        return self.unexplored > 0

    @property
    def nodes(self) -> dict[Field, int]:
        """Every field of the answer and how many hops from the start it is."""
        found = dict.fromkeys(self.starts, 0)
        for edge in sorted(self.edges, key=lambda edge: edge.depth):
            far = edge.input if edge.direction == UP else edge.output
            near = edge.output if edge.direction == UP else edge.input
            found.setdefault(near, edge.depth - 1)
            found.setdefault(far, edge.depth)
        return found


def upstream(
    store: Store, namespace: str | None, name: str, field: str | None = None, **how: Any
) -> Graph:
    """What the field (without `field`: each of the dataset's) is made of; options: `Question`."""
    return lineage(store, [Field(namespace or "", name, field or "")], direction=UP, **how)


def downstream(
    store: Store, namespace: str | None, name: str, field: str | None = None, **how: Any
) -> Graph:
    """What is made of the field (without `field`: of any of the dataset's)."""
    return lineage(store, [Field(namespace or "", name, field or "")], direction=DOWN, **how)


def lineage(store: Store, starts: Iterable[Field], **how: Any) -> Graph:
    """The lineage of several fields at once; a start without a field is its whole dataset."""
    question = Question(**how)
    question.span()
    starts = list(starts)

    def ask(connection: Connection) -> Graph:
        found = start_nodes(connection, starts, dataset_level=question.level == "dataset")
        return answer(connection, found, question)

    graph = store.ask(ask)
    if question.collapse is None:
        return graph
    from airflow_colgraph.store.query.collapse import collapse

    return collapse(graph, question.collapse)


def answer(connection: Connection, starts: Starts, question: Question) -> Graph:
    """The lineage from nodes that are known, in an open transaction."""
    if question.direction == "both":
        up = answer(connection, starts, replace(question, direction=UP))
        down = answer(connection, starts, replace(question, direction=DOWN))
        unexplored = up.unexplored + down.unexplored
        return Graph(question, up.starts, up.edges + down.edges, unexplored)
    if question.timely:
        at = question.span().at
        found, unexplored = timely_search(
            connection,
            starts.ids,
            direction=question.direction,
            at=OPEN - 1 if at is None else at,
            indirect=question.indirect,
            depth=question.depth,
            limit=question.limit,
            with_rows=lambda nodes: _with_rows(
                connection, name_cache.of(connection), nodes, question.direction == UP
            ),
        )
    else:
        found, unexplored = search(connection, starts.ids, question)
    edges = _edges(connection, found, question.direction)
    return Graph(question, starts.fields, edges, unexplored)


def search(
    connection: Connection, starts: Sequence[int], question: Question
) -> tuple[list[list[Row]], int]:
    """The edges as rows of the table, a list per level, and how many nodes were not followed."""
    kinds = KINDS[None if question.level == "dataset" else question.indirect]
    walk = Walk(connection, question.direction, question.span(), kinds)
    found = _levels(connection, walk, starts, question)
    while walk.meets_stale(found[0]):
        found = _levels(connection, walk, starts, question)
    return found


def _levels(
    connection: Connection, walk: Walk, starts: Sequence[int], question: Question
) -> tuple[list[list[Row]], int]:
    known = name_cache.of(connection)
    far = INPUT if question.direction == UP else OUTPUT
    levels: list[list[Row]] = []
    room = question.limit
    seen: set[int] = set()
    ends: set[int] = set(starts)
    for depth in range(question.depth, 0, -1):
        if question.indirect and question.level != "dataset":
            ends = _with_rows(connection, known, ends, question.direction == UP)
        frontier = ends - seen
        if not frontier:
            break
        seen |= frontier
        rows = walk.level(frontier, depth)
        if len(rows) > room:
            levels.append(rows[:room])
            return levels, len({row[far] for row in rows[room:]})
        levels.append(rows)
        room -= len(rows)
        ends = {row[far] for row in rows}
    return levels, 0


def _with_rows(
    connection: Connection, known: name_cache.Names, nodes: set[int], up: bool
) -> set[int]:
    """The nodes and what they share rows with: upstream a field's whole dataset decides on its
    rows too; downstream a whole dataset that was reached stands for each of its fields.
    """
    if up:
        named = known.read_nodes(connection, nodes)
        return nodes | {named[id].dataset for id in nodes}
    table = tables.field
    found = set(nodes)
    for batch in batches(nodes):
        found.update(
            connection.execute(select(table.c.id).where(table.c.dataset.in_(batch))).scalars()
        )
    return found


def _edges(connection: Connection, levels: Sequence[Sequence[Row]], direction: str) -> list[Edge]:
    known = name_cache.of(connection)
    rows = [row for level in levels for row in level]
    ends = {id for row in rows for id in (row[INPUT], row[OUTPUT])}
    nodes = known.read_nodes(connection, ends)
    transformations = known.read_transformations(connection, {row[3] for row in rows})
    said = who_said(connection, rows)
    merged: dict[tuple[int, int, int], tuple[int, list[Report]]] = {}
    for depth, level in enumerate(levels, 1):
        for row in level:
            output, _, input, transformation = row[:4]
            same = merged.setdefault((output, input, transformation), (depth, []))
            same[1].append(said[row[4:]])
    edges = [
        Edge(
            nodes[input].field,
            nodes[output].field,
            transformations[transformation],
            depth,
            direction,
            (who[0],) if len(who) == 1 else tuple(sorted(who, key=_newest_first, reverse=True)),
        )
        for (output, input, transformation), (depth, who) in merged.items()
    ]
    return sorted(edges, key=_ORDER)


_ORDER = attrgetter("depth", "output", "input", "transformation")


def _newest_first(said: Report) -> tuple[str, str]:
    return said.last_seen, said.job.name if said.job else ""

"""Lineage queries: what a field is derived from (upstream), what is derived from it (downstream).

    store = Store.open("sqlite:///colgraph.db")
    for edge in upstream(store, "file", "/lake/mart", "total").edges:
        print(edge.depth, edge.input, edge.transformation, edge.reported_by[0].job)

Each direction is traversed by itself, so a query never changes direction at a shared dataset and
spreads to the rest of the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from operator import attrgetter
from typing import Any, Protocol, TypeVar

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.db.pruned import PrunedNamespaces
from airflow_colgraph.store.model.clock import OPEN
from airflow_colgraph.store.model.lineage_body import Field, Transformation
from airflow_colgraph.store.model.lineage_graph import Edge, Graph
from airflow_colgraph.store.model.question import DEPTH, DOWN, LIMIT, UP, Question
from airflow_colgraph.store.model.runs import Job, Report, Run
from airflow_colgraph.store.model.walk import walk
from airflow_colgraph.store.query import name_cache
from airflow_colgraph.store.query.collapse import collapse
from airflow_colgraph.store.query.edge_cache import INPUT, OUTPUT, Row
from airflow_colgraph.store.query.lookup import Starts, start_nodes
from airflow_colgraph.store.query.provenance import reported_by
from airflow_colgraph.store.query.run_aware import run_aware_search
from airflow_colgraph.store.query.traversal import Traversal, kinds_of, only_values

__all__ = [
    "DEPTH",
    "LIMIT",
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

T = TypeVar("T")


class Answers(Protocol):
    """What queries need of a store (`store.Store`)."""

    def ask(self, question: Callable[[Connection], T]) -> T:
        """The question's answer from one state of the tables."""


def upstream(
    store: Answers, namespace: str | None, name: str, field: str | None = None, **how: Any
) -> Graph:
    """Return the fields that a field is derived from, over all jobs and hops.

    Args:
        store: The store to query, e.g. `Store.open(url)`.
        namespace: The dataset's OpenLineage namespace; None or "" if only one dataset has the name.
        name: The dataset's name, or one of its aliases (OpenLineage's `symlinks` facet).
        field: The field's name; None for every field of the dataset and the dataset as a whole.
        how: The other attributes of `Question`: `depth` (hops, 20), `limit` (edges, 10,000), `at`,
            `start`, `end`, `indirect`, `conditional`, `level`, `collapse`, `run_aware`.

    Returns:
        A `Graph`. Its `edges` are sorted by distance: each `Edge` has an `input` and an `output`
        (`Field`: namespace, name, field; an empty field is the whole dataset), a `transformation`
        (type, subtype, masking, description as in the `columnLineage` facet), its `depth` in hops,
        1 or more, and `reported_by`: the jobs and runs that reported it, the latest first, with
        times in ISO 8601, UTC. `truncated` tells whether the limit was reached.

    Raises:
        QuestionError: An option or a combination of options is invalid.
        UnknownNode: The store does not know the dataset or field; the text names similar ones.
        StoreError: The database failed.
    """
    return lineage(store, [Field(namespace or "", name, field or "")], direction=UP, **how)


def downstream(
    store: Answers, namespace: str | None, name: str, field: str | None = None, **how: Any
) -> Graph:
    """Return the fields that are derived from a field, over all jobs and hops.

    Args:
        store: As for `upstream`.
        namespace: As for `upstream`.
        name: As for `upstream`.
        field: As for `upstream`.
        how: As for `upstream`; with `run_aware` the time that the query starts from (`at`) is
            required.

    Returns:
        A `Graph` as from `upstream`, whose edges lead away from the field.

    Raises:
        QuestionError: As `upstream`, and for `run_aware` without `at`.
        UnknownNode: As `upstream`.
        StoreError: As `upstream`.
    """
    return lineage(store, [Field(namespace or "", name, field or "")], direction=DOWN, **how)


def lineage(store: Answers, starts: Iterable[Field], **how: Any) -> Graph:
    """The lineage of several fields in one answer; a start without a field is its whole dataset."""
    question = Question(**how)
    question.span()
    starts = list(starts)

    def ask(connection: Connection) -> Graph:
        nodes = start_nodes(connection, starts, dataset_level=question.level == "dataset")
        return answer(connection, nodes, question)

    graph = store.ask(ask)
    if question.collapse is None:
        return graph
    return collapse(graph, question.collapse)


def answer(connection: Connection, starts: Starts, question: Question) -> Graph:
    """The lineage from known nodes, on an open connection."""
    if question.direction == "both":
        up = answer(connection, starts, replace(question, direction=UP))
        down = answer(connection, starts, replace(question, direction=DOWN))
        unexplored = up.unexplored + down.unexplored
        return Graph(question, up.starts, up.edges + down.edges, unexplored)
    span = question.span()
    at = (span.start or span.end) if span.at is None else span.at
    is_upstream = question.direction == UP  # whose edges are those of the datasets in the answer
    pruned = PrunedNamespaces(connection, at)
    if not is_upstream:
        pruned.refuse(None)
    if question.run_aware:
        levels, unexplored = run_aware_search(
            connection,
            starts.ids,
            question,
            at=OPEN - 1 if span.at is None else span.at,
            with_rows=lambda nodes: _with_rows(
                connection, name_cache.of(connection), nodes, question.direction == UP
            ),
        )
    else:
        levels, unexplored = search(connection, starts.ids, question)
    edges = _edges(connection, levels, question.direction)
    fields = {*starts.fields, *(edge.input for edge in edges), *(edge.output for edge in edges)}
    pruned.refuse({field[:2] for field in fields} if is_upstream else ())
    return Graph(question, starts.fields, edges, unexplored)


def search(
    connection: Connection, starts: Sequence[int], question: Question
) -> tuple[list[list[Row]], int]:
    """The edges as rows of the table, a list per level, and how many nodes were not followed."""
    traversal = Traversal(
        connection,
        question.direction,
        question.span(),
        kinds_of(question),
        of_values=only_values(question),
    )
    levels = _levels(connection, traversal, starts, question)
    while traversal.meets_stale(levels[0]):
        levels = _levels(connection, traversal, starts, question)
    return levels


def _levels(
    connection: Connection, traversal: Traversal, starts: Sequence[int], question: Question
) -> tuple[list[list[Row]], int]:
    names = name_cache.of(connection)
    far = INPUT if question.direction == UP else OUTPUT
    levels: list[list[Row]] = []
    room = question.limit

    def edges_of(nodes: set[int]) -> list[Row]:
        return traversal.level(nodes, question.depth - len(levels), room)  # nodes beyond are edges

    def around(nodes: set[int]) -> set[int]:
        if not question.indirect or question.level == "dataset":
            return nodes
        return _with_rows(connection, names, nodes, question.direction == UP)

    every = walk(traversal.around(starts), edges_of, traversal.ends, around)
    for _, rows in islice(every, question.depth):
        levels.append(rows[:room])
        if len(rows) > room:
            return levels, len({row[far] for row in rows[room:]})
        room -= len(rows)
    return levels, 0


def _with_rows(
    connection: Connection, names: name_cache.Names, nodes: set[int], up: bool
) -> set[int]:
    """The nodes and those that share their rows: upstream a field's whole dataset affects its
    rows too; downstream a whole dataset that was reached stands for each of its fields.
    """
    if up:
        named = names.read_nodes(connection, nodes)
        return nodes | {named[id].dataset for id in nodes}
    table = tables.field
    fields = rows_in(connection, select(table.c.id), table.c.dataset, nodes)
    return nodes | {row.id for row in fields}


def _edges(connection: Connection, levels: Sequence[Sequence[Row]], direction: str) -> list[Edge]:
    names = name_cache.of(connection)
    rows = [row for level in levels for row in level]
    ends = {id for row in rows for id in (row[INPUT], row[OUTPUT])}
    nodes = names.read_nodes(connection, ends)
    transformations = names.read_transformations(connection, {row[3] for row in rows})
    reports = reported_by(connection, rows)
    merged: dict[tuple[int, int, int], tuple[int, list[Report]]] = {}
    for depth, level in enumerate(levels, 1):
        for row in level:
            output, _, input, transformation = row[:4]
            same = merged.setdefault((output, input, transformation), (depth, []))
            same[1].append(reports[row[4:]])
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


def _newest_first(report: Report) -> tuple[str, str]:
    return report.last_seen, report.job.name if report.job else ""

"""Reads the edges that tags may travel along, from fields downstream or upstream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import id_lists, tables
from airflow_colgraph.store.db.lifecycle import RetiredEdges, ended
from airflow_colgraph.store.model.clock import OPEN
from airflow_colgraph.store.model.intervals import DATASET, DIRECT, INDIRECT
from airflow_colgraph.store.model.lineage_body import Field, Transformation, unpack
from airflow_colgraph.store.model.question import DOWN, Span
from airflow_colgraph.store.model.tag_travel import TagEdge, related
from airflow_colgraph.store.model.walk import walk
from airflow_colgraph.store.query import name_cache
from airflow_colgraph.store.query.edge_cache import (
    CLOSED_AT,
    FIRST_SEEN,
    INPUT,
    JOB_OUTPUT,
    KIND,
    OUTPUT,
    TRANSFORMATION,
    Row,
)
from airflow_colgraph.store.query.traversal import Traversal
from airflow_colgraph.store.query.unknown_columns import diagnosed_reads

KINDS = (DIRECT, INDIRECT, DATASET)
AHEAD = 20  # levels that PostgreSQL reads at once
_WITH_COLUMNS = """
SELECT w.id FROM {{ids}} colgraph_job_output AS w ON w.id = n.value WHERE EXISTS (
    SELECT 1 FROM colgraph_edge AS e WHERE e.job_output = w.id AND e.kind <> {kind}
    AND e.first_seen <= {at} AND e.closed_at > {at}
)
"""


class Edges(NamedTuple):
    """The edges, and whether some are missing because there are more than the limit."""

    edges: list[TagEdge]
    truncated: bool


def read(
    connection: Connection,
    starts: Iterable[Field],
    direction: str,
    at: int | None,
    passes: Callable[[Transformation], bool],
    limit: int,
) -> Edges:
    """The edges that are reached from the fields along edges that `passes` allows.

    Args:
        connection: A connection to the store.
        starts: The fields, under the names that edges are stored under.
        direction: `model.question.UP` or DOWN.
        at: The time at which the edges held; None for those that hold now.
        passes: Whether an edge with the transformation is followed.
        limit: The number of edges at which the search ends.

    Returns:
        The edges; `key` of each is its row. An edge between whole datasets is among them only where
        the job reported no columns, or that it could not resolve all that it reads.
    """
    traversal = _HeldValues(connection, direction, at)
    columns = _Columns(connection, OPEN - 1 if at is None else at)
    fields, far = Fields(connection), "output" if direction == DOWN else "input"

    def edges_of(nodes: set[int]) -> list[TagEdge]:
        rows = columns.only_unknown(traversal.level(nodes))
        return [edge for edge in _edges(connection, rows) if passes(edge.transformation)]

    def ends(edges: list[TagEdge]) -> set[int]:
        return fields.related(getattr(edge, far) for edge in edges)

    followed: list[TagEdge] = []
    for _, edges in walk(fields.related(starts), edges_of, ends):
        followed += edges
        if len(followed) > limit:
            return Edges(followed[:limit], True)
    return Edges(followed, False)


class _HeldValues:
    """The edges along which a value that is still there was written."""

    def __init__(self, connection: Connection, direction: str, at: int | None) -> None:
        self._connection = connection
        self._at = OPEN - 1 if at is None else at
        self._retired = RetiredEdges(connection)
        span = None if self._retired else Span(at=at)
        self._traversal = Traversal(connection, direction, span, KINDS)
        self._ended = ended(connection) if self._retired else {}

    def level(self, nodes: set[int]) -> list[Row]:
        """The edges of the fields; those of retired jobs until their datasets end."""
        rows = self._traversal.level(nodes, AHEAD)
        if not self._retired:
            return rows
        names = name_cache.of(self._connection).read_nodes(
            self._connection, {row[OUTPUT] for row in rows}
        )
        return [row for row in rows if self._holds(row, names[row[OUTPUT]].dataset)]

    def _holds(self, row: Row, dataset: int) -> bool:
        closed_at = self._retired.held_until(row[JOB_OUTPUT], row[CLOSED_AT])
        if closed_at != row[CLOSED_AT]:
            closed_at = min(closed_at, self._ended.get(dataset, closed_at))
        return row[FIRST_SEEN] <= self._at < closed_at


def _edges(connection: Connection, rows: Sequence[Row]) -> list[TagEdge]:
    """The rows with names, in their order."""
    names = name_cache.of(connection)
    nodes = names.read_nodes(connection, {id for row in rows for id in (row[INPUT], row[OUTPUT])})
    steps = names.read_transformations(connection, {row[TRANSFORMATION] for row in rows})
    return [
        TagEdge(nodes[row[INPUT]].field, nodes[row[OUTPUT]].field, steps[row[TRANSFORMATION]], row)
        for row in rows
    ]


class Fields:
    """The fields of datasets with their ids, read when they are first needed."""

    def __init__(self, connection: Connection) -> None:
        """Nothing is read yet."""
        self._connection = connection
        self._ids: dict[int, dict[str, int]] = {}
        self._nested: dict[int, list[str]] = {}

    def inside(self, field: Field) -> set[int]:
        """The id of a field; of a dataset as a whole, those of all its fields."""
        if field.field:
            return {field.id}
        self._read({field.id})
        return set(self._ids[field.id].values())

    def related(self, fields: Iterable[Field]) -> set[int]:
        """The ids of the fields, of those in them and of those that they are in."""
        by_dataset: dict[Field, set[str]] = {}
        for field in fields:
            by_dataset.setdefault(field.dataset, set()).add(field.field)
        wanted = {dataset: dataset.id for dataset in by_dataset}
        self._read(set(wanted.values()))
        near_ids: set[int] = set()
        for dataset, names in by_dataset.items():
            ids, nested = self._ids[wanted[dataset]], self._nested[wanted[dataset]]
            near = set[str]().union(
                *(related(dataset._replace(field=name), ids, nested) for name in names)
            )
            near_ids.update(ids[name] for name in near if name in ids)
        return near_ids

    def _read(self, datasets: set[int]) -> None:
        table = tables.field
        new = datasets - self._ids.keys()
        self._ids.update((id, {}) for id in new)
        query = select(table.c.dataset, table.c.name, table.c.id)
        rows = id_lists.rows_in(self._connection, query, table.c.dataset, new)
        for dataset, name, id in rows:
            self._ids[dataset][name] = id
        for id in new:
            self._nested[id] = [name for name in self._ids[id] if "." in name]


class _Columns:
    """Whether an output's columns are known: only where they are not, edges of datasets count."""

    def __init__(self, connection: Connection, at: int) -> None:
        self._connection = connection
        self._at = at
        self._unknown: dict[int, bool] = {}

    def only_unknown(self, rows: list[Row]) -> list[Row]:
        """The rows without the edges between datasets whose columns are known."""
        self._read({row[JOB_OUTPUT] for row in rows if row[KIND] == DATASET})
        return [row for row in rows if row[KIND] != DATASET or self._unknown[row[JOB_OUTPUT]]]

    def _read(self, job_outputs: set[int]) -> None:
        new = job_outputs - self._unknown.keys()
        if not new:
            return
        sql = _WITH_COLUMNS.format(kind=DATASET, at=self._at)
        with_columns = {id for (id,) in id_lists.rows(self._connection, sql, new)}
        self._unknown.update((id, id not in with_columns and self._reports_none(id)) for id in new)
        self._unknown.update(dict.fromkeys(self._unresolved(with_columns), True))

    def _unresolved(self, job_outputs: set[int]) -> set[int]:
        """The outputs whose jobs could not resolve all columns that they read."""
        output = tables.job_output.c
        query = select(output.id, output.job, output.dataset)
        rows = list(id_lists.rows_in(self._connection, query, output.id, job_outputs))
        jobs = {row.job for row in rows if row.job is not None}
        diagnosed = {
            (each.job_id, written)
            for each in diagnosed_reads(self._connection, None, jobs=jobs, at=self._at)
            for written in (each.outputs if each.reads else ())
        }
        return {row.id for row in rows if {(row.job, row.dataset), (row.job, None)} & diagnosed}

    def _reports_none(self, job_output: int) -> bool:
        """Whether the latest report has no columns at all: those of constants have no edges."""
        occurrence, body = tables.occurrence, tables.lineage_body
        query = (
            select(body.c.body)
            .join_from(occurrence, body, occurrence.c.lineage_body == body.c.id)
            .where(occurrence.c.job_output == job_output, occurrence.c.at <= self._at)
            .order_by(occurrence.c.at.desc())
            .limit(1)
        )
        packed = self._connection.execute(query).scalar()
        return packed is not None and unpack(packed)["fields"] is None

"""A dataset as one end of jobs' lineage in a time range: its incoming and outgoing lineage.

Single level and by runs, as in CDAP: the lineage bodies that runs in [start, end) reported.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.pruned import refuse_pruned
from airflow_colgraph.store.model.intervals import DATASET
from airflow_colgraph.store.model.lineage_body import Field, key, statements, unpack
from airflow_colgraph.store.query import listing
from airflow_colgraph.store.query.reported_bodies import bodies_of_datasets, bodies_of_outputs

INCOMING, OUTGOING = "incoming", "outgoing"


class RangeBody(NamedTuple):
    """A lineage body, and the first and the latest run in the range that reported it."""

    body: dict[str, Any]
    job: int | None
    job_output: int
    lineage_body: int
    first_at: int
    last_at: int
    last_run: bytes
    runs: int


class Relation(NamedTuple):
    """A field of another dataset and the field of the asked one that it is connected to."""

    other: Field
    own: str


class EndPoint:
    """A dataset under all its names, between two times."""

    def __init__(
        self,
        connection: Connection,
        dataset: Field,
        start: int,
        end: int,
        hidden: Collection[int | None] = (),
    ) -> None:
        """Reports of `hidden` jobs are left out; QuestionError if all of the range was pruned."""
        refuse_pruned(connection, end - 1)
        self.connection = connection
        self.hidden = hidden
        self.dataset = dataset
        self.span = start, end
        self.ids = listing.members(connection, dataset)

    def has(self, field: Field) -> bool:
        """Whether the field or dataset is of this dataset, under any of its names."""
        return key(field.namespace, field.name) in self.ids

    def reported_bodies(self, direction: str) -> list[RangeBody]:
        """The lineage bodies of runs in the range that wrote (incoming) or read it (outgoing)."""
        if direction == INCOMING:
            rows = bodies_of_datasets(self.connection, self.ids, *self.span)
        else:
            edge = tables.edge
            readers = select(edge.c.job_output).where(
                edge.c.input.in_(self.ids), edge.c.kind == DATASET
            )
            job_outputs = set(self.connection.execute(readers).scalars())
            rows = bodies_of_outputs(self.connection, job_outputs, *self.span)
        bodies = [
            RangeBody(
                unpack(row.body),
                row.job,
                row.job_output,
                row.lineage_body,
                row.first_at,
                row.last_at,
                bytes(row.last_run),
                row.runs,
            )
            for row in rows
            if row.job not in self.hidden
        ]
        if direction == OUTGOING:
            bodies = [s for s in bodies if any(key(*name) in self.ids for name in s.body["inputs"])]
        return bodies

    def relations(self, direction: str) -> set[Relation]:
        """Pairs of a field of another dataset and the field of this one that it is connected to."""
        related: set[Relation] = set()
        for reported in self.reported_bodies(direction):
            for edge in statements(reported.body):
                own, other = edge.output, edge.input
                if direction == OUTGOING:
                    own, other = other, own
                if self.has(own) and own.field and other.field:
                    related.add(Relation(other, own.field))
        return related

    def fields(self, directions: Iterable[str] = (INCOMING, OUTGOING)) -> list[str]:
        """The dataset's fields with lineage in the range."""
        names = {relation.own for direction in directions for relation in self.relations(direction)}
        if INCOMING in directions:
            written = (reported.body["fields"] or () for reported in self.reported_bodies(INCOMING))
            names.update(name for fields in written for name, _ in fields)
        return sorted(names)


def jobs(connection: Connection, ids: Iterable[int | None]) -> dict[int | None, Any]:
    """The rows of jobs by id."""
    wanted = {id for id in ids if id is not None}
    table = tables.job
    rows = connection.execute(select(table).where(table.c.id.in_(wanted)))
    return {row.id: row for row in rows}


def mappings(
    connection: Connection,
    dataset: Field,
    start: int,
    end: int,
    direction: str,
    levels: int,
    hidden: Collection[int | None] = (),
) -> list[tuple[Field, Field, list[tuple[str, str]]]]:
    """Field mappings (source, destination, [(from, to)]) between datasets, level by level."""
    frontier, seen = [dataset], {dataset}
    pairs_of: dict[tuple[Field, Field], set[tuple[str, str]]] = {}
    for _ in range(levels):
        following: list[Field] = []
        for near in frontier:
            for other, own in EndPoint(connection, near, start, end, hidden).relations(direction):
                if direction == INCOMING:
                    pairs_of.setdefault((other.dataset, near), set()).add((other.field, own))
                else:
                    pairs_of.setdefault((near, other.dataset), set()).add((own, other.field))
                if other.dataset not in seen:
                    seen.add(other.dataset)
                    following.append(other.dataset)
        frontier = following
    return [(source, target, sorted(pairs)) for (source, target), pairs in sorted(pairs_of.items())]

"""Where what was computed from a dataset went: to its readers, and on under new names."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sqlalchemy import func, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import symlinks, tables
from airflow_colgraph.store.db.symlinks import members_of
from airflow_colgraph.store.model.lifecycle import RENAMED

_change, _edge, _field = tables.lifecycle.c, tables.edge.c, tables.field.c


def moved_to(
    connection: Connection, dataset: int, since: int, until: int
) -> Iterator[tuple[int, int, int]]:
    """The new names of a dataset that was renamed between two times.

    Each is the dataset, until when the edges hold that it carried, and when it got them.
    """
    names = members_of(connection, {dataset})[dataset]
    query = select(_change.subject, _change.at, _change.job_output)
    query = query.where(_change.change == RENAMED)
    moves = query.where(_change.previous.in_(names), _change.at > since, _change.at <= until)
    for subject, at, job_output in connection.execute(moves).all():
        new = symlinks.resolve(connection, {subject})[subject]
        carried = (
            select(func.max(_edge.closed_at))
            .join_from(tables.field, tables.edge, _edge.output == _field.id)
            .where(_field.dataset == new, _edge.first_seen <= at, _edge.closed_at > at)
            .where(_edge.job_output == job_output)
        )
        closed_at = connection.execute(carried).scalar()
        if new not in names and closed_at is not None:
            yield new, closed_at, at


def own_edges(connection: Connection, names: Collection[int]) -> Iterator[tuple[int, int, int]]:
    """The edges from a dataset to itself: the output that reported each, and its times."""
    output = tables.field.alias()
    query = (
        select(_edge.job_output, _edge.first_seen, _edge.closed_at)
        .distinct()
        .select_from(tables.field)
        .join(tables.edge, _edge.input == _field.id)
        .join(output, output.c.id == _edge.output)
        .where(_field.dataset.in_(names), output.c.dataset.in_(names))
    )
    yield from map(tuple, connection.execute(query))


def read_by(
    connection: Connection, dataset: int, at: int, made_until: int
) -> Iterator[tuple[int, int, int]]:
    """Edges from before a time, which led on to other datasets after another.

    Each is where it led, until when, and when it was last seen.
    """
    output = tables.field.alias()
    query = (
        select(output.c.dataset, _edge.closed_at, _edge.last_seen)
        .distinct()
        .select_from(tables.field)
        .join(tables.edge, _edge.input == _field.id)
        .join(output, output.c.id == _edge.output)
        .where(_field.dataset == dataset, _edge.closed_at > at, _edge.first_seen < made_until)
    )
    yield from map(tuple, connection.execute(query))

"""Fields that no job has used for some time.

A job uses a field if a run reported it as an input, DIRECT or INDIRECT. A part of a struct is used
with the struct, and the struct with each of its parts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from sqlalchemy import case, func, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.intervals import DATASET
from airflow_colgraph.store.model.lineage_body import Field, unpack
from airflow_colgraph.store.query.job_runs import job_names
from airflow_colgraph.store.query.unknown_columns import (
    canonical_names,
    prefixes,
    unknown_readers,
)

DAYS = 90
UNUSED, PERHAPS = "unused", "perhaps used"


class UnusedField(NamedTuple):
    """A field that no run used, and whether a reader may have used it nevertheless.

    `readers` is the number of jobs that read the dataset in the time; `unknown_readers` are those
    of them of which it is not known which columns they use: with one the status is `perhaps used`.
    """

    namespace: str
    name: str
    field: str
    status: str
    last_used: str | None
    readers: int
    unknown_readers: list[str]


def unused(
    connection: Connection,
    since: int,
    *,
    namespace: str = "",
    name: str = "",
    hidden: Collection[int] = (),
) -> list[UnusedField]:
    """Return the fields that no run used from a time on.

    Args:
        connection: A connection to the store, as `Store.connection` gives.
        since: Milliseconds since 1970; uses before it do not count.
        namespace: Only datasets in this namespace.
        name: Only datasets with this name, which may be one of several that the dataset has.
        hidden: The ids of jobs that are not named; what they use counts.

    Returns:
        The fields of datasets that jobs read come first: these are columns that could go. The
        others are of datasets that no job of the store reads, such as reports.
    """
    names = canonical_names(connection)
    last = _last_used(connection)
    current = _current_fields(connection, namespace, name, names)
    unknown: dict[int, set[int | None]] = {}
    for one in unknown_readers(
        connection, since, {owner.id for owner in current} if name else None
    ):
        unknown.setdefault(one.dataset, set()).add(one.job)
    for dataset, job in _whole_dataset_readers(connection, since):
        unknown.setdefault(dataset, set()).add(job)
    readers = _readers(connection, since)
    shown = {job for some in unknown.values() for job in some if job not in hidden}
    jobs = job_names(connection, shown)
    found = []
    for owner, fields in current.items():
        id = owner.id
        if names.get(id, id) != id:
            continue  # another name of a dataset that is listed under its own
        used_at = _used_at(fields, last)
        opaque = unknown.get(id, set())
        known_by = len(readers.get(id, set()) | opaque)
        words = sorted({jobs[job] for job in opaque if job in jobs})
        status = PERHAPS if opaque else UNUSED
        for field in fields:
            at = used_at.get(field)
            if at is None or at < since:
                seen = None if at is None else clock.iso(at)
                found.append(UnusedField(*field, status, seen, known_by, words))
    return sorted(found, key=lambda one: (not one.readers, one.status != UNUSED, one[:3]))


def _used_at(fields: Iterable[Field], last: Mapping[int, int]) -> dict[Field, int]:
    """When each field was last used: itself, a struct that it is in, or a part of it."""
    itself = {field: last[field.id] for field in fields if field.id in last}
    found = dict(itself)
    for field in fields:
        around = [field._replace(field=parent) for parent in prefixes(field.field)]
        for parent in around:
            if field in itself:
                found[parent] = max(found.get(parent, itself[field]), itself[field])
            if parent in itself:
                found[field] = max(found.get(field, itself[parent]), itself[parent])
    return found


_output, _edge = tables.job_output, tables.edge
_seen_at = case((_edge.c.last_seen == clock.OPEN, _output.c.last_at), else_=_edge.c.last_seen)


def _last_used(connection: Connection) -> dict[int, int]:
    """When a run last reported each field as an input."""
    query = (
        select(_edge.c.input, func.max(_seen_at))
        .join_from(_edge, _output, _output.c.id == _edge.c.job_output)
        .where(_edge.c.kind != DATASET)
        .group_by(_edge.c.input)
    )
    return dict(map(tuple, connection.execute(query)))


def _readers(connection: Connection, since: int) -> dict[int, set[int | None]]:
    """The jobs that read each dataset from the time on."""
    query = (
        select(_edge.c.input, _output.c.job)
        .join_from(_edge, _output, _output.c.id == _edge.c.job_output)
        .where(_edge.c.kind == DATASET, _seen_at >= since)
        .distinct()
    )
    found: dict[int, set[int | None]] = {}
    for dataset, job in connection.execute(query):
        found.setdefault(dataset, set()).add(job)
    return found


def _whole_dataset_readers(connection: Connection, since: int) -> list[tuple[int, int | None]]:
    """Jobs that reported a whole dataset as an input of a column."""
    query = (
        select(_edge.c.input, _output.c.job)
        .join_from(_edge, _output, _output.c.id == _edge.c.job_output)
        .join(tables.dataset, tables.dataset.c.id == _edge.c.input)
        .where(_edge.c.kind != DATASET, _seen_at >= since)
        .distinct()
    )
    return [(dataset, job) for dataset, job in connection.execute(query)]


def _current_fields(
    connection: Connection, namespace: str, name: str, names: Mapping[int, int]
) -> dict[Field, list[Field]]:
    """The fields that each dataset has now: of the latest report, or all if none lists them."""
    dataset, field = tables.dataset.c, tables.field.c
    query = select(dataset.id, dataset.namespace, dataset.name, field.name.label("field"))
    query = query.join(tables.field, field.dataset == dataset.id).where(field.name != "")
    here = [dataset.namespace == namespace] if namespace else []
    if name:
        asked = connection.execute(select(dataset.id).where(dataset.name == name, *here)).scalars()
        query = query.where(dataset.id.in_({names.get(id, id) for id in asked}))
    else:
        query = query.where(*here)
    now = _latest_columns(connection)
    found: dict[Field, list[Field]] = {}
    for row in connection.execute(query.order_by(dataset.name, dataset.namespace, field.name)):
        owner = Field(row.namespace, row.name, "")
        there = now.get(row.id)
        if there is None or row.field in there:
            found.setdefault(owner, []).append(owner._replace(field=row.field))
    return found


def _latest_columns(connection: Connection) -> dict[int, set[str]]:
    """By dataset: the columns in its latest schema or, if it is newer, in its latest lineage."""
    schema, body = tables.schema.c, tables.lineage_body.c
    names = canonical_names(connection)
    latest: dict[int, tuple[int, set[str]]] = {}

    def add(dataset: int, at: int, columns: set[str]) -> None:
        owner = names.get(dataset, dataset)
        before, there = latest.get(owner, (at, set()))
        if columns and at >= before:
            latest[owner] = at, columns | there if at == before else columns

    for row in connection.execute(select(schema.dataset, schema.last_at, schema.body)):
        add(row.dataset, row.last_at, {one for one, _ in unpack(bytes(row.body))["columns"]})
    query = select(_output.c.dataset, _output.c.last_at, body.body).join(
        tables.lineage_body, body.id == _output.c.last_lineage_body
    )
    for row in connection.execute(query):
        lineage = unpack(bytes(row.body))
        columns = {one for one, *_ in (*(lineage["schema"] or ()), *(lineage["fields"] or ()))}
        add(row.dataset, row.last_at, columns)
    return {dataset: columns for dataset, (_, columns) in latest.items()}

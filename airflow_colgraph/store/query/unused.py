"""Fields that no job has used for some time.

A job uses a field if a run reported it as an input, DIRECT or INDIRECT. A part of a struct is used
with the struct, and the struct with each of its parts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from sqlalchemy import case, func, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.db.lifecycle import ended
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.field_path import prefixes
from airflow_colgraph.store.model.intervals import DATASET, DIRECT, INDIRECT
from airflow_colgraph.store.model.lifecycle import REMOVES
from airflow_colgraph.store.query.current_columns import current_columns
from airflow_colgraph.store.query.job_runs import job_names
from airflow_colgraph.store.query.lookup import unknown_dataset
from airflow_colgraph.store.query.unknown_columns import (
    canonical_names,
    unknown_readers,
)

DAYS = 90
UNUSED, PERHAPS = "unused", "perhaps used"


class UnusedField(NamedTuple):
    """A field that no run used, and whether a reader may have used it nevertheless.

    `readers` is the number of jobs that read the dataset in the time; `unknown_readers` are those
    of them that read unknown columns: with one the status is `perhaps used`.
    `is_read`: a job has read the dataset at some time.
    """

    namespace: str
    name: str
    field: str
    status: str
    last_used: str | None
    readers: int
    unknown_readers: list[str]
    is_read: bool


class Unused(NamedTuple):
    """The first of the fields that no run used, and the number of all of them.

    `never_read` is the number of those whose dataset no job has ever read.
    """

    fields: list[UnusedField]
    total: int
    never_read: int


def unused(
    connection: Connection,
    since: int,
    *,
    namespace: str = "",
    name: str = "",
    hidden: Collection[int | None] = (),
    unread: bool = True,
    limit: int | None = None,
) -> Unused:
    """Return the fields that no run used from a time on.

    Args:
        connection: A connection to the store, as `Store.connection` gives.
        since: Milliseconds since 1970; uses before it do not count.
        namespace: Only datasets in this namespace.
        name: Only datasets with this name, which may be one of several that the dataset has.
        hidden: The ids of jobs that are not named; what they use counts.
        unread: Also fields of datasets that no job has ever read.
        limit: The maximum number of fields; None: all.

    Raises:
        UnknownNode: No dataset has the name, or is in the namespace.

    Returns:
        The fields of datasets that jobs read come first: these are columns that could go. The
        others are of datasets that no job of the store reads, such as reports. Those of datasets
        that were dropped or renamed are there if the name is asked for.
    """
    names = canonical_names(connection)
    asked = _datasets(connection, namespace, name, names)
    gone = {} if name else ended(connection, asked, REMOVES)
    is_narrow = bool(namespace or name)
    if is_narrow and not asked:
        raise unknown_dataset(connection, namespace, name)
    only = asked.keys() if is_narrow else None
    parted = _with_parts(connection, only)
    now = current_columns(connection, names, only)
    candidates = _candidates(connection, since, asked.keys() - gone.keys(), only, parted, now)
    times = _last_uses(connection, candidates, parted & candidates.keys())
    fields = {
        dataset: _still_unused(ids, times.get(dataset, {}), since)
        for dataset, ids in candidates.items()
    }
    readings = ((each.dataset, each.job) for each in unknown_readers(connection, since, only))
    whole = _jobs_with(connection, since, only, (DIRECT, INDIRECT))  # as an input without fields
    opaque = _by_dataset([*readings, *whole])
    readers = _by_dataset(_jobs_with(connection, since, only, (DATASET,)))
    idle = fields.keys() - readers.keys() - opaque.keys()
    never_read = idle - _ever_read(connection, idle)

    def rank(dataset: int) -> tuple[bool, bool, tuple[str, str]]:
        is_used = bool(readers[dataset] or opaque[dataset])
        return not is_used, bool(opaque[dataset]), asked[dataset]

    order = sorted(fields if unread else fields.keys() - never_read, key=rank)
    every = ((dataset, field) for dataset in order for field in sorted(fields[dataset]))
    shown: dict[int, dict[str, int]] = {}
    for dataset, field in islice(every, limit):
        shown.setdefault(dataset, {})[field] = fields[dataset][field]
    times = {**_last_uses(connection, shown, shown.keys() - times.keys()), **times}
    jobs = job_names(connection, {job for each in shown for job in opaque[each]} - set(hidden))

    def rows(dataset: int) -> Iterator[UnusedField]:
        status = PERHAPS if opaque[dataset] else UNUSED
        count = len(readers[dataset] | opaque[dataset])
        unknown = sorted({jobs[job] for job in opaque[dataset] if job in jobs})
        is_read = dataset not in never_read
        for field in shown[dataset]:
            at = times[dataset][field]
            used = None if at is None else clock.iso(at)
            yield UnusedField(*asked[dataset], field, status, used, count, unknown, is_read)

    return Unused(
        [row for dataset in shown for row in rows(dataset)],
        sum(len(fields[dataset]) for dataset in order),
        sum(len(fields[dataset]) for dataset in never_read),
    )


def _ever_read(connection: Connection, datasets: Collection[int]) -> set[int]:
    """Those of the datasets that a job has read."""
    edges = _jobs_with(connection, 0, datasets, (DATASET, DIRECT, INDIRECT))
    readings = unknown_readers(connection, 0, datasets)
    return {dataset for dataset, _ in edges} | {each.dataset for each in readings}


def _by_dataset(pairs: Iterable[tuple[int, int | None]]) -> dict[int, set[int | None]]:
    """The jobs of each dataset; none of one that no job reads."""
    jobs: dict[int, set[int | None]] = defaultdict(set)
    for dataset, job in pairs:
        jobs[dataset].add(job)
    return jobs


def _datasets(
    connection: Connection, namespace: str, name: str, names: Mapping[int, int]
) -> dict[int, tuple[str, str]]:
    """The namespace and name of each dataset that is asked for, by its canonical id."""
    table = tables.dataset
    query = select(table).where(table.c.namespace == namespace) if namespace else select(table)
    if not name:
        rows = connection.execute(query)
        return {
            row.id: (row.namespace, row.name) for row in rows if names.get(row.id) in (None, row.id)
        }
    called = connection.execute(query.where(table.c.name == name)).all()
    ids = {names.get(row.id, row.id) for row in called}
    rows = connection.execute(select(table).where(table.c.id.in_(ids)))
    return {row.id: (row.namespace, row.name) for row in rows}


_output, _edge, _field = tables.job_output, tables.edge, tables.field
_seen_at = case((_edge.c.last_seen == clock.OPEN, _output.c.last_at), else_=_edge.c.last_seen)
_of_columns = _edge.c.kind.in_((DIRECT, INDIRECT))


def _with_parts(connection: Connection, only: Collection[int] | None) -> set[int]:
    """The datasets that have parts of structs."""
    query = select(_field.c.dataset).where(_field.c.name.contains(".", autoescape=True))
    return {dataset for (dataset,) in rows_in(connection, query, _field.c.dataset, only)}


def _candidates(
    connection: Connection,
    since: int,
    asked: Collection[int],
    only: Collection[int] | None,
    parted: Collection[int],
    now: Mapping[int, Collection[str]],
) -> dict[int, dict[str, int]]:
    """The ids, by dataset and name, of fields that are not themselves an input from the time on.

    A use of a struct is one of its parts, so of datasets with parts every field is here.
    """
    used = select(1).join_from(_edge, _output, _output.c.id == _edge.c.job_output)
    used = used.where(_edge.c.input == _field.c.id, _of_columns, _seen_at >= since)
    query = select(_field.c.dataset, _field.c.name, _field.c.id).where(_field.c.name != "")
    ids: dict[int, dict[str, int]] = {}
    for some, datasets in ((query.where(~used.exists()), only), (query, parted)):
        for dataset, name, id in rows_in(connection, some, _field.c.dataset, datasets):
            if dataset in asked and name in now.get(dataset, (name,)):
                ids.setdefault(dataset, {})[name] = id
    return ids


def _still_unused(
    ids: Mapping[str, int], last: Mapping[str, int | None], since: int
) -> Mapping[str, int]:
    """Those of the fields that were not last used from the time on, as a struct or as a part."""
    later = {name for name, at in last.items() if at is not None and at >= since}
    return {name: id for name, id in ids.items() if name not in later} if later else ids


def _last_uses(
    connection: Connection, fields: Mapping[int, Mapping[str, int]], datasets: Collection[int]
) -> dict[int, dict[str, int | None]]:
    """When each field of the datasets was last used, with its struct and its parts."""
    last = _last_used(connection, (id for each in datasets for id in fields[each].values()))
    return {
        each: _used_at({name: last.get(id) for name, id in fields[each].items()})
        for each in datasets
    }


def _used_at(itself: Mapping[str, int | None]) -> dict[str, int | None]:
    """When each field was last used: itself, a struct that it is in, or a part of it.

    >>> _used_at({"s": None, "s.a": 7, "t": 5, "t.a": None, "u": None})
    {'s': 7, 's.a': 7, 't': 5, 't.a': 5, 'u': None}
    """
    used = dict(itself)
    for name, at in itself.items():
        for parent in prefixes(name):
            if parent in itself:
                used[parent] = _later(used[parent], at)
                used[name] = _later(used[name], itself[parent])
    return used


def _later(time: int | None, other: int | None) -> int | None:
    return other if time is None else time if other is None else max(time, other)


def _last_used(connection: Connection, fields: Iterable[int]) -> dict[int, int]:
    """When a run last reported each field as an input."""
    query = (
        select(_edge.c.input, func.max(_seen_at))
        .join_from(_edge, _output, _output.c.id == _edge.c.job_output)
        .where(_of_columns)
        .group_by(_edge.c.input)
    )
    return dict(map(tuple, rows_in(connection, query, _edge.c.input, fields)))


def _jobs_with(
    connection: Connection, since: int, datasets: Collection[int] | None, kinds: Sequence[int]
) -> set[tuple[int, int | None]]:
    """The datasets, as a whole, that are inputs of such edges from the time on, and the jobs."""
    query = (
        select(_edge.c.input, _output.c.job)
        .join_from(_edge, _output, _output.c.id == _edge.c.job_output)
        .where(_edge.c.kind.in_(kinds), _seen_at >= since)
        .distinct()
    )
    if datasets is None:
        datasets = connection.execute(select(tables.dataset.c.id)).scalars().all()
    return set(map(tuple, rows_in(connection, query, _edge.c.input, datasets)))

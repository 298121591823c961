"""Whether a dataset is still there, by what was reported of it as a whole and what was written."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from sqlalchemy import and_, func, or_, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import symlinks, tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.db.symlinks import members_of
from airflow_colgraph.store.model.clock import OPEN
from airflow_colgraph.store.model.lifecycle import (
    ENDS_DATASET,
    ENDS_EDGES,
    RENAMED,
    RETIRED,
    WITHOUT_WRITE,
)
from airflow_colgraph.store.model.lineage_body import Field

_change, _output = tables.lifecycle.c, tables.job_output.c
_occurrence, _schema = tables.occurrence.c, tables.schema.c


def outputs_of(connection: Connection, datasets: Iterable[int]) -> set[int]:
    """The job outputs that write the datasets."""
    return {id for (id,) in rows_in(connection, select(_output.id), _output.dataset, datasets)}


def outputs_of_jobs(connection: Connection, jobs: Iterable[int]) -> set[int]:
    """The outputs of the jobs."""
    return {id for (id,) in rows_in(connection, select(_output.id), _output.job, jobs)}


def changes_of(connection: Connection, names: Collection[int]) -> list[tuple[int, int, bytes]]:
    """When a dataset of these names changed, how and in which run.

    A dataset changes where it gets another name, not where that name is new.
    """
    is_its_own = and_(_change.subject.in_(names), _change.change.in_(ENDS_EDGES))
    is_moved = and_(_change.previous.in_(names), _change.change == RENAMED)
    query = select(_change.at, _change.change, _change.run, _change.subject)
    return [
        (at, change, bytes(run))
        for at, change, run, subject in connection.execute(query.where(or_(is_its_own, is_moved)))
        if change != RENAMED or subject not in names
    ]


def changed_since(connection: Connection, at: int) -> set[int]:
    """The datasets that were dropped, emptied or renamed after a time, under the names of then."""
    query = select(_change.subject, _change.previous)
    rows = connection.execute(query.where(_change.at > at, _change.change.in_(ENDS_DATASET)))
    return {id for row in rows for id in row}


def change_without_write(dataset: Any, at: Any, run: Any) -> Any:
    """The change that a run's report of a dataset is, where it reports no write: else null."""
    is_reported = and_(_change.subject == dataset, _change.at == at, _change.run == run)
    query = select(func.min(_change.change)).where(
        is_reported, _change.change.in_(sorted(WITHOUT_WRITE))
    )
    return query.scalar_subquery()


def last_written(connection: Connection, names: Collection[int]) -> int:
    """When a run last reported that it wrote the dataset."""
    outputs = outputs_of(connection, names)
    last = select(func.max(_occurrence.at)).where(_occurrence.job_output.in_(outputs))
    at = connection.execute(last).scalar()
    return -OPEN if at is None else at


def first_written(connection: Connection, names: Collection[int], after: int) -> int:
    """When a run first reported after a time that it wrote the dataset; OPEN if none did."""
    outputs = outputs_of(connection, names)
    first = select(func.min(_occurrence.at))
    which = first.where(_occurrence.job_output.in_(outputs), _occurrence.at > after)
    at = connection.execute(which).scalar()
    return OPEN if at is None else at


def last_seen(connection: Connection, names: Collection[int]) -> int:
    """When an event last had the dataset's schema."""
    last = select(func.max(_schema.last_at)).where(_schema.dataset.in_(names))
    at = connection.execute(last).scalar()
    return -OPEN if at is None else at


def ended_at(
    connection: Connection, names: Collection[int], changes: Collection[int] = ENDS_DATASET
) -> int | None:
    """When a dataset was dropped, emptied or renamed, if no event has named it since.

    One that a task renames, and has as an output of its one event, was made again after that.
    """
    times = [(at, change) for at, change, _ in changes_of(connection, names)]
    ends = [(at, change) for at, change in times if change in ENDS_DATASET]
    at, change = max(ends, default=(-OPEN, None))
    is_renamed = {kind for time, kind in ends if time == at} == {RENAMED}
    written_at = last_written(connection, names) + is_renamed
    named_at = max((time for time, *_ in former_names(connection, names)), default=-OPEN)
    is_last = at >= max(last_seen(connection, names), written_at, named_at + 1)
    return at if change in changes and is_last else None


def there_until(connection: Connection, names: Collection[int], written_at: int) -> int:
    """When rows were gone that were written at a time: dropped, emptied or renamed. OPEN: never.

    `written_at`: OPEN for the latest rows.
    """
    if written_at == OPEN:
        written_at = max(last_seen(connection, names), last_written(connection, names))
    ends = (at for at, change, _ in changes_of(connection, names) if change in ENDS_DATASET)
    return min((at for at in ends if at >= written_at), default=OPEN)


def ended_between(
    connection: Connection, names: Collection[int], since: int, until: int
) -> tuple[int, int] | None:
    """When and how a dataset ended between two times, if it was there before and is not after."""
    ends = sorted((at, change) for at, change, _ in changes_of(connection, names) if at <= until)
    ends = [(at, change) for at, change in ends if change in ENDS_DATASET]
    if not ends or ends[-1][0] <= since or first_written(connection, names, ends[-1][0]) <= until:
        return None
    before = [at for at, _ in ends if at <= since]
    was_gone = bool(before) and first_written(connection, names, before[-1]) > since
    return None if was_gone else ends[-1]


def retired_at(connection: Connection) -> dict[int, list[int]]:
    """When jobs were retired, by their ids."""
    query = select(_change.subject, _change.at).where(_change.change == RETIRED)
    times: dict[int, list[int]] = {}
    for job, at in connection.execute(query):
        times.setdefault(job, []).append(at)
    return times


def ended(
    connection: Connection,
    datasets: Iterable[int] | None = None,
    changes: Collection[int] = ENDS_DATASET,
) -> dict[int, int]:
    """When datasets (None: all) ended by such changes, under all their names."""
    changed: set[int] = set()
    for column in (_change.subject, _change.previous):
        query = select(column).distinct().where(_change.change.in_(changes))
        changed.update(id for (id,) in rows_in(connection, query, column, datasets))
    ends: dict[int, int] = {}
    for names in (members_of(connection, changed) if changed else {}).values():
        at = ended_at(connection, names, changes)
        if at is not None:
            ends.update(dict.fromkeys(names, at))
    return ends


def former_names(connection: Connection, names: Collection[int]) -> list[tuple[int, bytes, Field]]:
    """When a dataset got one of the names, in which run, and the name that it had before."""
    table = tables.dataset
    query = (
        select(_change.at, _change.run, table.c.namespace, table.c.name)
        .join_from(tables.lifecycle, table, table.c.id == _change.previous)
        .where(_change.subject.in_(names), _change.change == RENAMED)
        .where(_change.previous.not_in(names))
    )
    return [
        (at, bytes(run), Field(namespace, name, ""))
        for at, run, namespace, name in connection.execute(query)
    ]


class Renamed(NamedTuple):
    """When a dataset was renamed, its ids before and after, and the output and run that did it."""

    at: int
    before: int
    after: int
    job_output: int
    run: bytes


def renamed(connection: Connection) -> list[Renamed]:
    """The datasets that got other names, by the ids that their edges are stored under."""
    query = select(_change.at, _change.previous, _change.subject, _change.job_output, _change.run)
    rows = connection.execute(query.where(_change.change == RENAMED)).all()
    kept = symlinks.resolve(connection, {id for row in rows for id in (row.previous, row.subject)})
    every = [Renamed(at, kept[old], kept[new], id, bytes(run)) for at, old, new, id, run in rows]
    return [each for each in every if each.before != each.after]


def renamed_pairs(connection: Connection) -> list[tuple[int, int, int]]:
    """When datasets were first and last renamed, with their ids before and after."""
    query = (
        select(_change.previous, _change.subject, func.min(_change.at), func.max(_change.at))
        .where(_change.change == RENAMED)
        .group_by(_change.previous, _change.subject)
    )
    rows = list(map(tuple, connection.execute(query)))
    kept = symlinks.resolve(connection, {id for row in rows for id in row[:2]})
    return sorted(
        {
            (at, kept[old], kept[new])
            for old, new, *times in rows
            for at in times
            if kept[old] != kept[new]
        }
    )


def renamed_in(
    connection: Connection, job_outputs: Iterable[int]
) -> dict[int, dict[bytes, list[int]]]:
    """The outputs that are new names of datasets, the runs that renamed these, and when."""
    query = select(_change.job_output, _change.run, _change.at).where(_change.change == RENAMED)
    times: dict[int, dict[bytes, list[int]]] = {}
    for job_output, run, at in rows_in(connection, query, _change.job_output, job_outputs):
        times.setdefault(job_output, {}).setdefault(bytes(run), []).append(at)
    return times


class RetiredEdges:
    """Edges that ended with their job: what was written along them is still there."""

    def __init__(self, connection: Connection) -> None:
        """Read when jobs were retired."""
        query = select(_output.id, _change.at).join_from(
            tables.lifecycle, tables.job_output, _output.job == _change.subject
        )
        self._ends = set(map(tuple, connection.execute(query.where(_change.change == RETIRED))))

    def __bool__(self) -> bool:
        """Whether any job was retired."""
        return bool(self._ends)

    def held_until(self, job_output: int, closed_at: int) -> int:
        """Until when values are there that were written along an edge that was closed."""
        return OPEN if (job_output, closed_at) in self._ends else closed_at

"""What there is: datasets, fields with their times, jobs, runs, properties; and finding them."""

from __future__ import annotations

import re
import uuid
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from sqlalchemy import Column, and_, case, func, or_, select, tuple_
from sqlalchemy.engine import Connection

from airflow_colgraph.store import clock, symlinks, tables
from airflow_colgraph.store.shape import Field, unpack

MOST = 1000  # rows of one page
NAMES = 50_000  # that a misspelt one is compared with


class Dataset(NamedTuple):
    """A dataset with the times of its first and latest statement (empty: only mentioned)."""

    namespace: str
    name: str
    created_at: str | None
    updated_at: str | None


class FieldInfo(NamedTuple):
    """A field: since when it is known, which run wrote it last, whether it is gone."""

    name: str
    type: str | None
    created_at: str | None
    updated_at: str | None
    updated_by: str | None
    dropped: bool


class JobInfo(NamedTuple):
    """A job and its latest run's times."""

    namespace: str
    name: str
    dag_id: str | None
    task_id: str | None
    updated_at: str | None


class RunInfo(NamedTuple):
    """One try of a job."""

    id: str
    job_namespace: str
    job: str
    dag_id: str | None
    task_id: str | None
    state: str
    started_at: str
    ended_at: str | None
    attempt: int | None
    map_index: int | None
    parent: str | None
    name: str | None


class Version(NamedTuple):
    """A statement about a dataset's fields: a writer's shape, or a schema that was reported."""

    fields: dict[str, str | None]  # name to type
    first_at: int
    last_at: int
    last_run: bytes


def members(connection: Connection, dataset: Field) -> set[int]:
    """The ids of all names of a dataset."""
    groups = symlinks.groups(connection, {dataset.id})
    return groups[0] if groups else {dataset.id}


Key = Sequence[Any]  # what rows are in the order of; of one row: where the next page begins


def _page(query: Any, order: Key, limit: int, offset: int, after: Key | None) -> Any:
    """The rows after a row's key, which stays right when others are added, or after so many."""
    if after is not None:
        query = query.where(tuple_(*order) > tuple_(*after))
    return query.order_by(*order).limit(min(limit, MOST)).offset(offset)


def dataset_key(row: Dataset, text: str = "") -> Key:
    """Where in the order of `datasets` the row is."""
    return (len(row.name), row.name, row.namespace) if text else (row.name, row.namespace)


def datasets(
    connection: Connection,
    text: str = "",
    namespace: str = "",
    limit: int = 50,
    offset: int = 0,
    after: Key | None = None,
) -> list[Dataset]:
    """Datasets whose name contains the text, shorter names first."""
    table = tables.dataset
    query = select(table.c.id, table.c.namespace, table.c.name)
    if text:
        query = query.where(_contains(table.c.name, text))
    if namespace:
        query = query.where(table.c.namespace == namespace)
    order = (func.length(table.c.name),) if text else ()
    order = (*order, table.c.name, table.c.namespace)
    rows = connection.execute(_page(query, order, limit, offset, after)).all()
    times = _times(connection, [row.id for row in rows])
    return [Dataset(row.namespace, row.name, *times.get(row.id, (None, None))) for row in rows]


def column_key(row: Field) -> Key:
    """Where in the order of `columns` the row is."""
    return len(row.field), row.field, row.name, row.namespace


def columns(
    connection: Connection,
    text: str = "",
    limit: int = 50,
    offset: int = 0,
    after: Key | None = None,
) -> list[Field]:
    """Fields whose name contains the text: the same name first, then shorter ones."""
    field, dataset = tables.field, tables.dataset
    query = select(dataset.c.namespace, dataset.c.name, field.c.name.label("field")).join_from(
        field, dataset, field.c.dataset == dataset.c.id
    )
    query = query.where(field.c.name != "", _contains(field.c.name, text))
    order = (func.length(field.c.name), field.c.name, dataset.c.name, dataset.c.namespace)
    return [Field(*row) for row in connection.execute(_page(query, order, limit, offset, after))]


def near(connection: Connection, column: Column[str], text: str, most: int = 10) -> list[str]:
    """Names like the text, for a text that no name contains; the last part of a path counts too."""
    names = connection.execute(select(column).distinct().limit(NAMES)).scalars().all()
    by_last = {re.split(r"[/.]", name.rstrip("/"))[-1].lower(): name for name in names}
    known = {name.lower(): name for name in names} | by_last
    found = get_close_matches(text.lower(), known, n=most, cutoff=0.6)
    return list(dict.fromkeys(known[name] for name in found))


def namespaces(connection: Connection) -> list[str]:
    """Every namespace of a dataset or job, in order."""
    queries = [select(table.c.namespace).distinct() for table in (tables.dataset, tables.job)]
    return sorted({name for query in queries for name in connection.execute(query).scalars()})


def _contains(column: Any, text: str) -> Any:
    escaped = (
        text.replace("\0", "\ufffd")
        .lower()
        .replace("\\", "\\\\")
        .replace("%", "\\%")
        .replace("_", "\\_")
    )
    return func.lower(column).like(f"%{escaped}%", escape="\\")


def _times(connection: Connection, ids: list[int]) -> dict[int, tuple[str, str]]:
    """First and latest time at which something was said about each dataset."""
    writer, occurrence, schema = tables.writer, tables.occurrence, tables.schema
    queries = [
        select(writer.c.dataset, func.min(occurrence.c.at), func.max(occurrence.c.at))
        .join_from(writer, occurrence, occurrence.c.writer == writer.c.id)
        .where(writer.c.dataset.in_(ids))
        .group_by(writer.c.dataset),
        select(schema.c.dataset, func.min(schema.c.first_at), func.max(schema.c.last_at))
        .where(schema.c.dataset.in_(ids))
        .group_by(schema.c.dataset),
    ]
    times: dict[int, list[int]] = {}
    for query in queries:
        for id, first, last in connection.execute(query):
            times.setdefault(id, []).extend((first, last))
    return {id: (clock.iso(min(found)), clock.iso(max(found))) for id, found in times.items()}


def versions(connection: Connection, dataset: Field) -> list[Version]:
    """Everything that was said about the dataset's fields, the latest last."""
    ids = members(connection, dataset)
    found = []
    for row in written(connection, ids):
        body = unpack(row.body)
        known: dict[str, str | None] = {name: None for name, _ in body["fields"] or ()}
        known.update({name: kind or None for name, kind in body["schema"] or ()})
        if known:
            found.append(Version(known, row.first_at, row.last_at, row.last_run))
    table = tables.schema
    for row in connection.execute(select(table).where(table.c.dataset.in_(ids))):
        known = {name: kind or None for name, kind in unpack(row.body)["columns"]}
        found.append(Version(known, row.first_at, row.last_at, b""))
    return sorted(found, key=lambda version: (version.last_at, len(version.last_run)))


def written(
    connection: Connection, dataset_ids: Iterable[int], start: int = 0, end: int = tables.OPEN
) -> list[Any]:
    """The shapes that runs in [start, end) wrote the datasets in, a row per writer and shape.

    Columns: writer, job, shape, checksum, body, first_at, last_at, runs and last_run.
    """
    writer = tables.writer
    query = select(writer.c.id).where(writer.c.dataset.in_(set(dataset_ids)))
    return occurrences(connection, connection.execute(query).scalars().all(), start, end)


def occurrences(
    connection: Connection, writers: Iterable[int], start: int = 0, end: int = tables.OPEN
) -> list[Any]:
    """The shapes of the writers' runs in [start, end); see `written`."""
    o, shape, writer = tables.occurrence, tables.shape, tables.writer
    ranges = (
        select(
            o.c.writer,
            o.c.shape,
            func.min(o.c.at).label("first_at"),
            func.max(o.c.at).label("last_at"),
            func.count().label("runs"),
        )
        .where(o.c.writer.in_(set(writers)), o.c.at >= start, o.c.at < end)
        .group_by(o.c.writer, o.c.shape)
        .subquery()
    )
    last = o.alias("last")
    query = (
        select(ranges, writer.c.job, shape.c.checksum, shape.c.body, last.c.run.label("last_run"))
        .join_from(ranges, writer, writer.c.id == ranges.c.writer)
        .join(shape, shape.c.id == ranges.c.shape)
        .join(
            last,
            and_(
                last.c.writer == ranges.c.writer,
                last.c.at == ranges.c.last_at,
                last.c.shape == ranges.c.shape,
            ),
        )
        .order_by(ranges.c.first_at, ranges.c.shape, last.c.run)
    )
    # Two runs at the same millisecond: the later id counts.
    return list({(r.writer, r.shape): r for r in connection.execute(query)}.values())


def fields(connection: Connection, dataset: Field) -> list[FieldInfo]:
    """The dataset's fields: those it has now in their order, then those that are gone."""
    every = versions(connection, dataset)
    now = every[-1].fields if every else {}
    with_types = [version for version in every if any(version.fields.values())]
    if with_types and with_types[-1].last_at == every[-1].last_at:
        now = with_types[-1].fields
    seen: dict[str, list[Version]] = {name: [] for name in now}
    for version in every:
        for name in version.fields:
            seen.setdefault(name, []).append(version)
    found = []
    for name, about in seen.items():
        wrote = [version for version in about if version.last_run]
        latest = max(wrote or about, key=lambda version: version.last_at)
        kinds = [version.fields[name] for version in about if version.fields[name]]
        found.append(
            FieldInfo(
                name,
                kinds[-1] if kinds else None,
                clock.iso(min(version.first_at for version in about)),
                clock.iso(latest.last_at),
                run_text(latest.last_run),
                name not in now,
            )
        )
    known = {info.name for info in found}
    table = tables.field
    query = select(table.c.name).where(
        table.c.dataset.in_(members(connection, dataset)), table.c.name != ""
    )
    mentioned = sorted(set(connection.execute(query).scalars()) - known)
    return found + [FieldInfo(name, None, None, None, None, bool(every)) for name in mentioned]


def run_text(run: bytes | None) -> str | None:
    """The run's id as OpenLineage writes it; None for a statement without a run."""
    return str(uuid.UUID(bytes=bytes(run))) if run else None


def job_key(row: JobInfo) -> Key:
    """Where in the order of `jobs` the row is."""
    return row.name, row.namespace


def jobs(
    connection: Connection,
    text: str = "",
    namespace: str = "",
    limit: int = 50,
    offset: int = 0,
    after: Key | None = None,
) -> list[JobInfo]:
    """Jobs whose name contains the text."""
    job, run = tables.job, tables.run
    last = (
        select(run.c.job, func.max(run.c.started_at).label("last_at")).group_by(run.c.job)
    ).subquery()
    query = select(
        job.c.namespace, job.c.name, job.c.dag_id, job.c.task_id, last.c.last_at
    ).join_from(job, last, last.c.job == job.c.id, isouter=True)
    if text:
        query = query.where(_contains(job.c.name, text))
    if namespace:
        query = query.where(job.c.namespace == namespace)
    order = (job.c.name, job.c.namespace)
    rows = connection.execute(_page(query, order, limit, offset, after))
    return [
        JobInfo(
            row.namespace,
            row.name,
            row.dag_id,
            row.task_id,
            clock.iso(row.last_at) if row.last_at else None,
        )
        for row in rows
    ]


def count_jobs(connection: Connection, text: str = "", namespace: str = "") -> int:
    """The number of jobs whose name contains the text."""
    job = tables.job
    query = select(func.count()).select_from(job).where(_contains(job.c.name, text))
    if namespace:
        query = query.where(job.c.namespace == namespace)
    return int(connection.execute(query).scalar() or 0)


def run_key(row: RunInfo) -> Key:
    """Where in the order of `runs` the row is."""
    return clock.parse_iso(row.started_at), uuid.UUID(row.id).hex


def runs(
    connection: Connection,
    job_ids: Iterable[int] | None = None,
    ids: Iterable[bytes] | None = None,
    limit: int = 50,
    offset: int = 0,
    after: Key | None = None,
) -> list[RunInfo]:
    """Runs of the jobs, or those with the ids, the latest first.

    A task whose process is killed says nothing any more: it is aborted when its DAG run has ended.
    """
    run, job, dag_run = tables.run, tables.job, tables.run.alias()
    silent = run.c.ended_at.is_(None) & job.c.task_id.is_not(None) & dag_run.c.ended_at.is_not(None)
    query = (
        select(
            *(column for column in run.c if column not in (run.c.state, run.c.ended_at)),
            case((silent, tables.STATES.index("ABORT")), else_=run.c.state).label("state"),
            case((silent, dag_run.c.ended_at), else_=run.c.ended_at).label("ended_at"),
            job.c.namespace,
            job.c.name.label("job_name"),
            job.c.dag_id,
            job.c.task_id,
        )
        .join_from(run, job, job.c.id == run.c.job)
        .join(dag_run, dag_run.c.id == run.c.parent, isouter=True)
    )
    if job_ids is not None:
        query = query.where(run.c.job.in_(set(job_ids)))
    if ids is not None:
        query = query.where(run.c.id.in_(set(ids)))
    if after is not None:
        at, id = after
        query = query.where(tuple_(run.c.started_at, run.c.id) < tuple_(at, bytes.fromhex(id)))
    order = (run.c.started_at.desc(), run.c.id.desc())
    rows = connection.execute(query.order_by(*order).limit(min(limit, MOST)).offset(offset))
    return [
        RunInfo(
            str(run_text(row.id)),
            row.namespace,
            row.job_name,
            row.dag_id,
            row.task_id,
            tables.STATES[row.state],
            clock.iso(row.started_at),
            None if row.ended_at is None else clock.iso(row.ended_at),
            row.attempt,
            row.map_index,
            run_text(row.parent),
            row.name,
        )
        for row in rows
    ]


def properties(
    connection: Connection,
    dataset: Field,
    start: int = 0,
    end: int = tables.OPEN,
    hidden: Collection[int] = (),
) -> list[tuple[str | None, dict[str, Any]]]:
    """The properties that each run in [start, end) read the dataset with, the latest first.

    Runs of `hidden` jobs are left out.
    """
    reading, shape, edge, writer = tables.reading, tables.shape, tables.edge, tables.writer
    ids = members(connection, dataset)
    readers = select(writer.c.job).where(
        writer.c.id.in_(select(edge.c.writer).where(edge.c.input.in_(ids)))
    )
    query = (
        select(reading.c.run, shape.c.body, reading.c.job)
        .join_from(reading, shape, shape.c.id == reading.c.shape)
        .where(reading.c.at >= start, reading.c.at < end)
        .where(or_(reading.c.job.in_(readers), _reads_only(reading)))
        .order_by(reading.c.at.desc(), reading.c.run.desc())
    )
    from airflow_colgraph.store.shape import key

    found = []
    for run, body, job in connection.execute(query):
        for namespace, name, known in unpack(body)["properties"]:
            if key(namespace, name) in ids and job not in hidden:
                found.append((run_text(run), known))
    return found


def _reads_only(reading: Any) -> Any:
    """Jobs that write nothing have no edge that says what they read."""
    return reading.c.job.notin_(select(tables.writer.c.job).where(tables.writer.c.job.isnot(None)))

"""The latest lineage of the whole store, of what changed since a time, or of one dataset."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

from sqlalchemy import and_, or_, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import symlinks
from airflow_colgraph.store.db.id_lists import batches
from airflow_colgraph.store.db.tables import (
    dataset,
    edge,
    job,
    job_output,
    lineage_body,
    occurrence,
    schema,
)
from airflow_colgraph.store.model import digests
from airflow_colgraph.store.model.clock import OPEN
from airflow_colgraph.store.model.latest_lineage import Dataset, Input, JobOutput
from airflow_colgraph.store.model.lineage_body import Field, unpack
from airflow_colgraph.store.model.runs import Job
from airflow_colgraph.store.query.stored_edges import StoredEdge, changed_since, edges_where

MOST = 100  # datasets at once: a statement takes only so many parameters
Columns = list[list[str]]  # names, with dots where they are parts, and types


class LatestLineage(NamedTuple):
    """What the latest runs reported.

    `schemas` are those of all datasets that the outputs name, as the store keeps them: dotted names
    and types. `unchanged` are the datasets whose schema is only there to read names of fields.
    """

    outputs: tuple[JobOutput, ...]
    schemas: dict[Dataset, Columns]
    unchanged: frozenset[Dataset]


def latest_lineage(
    connection: Connection, since: int | None = None, of: Collection[Dataset] | None = None
) -> LatestLineage:
    """An output for each job and dataset that it writes, and the latest schemas of all these.

    With `since` only of datasets whose lineage or schema changed since this time, in milliseconds,
    each whole; with `of` only of these.
    """
    if of is None:
        return _latest(connection, since, None)
    datasets = sorted(set(names_in_force(connection, of).values()))
    parts = [_latest(connection, since, part) for part in batches(datasets, MOST)]
    schemas = {name: columns for part in parts for name, columns in part.schemas.items()}
    fresh = {name for part in parts for name in part.schemas.keys() - part.unchanged}
    outputs = tuple(output for part in parts for output in part.outputs)
    return LatestLineage(outputs, schemas, frozenset(schemas.keys() - fresh))


def _latest(
    connection: Connection, since: int | None, of: Collection[Dataset] | None
) -> LatestLineage:
    ids = None if of is None else _names_of(connection, of)
    job_outputs = _job_outputs(connection, since, ids)
    held = _open_edges(connection, job_outputs, since, of)
    bodies = _bodies(connection, job_outputs, None if of is None else set(job_outputs))
    outputs = [
        _job_output(*written, held[id], bodies.get(id, [])) for id, written in job_outputs.items()
    ]
    named = {output.dataset for output in outputs}
    named |= {i for output in outputs for i in output.inputs}
    if of is not None:
        ids = _names_of(connection, named.union(of))
    schemas, fresh = _schemas(connection, since, ids)
    order = sorted(outputs, key=_order)
    kept = {output: columns for output, columns in schemas.items() if output in named | fresh}
    unchanged = kept.keys() - (fresh if of is None else fresh.intersection(of))
    return LatestLineage(tuple(order), kept, frozenset(unchanged))


def _open_edges(
    connection: Connection, job_outputs: Collection[int], since: int | None, of: Any
) -> dict[int, list[StoredEdge]]:
    """The edges of each output that hold now."""
    held: dict[int, list[StoredEdge]] = {id: [] for id in job_outputs}
    if job_outputs:
        only = [] if since is None else [edge.c.job_output.in_(_changed_job_outputs(since))]
        only += [] if of is None else [edge.c.job_output.in_(job_outputs)]
        for row in edges_where(connection, [edge.c.closed_at == OPEN, *only]):
            held[row.job_output].append(row)
    return held


def _order(output: JobOutput) -> Any:
    return output.dataset, tuple(part or "" for part in output.job or ())


def written_by(connection: Connection, jobs: Iterable[str]) -> set[Dataset]:
    """The datasets that jobs of these names write, in any namespace."""
    query = (
        select(job_output.c.dataset)
        .join(job, job.c.id == job_output.c.job)
        .where(job.c.name.in_(sorted(jobs)))
    )
    ids = set(connection.execute(query).scalars())
    kept = symlinks.resolve(connection, ids)
    return set(_datasets(connection, set(kept.values())).values())


def namespaces_of(connection: Connection, name: str) -> list[str]:
    """The namespaces in which a job of this name has written a dataset."""
    query = select(job.c.namespace).join(job_output, job_output.c.job == job.c.id).distinct()
    return sorted(connection.execute(query.where(job.c.name == name)).scalars())


def has_outputs(connection: Connection) -> bool:
    """Whether any job has reported a dataset that it wrote."""
    return connection.execute(select(job_output.c.id).limit(1)).first() is not None


def names_in_force(connection: Connection, datasets: Iterable[Dataset]) -> dict[Dataset, Dataset]:
    """The name that each dataset's edges are stored under, for those that the store knows."""
    ids = {Field(*name, "").id: name for name in datasets}
    kept = symlinks.resolve(connection, ids)
    names = _datasets(connection, set(kept.values()))
    return {ids[id]: names[canonical] for id, canonical in kept.items() if canonical in names}


def other_names(
    connection: Connection, of: Collection[Dataset] | None = None
) -> dict[Dataset, tuple[Dataset, ...]]:
    """The other names of datasets that have any, by those that their edges are stored under.

    With `of` only of these.
    """
    ids = None if of is None else {Field(*named, "").id for named in of}
    pairs = symlinks.every(connection) if ids is None else symlinks.group(connection, ids)
    kept = symlinks.representatives(pairs)
    names = _datasets(connection, set(kept))
    others: dict[Dataset, list[Dataset]] = {}
    for id, canonical in kept.items():
        if id != canonical and {id, canonical} <= names.keys():
            others.setdefault(names[canonical], []).append(names[id])
    return {dataset: tuple(sorted(every)) for dataset, every in others.items()}


def all_names(connection: Connection) -> dict[Dataset, set[Dataset]]:
    """Each dataset of the store with all of its names."""
    names = _datasets(connection, None)
    members = symlinks.members_of(connection, names)
    return {
        name: {names[other] for other in members[id] if other in names}
        for id, name in names.items()
    }


def _names_of(connection: Connection, datasets: Iterable[Dataset]) -> set[int]:
    """The ids of the datasets under all their names."""
    ids = {Field(*named, "").id for named in datasets}
    return ids.union(*symlinks.group(connection, ids))


def _changed_job_outputs(since: int) -> Any:
    """The outputs of every dataset with an edge that began or ended."""
    same = job_output.alias("changed_output")
    changed = select(same.c.dataset).where(
        same.c.id.in_(select(edge.c.job_output).where(changed_since(since)))
    )
    return select(job_output.c.id).where(job_output.c.dataset.in_(changed))


def _job_outputs(
    connection: Connection, since: int | None, of: set[int] | None
) -> dict[int, tuple[Dataset, Job | None, str, int, bool]]:
    query = (
        select(
            job_output.c.id,
            job_output.c.dataset,
            job_output.c.last_at,
            job_output.c.last_run,
            job_output.c.last_replaces,
            job.c.namespace,
            job.c.name,
            job.c.dag_id,
            job.c.task_id,
        )
        .select_from(job_output)
        .outerjoin(job, job.c.id == job_output.c.job)
    )
    if since is not None:
        query = query.where(job_output.c.id.in_(_changed_job_outputs(since)))
    if of is not None:
        query = query.where(job_output.c.dataset.in_(of))
    rows = connection.execute(query).all()
    kept = symlinks.resolve(connection, {row.dataset for row in rows})
    names = _datasets(connection, None if of is None else set(kept.values()))
    return {
        row.id: (
            names[kept[row.dataset]],
            None if row.name is None else Job(row.namespace, row.name, row.dag_id, row.task_id),
            str(uuid.UUID(bytes=row.last_run)) if row.last_run else "",
            row.last_at,
            bool(row.last_replaces),
        )
        for row in rows
    }


def _datasets(connection: Connection, ids: set[int] | None) -> dict[int, Dataset]:
    query = select(dataset.c.id, dataset.c.namespace, dataset.c.name)
    if ids is not None:
        query = query.where(dataset.c.id.in_(ids))
    return {row.id: Dataset(row.namespace, row.name) for row in connection.execute(query)}


def _bodies(
    connection: Connection, job_outputs: Any, of: set[int] | None
) -> dict[int, list[dict[str, Any]]]:
    """The lineage bodies of each output's latest run: they name the fields that have no inputs."""
    latest = and_(
        occurrence.c.job_output == job_output.c.id,
        occurrence.c.run == job_output.c.last_run,
        or_(job_output.c.last_run != b"", occurrence.c.at == job_output.c.last_at),
    )
    query = (
        select(job_output.c.id, lineage_body.c.body)
        .join(occurrence, latest)
        .join(lineage_body, lineage_body.c.id == occurrence.c.lineage_body)
    )
    if of is not None:
        query = query.where(job_output.c.id.in_(of))
    bodies: dict[int, list[dict[str, Any]]] = {}
    for id, body in connection.execute(query):
        if id in job_outputs:
            bodies.setdefault(id, []).append(unpack(body))
    return bodies


def _job_output(
    written: Dataset,
    by: Job | None,
    run: str,
    at: int,
    replaces: bool,
    held: list[StoredEdge],
    bodies: list[dict[str, Any]],
) -> JobOutput:
    columns: dict[str, set[Input]] = {}
    for body in bodies:
        for name, _ in body.get("fields") or ():
            columns.setdefault(name, set())
    rows, inputs = set(), set()
    for each in held:
        source = Input(Dataset(*each.input[:2]), each.input.field, *each.transformation)
        if each.output.field:
            columns.setdefault(each.output.field, set()).add(source)
        elif source.field:
            rows.add(source)
        inputs.add(source.dataset)
    is_resolved = columns or any(body.get("fields") is not None for body in bodies)
    fields = (
        {name: tuple(sorted(columns[name])) for name in sorted(columns)} if is_resolved else None
    )
    decide, read = tuple(sorted(rows)), tuple(sorted(inputs))
    stated = digests.of_bodies(bodies)
    return JobOutput(written, by, fields, decide, read, run, at, stated, replaces)


def schemas(connection: Connection) -> Iterator[tuple[Dataset, Columns]]:
    """The latest schema of each dataset, under all of its names."""
    latest, _ = _schemas(connection, None, None)
    ids = {Field(*name, "").id: name for name in latest}
    names = _datasets(connection, None)
    groups = symlinks.groups(connection, ids)
    others = {ids[id]: group for group in groups for id in group if id in ids}
    for name, columns in latest.items():
        yield name, columns
        for id in others.get(name, ()):
            if id in names and names[id] != name:
                yield names[id], columns


def _schemas(
    connection: Connection, since: int | None, of: set[int] | None
) -> tuple[dict[Dataset, Columns], set[Dataset]]:
    """The latest schema of each dataset, and the datasets whose schema is new since then."""
    query = select(schema.c.dataset, schema.c.first_at, schema.c.last_at, schema.c.body)
    if of is not None:
        query = query.where(schema.c.dataset.in_(of))
    rows = connection.execute(query).all()
    kept = symlinks.resolve(connection, {row.dataset for row in rows})
    names = _datasets(connection, None if of is None else set(kept.values()))
    times: dict[Dataset, tuple[int, int]] = {}
    columns: dict[Dataset, dict[str, str]] = {}
    for row in sorted(rows, key=lambda row: (row.last_at, row.first_at, row.body)):
        name, at = names[kept[row.dataset]], (row.last_at, row.first_at)
        before = columns[name] if times.get(name) == at else {}  # nothing orders them
        times[name] = at
        columns[name] = dict(unpack(row.body)["columns"]) | before
    return (
        {name: [list(column) for column in columns[name].items()] for name in sorted(columns)},
        {name for name, at in times.items() if since is None or at[1] >= since},
    )

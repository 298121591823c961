"""Jobs that read a dataset without reporting which of its columns they use.

Lineage that is not wholly known must never make a column look unused or a copy look complete.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.db.symlinks import representatives
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.intervals import DATASET
from airflow_colgraph.store.model.lineage_body import Field, key, unpack
from airflow_colgraph.store.model.runs import COMPLETE
from airflow_colgraph.store.query.body_contents import read_contents


class UnknownReader(NamedTuple):
    """A job that read a dataset; nobody knows which columns. `output`: what it wrote, if known."""

    dataset: int
    job: int | None
    output: int | None


class OnlyRead(NamedTuple):
    """A run reported that it read a dataset, but not as an input of anything it wrote."""

    dataset: int
    job_id: int
    run: bytes
    at: int


class Diagnosed(NamedTuple):
    """A job read datasets by columns that are not all known, between two times.

    `outputs` are those that it wrote from them; None among them: which is unknown.
    """

    job_id: int
    first_at: int
    last_at: int
    reads: frozenset[int]
    outputs: frozenset[int | None]


def canonical_names(connection: Connection) -> dict[int, int]:
    """For each dataset that has several names: the one that its edges are stored under."""
    link = tables.symlink.c
    query = select(link.alias, link.dataset).where(link.is_ended.is_(False))
    rows = connection.execute(query)
    return representatives((alias, dataset) for alias, dataset in rows)


def canonical_datasets(connection: Connection) -> dict[int, Field]:
    """The same with the names themselves; datasets that are stored under their own are left out."""
    names = canonical_names(connection)
    table = tables.dataset
    rows = rows_in(connection, select(table), table.c.id, names.values())
    stored = {row.id: Field(row.namespace, row.name, "") for row in rows}
    return {id: stored[kept] for id, kept in names.items() if id != kept}


def unknown_readers(
    connection: Connection, since: int | None, datasets: Collection[int] | None = None
) -> set[UnknownReader]:
    """Return the jobs that read a dataset without telling all columns that they use of it.

    Args:
        connection: A connection to the store, as `Store.connection` gives.
        since: Milliseconds since 1970: by what runs reported from then on. None: by what holds now,
            the last report of each output and the last run of each job that succeeded.
        datasets: Only readers of these, by the ids that their edges have; None: of all.
    """
    names = canonical_names(connection)
    members = all_names(datasets, names)
    only_read = only_read_by(connection, since, members)
    diagnosed = diagnosed_reads(connection, since, members)
    readers = {
        reader._replace(
            dataset=names.get(reader.dataset, reader.dataset),
            output=None if reader.output is None else names.get(reader.output, reader.output),
        )
        for reader in (
            *_of_outputs(connection, since, datasets),
            *(UnknownReader(each.dataset, each.job_id, None) for each in only_read),
            *(
                UnknownReader(read, each.job_id, output)
                for each in diagnosed
                for read in each.reads
                for output in each.outputs
            ),
        )
    }
    return {reader for reader in readers if _concerns((reader.dataset,), datasets)}


def all_names(
    datasets: Collection[int] | None, canonical: Mapping[int, int]
) -> Collection[int] | None:
    """The datasets under all their names; `canonical` tells the ones with edges."""
    if datasets is None:
        return None
    return {*datasets, *(alias for alias, stored in canonical.items() if stored in datasets)}


def _concerns(inputs: Collection[int], datasets: Collection[int] | None) -> bool:
    return datasets is None or any(input in datasets for input in inputs)


def _of_outputs(
    connection: Connection, since: int | None, datasets: Collection[int] | None
) -> Iterator[UnknownReader]:
    """What jobs wrote from the datasets without reporting columns."""
    output = tables.job_output.c
    query = select(output.id, output.job, output.dataset, output.last_at, output.last_run)
    query = query.add_columns(output.last_lineage_body.label("last"))
    query = query.where(output.last_at >= (since or 0))
    ids = None if datasets is None else _made_of(connection, datasets)
    outputs = {row.id: row for row in rows_in(connection, query, output.id, ids)}
    if since is None:
        reported = _last_reported(connection, outputs)
    else:
        reported = _reported(connection, outputs, since)
    contents = read_contents(connection, {body for _, body in reported})
    unknown = {(id, dataset) for id, body in reported for dataset in contents[body].unknown}
    if since is None and datasets is not None:
        unknown |= _without_columns(connection, datasets)
    for id, dataset in unknown:
        if id in outputs:
            yield UnknownReader(dataset, outputs[id].job, outputs[id].dataset)


def _last_reported(connection: Connection, outputs: Mapping[int, Any]) -> set[tuple[int, int]]:
    """The outputs and the bodies that their last runs reported, which may be several."""
    reported = {(id, row.last) for id, row in outputs.items() if row.last is not None}
    o = tables.occurrence.c
    query = select(o.job_output, o.run, o.lineage_body)
    several = [id for id, row in outputs.items() if row.last is None]
    return reported | {
        (row.job_output, row.lineage_body)
        for row in rows_in(connection, query, o.job_output, several)
        if bytes(row.run) == bytes(outputs[row.job_output].last_run)
    }


def _without_columns(connection: Connection, datasets: Collection[int]) -> set[tuple[int, int]]:
    """The outputs computed from datasets, by the edges in force, and from no column of theirs."""
    edge, field = tables.edge.c, tables.field.c
    whole = select(edge.job_output, edge.input)
    whole = whole.where(edge.kind == DATASET, edge.closed_at == clock.OPEN)
    outputs = set(map(tuple, rows_in(connection, whole, edge.input, datasets)))
    columns = (
        select(edge.job_output, field.dataset)
        .distinct()
        .join_from(tables.edge, tables.field, edge.input == field.id)
        .where(edge.kind != DATASET, edge.closed_at == clock.OPEN, field.name != "")
    )
    return outputs - set(map(tuple, rows_in(connection, columns, field.dataset, datasets)))


def only_read_by(
    connection: Connection, since: int | None, datasets: Collection[int] | None
) -> Iterator[OnlyRead]:
    """What runs report that they read, but not as an input of anything they wrote.

    `datasets`: only these, under all their names.
    """
    reading = tables.reading.c
    query = select(reading.job, reading.lineage_body).where(reading.at >= (since or 0)).distinct()
    reports = [tuple(row) for row in connection.execute(query)]
    contents = read_contents(connection, {body for _, body in reports})
    bodies_of: dict[int, set[int]] = {}
    for job, body in reports:
        if _concerns(contents[body].inputs, datasets):
            bodies_of.setdefault(job, set()).add(body)
    for job, bodies in bodies_of.items():
        start = _succeeded_at(connection, job) if since is None else since
        of_job = select(reading.run, reading.at, reading.lineage_body.label("body"))
        of_job = of_job.where(reading.job == job, reading.at >= start)
        rows = list(rows_in(connection, of_job, reading.lineage_body, bodies))
        written = _inputs_by_run(connection, job, start) if rows else {}
        for row in rows:
            run = bytes(row.run)
            for dataset in contents[row.body].inputs - written.get(run, set()):
                yield OnlyRead(dataset, job, run, row.at)


def _inputs_by_run(connection: Connection, job: int, since: int) -> dict[bytes, set[int]]:
    """The inputs of what each run of a job wrote from the time on."""
    o, output = tables.occurrence.c, tables.job_output.c
    outputs = select(output.id).where(output.job == job, output.last_at >= since)
    query = select(o.run, o.lineage_body).where(o.at >= since, o.at < clock.OPEN)
    ids = connection.execute(outputs).scalars().all()
    rows = [(bytes(run), body) for run, body in rows_in(connection, query, o.job_output, ids)]
    contents = read_contents(connection, {body for _, body in rows})
    inputs: dict[bytes, set[int]] = {}
    for run, body in rows:
        inputs.setdefault(run, set()).update(contents[body].inputs)
    return inputs


def _made_of(connection: Connection, datasets: Collection[int]) -> set[int]:
    """The job outputs that ever came from the datasets."""
    edge = tables.edge.c
    query = select(edge.job_output).where(edge.kind == DATASET).distinct()
    return {row.job_output for row in rows_in(connection, query, edge.input, datasets)}


def diagnosed_reads(
    connection: Connection,
    since: int | None,
    datasets: Collection[int] | None = None,
    *,
    jobs: Collection[int] | None = None,
    at: int = clock.OPEN - 1,
) -> Iterator[Diagnosed]:
    """What events read that tell of lineage that could not be resolved, or over a limit.

    `since` as for `unknown_readers`, but as of a time `at`; `datasets`: only these, under all their
    names; `jobs`: only of these.
    """
    gap = tables.gap.c
    query = select(gap.job, gap.first_at, gap.last_at, gap.body)
    query = query.where(gap.last_at >= (since or 0), gap.first_at <= at)
    began: dict[int, int] = {}
    for row in rows_in(connection, query, gap.job, jobs):
        body = unpack(row.body)
        reads = frozenset(key(*name) for name in body.get("reads", ()))
        if not _concerns(reads, datasets):
            continue
        if since is None and row.job not in began:
            began[row.job] = _succeeded_at(connection, row.job, at)
        if row.last_at < began.get(row.job, 0):
            continue
        outputs: list[int | None] = [key(*name) for name in body["outputs"]]
        yield Diagnosed(row.job, row.first_at, row.last_at, reads, frozenset(outputs or [None]))


def _succeeded_at(connection: Connection, job: int, at: int = clock.OPEN) -> int:
    """When the last run of a job that succeeded began, with its mapped instances; 0: none did."""
    run = tables.run.c
    of_job = select(run.parent, run.started_at).where(run.job == job, run.started_at <= at)
    succeeded = of_job.where(run.state == COMPLETE)
    last = connection.execute(succeeded.order_by(run.started_at.desc()).limit(1)).first()
    if last is None:
        return 0
    if last.parent is None:
        return int(last.started_at)
    first = select(func.min(run.started_at)).where(run.job == job, run.parent == last.parent)
    return int(connection.execute(first).scalar_one())


def _reported(
    connection: Connection, job_outputs: Iterable[int], since: int
) -> set[tuple[int, int]]:
    """The outputs and their lineage bodies that runs reported from the time on."""
    o = tables.occurrence.c
    query = select(o.job_output, o.lineage_body).distinct()
    query = query.where(o.at >= since, o.at < clock.OPEN)
    return set(map(tuple, rows_in(connection, query, o.job_output, job_outputs)))

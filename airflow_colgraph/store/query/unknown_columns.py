"""Jobs that read a dataset without reporting which of its columns they use.

Lineage that is not wholly known must never make a column look unused or a copy look complete.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.db.symlinks import representatives
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.intervals import DATASET
from airflow_colgraph.store.model.lineage_body import Field, key, unpack
from airflow_colgraph.store.query.body_contents import read_contents


class UnknownReader(NamedTuple):
    """A job that read a dataset; nobody knows which columns. `output`: what it wrote, if known."""

    dataset: int
    job: int | None
    output: int | None


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
    connection: Connection, since: int, datasets: Collection[int] | None = None
) -> set[UnknownReader]:
    """The jobs whose runs from a time on read a dataset, and which of its columns is unknown.

    `datasets`: only readers of these; None: of all.
    """
    output = tables.job_output
    rows = connection.execute(
        select(output.c.id, output.c.job, output.c.dataset).where(output.c.last_at >= since)
    )
    outputs = {row.id: row for row in rows}
    if datasets is not None:
        outputs = {id: outputs[id] for id in _made_of(connection, datasets) if id in outputs}
    reported = _reported(connection, outputs, since)
    contents = read_contents(connection, {body for _, body in reported})
    readers = {
        UnknownReader(dataset, outputs[job_output].job, outputs[job_output].dataset)
        for job_output, body in reported
        for dataset in contents[body].unknown
    }
    readers |= _only_read(connection, outputs, since)
    readers |= _diagnosed(connection, since)
    names = canonical_names(connection)
    readers = {
        reader._replace(
            dataset=names.get(reader.dataset, reader.dataset),
            output=None if reader.output is None else names.get(reader.output, reader.output),
        )
        for reader in readers
    }
    return (
        readers
        if datasets is None
        else {reader for reader in readers if reader.dataset in datasets}
    )


def unknown_outputs(connection: Connection, datasets: Collection[int]) -> set[UnknownReader]:
    """What the latest runs wrote from the datasets, without reporting which columns they use."""
    output = tables.job_output.c
    query = select(output.id, output.job, output.dataset, output.last_lineage_body.label("body"))
    query = query.where(output.last_lineage_body.is_not(None))
    rows = list(rows_in(connection, query, output.id, _made_of(connection, datasets)))
    contents = read_contents(connection, {row.body for row in rows})
    names = canonical_names(connection)
    return {
        UnknownReader(kept, row.job, names.get(row.dataset, row.dataset))
        for row in rows
        for dataset in contents[row.body].unknown
        if (kept := names.get(dataset, dataset)) in datasets
    }


def _only_read(
    connection: Connection, outputs: Mapping[int, Any], since: int
) -> set[UnknownReader]:
    """What runs report that they read, but not as an input of anything they wrote."""
    reading = tables.reading.c
    query = select(reading.job, reading.run, reading.lineage_body).where(reading.at >= since)
    read = connection.execute(query).all()
    jobs = {row.job for row in read}
    written = _reported_by_run(
        connection, [id for id, row in outputs.items() if row.job in jobs], since
    )
    bodies = {row.lineage_body for row in read}.union(*written.values())
    contents = read_contents(connection, bodies)
    readers: set[UnknownReader] = set()
    for row in read:
        inputs = (contents[body].inputs for body in written.get(bytes(row.run), ()))
        unnamed = contents[row.lineage_body].inputs.difference(*inputs)
        readers.update(UnknownReader(dataset, row.job, None) for dataset in unnamed)
    return readers


def _made_of(connection: Connection, datasets: Collection[int]) -> set[int]:
    """The job outputs that were ever made of the datasets."""
    edge = tables.edge.c
    query = select(edge.job_output).where(edge.kind == DATASET).distinct()
    return {row.job_output for row in rows_in(connection, query, edge.input, datasets)}


def _diagnosed(connection: Connection, since: int) -> set[UnknownReader]:
    """What events read that tell of lineage that could not be resolved, or over a limit."""
    gap = tables.gap.c
    query = select(gap.job, gap.body).where(gap.last_at >= since, gap.first_at < clock.OPEN)
    readers: set[UnknownReader] = set()
    for job, packed in connection.execute(query):
        body = unpack(packed)
        reads = [key(*name) for name in body.get("reads", ())]
        outputs: list[int | None] = [key(*name) for name in body["outputs"]]
        readers.update(
            UnknownReader(read, job, name) for read in reads for name in outputs or [None]
        )
    return readers


def _reported(
    connection: Connection, job_outputs: Iterable[int], since: int
) -> set[tuple[int, int]]:
    """The outputs and their lineage bodies that runs reported from the time on."""
    o = tables.occurrence.c
    query = select(o.job_output, o.lineage_body).distinct()
    query = query.where(o.at >= since, o.at < clock.OPEN)
    return set(map(tuple, rows_in(connection, query, o.job_output, job_outputs)))


def _reported_by_run(
    connection: Connection, job_outputs: Iterable[int], since: int
) -> dict[bytes, set[int]]:
    """The lineage bodies that each run reported of the outputs from the time on."""
    o = tables.occurrence.c
    query = select(o.run, o.lineage_body).where(o.at >= since, o.at < clock.OPEN)
    bodies: dict[bytes, set[int]] = {}
    for run, body in rows_in(connection, query, o.job_output, job_outputs):
        bodies.setdefault(bytes(run), set()).add(body)
    return bodies

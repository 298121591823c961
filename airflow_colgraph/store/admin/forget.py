"""Forget datasets, jobs, runs or a text: everywhere in the store, while others write.

with store.connection() as connection:
    what = of_dataset(connection, "s3://lake", "mart/customers")
plan(store, what)                         # how much it is; nothing changes
forget(store, what, by="dpo@example.org")  # the same, done, with rows in the audit log

Other writers wait for no longer than one of many transactions. Names are deleted last, so that what
a crash has left is forgotten by the same call again.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Table, bindparam, delete, exists, select, update
from sqlalchemy.engine import Connection

from airflow_colgraph.store.admin import audit
from airflow_colgraph.store.admin.forget_survey import (
    DATED,
    Forgotten,
    Work,
    plain,
    survey,
    unwanted,
)
from airflow_colgraph.store.admin.paced import paced, transaction
from airflow_colgraph.store.db import engine, tables
from airflow_colgraph.store.db.engine import Database
from airflow_colgraph.store.db.id_lists import batches, rows_in
from airflow_colgraph.store.db.upsert import upsert
from airflow_colgraph.store.ingest.rebuild_edges import rebuild_all
from airflow_colgraph.store.model.lineage_body import make
from airflow_colgraph.store.model.lineage_body import unpack as unpack_body
from airflow_colgraph.store.model.redact_body import masked, names_dataset, without
from airflow_colgraph.store.model.selection import Selection

OF_JOBS = (
    tables.reading.c.job,
    tables.gap.c.job,
    tables.facets.c.owner,
    tables.job_source.c.by,
    tables.job_source.c.target,
    tables.reported_tags.c.job,
    tables.lifecycle.c.subject,
    tables.job.c.id,
)
OF_FIELDS = (tables.tag_change.c.field, tables.field.c.id)
OF_DATASETS = (  # beside their fields
    tables.schema.c.dataset,
    tables.description.c.dataset,
    tables.facets.c.owner,
    tables.job_source.c.target,
    tables.reported_tags.c.dataset,
    tables.lifecycle.c.subject,
    tables.lifecycle.c.previous,
    tables.symlink.c.alias,
    tables.symlink.c.dataset,
    tables.dataset.c.id,
)
NOTHING = {
    "report": tables.NOT_REPORTED,
    "job_output": None,
    "lineage_body": None,
    "reported_after": None,
}
Progress = Callable[[int, int], None]


class Step(NamedTuple):
    """What is done with items in short transactions, whose number follows from their time."""

    items: Sequence[Any]
    do: Callable[[Connection, Sequence[Any]], Any]


def plan(store: Database, what: Selection) -> Forgotten:
    """How much `forget` would delete or change; no writer waits for it."""
    with engine.reading(store.engine) as connection:
        return survey(connection, what).counts


def forget(
    store: Database, what: Selection, by: str, progress: Progress = lambda done, total: None
) -> Forgotten:
    """Delete what is unwanted, and what of others names it.

    Edges of other jobs are derived again without it. The audit log has a row for the beginning and
    one for the end. What is reported meanwhile may be left: end the job first.

    Args:
        store: The store.
        what: What is to be forgotten.
        by: Who asks for it.
        progress: Called with the number of rows that are done, and with how many there are.

    Raises:
        StoreUnavailable: The database failed; what is left is forgotten by the same call again.
    """
    with engine.reading(store.engine) as connection:
        work = survey(connection, what)
    with engine.writing(store.engine) as connection:
        audit.write(connection, "forget-begin", what.asked, by, work.counts.text)
    steps = list(_steps(what, work))
    total, done = sum(len(step.items) for step in steps), 0
    for step in steps:
        for batch in paced(step.items):
            with transaction(store) as connection:
                step.do(connection, batch)
            done += len(batch)
            progress(done, total)
    with transaction(store) as connection:
        audit.write(connection, "forget", what.asked, by, work.counts.text)
    return work.counts


def _steps(what: Selection, work: Work) -> Iterator[Step]:
    """Everything that is done, in an order in which each transaction leaves a usable store."""
    bodies = Bodies(what)
    outputs, runs = sorted(work.outputs), sorted(work.runs.items())
    yield Step(work.events, _events)
    yield Step(work.reports, lambda c, batch: _reports(c, batch, what))
    yield Step(outputs, _edges_of_outputs)
    # Those of jobs can be found by their jobs again; of single runs all has to be done at once.
    later = set() if what.runs else work.outputs
    yield Step(runs, lambda c, batch: _reports_of_runs(c, dict(batch), later))
    yield Step(work.emptied, _emptied)
    yield Step(outputs, _outputs)
    yield Step(work.bodies, bodies.write)
    yield Step(work.users, bodies.refer)
    yield Step(work.rows, bodies.replace)
    yield Step(sorted(work.rebuilt), bodies.rebuild)
    yield Step(sorted(work.unused), _unused_bodies)
    yield Step([what], lambda c, _: _unused_steps(c))
    # The names by which the same call finds what is left.
    yield Step(sorted(work.runs), lambda c, batch: _delete(c, tables.run.c.id, batch))
    yield Step(sorted(what.jobs), lambda c, batch: _jobs(c, batch, what))
    yield Step(sorted(what.datasets), lambda c, batch: _datasets(c, batch, what))


def _delete(connection: Connection, column: Any, ids: Iterable[Any]) -> None:
    """Delete the rows whose column has one of the values."""
    for batch in batches(ids):
        connection.execute(delete(column.table).where(column.in_(batch)))


def _delete_from(connection: Connection, columns: Iterable[Any], ids: Collection[Any]) -> None:
    """Delete the rows of several tables in which the column has one of the values."""
    for column in columns:
        _delete(connection, column, ids)


def _delete_rows(connection: Connection, table: Table, rows: Collection[Mapping[str, Any]]) -> None:
    """Delete rows by their keys."""
    key = list(table.primary_key)
    if rows:
        which = (column == bindparam(f"k_{column.key}") for column in key)
        keys = [{f"k_{column.key}": row[column.key] for column in key} for row in rows]
        connection.execute(delete(table).where(*which), keys)


def _events(connection: Connection, keys: Sequence[tuple[int, int]]) -> None:
    """Delete whole events, and the templates that no other has."""
    event, template = tables.event, tables.template
    ids = [id for _, id in keys]
    used = set(rows_in(connection, select(event.c.template).distinct(), event.c.id, ids))
    _delete_rows(connection, event, [{"at": at, "id": id} for at, id in keys])
    for batch in batches(row.template for row in used):
        others = select(event.c.template).where(event.c.template.in_(batch))
        which = template.c.id.in_(batch), template.c.id.notin_(others)
        connection.execute(delete(template).where(*which))


def _reports(connection: Connection, keys: Sequence[tuple[str, int]], what: Selection) -> None:
    """Mask the text in reports, and delete those that name an unwanted dataset."""
    datasets = set(what.datasets.values())
    for name, table in DATED.items():
        ids = [id for of, id in keys if of == name]
        for row in list(rows_in(connection, select(table.c.id, table.c.body), table.c.id, ids)):
            body = unpack_body(row.body)
            if datasets and names_dataset(body, datasets):
                connection.execute(delete(table).where(table.c.id == row.id))
                continue
            packed = zlib.compress(json.dumps(masked(body, what.text)).encode())
            connection.execute(update(table).where(table.c.id == row.id).values(body=packed))


def _edges_of_outputs(connection: Connection, outputs: Collection[int]) -> None:
    _delete_from(connection, (tables.edge.c.job_output, tables.reported.c.job_output), outputs)


def _reports_of_runs(
    connection: Connection, runs: Mapping[bytes, int], unwanted: Collection[int]
) -> None:
    """Delete what runs reported; edges that other runs reported as well are derived again.

    Args:
        connection: A writing transaction.
        runs: The jobs of the runs by their ids.
        unwanted: Outputs of jobs that are deleted by a later step.
    """
    reading, occurrence = tables.reading, tables.occurrence
    of_output = select(occurrence.c.job_output).distinct()
    outputs = {row.job_output for row in rows_in(connection, of_output, occurrence.c.run, runs)}
    _delete_from(connection, (tables.run_output.c.run, tables.lifecycle.c.run), runs)
    _delete(connection, tables.run_facets.c.run, runs)
    jobs = set(runs.values())
    for batch in batches(runs):
        which = reading.c.run.in_(batch), reading.c.job.in_(jobs)
        connection.execute(delete(reading).where(*which))
    _emptied(connection, runs)
    outputs -= set(unwanted)
    rows = rows_in(connection, of_output, occurrence.c.job_output, outputs)
    left = {row.job_output for row in rows}
    _outputs(connection, outputs - left)
    rebuild_all(connection, left)


def _emptied(connection: Connection, runs: Collection[bytes]) -> None:
    """Let runs stay without what they reported of outputs."""
    for batch in batches(runs):
        connection.execute(update(tables.run).where(tables.run.c.id.in_(batch)).values(NOTHING))


def _outputs(connection: Connection, outputs: Collection[int]) -> None:
    """Delete outputs of jobs, also with what was reported of them since the survey."""
    run, output = tables.run, tables.job_output
    jobs = {row.job for row in rows_in(connection, select(output.c.job), output.c.id, outputs)}
    for batch in batches(outputs):
        which = run.c.job.in_(jobs - {None}), run.c.job_output.in_(batch)
        connection.execute(update(run).where(*which).values(NOTHING))
    _edges_of_outputs(connection, outputs)
    others = (tables.run_output, tables.lifecycle)
    _delete_from(connection, (table.c.job_output for table in others), outputs)
    _delete(connection, output.c.id, outputs)


class Bodies:
    """Puts bodies without what is unwanted in the places of those with it."""

    def __init__(self, what: Selection) -> None:
        """Nothing is read before the first step."""
        self._unwanted = unwanted(what)
        self._new: dict[int, int] = {}  # by the ids of those that they replace

    def write(self, connection: Connection, bodies: Collection[int]) -> None:
        """Store the new bodies."""
        table = tables.lineage_body
        columns = table.c.id, table.c.first_at, table.c.body
        for row in list(rows_in(connection, select(*columns), table.c.id, bodies)):
            rest = without(plain(zlib.decompress(row.body)), self._unwanted)
            if rest is not None:
                new = make(rest)
                self._new[row.id] = new.id
                fresh = {"checksum": new.checksum, "first_at": row.first_at, "body": new.packed}
                upsert(connection, table, [{"id": new.id, **fresh}])

    def refer(self, connection: Connection, users: Collection[tuple[bytes, int]]) -> None:
        """Let runs refer to the new bodies."""
        run = tables.run
        for old in {body for _, body in users} & self._new.keys():
            ids = [id for id, body in users if body == old]
            which = run.c.id.in_(ids), run.c.lineage_body == old
            connection.execute(update(run).where(*which).values(lineage_body=self._new[old]))

    def replace(self, connection: Connection, rows: Collection[tuple[str, dict[str, Any]]]) -> None:
        """The same for rows of tables in which the body is part of the key."""
        for table in (tables.run_output, tables.reading):
            olds = [row for name, row in rows if name == table.name]
            olds = [row for row in olds if row["lineage_body"] in self._new]
            _delete_rows(connection, table, olds)
            new = ({**row, "lineage_body": self._new[row["lineage_body"]]} for row in olds)
            upsert(connection, table, new)

    def rebuild(self, connection: Connection, outputs: Collection[int]) -> None:
        """Derive the edges of outputs from the new bodies."""
        output = tables.job_output
        rows = rows_in(connection, select(output), output.c.id, outputs)
        for row in [row for row in rows if row.last_lineage_body in self._new]:
            new = {"last_lineage_body": self._new[row.last_lineage_body]}
            connection.execute(update(output).where(output.c.id == row.id).values(new))
        rebuild_all(connection, outputs)


def _unused_bodies(connection: Connection, bodies: Collection[int]) -> None:
    """Delete the bodies that nothing refers to any more."""
    table = tables.lineage_body
    for batch in batches(bodies):
        used = {
            row.lineage_body
            for of in (tables.occurrence, tables.reading)
            for row in rows_in(connection, select(of.c.lineage_body), of.c.lineage_body, batch)
        }
        _delete(connection, table.c.id, set(batch) - used)


def _unused_steps(connection: Connection) -> None:
    """Delete the expressions of no edge."""
    step, edge = tables.transformation, tables.edge
    connection.execute(delete(step).where(step.c.id.notin_(select(edge.c.transformation))))


def _jobs(connection: Connection, jobs: Collection[int], what: Selection) -> None:
    """Delete jobs, and namespaces that have nothing else."""
    _delete_from(connection, OF_JOBS, jobs)
    _unused_namespaces(connection, {namespace for namespace, _ in what.jobs.values()})


def _datasets(connection: Connection, datasets: Collection[int], what: Selection) -> None:
    """Delete datasets, the names of their fields, and namespaces that have nothing else."""
    field, table = tables.field, tables.field_name
    rows = rows_in(connection, select(field.c.id, field.c.name), field.c.dataset, datasets)
    fields = {row.id: row.name for row in rows}
    _delete_from(connection, OF_FIELDS, fields)
    for batch in batches(sorted(set(fields.values()))):
        unused = ~exists().where(field.c.name == table.c.name)
        connection.execute(delete(table).where(table.c.name.in_(batch), unused))
    _delete_from(connection, OF_DATASETS, datasets)
    _unused_namespaces(connection, {namespace for namespace, _ in what.datasets.values()})


def _unused_namespaces(connection: Connection, names: Collection[str]) -> None:
    table, dataset, job = tables.namespace, tables.dataset, tables.job
    unused = (~exists().where(of.c.namespace == table.c.name) for of in (dataset, job))
    connection.execute(delete(table).where(table.c.name.in_(names), *unused))

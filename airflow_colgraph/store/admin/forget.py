"""Forget datasets, jobs, runs or a text: everywhere in the store, in one transaction.

with store.connection() as connection:
    what = of_dataset(connection, "s3://lake", "mart/customers")
plan(store, what)                         # how much it is; nothing changes
forget(store, what, by="dpo@example.org")  # the same, done, with a row in the audit log
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from sqlalchemy import and_, delete, select, update
from sqlalchemy.engine import Connection

from airflow_colgraph.store.admin import audit
from airflow_colgraph.store.admin.retention import delete_unused_bodies
from airflow_colgraph.store.db import engine, state, tables
from airflow_colgraph.store.db.bulk import count_rows
from airflow_colgraph.store.db.engine import Database
from airflow_colgraph.store.db.id_lists import batches, rows_in
from airflow_colgraph.store.db.upsert import upsert
from airflow_colgraph.store.ingest.rebuild_edges import rebuild_all
from airflow_colgraph.store.model.event_template import join, unpack
from airflow_colgraph.store.model.lineage_body import LineageBody, make
from airflow_colgraph.store.model.lineage_body import unpack as unpack_body
from airflow_colgraph.store.model.redact_body import (
    Unwanted,
    masked,
    mentions,
    names_dataset,
    without,
)
from airflow_colgraph.store.model.selection import Selection

DATED = (  # tables of reports as JSON, which may have any text
    tables.description,
    tables.facets,
    tables.run_facets,
    tables.gap,
    tables.job_source,
    tables.reported_tags,
)


OF_RUNS = (  # what refers to a run, and last the run
    tables.run_output.c.run,
    tables.reading.c.run,
    tables.run_facets.c.run,
    tables.lifecycle.c.run,
    tables.run.c.id,
)
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
)


class Forgotten(NamedTuple):
    """How many rows are deleted or changed, by what they are."""

    datasets: int
    fields: int
    jobs: int
    runs: int
    outputs: int
    edges: int
    bodies: int
    reports: int
    events: int
    tags: int

    @property
    def text(self) -> str:
        """The numbers in a line; `nothing` if there are none."""
        parts = [f"{count} {name}" for name, count in self._asdict().items() if count]
        return ", ".join(parts) or "nothing"


def plan(store: Database, what: Selection) -> Forgotten:
    """How much `forget` would delete or change; nothing is changed."""
    with engine.writing(store.engine) as connection:
        attempt = connection.begin_nested()
        forgotten = _forget(connection, what)
        attempt.rollback()
    return forgotten


def forget(store: Database, what: Selection, by: str) -> Forgotten:
    """Delete what is unwanted, and what of others names it; other writers wait meanwhile.

    Edges of other jobs are derived again without it. The audit log gets a row.
    """
    with engine.writing(store.engine) as connection:
        forgotten = _forget(connection, what)
        audit.write(connection, "forget", what.asked, by, forgotten.text)
        state.mark(connection)
    return forgotten


def _forget(connection: Connection, what: Selection) -> Forgotten:
    output, run = tables.job_output, tables.run
    edges = count_rows(connection, tables.edge)
    runs = set(what.runs) | _ids(connection, run.c.id, run.c.job, what.jobs)
    outputs = _ids(connection, output.c.id, output.c.job, what.jobs)
    outputs |= _ids(connection, output.c.id, output.c.dataset, what.datasets)
    affected = _outputs_of(connection, runs)
    events = _events(connection, what, runs)
    tags, fields = _of_datasets(connection, what)
    reports = _reports(connection, what)
    _delete_from(connection, OF_RUNS, runs)
    bodies, changed = _bodies(connection, what, outputs)
    _outputs(connection, outputs)
    empty = _without_reports(connection, affected - outputs)
    _outputs(connection, empty)
    _delete_from(connection, OF_JOBS, what.jobs)
    rebuild_all(connection, (affected | changed) - outputs - empty)
    bodies += delete_unused_bodies(connection)
    _unused_names(connection)
    return Forgotten(
        len(what.datasets),
        fields,
        len(what.jobs),
        len(runs),
        len(outputs | empty),
        max(0, edges - count_rows(connection, tables.edge)),
        bodies,
        reports,
        events,
        tags,
    )


def _ids(connection: Connection, id: Any, column: Any, ids: Collection[Any]) -> set[Any]:
    """The ids of the rows whose column has one of the values."""
    return {row[0] for row in rows_in(connection, select(id), column, ids)} if ids else set()


def _delete(connection: Connection, column: Any, ids: Iterable[Any]) -> int:
    """Delete the rows whose column has one of the values; returns how many."""
    return sum(
        connection.execute(delete(column.table).where(column.in_(batch))).rowcount
        for batch in batches(ids)
    )


def _delete_from(connection: Connection, columns: Iterable[Any], ids: Collection[Any]) -> None:
    """Delete the rows of several tables in which the column has one of the values."""
    for column in columns:
        _delete(connection, column, ids)


def _outputs_of(connection: Connection, runs: Collection[bytes]) -> set[int]:
    table = tables.occurrence
    return _ids(connection, table.c.job_output, table.c.run, runs)


def _outputs(connection: Connection, outputs: Collection[int]) -> None:
    """Delete outputs of jobs with all that was reported of them; their runs stay."""
    run = tables.run
    nothing = {
        "report": tables.NOT_REPORTED,
        "job_output": None,
        "lineage_body": None,
        "reported_after": None,
    }
    for batch in batches(outputs):
        connection.execute(update(run).where(run.c.job_output.in_(batch)).values(nothing))
    for table in (tables.edge, tables.reported, tables.run_output, tables.lifecycle):
        _delete(connection, table.c.job_output, outputs)
    _delete(connection, tables.job_output.c.id, outputs)


def _without_reports(connection: Connection, outputs: set[int]) -> set[int]:
    table = tables.occurrence
    return outputs - _ids(connection, table.c.job_output, table.c.job_output, outputs)


def _of_datasets(connection: Connection, what: Selection) -> tuple[int, int]:
    """Delete what is known of the datasets themselves; the numbers of tags and of fields."""
    field = tables.field
    ids = _ids(connection, field.c.id, field.c.dataset, what.datasets)
    tags = _delete(connection, tables.tag_change.c.field, ids)
    _delete_from(connection, OF_DATASETS, what.datasets)
    fields = _delete(connection, field.c.dataset, what.datasets) - len(what.datasets)
    _delete(connection, tables.dataset.c.id, what.datasets)
    return tags, max(0, fields)


def _bodies(
    connection: Connection, what: Selection, outputs: Collection[int]
) -> tuple[int, set[int]]:
    """Put bodies without what is unwanted in the places of those with it.

    Returns their number, and the outputs of jobs whose edges have to be derived again.
    """
    if not what.datasets and not what.text:
        return 0, set()
    unwanted = Unwanted(frozenset(what.datasets.values()), what.text)
    table = tables.lineage_body
    changed: dict[int, LineageBody] = {}
    for row in connection.execute(select(table.c.id, table.c.first_at, table.c.body)).all():
        body = unpack_body(row.body)
        rest = without({key: value for key, value in body.items() if key != "v"}, unwanted)
        if rest is not None:
            changed[row.id] = new = make(rest)
            fresh = {"checksum": new.checksum, "first_at": row.first_at, "body": new.packed}
            upsert(connection, table, [{"id": new.id, **fresh}])
    occurrence = tables.occurrence
    affected = _ids(connection, occurrence.c.job_output, occurrence.c.lineage_body, changed)
    for old, new in changed.items():
        _refer(connection, old, new.id)
    return len(changed), affected - set(outputs)


def _refer(connection: Connection, old: int, new: int) -> None:
    """Let everything refer to another body."""
    for column in (tables.run.c.lineage_body, tables.job_output.c.last_lineage_body):
        connection.execute(update(column.table).where(column == old).values({column.name: new}))
    for table in (tables.run_output, tables.reading):  # the body is part of the key
        which = table.c.lineage_body == old
        rows = [dict(row._mapping) for row in connection.execute(select(table).where(which))]
        connection.execute(delete(table).where(which))
        upsert(connection, table, ({**row, "lineage_body": new} for row in rows))


def _reports(connection: Connection, what: Selection) -> int:
    """Mask the text in reports, and delete those that name an unwanted dataset."""
    datasets = set(what.datasets.values())
    count = 0
    for table in DATED if datasets or what.text else ():
        for row in connection.execute(select(table.c.id, table.c.body)).all():
            body = unpack_body(row.body)
            if datasets and names_dataset(body, datasets):
                connection.execute(delete(table).where(table.c.id == row.id))
            elif what.text and mentions(body, what.text):
                packed = zlib.compress(json.dumps(masked(body, what.text)).encode())
                which = update(table).where(table.c.id == row.id)
                connection.execute(which.values(body=packed))
            else:
                continue
            count += 1
    return count


def _events(connection: Connection, what: Selection, runs: Collection[bytes]) -> int:
    """Delete the whole events that were kept of the runs, or that name what is unwanted."""
    event, template = tables.event, tables.template
    names = {*what.datasets.values(), *what.jobs.values()}
    query = select(event.c.at, event.c.id, event.c.run, event.c.own, template.c.body).join_from(
        event, template, template.c.id == event.c.template
    )
    unwanted = []
    for row in connection.execute(query).all():
        if bytes(row.run) not in runs:
            own = json.loads(unpack(bytes(row.own)) or b"[]")
            whole = join(json.loads(zlib.decompress(row.body)), own, row.at, bytes(row.run))
            if not names_dataset(whole, names) and not (what.text and mentions(whole, what.text)):
                continue
        unwanted.append((row.at, row.id))
    for at, id in unwanted:
        connection.execute(delete(event).where(and_(event.c.at == at, event.c.id == id)))
    if unwanted:
        used = select(event.c.template)
        connection.execute(delete(template).where(template.c.id.notin_(used)))
    return len(unwanted)


def _unused_names(connection: Connection) -> None:
    """Delete expressions of no edge, names of no field, and namespaces of nothing."""
    used = select(tables.edge.c.transformation)
    change = tables.transformation
    connection.execute(delete(change).where(change.c.id.notin_(used)))
    name, field = tables.field_name, tables.field
    connection.execute(delete(name).where(name.c.name.notin_(select(field.c.name))))
    table, dataset, job = tables.namespace, tables.dataset, tables.job
    unused = (
        table.c.name.notin_(select(dataset.c.namespace)),
        table.c.name.notin_(select(job.c.namespace)),
    )
    connection.execute(delete(table).where(*unused))

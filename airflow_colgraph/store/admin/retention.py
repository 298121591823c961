"""Retention: deletes what is older than a time, except what the latest lineage needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import and_, delete, func, not_, select, tuple_, update
from sqlalchemy.engine import Connection
from sqlalchemy.schema import Table

from airflow_colgraph.store.admin import audit
from airflow_colgraph.store.admin.paced import paced, transaction
from airflow_colgraph.store.admin.read_audit import READ
from airflow_colgraph.store.db import engine, tables
from airflow_colgraph.store.db.bulk import count_rows
from airflow_colgraph.store.db.engine import Database
from airflow_colgraph.store.db.id_lists import batches
from airflow_colgraph.store.db.last_reports import is_shown
from airflow_colgraph.store.db.pruned import BEFORE, PRUNE
from airflow_colgraph.store.ingest.rebuild_edges import rebuild_all
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lifecycle import RENAMED

PRUNE_READS = "prune-reads"  # in the audit log
MOST_LISTED = 100_000  # keys of rows to delete that are held at once


class Pruned(NamedTuple):
    """How many rows were deleted."""

    runs: int
    occurrences: int
    lineage_bodies: int
    edges: int


def prune(
    store: Database,
    before: int,
    progress: Callable[[int, int], None] = lambda done, total: None,
    by: str = "",
) -> Pruned:
    """Delete what was reported before the time, except by the latest run of each job and dataset.

    Queries about earlier times are refused afterwards; the audit log has a row that says so.
    Queries about now have the same answer as before, but an edge's `first_seen` is at the first run
    that is left. Names and changes of whole datasets are not deleted: which edges hold depends on
    all of them.

    Other writers wait for no longer than one of many transactions, and each leaves a whole
    store. What was deleted before a crash stays deleted, and the next call does the rest.

    Args:
        store: The store.
        before: The time, in milliseconds since 1970.
        progress: Called with the outputs of jobs that are done, and with how many there are.
        by: Who asks for it, for the audit log.

    Returns:
        How many rows were deleted; of edges, how many fewer there are.
    """
    edges, job_outputs = _edges(store), _outputs_with_old_rows(store, before)
    occurrences = done = 0
    if job_outputs:
        with transaction(store) as connection:
            what = f"{len(job_outputs)} outputs of jobs have older runs"
            audit.write(connection, PRUNE, f"{BEFORE}{clock.iso(before)}", by, what)
    for batch in paced(job_outputs):
        with transaction(store) as connection:
            occurrences += _occurrences(connection, before, batch)
            rebuild_all(connection, batch)
        done += len(batch)
        progress(done, len(job_outputs))
    for table, which in _old_reports(before):
        _delete(store, table, which)
    with transaction(store) as connection:
        runs = _runs(connection, before)
    with transaction(store) as connection:
        lineage_bodies = delete_unused_bodies(connection)
    _delete(store, tables.event, tables.event.c.at < before)
    with transaction(store) as connection:
        _unused_templates(connection)
    return Pruned(runs, occurrences, lineage_bodies, max(edges - _edges(store), 0))


def prune_reads(store: Database, before: int, by: str = "") -> int:
    """Delete the rows of the audit log about reads before the time, and no other rows of it.

    It is done in short transactions, and the audit log has a row that says so.

    Args:
        store: The store.
        before: The time, in milliseconds since 1970.
        by: Who asks for it, for the audit log.

    Returns:
        How many rows were deleted.
    """
    table = tables.audit
    old = and_(table.c.action == READ, table.c.at < before)
    with engine.reading(store.engine) as connection:
        query = select(func.count()).select_from(table).where(old)
        count = int(connection.execute(query).scalar() or 0)
    if count:
        with engine.writing(store.engine) as connection:
            subject = f"{BEFORE}{clock.iso(before)}"
            audit.write(connection, PRUNE_READS, subject, by, f"{count} rows")
        _delete(store, table, old)
    return count


def _edges(store: Database) -> int:
    with engine.reading(store.engine) as connection:
        return count_rows(connection, tables.edge)


def _outputs_with_old_rows(store: Database, before: int) -> list[int]:
    """The outputs of jobs that have occurrences to delete."""
    with engine.reading(store.engine) as connection:
        return sorted(
            {
                id
                for table, which, _ in _old(before)
                for id in connection.execute(select(table.c.job_output).where(which)).scalars()
            }
        )


def _occurrences(connection: Connection, before: int, job_outputs: Sequence[int]) -> int:
    """Delete old occurrences of these outputs; returns the number."""
    return sum(
        connection.execute(change.where(which, table.c.job_output.in_(batch))).rowcount
        for table, which, change in _old(before)
        for batch in batches(job_outputs)
    )


def _old(before: int) -> list[tuple[Table, Any, Any]]:
    """The tables of occurrences, which rows of them are old, and the statement without them."""
    o, run, job_output = tables.run_output, tables.run, tables.job_output
    last = select(job_output.c.last_run).where(job_output.c.id == o.c.job_output).scalar_subquery()
    # Declarations have no run: the one at the output's time is the latest.
    declared = (
        select(job_output.c.last_at).where(job_output.c.id == o.c.job_output).scalar_subquery()
    )
    in_run = (
        select(job_output.c.last_run).where(job_output.c.id == run.c.job_output).scalar_subquery()
    )
    reported_at = run.c.started_at + func.coalesce(run.c.reported_after, 0)
    nothing = {
        "report": tables.NOT_REPORTED,
        "job_output": None,
        "lineage_body": None,
        "reported_after": None,
    }
    changes: list[tuple[Table, Any, Any]] = [
        (o, and_(o.c.at < before, o.c.run != last), delete(o)),
        (o, and_(o.c.at < before, o.c.run == b"", o.c.at < declared), delete(o)),
        (run, and_(reported_at < before, run.c.id != in_run), update(run).values(nothing)),
    ]
    # What a dataset was made of before it was renamed is derived from these.
    kept = _renamed_outputs()
    return [
        (table, and_(which, table.c.job_output.not_in(kept)), change)
        for table, which, change in changes
    ]


def _renamed_outputs() -> Any:
    renamed = select(tables.lifecycle.c.previous).where(tables.lifecycle.c.change == RENAMED)
    return select(tables.job_output.c.id).where(tables.job_output.c.dataset.in_(renamed))


def _delete(store: Database, table: Table, which: Any) -> None:
    """Delete rows in short transactions; one that is reported again meanwhile stays."""
    key = tuple(table.primary_key)
    listed = select(*key).where(which).limit(MOST_LISTED)
    while True:
        with engine.reading(store.engine) as connection:
            ids = [tuple(row) for row in connection.execute(listed)]
        for batch in paced(ids):
            with transaction(store) as connection:
                for part in batches(batch):
                    connection.execute(delete(table).where(tuple_(*key).in_(part), which))
        if len(ids) < MOST_LISTED:
            return


# Each report, but the latest of what it is of, is deleted; tags that people set stay.
_DATED = {
    tables.schema: ("dataset",),
    tables.description: ("dataset",),
    tables.facets: ("owner",),
    tables.job_source: ("target", "by"),
    tables.reported_tags: ("dataset", "job"),
}


def _old_reports(before: int) -> list[tuple[Table, Any]]:
    """The tables of readings, dated reports and gaps, and which rows of them are old."""
    reading, gap = tables.reading, tables.gap
    other = reading.alias("other")
    last_read = select(func.max(other.c.at)).where(other.c.job == reading.c.job).scalar_subquery()
    return [
        (reading, and_(reading.c.at < before, reading.c.at < last_read)),
        *((table, _dated(table, keys, before)) for table, keys in _DATED.items()),
        (gap, and_(gap.c.last_at < before, not_(is_shown()))),
    ]


def _dated(table: Table, keys: tuple[str, ...], before: int) -> Any:
    """Which reports are old; the latest of the same owner is not."""
    other = table.alias("other")
    same = (func.coalesce(other.c[key], 0) == func.coalesce(table.c[key], 0) for key in keys)
    latest = select(func.max(other.c.last_at)).where(*same).scalar_subquery()
    return and_(table.c.last_at < before, table.c.last_at < latest)


def _runs(connection: Connection, before: int) -> int:
    """Delete old runs that nothing refers to any more; parents after their children."""
    run, count = tables.run, 0
    while True:
        child = run.alias("child")
        needed = [
            select(tables.occurrence.c.run),
            select(tables.reading.c.run),
            select(tables.job_output.c.last_run),
            select(child.c.parent).where(child.c.parent.isnot(None)),
        ]
        gone = connection.execute(
            delete(run).where(
                func.coalesce(run.c.ended_at, run.c.started_at) < before,
                *(run.c.id.notin_(query) for query in needed),
            )
        ).rowcount
        if not gone:
            _facets_of_runs(connection)
            return count
        count += gone


def _facets_of_runs(connection: Connection) -> None:
    table = tables.run_facets
    connection.execute(delete(table).where(table.c.run.not_in(select(tables.run.c.id))))


def delete_unused_bodies(connection: Connection) -> int:
    """Delete the bodies that no run refers to."""
    lineage_body = tables.lineage_body
    used = (select(tables.occurrence.c.lineage_body), select(tables.reading.c.lineage_body))
    return connection.execute(
        delete(lineage_body).where(*(lineage_body.c.id.notin_(query) for query in used))
    ).rowcount


def _unused_templates(connection: Connection) -> None:
    """Delete the templates of events that no event has any more."""
    template = tables.template
    used = select(tables.event.c.template)
    connection.execute(delete(template).where(template.c.id.notin_(used)))

"""Retention: deletes what is older than a time, except what the latest lineage needs."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import and_, delete, func, select, update
from sqlalchemy.engine import Connection
from sqlalchemy.schema import Table

from airflow_colgraph.store.db import engine, state, tables
from airflow_colgraph.store.db.engine import Database
from airflow_colgraph.store.ingest.rebuild_edges import rebuild_all
from airflow_colgraph.store.model.lifecycle import RENAMED


class Pruned(NamedTuple):
    """How many rows were deleted."""

    runs: int
    occurrences: int
    lineage_bodies: int
    edges: int


def prune(store: Database, before: int) -> Pruned:
    """Delete what was reported before the time, except by the latest run of each job and dataset.

    Queries about earlier times have no answer afterwards. Queries about now have the same answer as
    before, but an edge's `first_seen` is at the first run that is left. Names and changes of whole
    datasets are not deleted: which edges hold depends on all of them.
    """
    with engine.writing(store.engine) as connection:
        edges = _count(connection, tables.edge)
        job_outputs, occurrences = _occurrences(connection, before)
        rebuild_all(connection, job_outputs)
        _readings(connection, before)
        for table, keys in _DATED.items():
            _dated(connection, table, keys, before)
        _gaps(connection, before)
        runs = _runs(connection, before)
        lineage_bodies = _lineage_bodies(connection)
        _events(connection, before)
        state.mark(connection)
        return Pruned(runs, occurrences, lineage_bodies, edges - _count(connection, tables.edge))


def _count(connection: Connection, table: Table) -> int:
    return int(connection.execute(select(func.count()).select_from(table)).scalar() or 0)


def _occurrences(connection: Connection, before: int) -> tuple[set[int], int]:
    """Delete old occurrences; returns the outputs concerned and the number."""
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
    changes: list[tuple[Any, Any, Any]] = [
        (o, and_(o.c.at < before, o.c.run != last), delete(o)),
        (o, and_(o.c.at < before, o.c.run == b"", o.c.at < declared), delete(o)),
        (run, and_(reported_at < before, run.c.id != in_run), update(run).values(nothing)),
    ]
    job_outputs: set[int] = set()
    count = 0
    for table, which, change in changes:
        # What a dataset was made of before it was renamed is derived from these.
        which = and_(which, table.c.job_output.not_in(_renamed_outputs()))
        job_outputs.update(
            connection.execute(select(table.c.job_output).where(which).distinct()).scalars()
        )
        count += connection.execute(change.where(which)).rowcount
    return job_outputs, count


def _renamed_outputs() -> Any:
    renamed = select(tables.lifecycle.c.previous).where(tables.lifecycle.c.change == RENAMED)
    return select(tables.job_output.c.id).where(tables.job_output.c.dataset.in_(renamed))


def _readings(connection: Connection, before: int) -> None:
    """Delete old readings; each job keeps its latest."""
    reading = tables.reading
    other = reading.alias("other")
    latest = select(func.max(other.c.at)).where(other.c.job == reading.c.job).scalar_subquery()
    connection.execute(delete(reading).where(reading.c.at < before, reading.c.at < latest))


# Each report, but the latest of what it is of, is deleted; tags that people set stay.
_DATED = {
    tables.schema: ("dataset",),
    tables.description: ("dataset",),
    tables.facets: ("owner",),
    tables.job_source: ("target", "by"),
    tables.reported_tags: ("dataset", "job"),
}


def _dated(connection: Connection, table: Table, keys: tuple[str, ...], before: int) -> None:
    """Delete old reports; the latest of the same owner stays."""
    other = table.alias("other")
    same = (func.coalesce(other.c[key], 0) == func.coalesce(table.c[key], 0) for key in keys)
    latest = select(func.max(other.c.last_at)).where(*same).scalar_subquery()
    connection.execute(delete(table).where(table.c.last_at < before, table.c.last_at < latest))


def _gaps(connection: Connection, before: int) -> None:
    """Delete old reports of gaps; those of each job's latest run stay."""
    table, run = tables.gap, tables.run
    latest = select(func.max(run.c.started_at)).where(run.c.job == table.c.job).scalar_subquery()
    connection.execute(delete(table).where(table.c.last_at < before, table.c.last_at < latest))


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


def _lineage_bodies(connection: Connection) -> int:
    """Delete the bodies that no run refers to."""
    lineage_body = tables.lineage_body
    used = (select(tables.occurrence.c.lineage_body), select(tables.reading.c.lineage_body))
    return connection.execute(
        delete(lineage_body).where(*(lineage_body.c.id.notin_(query) for query in used))
    ).rowcount


def _events(connection: Connection, before: int) -> None:
    """Delete old whole events, and the templates that no other has."""
    event, template = tables.event, tables.template
    connection.execute(delete(event).where(event.c.at < before))
    used = select(event.c.template)
    connection.execute(delete(template).where(template.c.id.notin_(used)))

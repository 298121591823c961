"""Retention: deletes what is older than a time, except what lineage from the time on needs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import and_, delete, exists, func, not_, select, true, union_all, update
from sqlalchemy.engine import Connection
from sqlalchemy.schema import Table

from airflow_colgraph.store.admin import paced
from airflow_colgraph.store.admin.deletion import AuditOnce, delete_rows
from airflow_colgraph.store.admin.read_audit import READ
from airflow_colgraph.store.db import engine, tables
from airflow_colgraph.store.db.bulk import count_rows
from airflow_colgraph.store.db.engine import Database
from airflow_colgraph.store.db.id_lists import batches
from airflow_colgraph.store.db.last_reports import is_shown
from airflow_colgraph.store.db.pruned import BEFORE, PRUNE, PRUNE_NAMESPACE
from airflow_colgraph.store.ingest.body_cache import parsed_bodies
from airflow_colgraph.store.ingest.rebuild_edges import (
    OutputReport,
    rebuild_all,
    runs_of,
    timeline_of,
)
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lifecycle import RENAMED

PRUNE_READS = "prune-reads"  # in the audit log


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
    namespaces: Sequence[str] = (),
) -> Pruned:
    """Delete what was reported before the time, except what lineage from the time on needs.

    If anything was deleted, queries about earlier times are refused afterwards; the audit log has a
    row that says so. Queries about later times and now have the same answer as before, but an
    edge's `first_seen` is at the first run that is left. Names and changes of whole datasets are
    not deleted: which edges hold depends on all of them.

    Other writers wait for no longer than one of many transactions, and each leaves a whole
    store. What was deleted before a crash stays deleted, and the next call does the rest.

    Args:
        store: The store.
        before: The time, in milliseconds since 1970.
        progress: Called with the outputs of jobs that are done, and with how many there are.
        by: Who asks for it, for the audit log.
        namespaces: If there are any, what was reported about outputs in these alone is deleted.
            Only answers that rest on them are refused. Readings, gaps and kept events stay.

    Returns:
        How many rows were deleted; of edges, how many fewer there are.
    """
    edges = _edges(store)
    job_outputs = _outputs_with_old_rows(store, before, namespaces)
    occurrences = done = 0
    subject = f"{BEFORE}{clock.iso(before)}"
    subjects = [(PRUNE_NAMESPACE, f"{subject} {each}") for each in namespaces]
    what = f"{len(job_outputs)} outputs of jobs have older runs"
    log = AuditOnce(subjects or [(PRUNE, subject)], by, what)
    for batch in paced.paced(job_outputs):
        with paced.transaction(store) as connection:
            occurrences += log.deleted(connection, _occurrences(connection, before, batch))
            rebuild_all(connection, batch)
        done += len(batch)
        progress(done, len(job_outputs))
    for table, which in _old_reports(before, namespaces):
        delete_rows(store, table, which, log)
    runs = _runs(store, before, namespaces, log)
    lineage_bodies = delete_rows(store, tables.lineage_body, true(), log, _USES_OF_BODIES)
    if not namespaces:
        delete_rows(store, tables.event, tables.event.c.at < before, log)
        delete_rows(store, tables.template, true(), log, [tables.event.c.template])
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
        subject = f"{BEFORE}{clock.iso(before)}"
        delete_rows(store, table, old, AuditOnce([(PRUNE_READS, subject)], by, f"{count} rows"))
    return count


def _edges(store: Database) -> int:
    with engine.reading(store.engine) as connection:
        return count_rows(connection, tables.edge)


def _outputs_with_old_rows(store: Database, before: int, namespaces: Sequence[str]) -> list[int]:
    """The outputs of jobs that have occurrences to delete."""
    o, run = tables.run_output, tables.run
    reported_at = run.c.started_at + func.coalesce(run.c.reported_after, 0)
    in_run = select(run.c.job_output, reported_at.label("at")).where(run.c.job_output.isnot(None))
    rows = union_all(select(o.c.job_output, o.c.at), in_run).subquery()
    query = select(rows.c.job_output).where(
        rows.c.at <= before,
        # The sources of a dataset before it was renamed are derived from these.
        rows.c.job_output.not_in(_renamed_outputs()),
    )
    if namespaces:
        query = query.where(rows.c.job_output.in_(_outputs_in(namespaces)))
    several = query.group_by(rows.c.job_output).having(func.count() > 1)
    with engine.reading(store.engine) as connection:
        ids = sorted(connection.execute(several).scalars())
        renames = _renaming_runs(connection)
        return [id for id in ids if superseded(connection, id, before, renames)]


def _outputs_in(namespaces: Sequence[str]) -> Any:
    output = tables.job_output.c
    return select(output.id).where(output.dataset.in_(_datasets_in(namespaces)))


def _datasets_in(namespaces: Sequence[str]) -> Any:
    dataset = tables.dataset.c
    return select(dataset.id).where(dataset.namespace.in_(namespaces))


def superseded(
    connection: Connection, job_output: int, before: int, renames: Collection[bytes] = ()
) -> list[OutputReport]:
    """The runs of an output that no lineage from the time on needs.

    At the time the output has what the latest run before it reported. If that one appended, or had
    no column lineage, edges of earlier ones hold as well: of those with the same lineage the latest
    is needed, back to the one that replaced the rows. `renames`: runs that are needed anyway.
    """
    timeline = timeline_of(connection, job_output)
    last_at = {row.run or row.at: row.at for row in timeline}
    reports = [report for report in runs_of(timeline) if report.at <= before]
    bodies = parsed_bodies(connection, {id for report in reports for id in report.bodies})
    needed: dict[Any, Any] = {}
    for report in reversed(reports):
        needed.setdefault((report.bodies, report.replaces), report.key)
        if report.replaces and any(bodies[id].columns for id in report.bodies):
            break
    begin = -clock.OPEN  # when rows were last replaced
    for row in reversed([row for row in timeline if row.at <= before]):
        if row.at < begin:
            break
        needed.setdefault(row.lineage_body, row.run or row.at)
        begin = row.at if row.replaces else begin
    kept = {*needed.values(), *renames}
    return [report for report in reports if report.key not in kept and last_at[report.key] < before]


def _renaming_runs(connection: Connection) -> set[bytes]:
    table = tables.lifecycle
    query = select(table.c.run).where(table.c.change == RENAMED)
    return {bytes(run) for run in connection.execute(query).scalars()}


def _occurrences(connection: Connection, before: int, job_outputs: Sequence[int]) -> int:
    """Delete what is superseded of these outputs; returns the number of occurrences."""
    o, run, count = tables.run_output, tables.run, 0
    nothing = {
        "report": tables.NOT_REPORTED,
        "job_output": None,
        "lineage_body": None,
        "reported_after": None,
    }
    renames = _renaming_runs(connection)
    for job_output in job_outputs:
        reports = superseded(connection, job_output, before, renames)
        ids = [report.run for report in reports if report.run]
        for batch in batches(ids):
            in_run = (run.c.id.in_(batch), run.c.job_output == job_output)
            beside = (o.c.job_output == job_output, o.c.run.in_(batch))
            count += connection.execute(update(run).where(*in_run).values(nothing)).rowcount
            count += connection.execute(delete(o).where(*beside)).rowcount
        for times in batches(report.at for report in reports if not report.run):  # declarations
            declared = (o.c.job_output == job_output, o.c.run == b"", o.c.at.in_(times))
            count += connection.execute(delete(o).where(*declared)).rowcount
    return count


def _renamed_outputs() -> Any:
    renamed = select(tables.lifecycle.c.previous).where(tables.lifecycle.c.change == RENAMED)
    return select(tables.job_output.c.id).where(tables.job_output.c.dataset.in_(renamed))


# Each report, but the latest of what it is of, is deleted; tags that people set stay.
_DATED = {
    tables.schema: ("dataset",),
    tables.description: ("dataset",),
    tables.facets: ("owner",),
    tables.job_source: ("target", "by"),
    tables.reported_tags: ("dataset", "job"),
}


def _old_reports(before: int, namespaces: Sequence[str]) -> list[tuple[Table, Any]]:
    """The tables of readings, dated reports and gaps, and which rows of them are old."""
    if namespaces:
        those = _datasets_in(namespaces)
        return [
            (table, and_(_dated(table, keys, before), table.c[keys[0]].in_(those)))
            for table, keys in _DATED.items()
        ]
    reading, gap = tables.reading, tables.gap
    other = reading.alias("other")
    last_read = select(func.max(other.c.at)).where(other.c.job == reading.c.job).scalar_subquery()
    return [
        (reading, and_(reading.c.at < before, reading.c.at < last_read)),
        *((table, _dated(table, keys, before)) for table, keys in _DATED.items()),
        (gap, and_(gap.c.last_at < before, not_(is_shown()))),
    ]


def _dated(table: Table, keys: tuple[str, ...], before: int) -> Any:
    """Which reports are old; what the same owner has at the time is not."""
    other = table.alias("other")
    same = (func.coalesce(other.c[key], 0) == func.coalesce(table.c[key], 0) for key in keys)
    at_the_time = other.c.first_at <= before
    latest = select(func.max(other.c.last_at)).where(at_the_time, *same).scalar_subquery()
    return and_(table.c.last_at < before, table.c.last_at < latest)


_USES_OF_BODIES = [each.c.lineage_body for each in (tables.run, tables.run_output, tables.reading)]
_USES_OF_RUNS = [
    tables.run_output.c.run,
    tables.reading.c.run,
    tables.job_output.c.last_run,
    tables.run.c.parent,
]


def _runs(store: Database, before: int, namespaces: Sequence[str], log: AuditOnce) -> int:
    """Delete old runs that nothing refers to any more; parents after their children."""
    run, output = tables.run.c, tables.job_output.c
    reports = exists().where(output.id == run.job_output, output.job == run.job)
    old = and_(func.coalesce(run.ended_at, run.started_at) < before, not_(reports))
    if namespaces:
        writers = select(output.job).where(output.dataset.in_(_datasets_in(namespaces)))
        old = and_(old, run.job.in_(writers))
    count = 0
    while gone := delete_rows(store, tables.run, old, log, _USES_OF_RUNS):
        count += gone
    return count

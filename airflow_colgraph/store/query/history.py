"""How a dataset's lineage changed over time, and the difference between two times."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import lifecycle, tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.db.pruned import refuse_pruned
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.compare import Change, Delta, delta, edges_of
from airflow_colgraph.store.model.field_path import nearest
from airflow_colgraph.store.model.lifecycle import ENDS, STATES
from airflow_colgraph.store.model.lineage_body import Field, Statement, unpack
from airflow_colgraph.store.model.runs import run_text
from airflow_colgraph.store.query import listing
from airflow_colgraph.store.query.reported_bodies import (
    ReportedBody,
    bodies_of_datasets,
    job_outputs_of,
)
from airflow_colgraph.store.query.rows_in_force import (
    bodies_in_force,
    other_ways,
    recent_writes,
    ways_of_writing,
)


class Chapter(NamedTuple):
    """One way in which a job made a field (or a dataset), and the runs that did."""

    checksum: str
    job_namespace: str | None
    job: str | None
    first_at: str
    last_at: str
    last_run: str | None
    runs: int
    edges: list[Statement]


def history(
    connection: Connection,
    dataset: Field,
    field: str = "",
    start: int = 0,
    end: int = clock.OPEN,
    hidden: Collection[int | None] = (),
) -> list[Chapter]:
    """Each distinct way in which the field was made in [start, end), the oldest first.

    Runs that differ only in other fields are one chapter. `hidden` jobs are left out. What the
    dataset came from under a former name is there too.
    """
    refuse_pruned(connection, start or end, [dataset[:2]])
    jobs = {row.id: row for row in connection.execute(select(tables.job))}
    rows = _reported(connection, dataset, start, end)
    chapters: dict[tuple[Any, ...], list[Any]] = {}
    for row in rows:
        edges = _about(unpack(row.body), field)
        if edges is not None and row.job not in hidden:
            chapters.setdefault((row.job, tuple(edges)), []).append(row)
    versions = []
    for (job, edges), some in chapters.items():
        last = max(some, key=lambda row: row.last_at)
        versions.append(
            Chapter(
                last.checksum.hex(),
                jobs[job].namespace if job in jobs else None,
                jobs[job].name if job in jobs else None,
                clock.iso(min(row.first_at for row in some)),
                clock.iso(last.last_at),
                run_text(last.last_run),
                sum(row.runs for row in some),
                list(edges),
            )
        )
    return sorted(versions, key=lambda chapter: chapter.first_at)


def _reported(connection: Connection, dataset: Field, start: int, end: int) -> list[ReportedBody]:
    """What runs reported of the dataset, and of its former names until it was renamed."""
    rows: list[ReportedBody] = []
    done: set[int] = set()
    left = [(listing.members(connection, dataset), end)]
    while left:
        names, until = left.pop()
        rows += bodies_of_datasets(connection, names - done, start, until)
        done |= names
        last: dict[Field, int] = {}
        for at, _, former in lifecycle.former_names(connection, names):
            last[former] = max(min(at + 1, until), last.get(former, 0))
        left += [(listing.members(connection, former), at) for former, at in last.items()]
        left = [(other, at) for other, at in left if not other <= done]
    return rows


def _about(body: dict[str, Any], field: str) -> list[Statement] | None:
    """The body's edges of the field and of all rows; None if it has none of the field."""
    if body["fields"] is None:
        return None
    names = {name for name, _ in body["fields"]}
    about = nearest(field, names) if field else names
    if field and not about:
        return None
    return [edge for edge in edges_of(body) if edge.output.field in {"", *about}]


def difference(
    connection: Connection,
    dataset: Field,
    before: int,
    after: int,
    hidden: Collection[int | None] = (),
) -> Delta:
    """The changes of the dataset's lineage and schema between two times; not by `hidden` jobs."""
    if before > after:
        raise QuestionError(f"{clock.iso(before)} is after {clock.iso(after)}.")
    refuse_pruned(connection, before, [dataset[:2]])
    old, new = (bodies_in_force(connection, dataset, at, hidden) for at in (before, after))
    differing = delta(old, new)
    names = listing.members(connection, dataset)
    changes = [*_other_ways(connection, names, before, after, hidden), *differing.changes]
    end = lifecycle.ended_between(connection, names, before, after)
    if end is not None:
        changes.insert(
            0, Change(ENDS[end[1]], "", "", f"by {STATES[end[1]]} at {clock.iso(end[0])}")
        )
    return differing._replace(changes=changes)


def _other_ways(
    connection: Connection,
    names: Collection[int],
    before: int,
    after: int,
    hidden: Collection[int | None],
) -> list[Change]:
    """A change if a job replaced the dataset's rows and adds to them now, or reversely."""
    output = tables.job_output.c
    writes = recent_writes(connection, job_outputs_of(connection, names), before, after)
    ways = ways_of_writing(connection, names, writes)
    rows = rows_in(connection, select(output.id, output.job), output.id, ways)
    shown = {id: ways[id] for id, job in rows if job not in hidden}
    differing = other_ways(shown, before, after)
    return sorted({Change("rows-changed", "", old, new) for _, _, old, new in differing})

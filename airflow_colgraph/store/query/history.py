"""How a dataset's lineage changed over time, and the difference between two times."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import lifecycle, tables
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.compare import Change, Delta, delta, edges_of
from airflow_colgraph.store.model.field_path import nearest
from airflow_colgraph.store.model.lifecycle import ENDS, STATES
from airflow_colgraph.store.model.lineage_body import Field, Statement, unpack
from airflow_colgraph.store.model.runs import run_text
from airflow_colgraph.store.query import listing
from airflow_colgraph.store.query.reported_bodies import bodies_of_datasets


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

    Runs that differ only in other fields are one chapter. `hidden` jobs are left out.
    """
    jobs = {row.id: row for row in connection.execute(select(tables.job))}
    rows = bodies_of_datasets(connection, listing.members(connection, dataset), start, end)
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
    old, new = (_in_force(connection, dataset, at, hidden) for at in (before, after))
    differing = delta(old, new)
    end = lifecycle.ended_between(connection, listing.members(connection, dataset), before, after)
    if end is None:
        return differing
    change = Change(ENDS[end[1]], "", "", f"by {STATES[end[1]]} at {clock.iso(end[0])}")
    return differing._replace(changes=[change, *differing.changes])


def _in_force(
    connection: Connection, dataset: Field, at: int, hidden: Collection[int | None]
) -> list[dict[str, Any]]:
    """The bodies of the latest run of each job that wrote the dataset by then."""
    rows = bodies_of_datasets(connection, listing.members(connection, dataset), 0, at + 1)
    rows = sorted((row for row in rows if row.job not in hidden), key=lambda row: row.last_at)
    retired = lifecycle.retired_at(connection)
    rows = [
        row
        for row in rows
        if not any(row.last_at < end <= at for end in retired.get(row.job or 0, ()))
    ]
    latest = {row.job_output: row.last_at for row in rows}
    return [unpack(row.body) for row in rows if row.last_at == latest[row.job_output]]

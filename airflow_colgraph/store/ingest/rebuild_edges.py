"""Derives the edges of an output from its occurrences."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import and_, bindparam, delete, select, update
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import symlinks, tables
from airflow_colgraph.store.db.id_lists import batches
from airflow_colgraph.store.db.upsert import upsert
from airflow_colgraph.store.ingest import lifecycle
from airflow_colgraph.store.ingest.body_cache import ParsedBody, parsed_bodies
from airflow_colgraph.store.model.intervals import (
    EdgeKey,
    Interval,
    RunEdges,
    edge_key,
    intervals,
)
from airflow_colgraph.store.model.lineage_body import Field


class OutputReport(NamedTuple):
    """The lineage bodies that a run, or a declaration without one, reported of an output."""

    at: int
    run: bytes
    bodies: frozenset[int]
    replaces: bool  # all rows

    @property
    def key(self) -> bytes | int:
        """The run; of a declaration, the time."""
        return self.run or self.at


def mentioning(connection: Connection, datasets: set[int]) -> set[int]:
    """The outputs whose edges touch one of the datasets."""
    if not datasets:
        return set()
    job_output, edge, field = tables.job_output, tables.edge, tables.field
    fields = select(field.c.id).where(field.c.dataset.in_(datasets))
    by_output = select(job_output.c.id).where(job_output.c.dataset.in_(datasets))
    by_input = select(edge.c.job_output).where(edge.c.input.in_(fields)).distinct()
    return {id for query in (by_output, by_input) for id in connection.execute(query).scalars()}


def rebuild_all(connection: Connection, job_outputs: Iterable[int]) -> bool:
    """Derive the outputs' edges, and then those that depend on them; whether any changed."""
    has_changes = lifecycle.are_there(connection)
    waiting = sorted(set(job_outputs))
    is_changed = False
    while waiting:
        results = {id: rebuild(connection, id, has_changes) for id in waiting}
        changed = {id: inputs for id, inputs in results.items() if inputs is not None}
        is_changed = is_changed or bool(changed)
        waiting = []
        if has_changes and changed:
            inputs = set[int]().union(*changed.values())
            waiting = sorted(lifecycle.dependents(connection, changed, inputs))
    return is_changed


def rebuild(connection: Connection, job_output: int, has_changes: bool) -> set[int] | None:
    """Derive the output's latest run and edges from its occurrences.

    `has_changes`: whether the store has changes of whole datasets. Returns the inputs of the edges
    that changed, or None if none did.
    """
    timeline = timeline_of(connection, job_output)
    runs = runs_of(timeline)
    changes = None
    if has_changes:
        until = {bytes(run): at for at, run, *_ in timeline}  # in the order of time
        changes = lifecycle.DatasetLifecycle(connection, job_output, until)
    said, ended = _intervals(connection, runs, changes)
    changed = _replace(connection, job_output, ended)
    _report_last(connection, job_output, {interval.last_seen for interval in ended}, said)
    last_at, last_run, last_reported, last_replaces = runs[-1]
    clock = select(tables.job_output.c.last_at).where(tables.job_output.c.id == job_output)
    if changed is None and last_at < (connection.execute(clock).scalar() or 0):
        changed = set()  # processes have cached the later time
    connection.execute(
        update(tables.job_output)
        .where(tables.job_output.c.id == job_output)
        .values(
            last_at=last_at,
            last_run=last_run,
            last_lineage_body=next(iter(last_reported)) if len(last_reported) == 1 else None,
            last_replaces=last_replaces,
        )
    )
    return changed


def _intervals(
    connection: Connection, runs: Sequence[OutputReport], changes: lifecycle.DatasetLifecycle | None
) -> tuple[Sequence[OutputReport], set[Interval]]:
    """The runs, each at all times at which it says something new, and the intervals of edges."""
    bodies = parsed_bodies(connection, {id for report in runs for id in report.bodies})
    edges = _edges(connection, bodies)
    seen: dict[tuple[frozenset[int], bool], RunEdges] = {}
    carried = changes.carried() if changes else {}
    runs = _with_renames(runs, carried)
    reports = [
        _with_carried(_report(run, bodies, edges, seen), carried.get(run.key)) for run in runs
    ]
    if changes is None:
        return runs, intervals(reports)
    return runs, intervals(reports, changes.ends(runs), changes.lasts_until)


def _with_renames(
    runs: Sequence[OutputReport], carried: Mapping[Any, Collection[int]]
) -> list[OutputReport]:
    """The runs, with those that renamed a dataset at the times of that as well.

    The edges of the former name hold from then on: what they are depends on earlier edges only.
    """
    if not carried:
        return list(runs)
    renames = [
        report._replace(at=at, replaces=True)
        for report in runs
        for at in carried.get(report.key, ())
    ]
    at_renames = {(at, run) for at, run, *_ in renames}
    return sorted([*renames, *(run for run in runs if run[:2] not in at_renames)], key=_by_time)


def _by_time(report: OutputReport) -> tuple[int, bytes]:
    return report.at, report.run


def _with_carried(report: RunEdges, carried: Mapping[int, set[EdgeKey]] | None) -> RunEdges:
    """The report of a run at the time at which it renamed a dataset, with that one's edges."""
    if carried is None or report.at not in carried:
        return report
    edges = report.edges | carried[report.at]
    columns = report.columns or bool(carried[report.at])
    return report._replace(edges=edges, columns=columns, replaces=True)


def timeline_of(connection: Connection, job_output: int) -> Sequence[Any]:
    """The output's occurrences in the order of time."""
    table = tables.occurrence
    return connection.execute(
        select(table.c.at, table.c.run, table.c.lineage_body, table.c.replaces)
        .where(table.c.job_output == job_output)
        .order_by(table.c.at, table.c.run, table.c.lineage_body)
    ).all()


def runs_of(timeline: Iterable[Any]) -> list[OutputReport]:
    """Each run with the bodies it reported, at the time of its first report, in order of time."""
    reported: dict[Any, list[Any]] = {}
    for row in timeline:
        reported.setdefault(row.run or row.at, []).append(row)
    runs = [
        OutputReport(
            rows[0].at,
            rows[0].run,
            frozenset(r.lineage_body for r in rows),
            any(r.replaces for r in rows),
        )
        for rows in reported.values()
    ]
    return sorted(runs, key=_by_time)


def _report(
    run: OutputReport,
    bodies: dict[int, ParsedBody],
    edges: dict[int, frozenset[EdgeKey]],
    seen: dict[tuple[frozenset[int], bool], RunEdges],
) -> RunEdges:
    """The edges that a run reported; equal runs share their sets."""
    at, id, reported, replaces = run
    if (reported, replaces) not in seen:
        all_edges = frozenset[EdgeKey]().union(*(edges[id] for id in reported))
        columns = any(bodies[id].columns for id in reported)
        seen[reported, replaces] = RunEdges(at, all_edges, columns, replaces)
    return seen[reported, replaces]._replace(at=at, is_declared=not id)


def _edges(connection: Connection, bodies: dict[int, ParsedBody]) -> dict[int, frozenset[EdgeKey]]:
    """The edges of each body, under the canonical name of each dataset."""
    transformations = {id: t for body in bodies.values() for id, t in body.transformations.items()}
    upsert(
        connection,
        tables.transformation,
        ({"id": id, **t._asdict()} for id, t in sorted(transformations.items())),
    )
    datasets = {id: dataset for body in bodies.values() for id, dataset in body.datasets.items()}
    kept = symlinks.resolve(connection, datasets)
    if all(id == standing for id, standing in kept.items()):
        return {id: body.edges for id, body in bodies.items()}
    names = datasets | _names(connection, set(kept.values()) - datasets.keys())

    def resolved(field: Field) -> Field:
        return names[kept[field.dataset.id]]._replace(field=field.field)

    return {
        id: frozenset(
            edge_key(
                statement._replace(
                    output=resolved(statement.output), input=resolved(statement.input)
                )
            )
            for statement in body.statements
        )
        for id, body in bodies.items()
    }


def _names(connection: Connection, ids: set[int]) -> dict[int, Field]:
    table = tables.dataset
    rows = connection.execute(select(table).where(table.c.id.in_(ids)))
    return {row.id: Field(row.namespace, row.name, "") for row in rows}


def _report_last(
    connection: Connection, job_output: int, times: set[int], runs: Sequence[OutputReport]
) -> None:
    """Store which run reported an edge last: answers name it."""
    table = tables.reported
    wanted = {at: run for at, run, *_ in runs if at in times}  # the last one of each time
    query = select(table.c.at, table.c.run).where(table.c.job_output == job_output)
    there = {at: bytes(run) for at, run in connection.execute(query)}
    gone = [at for at in sorted(there) if wanted.get(at) != there[at]]
    for batch in batches(gone):
        which = and_(table.c.job_output == job_output, table.c.at.in_(batch))
        connection.execute(delete(table).where(which))
    new = [at for at in sorted(wanted) if wanted[at] != there.get(at)]
    upsert(
        connection, table, ({"job_output": job_output, "at": at, "run": wanted[at]} for at in new)
    )


_COLUMNS = [column for column in tables.edge.c if column is not tables.edge.c.job_output]
_PARAMETERS = [f"b_{column.key}" for column in _COLUMNS]
_DELETE = delete(tables.edge).where(
    and_(*(column == bindparam(f"b_{column.key}") for column in tables.edge.c))
)


def _replace(connection: Connection, job_output: int, ended: set[Interval]) -> set[int] | None:
    """Change only the rows of edges that differ; returns their inputs, or None for none."""
    table, columns = tables.edge, _COLUMNS
    there = {
        tuple(row)
        for row in connection.execute(select(*columns).where(table.c.job_output == job_output))
    }
    names = [column.key for column in columns]
    wanted = {tuple(({**i.edge._asdict(), **i._asdict()})[name] for name in names) for i in ended}
    gone = [dict(zip(_PARAMETERS, row, strict=True)) for row in sorted(there - wanted)]
    if gone:
        connection.execute(_DELETE, [{**row, "b_job_output": job_output} for row in gone])
    rows = [dict(zip(names, row, strict=True)) for row in sorted(wanted - there)]
    upsert(connection, table, ({**row, "job_output": job_output} for row in rows))
    return {row["input"] for row in rows} | {row["b_input"] for row in gone} or None

"""Why a field's value may be different: what changed upstream of it since a time."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.pruned import refuse_pruned
from airflow_colgraph.store.errors import QuestionError, UnknownNode
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.causes import Cause, Change, ranked
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.question import DEPTH
from airflow_colgraph.store.model.runs import run_text
from airflow_colgraph.store.query import name_cache
from airflow_colgraph.store.query.cone import Cone, cone, inputs_of, with_same_parts
from airflow_colgraph.store.query.edge_cache import TRANSFORMATION
from airflow_colgraph.store.query.job_runs import job_names
from airflow_colgraph.store.query.lineage_changes import (
    Cones,
    Names,
    NodeChange,
    datasets_read,
    life_changes,
    schema_changes,
    source_changes,
    way_changes,
    with_expressions,
    writers_of,
)
from airflow_colgraph.store.query.rows_in_force import recent_writes
from airflow_colgraph.store.query.run_changes import RunChange, Runs
from airflow_colgraph.store.query.run_facts import are_kept


class Reason(NamedTuple):
    """A change upstream, by rank; `because` is the rank of the change that it follows from."""

    rank: int
    kind: str
    namespace: str
    name: str
    field: str | None
    distance: int
    at: str
    job: str | None
    run: str | None
    before: str
    after: str
    reached: bool
    score: float
    because: int | None


class Why(NamedTuple):
    """The changes, the likeliest cause first, and what could not be compared."""

    since: str
    until: str
    reasons: list[Reason]
    notes: list[str]


NOT_KNOWN = "No lineage of the field is known at the earlier time."


def moment(connection: Connection, text: str, hidden: Collection[int | None] = ()) -> int:
    """A time, or when a run, named by its id, reported its lineage; none of `hidden` jobs."""
    try:
        run = uuid.UUID(text)
    except ValueError:
        return clock.parse(text)
    o, table = tables.occurrence.c, tables.run.c
    query = select(table.started_at, table.job).where(table.id == run.bytes)
    row = connection.execute(query).first()
    if row is None or row.job in hidden:
        raise UnknownNode(f"Run {text} is not in the store.")
    reported = connection.execute(select(func.max(o.at)).where(o.run == run.bytes)).scalar()
    return int(row.started_at if reported is None else reported)


def why(
    connection: Connection,
    start: Field,
    since: int,
    until: int,
    *,
    depth: int = DEPTH,
    hidden: Collection[int | None] = (),
) -> Why:
    """Return what changed upstream of a field between two times.

    Args:
        connection: A connection to the store, as `Store.connection` gives.
        start: The field, under the name that its edges are stored under.
        since: The earlier time, in milliseconds since 1970.
        until: The later time.
        depth: The number of hops.
        hidden: The ids of jobs whose changes are left out.

    Returns:
        Changes of lineage, columns and types, of the datasets that are read, of the number of
        rows, of code versions, and failed or missing runs: causes first, each with its distance.

    Raises:
        QuestionError: `since` is not before `until`.
    """
    if since >= until:
        raise QuestionError(f"Since {clock.iso(since)} is not before {clock.iso(until)}.")
    refuse_pruned(connection, since)
    both = before, after = [cone(connection, start, at, depth) for at in (since, until)]
    with_same_parts(connection, both)
    nodes = {id for each in both for ends in each.owner.items() for id in ends}
    caches = name_cache.of(connection)
    named = caches.read_nodes(connection, nodes)
    fields = {id: named[id].field for id in nodes}
    transformations = caches.read_transformations(
        connection, {row[TRANSFORMATION] for each in both for row in each.rows}
    )
    names = Names(fields, transformations)
    writers = writers_of(connection, {*before.owner.values(), *after.owner.values()})
    cones = Cones.of(before, after, names, writers)
    writes = recent_writes(connection, writers, since, until)
    read = datasets_read(connection, writers, until)
    differing = [
        *with_expressions(connection, cones, start),
        *source_changes(connection, cones, read),
        *way_changes(connection, cones, writes),
        *schema_changes(connection, cones, writers, writes),
        *life_changes(connection, cones),
    ]
    of_runs = list(Runs(connection, before, after, writers).changes(fields))
    changes = [
        *_lineage(connection, differing, before, after, names, writers),
        *(_of_runs(each, before, after, names) for each in of_runs),
    ]
    changes = [each for each in changes if each.job not in hidden]
    inputs = inputs_of(both, fields) if changes else {}
    for id, readings in read.items() if changes else ():
        sources = {fields[each.dataset] for each in readings if each.dataset in fields}
        inputs.setdefault(fields[writers[id]], set()).update(sources)
    jobs = job_names(connection, {each.job for each in changes if each.job is not None})
    reasons = [_reason(cause, jobs) for cause in ranked(changes, inputs)]
    return Why(clock.iso(since), clock.iso(until), reasons, _notes(connection, before, after))


def _reason(cause: Cause, jobs: Mapping[int | None, str]) -> Reason:
    """A cause as it is answered, with the name of its job."""
    change = cause.change
    return Reason(
        cause.number,
        change.kind,
        change.place.namespace,
        change.place.name,
        change.place.field or None,
        change.distance,
        clock.iso(change.at),
        jobs.get(change.job),
        run_text(change.run),
        change.before,
        change.after,
        change.reached,
        round(cause.score, 3),
        cause.because,
    )


def _notes(connection: Connection, before: Cone, after: Cone) -> list[str]:
    notes = []
    if not before.rows:
        notes.append(NOT_KNOWN)
    if before.truncated or after.truncated:
        notes.append("Truncated: there is more upstream than was looked at.")
    if not are_kept(connection):
        notes.append(
            "Numbers of rows and code versions are unknown: the store keeps no whole events "
            "(colgraph db keep-events)."
        )
    return notes


def _lineage(
    connection: Connection,
    differing: list[NodeChange],
    before: Cone,
    after: Cone,
    names: Names,
    writers: dict[int, int],
) -> list[Change]:
    """Changes of lineage and schemas, with the job and the run that made each."""
    at_fault = _reporting(connection, differing, before.owner | after.owner, writers)
    changes = []
    for change in differing:
        job, run = at_fault.get((change.node, change.at), (None, b""))
        changes.append(
            Change(
                change.kind,
                names.fields[change.node],
                _depth(change.node, before, after),
                change.at,
                job,
                run,
                change.before,
                change.after,
                change.at <= _passed_on(change.node, before, after),
            )
        )
    return changes


def _reporting(
    connection: Connection,
    differing: list[NodeChange],
    owner: dict[int, int],
    writers: dict[int, int],
) -> dict[tuple[int, int], tuple[int | None, bytes]]:
    """The job and run that reported a node at the time of its change."""
    o, output = tables.occurrence.c, tables.job_output.c
    by_dataset: dict[int, list[int]] = {}
    for id, dataset in writers.items():
        by_dataset.setdefault(dataset, []).append(id)
    rows: dict[tuple[int, int], tuple[int | None, bytes]] = {}
    for change in differing:
        ids = (
            by_dataset.get(owner[change.node], [])
            if change.job_output is None
            else [change.job_output]
        )
        query = select(output.job, o.run).join_from(
            tables.occurrence, tables.job_output, output.id == o.job_output
        )
        row = connection.execute(query.where(o.job_output.in_(ids), o.at == change.at)).first()
        if row is not None:
            rows[change.node, change.at] = row.job, bytes(row.run)
        elif change.job_output is not None:
            of_output = select(output.job).where(output.id == change.job_output)
            rows[change.node, change.at] = connection.execute(of_output).scalar(), b""
    return rows


def _of_runs(change: RunChange, before: Cone, after: Cone, names: Names) -> Change:
    return Change(
        change.kind,
        names.fields[change.dataset],
        _depth(change.dataset, before, after),
        change.at,
        change.job,
        change.run,
        change.before,
        change.after,
        change.at <= _passed_on(change.dataset, before, after),
        change.strength,
    )


def _depth(node: int, before: Cone, after: Cone) -> int:
    return after.depth.get(node, before.depth.get(node, 0))


def _passed_on(node: int, before: Cone, after: Cone) -> int:
    """Up to when a change of the node has reached the value; what is no longer read has."""
    return after.passed_on.get(node, after.at if node in before.owner else -clock.OPEN)

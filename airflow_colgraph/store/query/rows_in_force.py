"""What a dataset's rows come from as of a time, and whether its jobs replace rows or add them.

The rule is that of edges (`model.intervals`): a run that adds rows, or that failed, leaves those
that were there. What a dataset had under a former name goes on under the new one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from sqlalchemy import bindparam, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import lifecycle, tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.db.symlinks import members_of
from airflow_colgraph.store.model.lifecycle import ENDS_DATASET
from airflow_colgraph.store.model.lineage_body import Field, unpack
from airflow_colgraph.store.model.runs import COMPLETE
from airflow_colgraph.store.query.body_contents import read_bodies
from airflow_colgraph.store.query.reported_bodies import job_outputs_of

ADDED, REPLACED = "adds rows", "replaces the rows"


class Write(NamedTuple):
    """A lineage body that a run reported of an output; `replaces`: no earlier row is left."""

    at: int
    job_output: int
    lineage_body: int
    run: bytes
    replaces: bool


_o = tables.occurrence.c
_WRITES = select(_o.at, _o.job_output, _o.lineage_body, _o.run, _o.replaces)
EARLIER = 8  # reports of each output that are looked at before a time
_EARLIER = (  # built once: it is asked for each output
    _WRITES.where(_o.job_output == bindparam("output"), _o.at <= bindparam("since"))
    .order_by(_o.at.desc())
    .limit(EARLIER)
)


def writes_of(connection: Connection, job_outputs: Iterable[int], until: int) -> list[Write]:
    """Everything that runs reported of the outputs up to a time, in the order of time."""
    rows = rows_in(connection, _WRITES.where(_o.at <= until), _o.job_output, job_outputs)
    return sorted(Write(*row) for row in rows)


def recent_writes(
    connection: Connection, job_outputs: Collection[int], since: int, until: int
) -> list[Write]:
    """What runs reported of the outputs in (since, until], and the last reports before."""
    within = _WRITES.where(_o.at > since, _o.at <= until)
    rows = list(rows_in(connection, within, _o.job_output, job_outputs))
    for output in job_outputs:
        rows += connection.execute(_EARLIER, {"output": output, "since": since}).all()
    return sorted(Write(*row) for row in rows)


def bodies_in_force(
    connection: Connection, dataset: Field, at: int, hidden: Collection[int | None] = ()
) -> list[dict[str, Any]]:
    """The lineage bodies of the dataset's rows at a time, the latest last; not of `hidden` jobs."""
    names = members_of(connection, {dataset.id})[dataset.id]
    writes = _not_retired(connection, names, at, hidden)
    since, former = _begin(connection, names, at)
    later = [write for write in writes if write.at > since]
    moved: list[dict[str, Any]] = []
    if former and not any(write.replaces for write in later):
        moved = bodies_in_force(connection, former, since - 1, hidden)
    kept = _kept(later if later or moved else writes)
    bodies = read_bodies(connection, kept)
    name = [dataset.namespace, dataset.name]
    return [{**body, "output": name} for body in (*moved, *(bodies[id] for id in kept))]


def _not_retired(
    connection: Connection, names: Collection[int], at: int, hidden: Collection[int | None]
) -> list[Write]:
    output = tables.job_output.c
    ids = job_outputs_of(connection, names)
    jobs = {
        row.id: row.job
        for row in rows_in(connection, select(output.id, output.job), output.id, ids)
    }
    retired = lifecycle.retired_at(connection)
    return [
        write
        for write in writes_of(connection, (id for id in ids if jobs[id] not in hidden), at)
        if not any(write.at < end <= at for end in retired.get(jobs[write.job_output] or 0, ()))
    ]


def _begin(connection: Connection, names: Collection[int], at: int) -> tuple[int, Field | None]:
    """When the dataset last began to be another one, and its name before, if it was renamed."""
    former = {
        renamed: field
        for renamed, _, field in lifecycle.former_names(connection, names)
        if renamed <= at
    }
    changes = lifecycle.changes_of(connection, names)
    ends = [end for end, change, _ in changes if change in ENDS_DATASET and end <= at]
    since = max((*former, *ends), default=-1)
    return since, former.get(since)


def _kept(writes: Iterable[Write]) -> list[int]:
    """The bodies of each output since rows were last replaced, by their last report."""
    last: dict[int, dict[int, int]] = {}
    begun: dict[int, int] = {}
    for write in writes:
        if write.replaces and begun.get(write.job_output) != write.at:
            last[write.job_output] = {}
            begun[write.job_output] = write.at
        last.setdefault(write.job_output, {})[write.lineage_body] = write.at
    times = [(at, body) for bodies in last.values() for body, at in bodies.items()]
    return list(dict.fromkeys(body for _, body in sorted(times)))


class Way(NamedTuple):
    """Whether a run that completed replaced the rows of an output or added some."""

    at: int
    how: str


def ways_of_writing(
    connection: Connection, names: Collection[int], writes: Iterable[Write]
) -> dict[int, list[Way]]:
    """How each output's runs wrote datasets of these names.

    A table that was only made may be one that rows are added to: then nothing is known.
    """
    overwritten = _overwritten(connection, names)
    run = tables.run.c
    query = select(run.id, run.state).where(run.state == COMPLETE)
    completed = {bytes(id) for id, _ in rows_in(connection, query, run.id, {w.run for w in writes})}
    ways: dict[int, list[Way]] = {}
    for write in writes:
        if write.run in completed and not write.replaces:
            ways.setdefault(write.job_output, []).append(Way(write.at, ADDED))
        elif write.replaces and any(first <= write.at <= last for first, last in overwritten):
            ways.setdefault(write.job_output, []).append(Way(write.at, REPLACED))
    return ways


def _overwritten(connection: Connection, names: Collection[int]) -> list[tuple[int, int]]:
    """Between which times events reported that the dataset was overwritten."""
    facets = tables.facets.c
    query = select(facets.first_at, facets.last_at, facets.body)
    return [
        (first, last)
        for first, last, body in rows_in(connection, query, facets.owner, names)
        if _state(unpack(body)["facets"]) == "OVERWRITE"
    ]


def _state(facets: Mapping[str, Any]) -> str:
    change = facets.get("lifecycleStateChange") or {}
    return str(change.get("lifecycleStateChange") or "").upper()


def other_ways(
    ways: Mapping[int, list[Way]], before: int, after: int
) -> Iterator[tuple[int, int, str, str]]:
    """The outputs that are written in another way after than before: since when, before, after."""
    for output, each in sorted(ways.items()):
        old = [way.how for way in each if way.at <= before]
        new = [way for way in each if before < way.at <= after]
        if old and new and old[-1] != new[-1].how:
            at = next(way.at for way in new if way.how != old[-1])
            yield output, at, old[-1], new[-1].how

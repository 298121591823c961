"""Reads from the store what tasks really ran, for the plan of a rerun."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sqlalchemy.engine import Connection

from airflow_colgraph.check.data_intervals import Interval, limited_plan, of_runs, parse_given
from airflow_colgraph.check.rerun import DagRun, Plan, Task, TaskWrite, plan
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.body_columns import unknown_inputs
from airflow_colgraph.store.model.lineage_body import Field, statements
from airflow_colgraph.store.model.runs import COMPLETE
from airflow_colgraph.store.query import event_archive
from airflow_colgraph.store.query.body_contents import read_bodies
from airflow_colgraph.store.query.lookup import dotted_field
from airflow_colgraph.store.query.task_runs import (
    Renaming,
    are_retired,
    attempts_of,
    ends_of_datasets,
    has_reported,
    outputs_reachable,
    renamings,
    reports_of,
    run_rows,
    runs_below,
)
from airflow_colgraph.store.query.unknown_columns import (
    Diagnosed,
    OnlyRead,
    all_names,
    canonical_datasets,
    diagnosed_reads,
    only_read_by,
)

NOTHING = Field("", "", "")  # the output of a run that only reads


class _Asked(NamedTuple):
    """The datasets that a change may reach, by their ids, and since when runs count."""

    datasets: Mapping[int, Field]
    names: Mapping[int, Field]  # of datasets that are stored under another name
    since: int | None

    @property
    def members(self) -> Collection[int] | None:
        """The datasets under all their names."""
        return all_names(self.datasets, {alias: named.id for alias, named in self.names.items()})

    def stored(self, id: int) -> int:
        """The id that a dataset's edges have."""
        return self.names[id].id if id in self.names else id


def plan_of(
    connection: Connection,
    changed: Iterable[str],
    namespace: str,
    since: str | None,
    interval: str | None,
) -> Plan:
    """Return the plan for columns (`DATASET.FIELD`) and times as users write them.

    Raises:
        UnknownNode: A column is not in the store.
        QuestionError: A time cannot be read, or runs since then were pruned.
    """
    of_data = parse_given(interval)
    fields = [dotted_field(connection, column, namespace) for column in changed]
    return rerun_plan(connection, fields, clock.parse_given(since), of_data)


def rerun_plan(
    connection: Connection,
    changed: Collection[Field],
    since: int | None,
    interval: Interval | None = None,
) -> Plan:
    """Return the plan of what has to run again because columns have changed.

    Args:
        connection: A connection to the store, as `Store.connection` gives.
        changed: The columns, under the names that their edges are stored under.
        since: Milliseconds since 1970: every run from then on that used the changed values. None:
            the latest DAG run of each task.
        interval: Only DAG runs whose data interval overlaps this one, and those without one. It
            also is the earliest time of `since`: a DAG run starts after its interval has begun.

    Raises:
        QuestionError: Runs since that time were pruned.
    """
    if interval:
        since = max(since or 0, interval.start)
    outputs = outputs_reachable(connection, {field.dataset.id for field in changed})
    reports = reports_of(connection, outputs, since)
    runs = run_rows(connection, {row.run for row in reports})
    names = canonical_datasets(connection)
    bodies = read_bodies(connection, {row.lineage_body for row in reports})
    writes = [
        _write(bodies[row.lineage_body], runs.get(bytes(row.run)), row, gone, names)
        for row, gone in zip(reports, are_retired(connection, reports), strict=True)
    ]
    renamings = _renamings(connection, reports, writes, since or 0)
    datasets = {field.dataset for field in changed}
    datasets |= {write.output for write in (*writes, *renamings)}
    asked = _Asked({dataset.id: dataset for dataset in datasets}, names, since)
    unresolved = _unresolved(connection, reports, runs, asked)
    writes = [
        replace(write, unknown=write.unknown | more)
        for write, more in zip(writes, unresolved, strict=True)
    ]
    writes = [*_ends(connection, since or 0), *writes, *renamings]
    reads = list(only_read_by(connection, since, asked.members))
    runs |= run_rows(connection, {each.run for each in reads})
    writes += _readers(reads, runs, are_retired(connection, reads), asked)
    parents = {bytes(run.parent) for run in runs.values() if run.parent is not None}
    dag_runs = _dag_runs(connection, parents)
    if interval is None:
        return plan(changed, writes, dag_runs, in_time=since is not None)
    intervals = {
        task[:2]: other
        for id, other in of_runs(connection, runs).items()
        if (task := _task(runs[id], "")).dag_id
    }
    return limited_plan(changed, writes, dag_runs, intervals, interval)


def _task(run: Any, job: str, is_retired: bool = False) -> Task:
    if is_retired:
        return Task("", "", f"{job} (retired)")
    if run is None or not (run.dag_id and run.task_id and run.name):
        return Task("", "", job)
    return Task(run.dag_id, run.name, run.task_id)


def _write(
    body: Mapping[str, Any], run: Any, row: Any, is_retired: bool, names: Mapping[int, Field]
) -> TaskWrite:
    """What a lineage body states, under the names that datasets are stored under."""

    def as_stored(field: Field) -> Field:
        return names.get(field.dataset.id, field)._replace(field=field.field)

    fields: dict[str, set[Field]] = {name: set() for name, _ in body["fields"] or ()}
    rows: set[Field] = set()
    copies: set[tuple[str, Field]] = set()
    for statement in statements(body):
        if statement.transformation.type == "DATASET":
            continue
        name, source = statement.output.field, as_stored(statement.input)
        (fields[name] if name else rows).add(source)
        if statement.transformation.is_copy:
            copies.add((name, source))
    unknown = {as_stored(Field(space, name, "")) for space, name in unknown_inputs(body)}
    return TaskWrite(
        _task(run, row.job, is_retired),
        row.at,
        as_stored(Field(body["output"][0], body["output"][1], "")),
        {name: frozenset(inputs) for name, inputs in fields.items()},
        frozenset(rows),
        frozenset(unknown),
        frozenset(copies),
        bool(row.replaces),
        run=bytes(row.run),
        started=run.started_at if run else None,
    )


def _unresolved(
    connection: Connection, reports: Sequence[Any], runs: Mapping[bytes, Any], asked: _Asked
) -> list[frozenset[Field]]:
    """For each report the datasets that its run read by columns that were not all resolved."""
    diagnosed: dict[int, list[Diagnosed]] = {}
    for each in diagnosed_reads(connection, asked.since, asked.members):
        diagnosed.setdefault(each.job_id, []).append(each)

    def of_report(row: Any) -> frozenset[Field]:
        run = runs.get(bytes(row.run))
        start, end = (row.at, row.at) if run is None else (run.started_at, run.ended_at or row.at)
        return frozenset(
            asked.datasets[asked.stored(read)]
            for each in diagnosed.get(row.job_id, ())
            if each.last_at >= start and each.first_at <= end
            if None in each.outputs or row.dataset in each.outputs
            for read in each.reads
            if asked.stored(read) in asked.datasets
        )

    return [of_report(row) for row in reports]


def _readers(
    reads: Sequence[OnlyRead], runs: Mapping[bytes, Any], are_retired: Sequence[bool], asked: _Asked
) -> list[TaskWrite]:
    """The runs that succeeded and only reported that they read some of the datasets."""
    return [
        TaskWrite(
            _task(run, run.job, gone),
            each.at,
            NOTHING,
            {},
            unknown=frozenset([dataset]),
            run=each.run,
            started=run.started_at,
        )
        for each, gone in zip(reads, are_retired, strict=True)
        if (dataset := asked.datasets.get(asked.stored(each.dataset)))
        if (run := runs.get(each.run)) and run.state == COMPLETE
    ]


def _renamings(
    connection: Connection, reports: Sequence[Any], writes: Sequence[TaskWrite], since: int
) -> list[TaskWrite]:
    """What the tasks that renamed datasets wrote, and renamings that no job has reported."""
    tasks = {
        (row.job_output, bytes(row.run)): write.task
        for row, write in zip(reports, writes, strict=True)
    }
    every = [
        (each, tasks.get((each.job_output, each.run)) if each.run else Task("", "", ""))
        for each in renamings(connection)
        if each.at >= since
    ]
    return [_renaming(each, task) for each, task in every if task is not None]


def _renaming(renaming: Renaming, task: Task) -> TaskWrite:
    """A write of the new name: a copy of the former one with all its fields."""
    return TaskWrite(
        task,
        renaming.at,
        renaming.after,
        {},
        copies=frozenset([("", renaming.before)]),
        replaces=True,
        run=renaming.run,
    )


def _ends(connection: Connection, since: int) -> list[TaskWrite]:
    """Where a dataset was dropped, emptied or replaced by another: nothing of it is left."""
    return [
        TaskWrite(Task("", "", ""), at, dataset, {}, replaces=True, replaces_all=True)
        for at, dataset in ends_of_datasets(connection, since)
    ]


def _dag_runs(connection: Connection, parents: set[bytes]) -> dict[tuple[str, str], DagRun]:
    """All tasks of DAG runs, and their order as far as whole events tell it."""
    tasks = runs_below(connection, attempts_of(connection, parents))
    ids = tasks | runs_below(connection, tasks)  # which the tasks submitted
    started: dict[tuple[str, str], dict[str, int]] = {}
    reported: dict[tuple[str, str], set[str]] = {}
    for row in run_rows(connection, ids).values():
        task = _task(row, row.job)
        if task.dag_id:
            times = started.setdefault(task[:2], {})
            times[task.task_id] = min(row.started_at, times.get(task.task_id, row.started_at))
            if has_reported(row):
                reported.setdefault(task[:2], set()).add(task.task_id)
    after: dict[tuple[str, str], dict[str, frozenset[str]]] = {}
    for event in event_archive.of_runs(connection, sorted(ids)) if ids else ():
        facet = ((event.get("run") or {}).get("facets") or {}).get("airflow") or {}
        task_info = facet.get("task") or {}
        key = (facet.get("dag") or {}).get("dag_id"), (facet.get("dagRun") or {}).get("run_id")
        behind = _names(task_info.get("downstream_task_ids"))
        if behind is not None and key in started:
            after.setdefault(key, {})[task_info["task_id"]] = behind
    return {
        key: DagRun(
            times,
            frozenset(reported.get(key, ())),
            after[key] if after.get(key, {}).keys() >= times.keys() else None,
        )
        for key, times in started.items()
    }


def _names(value: Any) -> frozenset[str] | None:
    """A list of names, which some versions of the provider write as text; None for none."""
    if isinstance(value, str):
        try:
            value = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            return None
    if not isinstance(value, list | tuple | set):
        return None
    return frozenset(name for name in value if isinstance(name, str))

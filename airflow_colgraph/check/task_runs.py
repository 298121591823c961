"""Reads from the store what tasks really ran, for the plan of a rerun."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.engine import Connection
from sqlalchemy.sql import Select

from airflow_colgraph.check.rerun import DagRun, Plan, Task, TaskWrite, plan
from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.model.body_columns import unknown_inputs
from airflow_colgraph.store.model.intervals import DATASET
from airflow_colgraph.store.model.lineage_body import Field, statements
from airflow_colgraph.store.model.runs import STATES
from airflow_colgraph.store.model.walk import walk
from airflow_colgraph.store.query import event_archive
from airflow_colgraph.store.query.body_contents import read_bodies
from airflow_colgraph.store.query.dag_runs import join_dag_run
from airflow_colgraph.store.query.unknown_columns import canonical_datasets

COMPLETE = STATES.index("COMPLETE")
_REPORTS = (
    select(
        tables.occurrence.c.at,
        tables.occurrence.c.run,
        tables.occurrence.c.lineage_body,
        tables.job.c.name.label("job"),
    )
    .join_from(
        tables.occurrence,
        tables.job_output,
        tables.job_output.c.id == tables.occurrence.c.job_output,
    )
    .join(tables.job, tables.job.c.id == tables.job_output.c.job)
)


def rerun_plan(connection: Connection, changed: Collection[Field], since: int | None) -> Plan:
    """Return the plan of what has to run again because columns have changed.

    Args:
        connection: A connection to the store, as `Store.connection` gives.
        changed: The columns, under the names that their edges are stored under.
        since: Milliseconds since 1970: every run from then on that used the changed values. None:
            the latest DAG run of each task.
    """
    outputs = _reachable(connection, {field.dataset.id for field in changed})
    reports = _reports(connection, outputs, since)
    runs = _runs(connection, {row.run for row in reports})
    names = canonical_datasets(connection)
    bodies = read_bodies(connection, {row.lineage_body for row in reports})
    writes = [
        _write(bodies[row.lineage_body], _task(runs.get(bytes(row.run)), row.job), row.at, names)
        for row in reports
    ]
    parents = {bytes(run.parent) for run in runs.values() if run.parent is not None}
    return plan(changed, writes, _dag_runs(connection, parents), in_time=since is not None)


def _reachable(connection: Connection, datasets: set[int]) -> set[int]:
    """The job outputs that were ever made of the datasets, over all hops."""
    edge = tables.edge.c
    query = select(edge.job_output, edge.output).distinct().where(edge.kind == DATASET)

    def edges_of(inputs: set[int]) -> list[Any]:
        return list(rows_in(connection, query, edge.input, inputs))

    every = walk(datasets, edges_of, lambda rows: {row.output for row in rows})
    return {row.job_output for _, rows in every for row in rows}


def _reports(connection: Connection, outputs: set[int], since: int | None) -> list[Any]:
    """The reports of runs since a time or, without one, of the DAG run that wrote last.

    Where that has not succeeded, those of the DAG run that last did, too: a task that failed
    reports less than it makes.
    """
    o, output, run = tables.occurrence.c, tables.job_output.c, tables.run
    if since is not None:
        return list(rows_in(connection, _REPORTS.where(o.at >= since), o.job_output, outputs))
    last = run.alias("last")
    query: Select[Any] = _REPORTS.join(run, run.c.id == o.run).join(
        last, last.c.id == output.last_run
    )
    query, dag_run = join_dag_run(query, run)
    query, last_dag_run = join_dag_run(query, last)
    same = (run.c.id == last.c.id) | (dag_run.id == last_dag_run.id)
    reports = list(rows_in(connection, query.where(same), o.job_output, outputs))
    unfinished = select(output.id).join(last, last.c.id == output.last_run)
    unfinished = unfinished.where(last.c.state != COMPLETE)
    for row in list(rows_in(connection, unfinished, output.id, outputs)):
        reports += _succeeded(connection, row.id)
    return reports


def _succeeded(connection: Connection, job_output: int) -> Sequence[Any]:
    """The reports of the DAG run in which the job last succeeded and wrote the dataset."""
    o, run = tables.occurrence.c, tables.run
    query = select(run.c.id, run.c.parent).join_from(run, tables.occurrence, run.c.id == o.run)
    query = query.where(o.job_output == job_output, run.c.state == COMPLETE)
    last = connection.execute(query.order_by(o.at.desc()).limit(1)).first()
    if last is None:
        return ()
    same = run.c.id == last.id
    if last.parent is not None:
        same |= run.c.parent == last.parent
    query = _REPORTS.join(run, run.c.id == o.run).where(o.job_output == job_output, same)
    return connection.execute(query).all()


def _runs(connection: Connection, ids: Iterable[bytes]) -> dict[bytes, Any]:
    """The rows of runs, with the task and the name of the DAG run."""
    run, job = tables.run, tables.job
    query = (
        select(run.c.id, run.c.started_at, run.c.report, job.c.name.label("job"))
        .add_columns(job.c.dag_id, job.c.task_id)
        .join_from(run, job, job.c.id == run.c.job)
    )
    query, dag_run = join_dag_run(query, run)
    query = query.add_columns(dag_run.id.label("parent"), dag_run.name.label("name"))
    rows = rows_in(connection, query, run.c.id, map(bytes, ids))
    return {bytes(row.id): row for row in rows}


def _task(run: Any, job: str) -> Task:
    if run is None or not (run.dag_id and run.task_id and run.name):
        return Task("", "", job)
    return Task(run.dag_id, run.name, run.task_id)


def _write(body: Mapping[str, Any], task: Task, at: int, names: Mapping[int, Field]) -> TaskWrite:
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
        task,
        at,
        as_stored(Field(body["output"][0], body["output"][1], "")),
        {name: frozenset(inputs) for name, inputs in fields.items()},
        frozenset(rows),
        frozenset(unknown),
        frozenset(copies),
    )


def _attempts(connection: Connection, parents: set[bytes]) -> set[bytes]:
    """All ids of DAG runs: to OpenLineage a DAG run is another run whenever tasks are cleared."""
    run, other = tables.run, tables.run.alias("other")
    same = (other.c.job == run.c.job) & (other.c.name == run.c.name)
    query = select(other.c.id).join_from(run, other, same)
    return parents | {bytes(row.id) for row in rows_in(connection, query, run.c.id, parents)}


def _dag_runs(connection: Connection, parents: set[bytes]) -> dict[tuple[str, str], DagRun]:
    """All tasks of DAG runs, and their order as far as whole events tell it."""
    tasks = _children(connection, _attempts(connection, parents))
    ids = tasks | _children(connection, tasks)  # which the tasks submitted
    started: dict[tuple[str, str], dict[str, int]] = {}
    reported: dict[tuple[str, str], set[str]] = {}
    for row in _runs(connection, ids).values():
        task = _task(row, row.job)
        if task.dag_id:
            times = started.setdefault(task[:2], {})
            times[task.task_id] = min(row.started_at, times.get(task.task_id, row.started_at))
            if row.report != tables.NOT_REPORTED:
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


def _children(connection: Connection, parents: Iterable[bytes]) -> set[bytes]:
    run = tables.run.c
    return {bytes(row.id) for row in rows_in(connection, select(run.id), run.parent, parents)}


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

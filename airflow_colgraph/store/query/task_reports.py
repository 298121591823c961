"""What Airflow tasks reported of their outputs: their latest runs, or those of one DAG run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import or_, select
from sqlalchemy.engine import Connection
from sqlalchemy.sql import Select

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.db.lifecycle import change_without_write
from airflow_colgraph.store.model.runs import COMPLETE, STATES
from airflow_colgraph.store.query.dag_runs import join_dag_run
from airflow_colgraph.store.query.job_runs import end_of, with_latest_run


class Task(NamedTuple):
    """Which tasks are meant, and which of their runs."""

    dag_id: str
    task_id: str
    run_id: str
    map_index: int


def reported_outputs(connection: Connection, task: Task) -> list[Any]:
    """The lineage bodies that the tasks' runs reported of their outputs, in the order of the tasks.

    Of several tries only the latest one that reported anything counts, and of a task and the job
    that it submitted the task.
    """
    o, output, job, dataset = tables.occurrence, tables.job_output, tables.job, tables.dataset
    run, last = tables.run, tables.run.alias("last")
    outputs = select(output.c.id).join(job, job.c.id == output.c.job)
    outputs = outputs.where(job.c.dag_id == task.dag_id)
    query = (
        select(o.c.job_output, o.c.lineage_body, o.c.at, o.c.run, run.c.map_index, run.c.parent)
        .add_columns(dataset.c.namespace, dataset.c.name, job.c.dag_id, job.c.task_id)
        .add_columns(job.c.namespace.label("job_namespace"), job.c.name.label("job"))
        .add_columns(change_without_write(dataset.c.id, o.c.at, o.c.run).label("change"))
        .join_from(o, output, output.c.id == o.c.job_output)
        .join(job, job.c.id == output.c.job)
        .join(dataset, dataset.c.id == output.c.dataset)
        .join(run, run.c.id == o.c.run)
        .where(o.c.job_output.in_(connection.execute(outputs).scalars().all()))
        .order_by(job.c.task_id, dataset.c.name, dataset.c.namespace, o.c.at, o.c.run)
    )
    query, dag_run = join_dag_run(query, run)
    if task.run_id:
        query = query.where(dag_run.name == task.run_id)
    else:  # the writer's latest run, and other mapped instances of the same DAG run
        query = query.join(last, last.c.id == output.c.last_run)
        query, last_dag_run = join_dag_run(query, last)
        query = query.where(or_(run.c.id == last.c.id, dag_run.id == last_dag_run.id))
    if task.task_id:
        query = query.where(job.c.task_id == task.task_id)
    if task.map_index >= 0:
        query = query.where(run.c.map_index == task.map_index)
    rows = connection.execute(query).all()
    latest = {(row.job_output, row.map_index): row.run for row in rows}
    rows = [row for row in rows if row.run == latest[row.job_output, row.map_index]]
    by_task = {(row.namespace, row.name, row.run) for row in rows}
    return [row for row in rows if (row.namespace, row.name, row.parent) not in by_task]


class TaskRun(NamedTuple):
    """A run of an Airflow task, or of a job that the task started."""

    dag_id: str
    task_id: str
    job: str
    id: bytes
    map_index: int | None
    parent: bytes | None
    state: int


def failed_tasks(connection: Connection, dag_ids: Iterable[str]) -> dict[str, list[str]]:
    """The tasks of each DAG whose latest run failed or was aborted."""
    failed = set(map(STATES.index, ("FAIL", "ABORT")))
    tasks: dict[str, set[str]] = {}
    for run in latest_of_tasks(connection, dag_ids):
        if run.state in failed:
            tasks.setdefault(run.dag_id, set()).add(run.task_id)
    return {dag_id: sorted(names) for dag_id, names in tasks.items()}


def latest_of_tasks(
    connection: Connection, dag_ids: Iterable[str], task_id: str = "", map_index: int = -1
) -> list[TaskRun]:
    """The first of `runs` of each task of the DAGs, or of one instance of a mapped task."""
    run, job = tables.run.c, tables.job.c
    query: Select[Any] = select(job.dag_id, job.task_id, job.name, run.id, run.map_index)
    query, state = with_latest_run(query, map_index)
    query = query.add_columns(run.parent, state).where(job.task_id.is_not(None))
    if task_id:
        query = query.where(job.task_id == task_id)
    return _of_tasks_themselves(rows_in(connection, query, job.dag_id, dag_ids))


def task_runs_of(connection: Connection, dag_id: str, dag_run_name: str) -> list[TaskRun]:
    """The latest try of each task instance of a DAG run."""
    run, job, parent = tables.run, tables.job, tables.run.alias()
    state, _ = end_of(parent)
    query: Select[Any] = select(job.c.dag_id, job.c.task_id, job.c.name, run.c.id, run.c.map_index)
    query = query.add_columns(run.c.parent, state).join_from(run, job, job.c.id == run.c.job)
    query = query.join(parent, parent.c.id == run.c.parent, isouter=True)
    query, dag_run = join_dag_run(query, run)
    query = query.where(job.c.dag_id == dag_id, job.c.task_id.is_not(None))
    rows = connection.execute(
        query.where(dag_run.name == dag_run_name).order_by(run.c.started_at, run.c.id)
    )
    return _of_tasks_themselves({(row.name, row.map_index): row for row in rows}.values())


def _of_tasks_themselves(rows: Iterable[Any]) -> list[TaskRun]:
    """Runs without those of jobs that a task started, if the task's own runs are among them."""
    runs = [
        TaskRun(dag_id, task_id, job, bytes(id), map_index, parent and bytes(parent), state)
        for dag_id, task_id, job, id, map_index, parent, state in rows
    ]
    own = {run[:2] for run in runs if run.job == f"{run.dag_id}.{run.task_id}"}
    return [run for run in runs if run.job == f"{run.dag_id}.{run.task_id}" or run[:2] not in own]


def other_runs(connection: Connection, task: Task, rows: Iterable[Any]) -> list[bytes]:
    """The latest runs of the tasks that did not succeed, or that reported none of the outputs.

    `rows` are those of `reported_outputs`. Tasks that have none there are left out if they
    succeeded: they write nothing.
    """
    if task.run_id:
        runs = task_runs_of(connection, task.dag_id, task.run_id)
        runs = [run for run in runs if task.task_id in ("", run.task_id)]
        runs = [run for run in runs if task.map_index in (-1, run.map_index)]
    else:
        runs = latest_of_tasks(connection, [task.dag_id], task.task_id, task.map_index)
    reported: dict[str, set[bytes]] = {}
    for row in rows:
        ids = reported.setdefault(row.task_id, set())
        ids.update(bytes(id) for id in (row.run, row.parent) if id is not None)
    return [
        run.id
        for run in sorted(runs, key=lambda run: (run.task_id, run.map_index or 0))
        if run.state != COMPLETE
        or (run.task_id in reported and reported[run.task_id].isdisjoint(_ids(run)))
    ]


def _ids(run: TaskRun) -> set[bytes]:
    """The run's id and, of an instance of a mapped task, that of its DAG run."""
    is_mapped = run.map_index is not None and run.map_index >= 0
    return {run.id, run.parent} if is_mapped and run.parent else {run.id}

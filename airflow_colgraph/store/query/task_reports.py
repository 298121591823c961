"""What Airflow tasks reported of their outputs: their latest runs, or those of one DAG run."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import or_, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.query.dag_runs import join_dag_run


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

"""Names of DAGs, tasks, runs and namespaces that the store has, or an error with similar ones."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.engine import Connection
from sqlalchemy.sql import Select

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.errors import UnknownNode
from airflow_colgraph.store.query.close_names import NAMES, close
from airflow_colgraph.store.query.dag_filter import Dags, of_dags
from airflow_colgraph.store.query.dag_runs import join_dag_run
from airflow_colgraph.store.query.listing import namespaces
from airflow_colgraph.store.query.lookup import some


def require_tasks(
    connection: Connection, dag_id: str, task_id: str = "", run_id: str = "", dags: Dags = None
) -> None:
    """Raise UnknownNode unless jobs of the DAG, its task and its run are among those of `dags`.

    Args:
        connection: A connection to the store.
        dag_id: The DAG.
        task_id: One of its tasks; empty: any.
        run_id: One DAG run, by Airflow's name; empty: any.
        dags: The DAGs that the caller may see; of others there is no name in the error.
    """
    job, run = tables.job.c, tables.run
    every = of_dags(select(job.dag_id).where(job.dag_id.is_not(None)), dags)
    _require(connection, every, job.dag_id, dag_id, f"DAG {dag_id!r}", "DAGs")
    tasks = select(job.task_id).where(job.dag_id == dag_id, job.task_id.is_not(None))
    if task_id:
        what = f"Task {task_id!r} of DAG {dag_id!r}"
        _require(connection, tasks, job.task_id, task_id, what, "Tasks")
    if run_id:
        runs = select(run.c.id).join(tables.job, job.id == run.c.job).where(job.dag_id == dag_id)
        runs, dag_run = join_dag_run(runs, run)
        names = runs.with_only_columns(dag_run.name).where(dag_run.name.is_not(None))
        _require(connection, names, dag_run.name, run_id, f"Run {run_id!r} of {dag_id!r}", "Runs")


def require_namespace(connection: Connection, namespace: str) -> None:
    """Raise UnknownNode unless a dataset or a job is in the namespace; the empty one is any."""
    for table in (tables.dataset, tables.job) if namespace else ():
        query = select(table.c.id).where(table.c.namespace == namespace)
        if connection.execute(query.limit(1)).first():
            return
    if namespace:
        names = namespaces(connection)
        raise _unknown(f"Namespace {namespace!r}", namespace, names, "Namespaces")


def _require(
    connection: Connection, query: Select[Any], column: Any, name: str, what: str, title: str
) -> None:
    if connection.execute(query.where(column == name).limit(1)).first() is None:
        names = connection.execute(query.distinct().order_by(column).limit(NAMES)).scalars().all()
        raise _unknown(what, name, list(names), title)


def _unknown(what: str, name: str, names: list[str], title: str) -> UnknownNode:
    similar = close(name, names, most=3)
    others = some("Similar names", similar) if similar else some(title, names)
    return UnknownNode(f"{what} is not in the store. {others}")

"""What a name means: a dataset, job, run or namespace of the store, to be forgotten."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.errors import QuestionError, UnknownNode
from airflow_colgraph.store.model.runs import Job
from airflow_colgraph.store.model.selection import Selection
from airflow_colgraph.store.query import job_runs
from airflow_colgraph.store.query.listing import members
from airflow_colgraph.store.query.lookup import find_dataset
from airflow_colgraph.store.query.required import require_namespace, require_tasks


def of_dataset(connection: Connection, namespace: str, name: str) -> Selection:
    """A dataset under all its names; UnknownNode if there is none."""
    dataset = find_dataset(connection, namespace, name)
    table = tables.dataset
    rows = rows_in(connection, select(table), table.c.id, members(connection, dataset))
    asked = f"dataset {dataset.namespace} {dataset.name}"
    return Selection(asked, {row.id: (row.namespace, row.name) for row in rows}, {})


def of_job(connection: Connection, namespace: str, name: str) -> Selection:
    """A job with all its runs; UnknownNode if there is none."""
    job = job_runs.job(connection, namespace, name)
    jobs = {Job(job.namespace, job.name).id: (job.namespace, job.name)}
    return Selection(f"job {namespace} {name}", {}, jobs)


def of_dag(connection: Connection, dag: str) -> Selection:
    """All jobs of a DAG; UnknownNode if there are none."""
    require_tasks(connection, dag)
    table = tables.job
    rows = connection.execute(select(table).where(table.c.dag_id == dag)).all()
    return Selection(f"DAG {dag}", {}, {row.id: (row.namespace, row.name) for row in rows})


def of_run(connection: Connection, run: str) -> Selection:
    """One run; UnknownNode if there is none, QuestionError if it is no run's id."""
    try:
        id = UUID(run).bytes
    except ValueError:
        raise QuestionError(f"{run!r} is no run's id. Expected a UUID.") from None
    if not connection.execute(select(tables.run.c.id).where(tables.run.c.id == id)).first():
        raise UnknownNode(f"There is no run {run}.")
    return Selection(f"run {run}", {}, {}, frozenset({id}))


def of_namespace(connection: Connection, namespace: str) -> Selection:
    """All datasets and jobs of a namespace; UnknownNode if there are none."""
    require_namespace(connection, namespace)
    datasets, jobs = (
        {
            row.id: (namespace, row.name)
            for row in connection.execute(select(table).where(table.c.namespace == namespace))
        }
        for table in (tables.dataset, tables.job)
    )
    return Selection(f"namespace {namespace}", datasets, jobs)


def of_text(connection: Connection, text: str) -> Selection:
    """A text in expressions, descriptions and facets; it is not named in the audit log."""
    if len(text) < 3:
        raise QuestionError("The text is too short: give at least 3 characters.")
    return Selection("text", {}, {}, text=text)

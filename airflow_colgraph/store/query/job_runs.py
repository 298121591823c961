"""Jobs and their runs."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import case, func, select, tuple_
from sqlalchemy.engine import Connection
from sqlalchemy.sql import Select

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.errors import UnknownNode
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.runs import STATES, Job, run_id, stored_run
from airflow_colgraph.store.query.close_names import NAMES, close
from airflow_colgraph.store.query.dag_filter import Dags, of_dags
from airflow_colgraph.store.query.dag_runs import join_dag_run
from airflow_colgraph.store.query.pagination import MOST, Key, named, page


class JobInfo(NamedTuple):
    """A job and its latest run's times."""

    namespace: str
    name: str
    dag_id: str | None
    task_id: str | None
    updated_at: str | None


class RunInfo(NamedTuple):
    """One attempt of a job, with the job."""

    id: str
    job_namespace: str
    job: str
    dag_id: str | None
    task_id: str | None
    state: str
    started_at: str
    ended_at: str | None
    attempt: int | None
    map_index: int | None
    parent: str | None
    name: str | None


def jobs_of(connection: Connection, run_ids: Iterable[str]) -> set[tuple[str, str]]:
    """The namespaces and names of the jobs whose runs these are; unknown runs have none."""
    job, run = tables.job, tables.run
    ids = {id for text in run_ids if (id := _id_or_none(text))}
    query = select(job.c.namespace, job.c.name).join(run, run.c.job == job.c.id).distinct()
    return set(map(tuple, rows_in(connection, query, run.c.id, ids)))


def parent_jobs(connection: Connection, runs: Iterable[str | None]) -> dict[str, tuple[str, str]]:
    """The namespace and name of the job of each run that is a parent, by the run's id."""
    job, run = tables.job, tables.run
    ids = {id for text in runs if text and (id := _id_or_none(text))}
    query = select(run.c.id, job.c.namespace, job.c.name).join(job, run.c.job == job.c.id)
    rows = rows_in(connection, query, run.c.id, ids)
    return {run_id(row.id): (row.namespace, row.name) for row in rows}


def job_names(connection: Connection, ids: Iterable[int | None]) -> dict[int | None, str]:
    """The names of jobs by their ids."""
    table = tables.job.c
    named = (id for id in ids if id is not None)
    return dict(map(tuple, rows_in(connection, select(table.id, table.name), table.id, named)))


def _id_or_none(text: str) -> bytes | None:
    try:
        return uuid.UUID(text).bytes
    except ValueError:
        return None


def job_key(row: JobInfo) -> Key:
    """The row's key in the order of `jobs`."""
    return row.name, row.namespace


def jobs(
    connection: Connection,
    text: str = "",
    namespace: str = "",
    limit: int = 50,
    offset: int = 0,
    after: Key | None = None,
    dags: Dags = None,
) -> list[JobInfo]:
    """Jobs of the DAGs whose name contains the text."""
    job = tables.job
    query = of_dags(named(_infos(), job, text, namespace), dags)
    order = (job.c.name, job.c.namespace)
    return [_info(row) for row in connection.execute(page(query, order, limit, offset, after))]


def job(connection: Connection, namespace: str, name: str, dags: Dags = None) -> JobInfo:
    """A job of the DAGs by its name; UnknownNode, with names like it, if there is none."""
    table = tables.job.c
    query = of_dags(_infos().where(table.id == Job(namespace, name).id), dags)
    row = connection.execute(query).first()
    if row is None:
        raise _unknown_job(connection, namespace, name, dags)
    return _info(row)


def _unknown_job(connection: Connection, namespace: str, name: str, dags: Dags) -> UnknownNode:
    """The error with the namespaces of jobs of this name, else with names like it."""
    table = tables.job.c
    same = of_dags(select(table.namespace).where(table.name == name), dags)
    elsewhere = connection.execute(same.order_by(table.namespace).limit(NAMES)).scalars().all()
    here = of_dags(select(table.name).where(table.namespace == namespace), dags)
    anywhere = of_dags(select(table.name).distinct(), dags)
    near: list[str] = []
    for query in (here, anywhere):
        near = near or close(name, connection.execute(query.limit(NAMES)).scalars(), most=3)
    what = f" It is in {', '.join(map(repr, elsewhere[:10]))}." if elsewhere else ""
    what = what or (f" Similar names: {', '.join(near)}." if near else "")
    return UnknownNode(f"Job {name!r} is not in namespace {namespace!r}.{what}")


def _infos() -> Select[Any]:
    """Rows for `_info`."""
    job, run = tables.job, tables.run
    last = (
        select(run.c.started_at)
        .where(run.c.job == job.c.id)
        .order_by(tables.stretch(run).desc(), run.c.started_at.desc())
        .limit(1)
        .scalar_subquery()
    )
    return select(job.c.namespace, job.c.name, job.c.dag_id, job.c.task_id, last.label("last_at"))


def _info(row: Any) -> JobInfo:
    last_at = clock.iso(row.last_at) if row.last_at else None
    return JobInfo(row.namespace, row.name, row.dag_id, row.task_id, last_at)


def count_jobs(connection: Connection, dags: Dags, text: str = "", namespace: str = "") -> int:
    """The number of jobs of the DAGs whose name contains the text."""
    query = named(select(func.count()).select_from(tables.job), tables.job, text, namespace)
    return connection.execute(of_dags(query, dags)).scalar() or 0


def dag_runs(connection: Connection, ids: Iterable[bytes]) -> dict[str, str | None]:
    """The names that Airflow gives the DAG runs of runs, by the runs' ids."""
    query, dag_run = join_dag_run(select(tables.run.c.id), tables.run)
    query = query.add_columns(dag_run.name.label("name")).where(tables.run.c.id.in_(set(ids)))
    return {run_id(row.id): row.name for row in connection.execute(query)}


def run_key(row: RunInfo) -> Key:
    """The row's key in the order of `runs`."""
    return clock.parse_iso(row.started_at), uuid.UUID(row.id).hex


def runs(
    connection: Connection,
    job_ids: Iterable[int] | None = None,
    ids: Iterable[bytes] | None = None,
    limit: int = 50,
    offset: int = 0,
    after: Key | None = None,
    dags: Dags = None,
) -> list[RunInfo]:
    """Runs of the jobs, or those with the ids, of the DAGs, the latest first.

    A task whose process was killed sends no more events: it is aborted once its DAG run has ended.
    """
    run, job, dag_run = tables.run, tables.job, tables.run.alias()
    state, ended_at = end_of(dag_run)
    query = (
        select(
            *(column for column in run.c if column not in (run.c.state, run.c.ended_at)),
            state.label("state"),
            ended_at.label("ended_at"),
            job.c.namespace,
            job.c.name.label("job_name"),
            job.c.dag_id,
            job.c.task_id,
        )
        .join_from(run, job, job.c.id == run.c.job)
        .join(dag_run, dag_run.c.id == run.c.parent, isouter=True)
    )
    if job_ids is not None:
        query = query.where(run.c.job.in_(set(job_ids)))
    if ids is not None:
        query = query.where(run.c.id.in_(set(ids)))
    if after is not None:
        at, id = after
        query = query.where(tuple_(run.c.started_at, run.c.id) < tuple_(at, bytes.fromhex(id)))
        query = query.where(tables.stretch(run) <= at >> tables.STRETCH)
    query = of_dags(query, dags).order_by(*_latest_first(run))
    rows = connection.execute(query.limit(min(limit, MOST)).offset(offset))
    return [_run_info(row) for row in rows]


def latest_states(connection: Connection, jobs: Iterable[int]) -> dict[int, str]:
    """The state of the first of `runs` of each job that has any."""
    job = tables.job
    query, state = with_latest_run(select(job.c.id))
    rows = rows_in(connection, query.add_columns(state.label("state")), job.c.id, jobs)
    return {row.id: STATES[row.state] for row in rows}


def with_latest_run(query: Select[Any], map_index: int = -1) -> tuple[Select[Any], Any]:
    """The query over jobs joined with the first of `runs` of each, and the state of that."""
    run, job, dag_run, every = tables.run, tables.job, tables.run.alias(), tables.run.alias()
    latest = select(every.c.id).where(every.c.job == job.c.id).order_by(*_latest_first(every))
    if map_index >= 0:
        latest = latest.where(every.c.map_index == map_index)
    joined = query.join_from(job, run, run.c.id == latest.limit(1).scalar_subquery())
    return joined.join(dag_run, dag_run.c.id == run.c.parent, isouter=True), end_of(dag_run)[0]


def _latest_first(run: Any) -> tuple[Any, ...]:
    """The order of a job's runs, by the index."""
    return tables.stretch(run).desc(), run.c.started_at.desc(), run.c.id.desc()


def end_of(dag_run: Any) -> tuple[Any, Any]:
    """A run's state and end: a task's that is silent is aborted when its DAG run has ended."""
    run = tables.run.c
    ended = dag_run.c.ended_at
    silent = run.ended_at.is_(None) & tables.job.c.task_id.is_not(None) & ended.is_not(None)
    state = case((silent, STATES.index("ABORT")), else_=run.state)
    return state, case((silent, ended), else_=run.ended_at)


def _run_info(row: Any) -> RunInfo:
    run = stored_run(
        bytes(row.id),
        row.started_at,
        row.ended_at,
        row.state,
        row.attempt,
        row.map_index,
        None if row.parent is None else bytes(row.parent),
    )
    return RunInfo(
        id=run.id,
        job_namespace=row.namespace,
        job=row.job_name,
        dag_id=row.dag_id,
        task_id=row.task_id,
        state=run.state,
        started_at=run.started_at,
        ended_at=run.ended_at,
        attempt=run.attempt,
        map_index=run.map_index,
        parent=run.parent,
        name=row.name,
    )

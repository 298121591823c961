"""The runs whose gaps are shown: a job's latest that reported, and all others of its DAG run.

A run that has only begun, or failed without a report, does not end what the run before it lacks:
the lineage of that one is shown.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, exists, func, or_, select, union_all

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.runs import COMPLETE

SKEW = 86_400_000  # milliseconds by which a worker's clock may be behind that of the scheduler


def last_told(job: Any, at: int = clock.OPEN) -> Select[Any]:
    """The id, parent and start of a job's latest run, by a time, that completed or reported.

    Of a job without such a run: its latest. Each is searched for in the order of the index.
    """
    run = tables.run.alias("told")
    is_told = or_(run.c.state == COMPLETE, run.c.report != tables.NOT_REPORTED)
    which = run.c.job == job, tables.stretch(run) <= at >> tables.STRETCH, run.c.started_at <= at
    order = tables.stretch(run).desc(), run.c.started_at.desc(), run.c.id
    runs = select(run.c.id, run.c.parent, run.c.started_at).where(*which).order_by(*order)
    runs = runs.limit(1).correlate(tables.gap)
    any_told = exists().where(*which, is_told).correlate(tables.gap)
    told, latest = runs.where(is_told).subquery("last_told"), runs.where(~any_told).subquery()
    return select(union_all(select(told), select(latest)).subquery())


def is_shown() -> Any:
    """Whether a row of `tables.gap` is shown; null for a job without runs.

    It is if it was reported since the first of the shown runs began. Other runs of the latest
    run's DAG run are only looked for if that one began later, and from when the DAG run began.
    """
    gap, run, dag_run = tables.gap.c, tables.run.alias("shown"), tables.run.alias("dag_run")
    last = last_told(gap.job).correlate(tables.gap).subquery("last")
    began = select(dag_run.c.started_at - SKEW).where(dag_run.c.id == last.c.parent)
    since = func.coalesce(began.correlate(last).scalar_subquery(), 0)
    of_dag_run = (
        exists()
        .where(run.c.job == gap.job, tables.stretch(run) >= tables.stretch_of(since))
        .where(tables.stretch(run) <= tables.stretch_of(gap.last_at))
        .where(last.c.parent.is_not(None))
        .where(run.c.parent == last.c.parent, run.c.started_at <= gap.last_at)
        .correlate(tables.gap, last)
    )
    return (
        select(or_(gap.last_at >= last.c.started_at, of_dag_run))
        .select_from(last)
        .correlate(tables.gap)
        .scalar_subquery()
    )

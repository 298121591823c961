"""The runs whose gaps are shown: a job's latest that reported, and all others of its DAG run.

A run that has only begun, or failed without a report, does not end what the run before it lacks:
the lineage of that one is shown.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, and_, func, or_, select

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.runs import COMPLETE


def last_told(job: Any, at: int = clock.OPEN) -> Select[Any]:
    """The id and parent of a job's latest run, by a time, that completed or reported an output.

    Of a job without such a run: its latest.
    """
    run = tables.run.alias("told")
    is_told = or_(run.c.state == COMPLETE, run.c.report != tables.NOT_REPORTED)
    return (
        select(run.c.id, run.c.parent)
        .where(run.c.job == job, run.c.started_at <= at)
        .order_by(is_told.desc(), run.c.started_at.desc(), run.c.id)
        .limit(1)
    )


def shown_since() -> Any:
    """From when on gaps are shown, for the job of each row of `tables.gap`."""
    job, run = tables.gap.c.job, tables.run.alias("shown")
    last = last_told(job).correlate(tables.gap).subquery("last")
    same = or_(run.c.id == last.c.id, run.c.parent == last.c.parent)
    return (
        select(func.min(run.c.started_at))
        .select_from(last.join(run, and_(run.c.job == job, same)))
        .correlate(tables.gap)
        .scalar_subquery()
    )

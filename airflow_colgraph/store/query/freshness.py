"""How old the newest lineage is, and of how many jobs it is complete."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.query.gaps import lacking_jobs


def newest(connection: Connection) -> dict[str, int]:
    """The time of the newest lineage by the namespace of the jobs, in milliseconds since 1970."""
    job, output = tables.job.c, tables.job_output.c
    query = (
        select(job.namespace, func.max(output.last_at).label("at"))
        .join_from(tables.job, tables.job_output, output.job == job.id)
        .group_by(job.namespace)
    )
    return {row.namespace: row.at for row in connection.execute(query)}


def jobs_by_completeness(connection: Connection) -> dict[str, int]:
    """How many jobs with outputs have `complete` and `incomplete` lineage in their latest run."""
    jobs = set(connection.execute(select(tables.job_output.c.job).distinct()).scalars())
    incomplete = lacking_jobs(connection).keys()
    return {"complete": len(jobs - incomplete), "incomplete": len(incomplete)}

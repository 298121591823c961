"""Keep a query to the jobs of the DAGs that a reader may see.

In the query, and not in its answer: the pages and totals of an answer would tell of the others.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy.sql import Select

from airflow_colgraph.store.db import tables

Dags = Collection[str | None] | None  # None: all; a None among them: jobs without a DAG


def of_dags(query: Select[Any], dags: Dags) -> Select[Any]:
    """The query, which has the table of jobs in it, for jobs of these DAGs only."""
    if dags is None:
        return query
    dag = tables.job.c.dag_id
    named = dag.in_({dag_id for dag_id in dags if dag_id is not None})
    return query.where(named | dag.is_(None) if None in dags else named)

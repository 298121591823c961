"""The DAG run that a run belongs to: its parent, or the parent of that one.

Above a task's run is its DAG run; above the run of a job that a task submitted is the task's.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import case, func
from sqlalchemy.sql import ColumnElement, FromClause, Select

from airflow_colgraph.store.db import tables


class DagRun(NamedTuple):
    """Columns of the DAG run: its id, and the name that Airflow gives it."""

    id: ColumnElement[bytes]
    name: ColumnElement[str]


def join_dag_run(query: Select[Any], run: FromClause) -> tuple[Select[Any], DagRun]:
    """The query with the DAG run of each `run`, which is already in it; null where it has none."""
    parent, above = tables.run.alias(), tables.run.alias()
    query = query.join(parent, parent.c.id == run.c.parent, isouter=True)
    query = query.join(above, above.c.id == parent.c.parent, isouter=True)
    of_task = parent.c.name.is_(None) & above.c.name.is_not(None)
    id = case((of_task, above.c.id), else_=run.c.parent)
    return query, DagRun(id, func.coalesce(parent.c.name, above.c.name))

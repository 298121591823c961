"""Retire jobs: end the lineage of jobs that will not run again, and keep its history.

Their tables may still be there, so the store cannot tell by itself that a DAG was deleted.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.admin import audit
from airflow_colgraph.store.db import engine, state, tables
from airflow_colgraph.store.db.engine import Database
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.db.lifecycle import outputs_of_jobs
from airflow_colgraph.store.db.upsert import upsert
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.ingest.rebuild_edges import rebuild_all
from airflow_colgraph.store.model.clock import OPEN, iso
from airflow_colgraph.store.model.lifecycle import RETIRED
from airflow_colgraph.store.model.selection import Selection


def retire(store: Database, what: Selection, at: int, by: str) -> int:
    """End the lineage that the jobs reported before a time, until they report it again.

    Args:
        store: The store.
        what: The jobs.
        at: The time from which their lineage holds no longer, in milliseconds since 1970.
        by: Who asks for it, for the audit log.

    Raises:
        QuestionError: One of the jobs reported lineage at or after the time.

    Returns:
        The number of edges that held and hold no longer.
    """
    with engine.writing(store.engine) as connection:
        last, job = _last_report(connection, what.jobs)
        if last >= at:
            namespace, name = what.jobs[job]
            raise QuestionError(
                f"Job {name!r} in namespace {namespace!r} reported lineage at {iso(last)}. "
                "Expected a later time."
            )
        rows = ({"subject": id, "at": at, "change": RETIRED, **_OF_NO_RUN} for id in what.jobs)
        upsert(connection, tables.lifecycle, rows)
        ended = -_rebuilt(connection, what.jobs)
        audit.write(connection, "retire", what.asked, by, f"{ended} edges ended")
    return ended


def reinstate(store: Database, what: Selection, by: str) -> int:
    """Let the lineage of retired jobs hold on, as if they had not been retired.

    Returns:
        The number of edges that hold again.
    """
    change = tables.lifecycle.c
    which = delete(tables.lifecycle).where(change.subject.in_(sorted(what.jobs)))
    with engine.writing(store.engine) as connection:
        if not connection.execute(which.where(change.change == RETIRED)).rowcount:
            raise QuestionError(f"{what.asked}: nothing was retired.")
        resumed = _rebuilt(connection, what.jobs)
        audit.write(connection, "reinstate", what.asked, by, f"{resumed} edges hold again")
    return resumed


_OF_NO_RUN: dict[str, Any] = {"run": b"", "previous": 0, "job_output": None}


def _last_report(connection: Connection, jobs: Collection[int]) -> tuple[int, int]:
    """When the jobs last reported lineage, and which of them did."""
    output = tables.job_output.c
    last = rows_in(connection, select(output.last_at, output.job), output.job, jobs)
    return max(map(tuple, last), default=(-OPEN, 0))


def _rebuilt(connection: Connection, jobs: Collection[int]) -> int:
    """Derive the jobs' edges again; how many more hold than before."""
    outputs = outputs_of_jobs(connection, jobs)
    before = _open_edges(connection, outputs)
    rebuild_all(connection, outputs)
    state.mark(connection)
    return _open_edges(connection, outputs) - before


def _open_edges(connection: Connection, outputs: Collection[int]) -> int:
    edge = tables.edge.c
    query = select(func.count()).where(edge.closed_at == OPEN)
    return sum(count for (count,) in rows_in(connection, query, edge.job_output, outputs))

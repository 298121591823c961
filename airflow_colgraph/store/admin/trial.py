"""An event that is written and read in a transaction that is rolled back."""

from __future__ import annotations

from time import time
from typing import Any

from sqlalchemy import func, select, text
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import engine, tables
from airflow_colgraph.store.db.engine import Database
from airflow_colgraph.store.ingest.openlineage import facts
from airflow_colgraph.store.ingest.persist import write
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.runs import Job

NAME = "colgraph.doctor"
_NOW = text("SELECT CAST(extract(epoch FROM clock_timestamp()) AS double precision)")


def try_event(store: Database) -> bool:
    """Whether the edges of an event can be read after it was written; nothing of it stays.

    Raises:
        StoreError: The database failed.
    """
    with engine.writing(store.engine) as connection:
        attempt = connection.begin_nested()
        try:
            write(connection, [facts(_event())], set())
            return _edges(connection) > 0
        finally:
            attempt.rollback()


def clock_difference(store: Database) -> float:
    """How many seconds the database's clock is ahead of this machine's; 0 for a SQLite file."""
    if store.engine.dialect.name != "postgresql":
        return 0.0
    with engine.reading(store.engine) as connection:
        before = time()
        there = float(connection.execute(_NOW).scalar_one())
        return there - (before + time()) / 2


def _event() -> dict[str, Any]:
    dataset = {"namespace": NAME, "name": "out"}
    inputs = [{"namespace": NAME, "name": "in", "field": "x", "transformations": []}]
    lineage = {"columnLineage": {"fields": {"x": {"inputFields": inputs}}}}
    return {
        "eventType": "COMPLETE",
        "eventTime": clock.iso(int(time() * 1000)),
        "run": {"runId": "0199aaaa-0000-7000-8000-000000000000"},
        "job": {"namespace": NAME, "name": NAME},
        "outputs": [{**dataset, "facets": lineage}],
    }


def _edges(connection: Connection) -> int:
    output, edge = tables.job_output, tables.edge
    query = select(func.count()).select_from(edge).join(output, output.c.id == edge.c.job_output)
    job = Job(NAME, NAME).id
    return int(connection.execute(query.where(output.c.job == job)).scalar_one())

"""The whole events that the store kept, as they were received."""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Iterator
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.engine import Connection
from sqlalchemy.sql import Select

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.event_template import join, unpack


def read(
    connection: Connection,
    start: int = -clock.OPEN,
    end: int = clock.OPEN,
    *,
    limit: int | None = None,
) -> Iterator[Any]:
    """The events with times in [start, end), in order of time."""
    event, template = tables.event, tables.template
    query = (
        select(event.c.at, event.c.run, event.c.own, template.c.id, template.c.body)
        .join_from(event, template, template.c.id == event.c.template)
        .where(event.c.at >= start, event.c.at < end)
        .order_by(event.c.at, event.c.id)
    )
    yield from _whole(connection, query if limit is None else query.limit(limit))


def of_runs(connection: Connection, runs: Collection[bytes]) -> Iterator[Any]:
    """The events of runs, in order of time."""
    event, template = tables.event, tables.template
    run = tables.run.c
    ends = select(func.min(run.started_at), func.max(func.coalesce(run.ended_at, clock.OPEN)))
    start, end = connection.execute(ends.where(run.id.in_(runs))).one()
    if start is None:
        return
    query = (  # the times are the beginning of the table's key
        select(event.c.at, event.c.run, event.c.own, template.c.id, template.c.body)
        .join_from(event, template, template.c.id == event.c.template)
        .where(event.c.at >= start, event.c.at <= end, event.c.run.in_(runs))
        .order_by(event.c.at, event.c.id)
    )
    yield from _whole(connection, query)


def _whole(connection: Connection, query: Select[Any]) -> Iterator[Any]:
    shared: dict[int, Any] = {}
    for row in connection.execute(query):
        if row.id not in shared:
            shared[row.id] = json.loads(zlib.decompress(row.body))
        own = json.loads(unpack(bytes(row.own)) or b"[]")
        yield join(shared[row.id], own, row.at, bytes(row.run))

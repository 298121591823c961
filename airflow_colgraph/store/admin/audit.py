"""The log of what was done to the store on purpose: rows are only ever added."""

from __future__ import annotations

import logging
from time import time
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.upsert import upsert
from airflow_colgraph.store.model import clock

log = logging.getLogger(__name__)


class Action(NamedTuple):
    """One row of the log."""

    at: str
    action: str
    subject: str
    by: str
    result: str


def write(connection: Connection, action: str, subject: str, by: str, result: str) -> None:
    """Add a row, and a line of the process' log."""
    row: dict[str, Any] = {
        "at": int(time() * 1000),
        "action": action,
        "subject": subject,
        "by": by,
        "result": result,
    }
    upsert(connection, tables.audit, [row])
    log.warning("%s %s by %s: %s", action, subject, by or "an unknown caller", result)


def read(connection: Connection, start: int = -clock.OPEN) -> list[Action]:
    """The rows from a time on, in its order."""
    table = tables.audit
    query = select(table).where(table.c.at >= start).order_by(table.c.at, table.c.subject)
    return [
        Action(clock.iso(row.at), row.action, row.subject, row.by, row.result)
        for row in connection.execute(query)
    ]

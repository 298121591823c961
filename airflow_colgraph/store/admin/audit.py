"""The log of what was done to the store on purpose, and who read tagged columns.

Rows are only ever added; `retention.prune_reads` deletes old reads.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from time import time
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.upsert import upsert
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field

log = logging.getLogger(__name__)


class Action(NamedTuple):
    """One row of the log."""

    at: str
    action: str
    subject: str
    by: str
    result: str


def write(
    connection: Connection,
    action: str,
    subject: str,
    by: str,
    result: str,
    at: int | None = None,
) -> None:
    """Add a row, and a line of the process' log; a row of the same millisecond is kept as well."""
    row: dict[str, Any] = {
        "at": int(time() * 1000) if at is None else at,
        "action": action,
        "subject": subject,
        "by": by,
        "result": result,
    }
    while not upsert(connection, tables.audit, [row]):
        row["at"] += 1
    log.warning("%s %s by %s: %s", action, subject, by or "an unknown caller", result)


def dataset_subject(dataset: Field) -> str:
    """The subject of a row about a dataset."""
    return f"dataset {dataset.namespace} {dataset.name}"


def tagged_columns(columns: Mapping[str, Collection[str]]) -> str:
    """Columns of a dataset with their tags, in the result of a row.

    >>> tagged_columns({"email": ["pii"], "phone": ["pii"], "": ["gdpr"]})
    'the dataset (gdpr); email, phone (pii)'
    """
    by_tags: dict[str, list[str]] = {}
    for column, tags in sorted(columns.items()):
        by_tags.setdefault(", ".join(sorted(tags)), []).append(column or "the dataset")
    return "; ".join(f"{', '.join(names)} ({tags})" for tags, names in by_tags.items())


def read(
    connection: Connection, start: int = -clock.OPEN, actions: Collection[str] = ()
) -> list[Action]:
    """The rows from a time on, in its order; only those of some actions, if any are named."""
    table = tables.audit
    query = select(table).where(table.c.at >= start).order_by(table.c.at, table.c.subject)
    if actions:
        query = query.where(table.c.action.in_(actions))
    return [
        Action(clock.iso(row.at), row.action, row.subject, row.by, row.result)
        for row in connection.execute(query)
    ]

"""Tags that people set and remove: facts that are only ever added."""

from __future__ import annotations

from collections.abc import Iterable

from airflow_colgraph.store.db import engine, tables
from airflow_colgraph.store.db.engine import Database
from airflow_colgraph.store.db.upsert import upsert
from airflow_colgraph.store.model.tags import TagChange


def write(store: Database, changes: Iterable[TagChange]) -> None:
    """Store the changes, all or none; `query.tags.changes` makes them of names."""
    rows = [
        {
            "id": change.id,
            "field": change.field.id,
            **change.tag._asdict(),
            "at": change.at,
            "is_set": change.is_set,
            "source": change.source,
            "by": change.by,
        }
        for change in changes
    ]
    with engine.writing(store.engine) as connection:
        upsert(connection, tables.tag_change, rows)

"""Tags that people set and remove: facts that are only ever added."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy.engine import Connection

from airflow_colgraph.store.admin import audit
from airflow_colgraph.store.db import engine, state, tables
from airflow_colgraph.store.db.engine import Database
from airflow_colgraph.store.db.upsert import upsert
from airflow_colgraph.store.ingest.persist import add_field_names
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.tags import TagChange

ADD, REMOVE = "tags-add", "tags-remove"  # in the audit log


def write(store: Database, changes: Iterable[TagChange]) -> None:
    """Store the changes, all or none, also in the audit log; see `query.tags.changes`."""
    changes = list(changes)
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
        _name_fields(connection, {change.field for change in changes if change.field.field})
        upsert(connection, tables.tag_change, rows)
        _audit(connection, changes)


def _audit(connection: Connection, changes: Iterable[TagChange]) -> None:
    """Write a row for each dataset whose tags somebody set or removed."""
    columns: dict[tuple[Field, bool, str], dict[str, list[str]]] = {}
    for change in changes:
        of_dataset = columns.setdefault((change.field.dataset, change.is_set, change.by), {})
        of_dataset.setdefault(change.field.field, []).append(change.tag.text)
    for (dataset, is_set, by), tagged in sorted(columns.items()):
        action = ADD if is_set else REMOVE
        subject = audit.dataset_subject(dataset)
        audit.write(connection, action, subject, by, audit.tagged_columns(tagged))


def _name_fields(connection: Connection, fields: Iterable[Field]) -> None:
    """Add the fields that no event has named: parts of structs."""
    fields = sorted(fields)
    rows = ({"id": field.id, "dataset": field.dataset.id, "name": field.field} for field in fields)
    if upsert(connection, tables.field, rows):
        add_field_names(connection, (field.field for field in fields))
        state.mark(connection)

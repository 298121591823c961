"""Write a task's event to the lineage store, when `[colgraph] store` is set."""

from __future__ import annotations

from functools import partial
from typing import Any

from sqlalchemy.engine import Connection

from airflow_colgraph.store.errors import UnknownNode
from airflow_colgraph.store.model.shown_url import shown_url
from airflow_colgraph.store.query.dataset_details import table_columns
from airflow_colgraph.store.query.lookup import find_dataset
from airflow_colgraph.store.store import Store


def known_fields(url: str, names: list[tuple[str, str]]) -> dict[tuple[str, str], dict[str, str]]:
    """The columns of tables in their order, with their types, where the store has a schema."""
    store = Store.open(url)
    try:
        return {name: found for name in names if (found := store.ask(partial(_fields, name)))}
    finally:
        store.close()


def _fields(name: tuple[str, str], connection: Connection) -> dict[str, str]:
    try:
        dataset = find_dataset(connection, *name)
    except UnknownNode:
        return {}
    return table_columns(connection, dataset)


def write_event(url: str, event: dict[str, Any]) -> str:
    """Write the event to the store at `url`, created if needed; returns the URL without secrets."""
    store = Store.open(url)
    try:
        store.add(event)
    finally:
        store.close()
    return shown_url(url)

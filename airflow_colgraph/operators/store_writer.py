"""Write a task's event to the lineage store, when `[colgraph] store` is set."""

from __future__ import annotations

from typing import Any

from sqlalchemy.engine import make_url

from airflow_colgraph.store.store import Store


def write_event(url: str, event: dict[str, Any]) -> str:
    """Write the event to the store at `url`, created if needed; returns the URL without secrets."""
    store = Store.open(url)
    try:
        store.add(event)
    finally:
        store.close()
    shown = make_url(url)
    shown = shown.difference_update_query(shown.query)
    return shown._replace(username=None, password=None).render_as_string()

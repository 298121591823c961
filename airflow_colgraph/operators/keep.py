"""The one place where an operator writes to the lineage store: when `[colgraph] store` is set."""

from __future__ import annotations

from typing import Any

from airflow_colgraph.store.store import Store


def keep(url: str, event: dict[str, Any]) -> None:
    """Write the event to the store at `url`, which is made if there is none."""
    store = Store.open(url)
    try:
        store.add(event)
    finally:
        store.close()

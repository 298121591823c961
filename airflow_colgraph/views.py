"""Where Airflow shows the page, and of which store."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

from airflow_colgraph import conf as options
from airflow_colgraph.version_compat import conf

PREFIX = "/colgraph"
TABS = {
    "nav": "",
    "dag": "?dag_id={DAG_ID}",
    "dag_run": "?dag_id={DAG_ID}",
    "task": "?dag_id={DAG_ID}&task_id={TASK_ID}",
    "task_instance": "?dag_id={DAG_ID}&task_id={TASK_ID}",
}


def views() -> list[dict[str, Any]]:
    """The entry in Airflow's navigation, and the tabs of DAGs, tasks and their runs."""
    base = urlsplit(conf.get("api", "base_url", fallback="") or "").path.rstrip("/")
    return [
        {
            "name": "Column lineage",
            "href": f"{base}{PREFIX}/{query}",
            "destination": destination,
            "url_route": f"colgraph-{destination.replace('_', '-')}" if query else "colgraph",
            **({} if query else {"category": "browse"}),
        }
        for destination, query in TABS.items()
    ]


def store_url() -> str | None:
    """The store that is configured for the page, or that Airflow's OpenLineage events go to."""
    told = options.store()
    if told:
        return told
    try:
        transport = json.loads(conf.get("openlineage", "transport", fallback="") or "{}")
    except ValueError:
        return None
    return transport_url(transport)


def transport_url(transport: Any) -> str | None:
    """The URL of the first StoreTransport in a transport's settings, a composite's too.

    >>> transport_url({"type": "composite", "transports": {"ours": {
    ...     "type": "airflow_colgraph.transport.StoreTransport", "url": "sqlite:///lineage.db"}}})
    'sqlite:///lineage.db'
    """
    if not isinstance(transport, dict):
        return None
    if transport.get("type") == "airflow_colgraph.transport.StoreTransport":
        return transport.get("url")
    inner = transport.get("transports")
    some = inner.values() if isinstance(inner, dict) else inner or ()
    return next(filter(None, map(transport_url, some)), None)

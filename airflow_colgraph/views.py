"""The page's places in Airflow's UI, and the store that it shows."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

from airflow_colgraph import conf as options
from airflow_colgraph.api.links import task_instance
from airflow_colgraph.version_compat import conf

PREFIX = "/colgraph"
TABS = {
    "nav": "",
    "dag": "?dag_id={DAG_ID}",
    "dag_run": "?dag_id={DAG_ID}&run_id={RUN_ID}",
    "task": "?dag_id={DAG_ID}&task_id={TASK_ID}",
    "task_instance": "?dag_id={DAG_ID}&task_id={TASK_ID}&run_id={RUN_ID}&map_index={MAP_INDEX}",
}


def views() -> list[dict[str, Any]]:
    """The entry in Airflow's navigation, and the tabs of DAGs, tasks and their runs."""
    base = base_path()
    return [
        {
            "name": "Column lineage",
            "href": f"{base}{PREFIX}/{query}",
            "destination": destination,
            "url_route": route(destination),
            **({} if query else {"category": "browse"}),
        }
        for destination, query in TABS.items()
    ]


def route(destination: str) -> str:
    """The last part of a tab's address in Airflow."""
    return "colgraph" if destination == "nav" else f"colgraph-{destination.replace('_', '-')}"


def base_path() -> str:
    """The path of Airflow's base URL; empty at the root of the host."""
    return urlsplit(_base_url()).path.rstrip("/")


def _base_url() -> str:
    return conf.get("api", "base_url", fallback="") or ""


def task_url(dag_id: str, run_id: str, task_id: str, map_index: int = -1) -> str:
    """The address of a task instance's lineage: its tab in Airflow, for an operator's link."""
    page = task_instance(_base_url(), dag_id, run_id, task_id, map_index)
    return f"{page}/plugin/{route('task_instance')}"


def store_url() -> str | None:
    """The store that is configured for the page, or that Airflow's OpenLineage events go to."""
    configured = options.store()
    if configured:
        return configured
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

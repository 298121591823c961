"""The Airflow plugin. Task runners import this module too, so it must stay this small."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from airflow.plugins_manager import AirflowPlugin


class ColgraphPlugin(AirflowPlugin):  # type: ignore[misc]
    """Column lineage inside Airflow: a listener, and from Airflow 3.1 on the page and its API."""

    name = "colgraph"

    @cached_property
    def listeners(self) -> list[Any]:
        """What Airflow calls when a task starts."""
        from airflow_colgraph.operators import hook_statements

        return [hook_statements]

    @cached_property
    def fastapi_apps(self) -> list[dict[str, Any]]:
        """The page and the REST API; only the API server asks for it."""
        from airflow_colgraph import views, web

        return [{"app": web.app(), "url_prefix": views.PREFIX, "name": "colgraph"}]

    @cached_property
    def external_views(self) -> list[dict[str, Any]]:
        """Where Airflow shows the page."""
        from airflow_colgraph.views import views

        return views()

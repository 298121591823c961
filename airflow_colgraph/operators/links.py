"""The extra link of a task instance to its column lineage."""

from __future__ import annotations

from typing import Any

from airflow_colgraph import views
from airflow_colgraph.version_compat import HAS_PAGE, BaseOperatorLink


class LineageLink(BaseOperatorLink):  # type: ignore[misc]
    """The lineage of one task instance, in Airflow's own tab for it."""

    name = "Column lineage"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        """The tab's address; the worker keeps it when the task has ended."""
        return views.task_url(ti_key.dag_id, ti_key.run_id, ti_key.task_id, ti_key.map_index)


def with_link(links: Any) -> Any:
    """An operator class's links and ours; an operator that computes its links keeps them."""
    if not HAS_PAGE or isinstance(links, property):
        return links
    return (*(link for link in links if not isinstance(link, LineageLink)), LineageLink())

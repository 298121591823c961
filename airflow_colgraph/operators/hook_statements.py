"""The SQL statements that hooks ran in this task, as Airflow's hook lineage collector has them.

This module is also a listener of Airflow's: see `ColgraphPlugin`.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

from airflow.listeners import hookimpl


class Statement(NamedTuple):
    """A statement that a hook ran."""

    hook: Any
    text: str


def _extras() -> list[Any]:
    try:
        from airflow.providers.common.compat.lineage.hook import get_hook_lineage_collector
    except ImportError:  # no Airflow that collects
        return []
    collector = get_hook_lineage_collector()
    return list(collector.collected_assets.extra) if hasattr(collector, "collected_assets") else []


def collected() -> list[Statement]:
    """The statements that hooks have run in this task, in the order of their first time."""
    return [
        Statement(extra.context, str(extra.value["sql"]))
        for extra in _extras()
        if extra.key == "sql_job" and extra.value.get("sql")
    ]


def is_full() -> bool:
    """Whether Airflow collects no further statements: `[lineage] max_extras_per_collector`."""
    try:
        from airflow.sdk.lineage import MAX_COLLECTED_EXTRA
    except ImportError:  # Airflow 2 collects none
        return False
    return len(_extras()) >= int(MAX_COLLECTED_EXTRA)


@hookimpl(tryfirst=True)  # type: ignore[untyped-decorator]
def on_task_instance_running() -> None:
    """Empty Airflow's collector: `airflow dags test` runs all tasks of a DAG in one process.

    Airflow's OpenLineage provider would report the statements of earlier tasks with this task's.
    """
    lineage, hook = map(sys.modules.get, ("airflow.sdk.lineage", "airflow.lineage.hook"))
    collector: Any = getattr(lineage, "get_hook_lineage_collector", None)
    if hasattr(collector, "cache_clear"):
        collector.cache_clear()
    elif hook is not None:  # before Airflow 3.2
        vars(hook)["_hook_lineage_collector"] = None

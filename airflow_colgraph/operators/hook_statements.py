"""The SQL statements that hooks ran in this task, as Airflow's hook lineage collector has them."""

from __future__ import annotations

from typing import Any


def collected() -> list[tuple[Any, str]]:
    """The hooks and the statements that they ran, in their order."""
    try:
        from airflow.providers.common.compat.lineage.hook import get_hook_lineage_collector
    except ImportError:  # no Airflow that collects
        return []
    collector = get_hook_lineage_collector()
    if not hasattr(collector, "collected_assets"):
        return []
    return [
        (extra.context, str(extra.value["sql"]))
        for extra in collector.collected_assets.extra
        if extra.key == "sql_job" and extra.value.get("sql")
    ]

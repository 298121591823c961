"""The SQL statements that hooks ran in this task, as Airflow's hook lineage collector has them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple


class Statement(NamedTuple):
    """A statement that a hook ran, and how often so far in this process."""

    hook: Any
    text: str
    times: int


def _extras() -> list[Any]:
    try:
        from airflow.providers.common.compat.lineage.hook import get_hook_lineage_collector
    except ImportError:  # no Airflow that collects
        return []
    collector = get_hook_lineage_collector()
    return list(collector.collected_assets.extra) if hasattr(collector, "collected_assets") else []


def collected() -> list[Statement]:
    """The statements that hooks have run in this process, in the order of their first time."""
    return [
        Statement(extra.context, str(extra.value["sql"]), extra.count)
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


def since(before: Iterable[Statement], now: Iterable[Statement]) -> list[Statement]:
    """What was run between two calls: `airflow dags test` runs all tasks in one process."""
    times = {(id(statement.hook), statement.text): statement.times for statement in before}
    return [
        statement
        for statement in now
        if statement.times > times.get((id(statement.hook), statement.text), 0)
    ]

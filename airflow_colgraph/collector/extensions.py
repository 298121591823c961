"""People's own rules: the modules that `spark.colgraph.extensions` names, loaded in the driver.

A module files its rules in the same tables as ours, at import. A rule that answers None leaves the
answer to the rule it came before; one that raises does too, is reported, and harms nothing.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Any

from airflow_colgraph.collector.lineage.resolution import Resolution
from airflow_colgraph.collector.lineage.rules.expressions import EXPRESSIONS, any_expression
from airflow_colgraph.collector.lineage.rules.relational import NODES, any_node
from airflow_colgraph.collector.spark.reads import READS, RELATIONS
from airflow_colgraph.collector.spark.writes import WRITES

Rule = Callable[..., Any]
Warn = Callable[[str], None]


def nothing(*arguments: Any) -> None:
    """No rule: the leaf or command is not known."""


TABLES: tuple[tuple[dict[str, Any], Rule], ...] = (
    (NODES, any_node),
    (EXPRESSIONS, any_expression),
    (READS, nothing),
    (RELATIONS, nothing),
    (WRITES, nothing),
)


def load(names: Iterable[str], warn: Warn) -> None:
    """Import the modules and make their rules safe; one that can not be imported is left out."""
    for name in names:
        before = [dict(table) for table, _ in TABLES]
        try:
            importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 - the user's code: it must not harm the job
            for (table, _), kept in zip(TABLES, before):
                table.clear()
                table.update(kept)
            warn(f"the extension {name} is left out: {type(error).__name__}: {error}")
            continue
        for (table, default), kept in zip(TABLES, before):
            for kind, rule in list(table.items()):
                if kept.get(kind) is not rule:
                    table[kind] = guarded(rule, kept.get(kind, default), f"{name}: {kind}", warn)


def guarded(rule: Rule, otherwise: Rule, name: str, warn: Warn) -> Rule:
    """`rule`, with `otherwise` where it answers None or raises."""

    def safe(*arguments: Any) -> Any:
        try:
            answer = rule(*arguments)
        except Exception as error:  # noqa: BLE001 - the user's code: it must not harm the lineage
            warn(f"an extension failed, {name}: {type(error).__name__}: {error}")
            for given in arguments:
                query = getattr(given, "query", given)
                if isinstance(query, Resolution):
                    query.unresolved[f"extension {name}"] += 1
            answer = None
        return otherwise(*arguments) if answer is None else answer

    return safe

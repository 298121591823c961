"""People's own rules: the modules that `spark.colgraph.extensions` names, loaded in the driver.

A module registers its rules in the same tables as ours, at import. A rule that answers None leaves
the answer to the rule that it replaced; one that raises does too, is reported, and harms nothing.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Any

from airflow_colgraph.collector.lineage.evaluation import EXPRESSIONS
from airflow_colgraph.collector.lineage.resolution import NODES, Resolution
from airflow_colgraph.collector.lineage.sql_text import TEXTS
from airflow_colgraph.collector.registry import ANY, Registry
from airflow_colgraph.collector.spark.catalog import CONNECTED
from airflow_colgraph.collector.spark.reads import READS, RELATIONS
from airflow_colgraph.collector.spark.writes import SINKS, WRITES

Rule = Callable[..., Any]
Warn = Callable[[str], None]

SOURCES: tuple[Registry[Any], ...] = (READS, RELATIONS, CONNECTED)
REGISTRIES: tuple[Registry[Any], ...] = (NODES, EXPRESSIONS, TEXTS, *SOURCES, WRITES, SINKS)


def unknown(*arguments: Any) -> None:
    """No rule: the leaf or command is not known."""


def load(names: Iterable[str], warn: Warn) -> None:
    """Import the modules and make their rules safe; one that can not be imported is left out."""
    for name in names:
        before = [dict(registry) for registry in REGISTRIES]
        try:
            importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 - the user's code: it must not harm the job
            for registry, kept in zip(REGISTRIES, before):
                registry.clear()
                registry.update(kept)
            warn(f"the extension {name} is left out: {type(error).__name__}: {error}")
            continue
        for registry, kept in zip(REGISTRIES, before):
            for kind, rule in list(registry.items()):
                if kept.get(kind) is not rule:
                    otherwise = kept.get(kind, kept.get(ANY, unknown))
                    registry[kind] = guarded(rule, otherwise, f"{name}: {kind}", warn)


def guarded(rule: Rule, otherwise: Rule, name: str, warn: Warn) -> Rule:
    """`rule`, with `otherwise` where it answers None or raises."""

    def safe(*arguments: Any) -> Any:
        try:
            answer = rule(*arguments)
        except Exception as error:  # noqa: BLE001 - the user's code: it must not harm the lineage
            warn(f"an extension failed, {name}: {type(error).__name__}: {error}")
            for argument in arguments:
                query = getattr(argument, "query", argument)
                if isinstance(query, Resolution):
                    query.unresolved[f"extension {name}"] += 1
            answer = None
        return otherwise(*arguments) if answer is None else answer

    return safe

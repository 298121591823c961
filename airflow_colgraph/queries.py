"""Resolve the SQL in events to tables and columns, where sqlglot is installed.

Two kinds of events have it: a job's, with an input that is a query that it sent to a database, and
those of Airflow's `emit_query_lineage`, which have a statement and no column lineage.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any

log = logging.getLogger(__name__)

Json = dict[str, Any]

PREFIX = "query:"  # the collector's name for a dataset that is a query
EMITTER = "providers-openlineage"  # in the producer of events of Airflow's OpenLineage provider


def has_query(event: Any) -> bool:
    """Whether one of the event's inputs is a query's text."""
    inputs = event.get("inputs") if isinstance(event, dict) else None
    return isinstance(inputs, list) and any(
        isinstance(dataset, dict) and str(dataset.get("name")).startswith(PREFIX)
        for dataset in inputs
    )


def has_statement(event: Any) -> bool:
    """Whether the event ends a statement that only reports tables."""
    if not isinstance(event, dict) or event.get("eventType") != "COMPLETE":
        return False
    outputs, facets = event.get("outputs"), _part(_part(event, "job"), "facets")
    return (
        isinstance(_part(facets, "sql").get("query"), str)
        and EMITTER in str(event.get("producer"))
        and isinstance(outputs, list)
        and bool(outputs)
        and not any("columnLineage" in _part(output, "facets") for output in outputs)
    )


def _part(parent: Any, name: str) -> Json:
    part = parent.get(name) if isinstance(parent, dict) else None
    return part if isinstance(part, dict) else {}


def with_tables(events: Iterable[Json]) -> list[Json]:
    """The events, their SQL resolved to the tables and columns that it reads and writes."""
    events = list(events)
    if not any(has_query(event) or has_statement(event) for event in events):
        return events
    try:
        from airflow_colgraph.sql.jdbc_queries import resolved as of_query
        from airflow_colgraph.sql.statement_events import resolved as of_statement
    except ImportError:
        log.warning(
            "The SQL that was sent to a database is not resolved to columns. To resolve it:"
            " pip install 'colgraph[sql]'"
        )
        return events
    for is_meant, resolved in ((has_query, of_query), (has_statement, of_statement)):
        events = [_safely(resolved, event) if is_meant(event) else event for event in events]
    return events


def _safely(resolved: Callable[[Json], Json], event: Json) -> Json:
    try:
        return resolved(event)
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        log.warning(
            "The SQL in an event is not resolved: a part of it is malformed (%s).",
            type(error).__name__,
        )
        return event

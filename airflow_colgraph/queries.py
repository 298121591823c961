"""Resolve SQL queries that a job sent to a database to their tables, where sqlglot is installed."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

log = logging.getLogger(__name__)

Json = dict[str, Any]

PREFIX = "query:"  # the collector's name for a dataset that is a query


def has_query(event: Any) -> bool:
    """Whether one of the event's inputs is a query's text."""
    inputs = event.get("inputs") if isinstance(event, dict) else None
    return isinstance(inputs, list) and any(
        isinstance(dataset, dict) and str(dataset.get("name")).startswith(PREFIX)
        for dataset in inputs
    )


def with_tables(events: Iterable[Json]) -> list[Json]:
    """The events, with each query replaced by the tables that it reads."""
    found = list(events)
    if not any(map(has_query, found)):
        return found
    try:
        from airflow_colgraph.sql.jdbc_queries import resolved
    except ImportError:
        log.warning(
            "The SQL that the job sent to a database is not resolved to columns. To resolve it:"
            " pip install 'colgraph[sql]'"
        )
        return found

    def with_query(event: Json) -> Json:
        try:
            return resolved(event)
        except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            log.warning(
                "The SQL in an event is not resolved: a part of it is malformed (%s).",
                type(error).__name__,
            )
            return event

    return [with_query(event) if has_query(event) else event for event in found]

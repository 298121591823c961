"""SQL text that a job had a database run: resolved to tables where sqlglot is installed."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

log = logging.getLogger(__name__)

Json = dict[str, Any]

PREFIX = "query:"  # the collector's name for a dataset that is a query


def has_query(event: Json) -> bool:
    """Whether one of the event's inputs is the text of a query."""
    inputs = event.get("inputs") or ()
    return any(str(dataset.get("name")).startswith(PREFIX) for dataset in inputs)


def with_tables(events: Iterable[Json]) -> list[Json]:
    """The events, with the tables that a database's query reads in the query's place."""
    found = list(events)
    if not any(map(has_query, found)):
        return found
    try:
        from airflow_colgraph.sql import resolved
    except ImportError:
        log.warning(
            "The SQL that the job had a database run is kept as it is. To see its columns:"
            " pip install 'colgraph[sql]'"
        )
        return found
    return [resolved(event) if has_query(event) else event for event in found]

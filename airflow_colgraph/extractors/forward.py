"""The Spark job's own events, sent on by the worker to where Airflow's events go."""

from __future__ import annotations

import logging
from time import monotonic
from typing import Any

from airflow_colgraph.queries import with_tables
from airflow_colgraph.version_compat import listener_adapter

log = logging.getLogger(__name__)

MOST_SECONDS = 30.0  # a transport that does not answer holds no task up for longer


def forward(events: list[dict[str, Any]]) -> None:
    """Send the events through Airflow's OpenLineage adapter, which redacts them as its own."""
    adapter = listener_adapter()
    if adapter is None:
        log.warning("colgraph: the job's events are not forwarded: OpenLineage has no transport")
        return
    from airflow_colgraph.extractors import facets

    deadline = monotonic() + MOST_SECONDS
    for number, event in enumerate(with_tables(events)):
        if monotonic() > deadline:
            late = len(events) - number
            log.warning("colgraph: %d of the job's events are not forwarded: too slow", late)
            return
        adapter.emit(facets.run_event(event))

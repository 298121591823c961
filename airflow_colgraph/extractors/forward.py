"""The Spark job's own events, sent on by the worker to where Airflow's events go."""

from __future__ import annotations

import logging
from time import monotonic
from typing import Any

from airflow_colgraph.queries import with_tables
from airflow_colgraph.version_compat import listener_adapter

log = logging.getLogger(__name__)


class NotForwarded(Exception):
    """Some of the events are not sent; the text says how many."""


def forward(events: list[dict[str, Any]], seconds: float) -> None:
    """Send the events through Airflow's OpenLineage adapter, which redacts them as its own.

    No event is begun after `seconds`; NotForwarded if some are left.
    """
    adapter = listener_adapter()
    if adapter is None:
        log.warning("colgraph: the job's events are not forwarded: OpenLineage has no transport")
        return
    from airflow_colgraph.extractors import facets

    deadline = monotonic() + seconds
    for number, event in enumerate(with_tables(events)):
        if monotonic() > deadline:
            raise NotForwarded(f"{len(events) - number} of them are left after {seconds:g} s")
        adapter.emit(facets.run_event(event))

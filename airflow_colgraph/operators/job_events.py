"""What a Spark job has written to its sink, read within a time limit."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from airflow_colgraph import conf
from airflow_colgraph.collector.sinks import sink as sinks
from airflow_colgraph.extractors.scratch import without_scratch
from airflow_colgraph.extractors.task_lineage import Lineage, merge, of_this_try, run_ids
from airflow_colgraph.operators.deadline import TooSlow, within
from airflow_colgraph.operators.inject import is_http

JVM_SECONDS = 30.0  # at least, where Hadoop's shell reads the sink: it takes seconds to start


class Reported(NamedTuple):
    """The lines of a sink that are no events, the events of this try, and their lineage."""

    bad: list[tuple[int, str]]
    events: list[dict[str, Any]]
    lineage: Lineage


def lineage_in(sink: str, *, seen: frozenset[str], parent: str | None, submitted: bool) -> Reported:
    """Read the lineage of this try of a task; the arguments are those of `of_this_try`."""
    reading = _read(sink)
    events = of_this_try(reading.events, seen=seen, parent=parent, submitted=submitted)
    lineage = merge(events)
    scratch = conf.scratch()
    return Reported(reading.bad, events, without_scratch(lineage, scratch) if scratch else lineage)


def runs_in(sink: str) -> frozenset[str]:
    """The runs that are in the sink already."""
    try:
        return frozenset(run_ids(within(seconds_of(sink), partial(_read, sink)).events))
    except (OSError, TooSlow):  # readable later, perhaps; the parent run distinguishes the tries
        return frozenset()


def seconds_of(sink: str) -> float:
    """The time for reading or removing a sink."""
    seconds = conf.deadline_seconds()
    return seconds if sinks.is_local(sink) else max(seconds, JVM_SECONDS)


def _read(sink: str) -> sinks.Reading:
    """What is in the sink by now: nothing if there is none, or if it only takes events."""
    if not sink or is_http(sink):
        return sinks.Reading([], [])
    try:
        reading = sinks.read(sink)
    except FileNotFoundError:
        return sinks.Reading([], [])
    return reading._replace(events=[event for event in reading.events if "run" in event])

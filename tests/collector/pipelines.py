"""Pipelines for tests: no thread, no queue, no JVM."""

from __future__ import annotations

from collections.abc import Iterable
from time import monotonic
from typing import Any

from airflow_colgraph.collector.events.facets import ApplicationRun
from airflow_colgraph.collector.events.write_buffer import RunningCommands
from airflow_colgraph.collector.model import Query
from airflow_colgraph.collector.pipeline import Pipeline
from airflow_colgraph.collector.settings import Settings, read

RUN = ApplicationRun("tests", "recorded", "run", {})


def pipeline_into(
    events: list[Any], settings: Settings | None = None, commands: RunningCommands | None = None
) -> Pipeline:
    """A pipeline that appends its events to a list."""
    return Pipeline(RUN, settings or read({}), events.append, commands)


def emitted_events(queries: Iterable[Query], settings: Settings | None = None) -> list[Any]:
    """The events of some queries of one application, in order."""
    events: list[Any] = []
    pipeline = pipeline_into(events, settings)
    for query in queries:
        pipeline.add(query, monotonic())
    pipeline.buffer.release()
    return events

"""The lineage of a DataFrame, and that of what a function does, in a Spark session of the test."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any, cast

from airflow_colgraph.collector.driver.application_run import run_of, settings_of
from airflow_colgraph.collector.driver.query_listener import QueryListener
from airflow_colgraph.collector.driver.worker import Worker
from airflow_colgraph.collector.events.write_buffer import RunningCommands
from airflow_colgraph.collector.model import Dataset, NamedDataset, Write
from airflow_colgraph.collector.openlineage import JobEvent, RunEvent
from airflow_colgraph.collector.pipeline import Pipeline
from airflow_colgraph.collector.spark.catalog import Catalog
from airflow_colgraph.collector.spark.running_commands import JvmCommands
from airflow_colgraph.collector.spark.schemas import schema_columns
from airflow_colgraph.collector.spark.translate import read

MOST_SECONDS = 60.0  # for the queries of one function to be resolved
FRAME = NamedDataset(Dataset("", ""))


class IncompleteError(Exception):
    """Some of the lineage is not known."""


def of_frame(frame: Any) -> list[RunEvent]:
    """The event that a write of a DataFrame would have, to a dataset without a name.

    The frame is analyzed, and not executed.
    """
    session = frame.sparkSession
    events, pipeline = recording(session)
    java = frame._jdf
    query = read("save", java.queryExecution().analyzed(), catalog_of(session))
    if query is not None and query.failure:
        raise IncompleteError(query.failure)
    columns = schema_columns(java.schema())
    if query is None:  # it reads no dataset
        from airflow_colgraph.collector.model import Query

        query = Query("save", "", constants(columns), {}, {})
    pipeline.add(query._replace(write=Write(FRAME, columns)), monotonic())
    pipeline.buffer.release()
    return events


def constants(columns: Any) -> list[dict[str, Any]]:
    """The plan of rows that come from nothing that was read."""
    attribute = {
        "class": "org.apache.spark.sql.catalyst.expressions.AttributeReference",
        "num-children": 0,
    }
    output = [
        [{**attribute, "name": name, "dataType": kind, "exprId": {"id": place}}]
        for place, (name, kind) in enumerate(columns)
    ]
    leaf = "org.apache.spark.sql.catalyst.plans.logical.LocalRelation"
    return [{"class": leaf, "num-children": 0, "output": output}]


def of_job(job: Callable[[], object]) -> list[RunEvent]:
    """The events of what a function does in the active Spark session."""
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is None:
        raise LookupError("no Spark session is active: make one before the job is called")
    from pyspark.java_gateway import ensure_callback_server_started

    java, context = session._jsparkSession, session.sparkContext._jsc.sc()
    events, pipeline = recording(session, JvmCommands(context))
    worker = Worker(pipeline)
    ensure_callback_server_started(session.sparkContext._gateway)
    catalog = Catalog(java, session.sparkContext._gateway.jvm)
    listener = QueryListener(worker, lambda: catalog)
    java.listenerManager().register(listener)
    try:
        job()
        context.listenerBus().waitUntilEmpty(int(MOST_SECONDS * 1000))
    finally:
        java.listenerManager().unregister(listener)
    if not worker.wait(MOST_SECONDS):
        raise TimeoutError("the queries of the job were not resolved in time")
    if worker.dropped:
        raise IncompleteError(f"{worker.dropped} queries were dropped: spark.colgraph.maxQueue")
    return events


def recording(
    session: Any, commands: RunningCommands | None = None
) -> tuple[list[RunEvent], Pipeline]:
    """A pipeline of the session's settings, and the list that its events go to."""
    context = session.sparkContext._jsc.sc()
    settings = settings_of(context)
    events: list[RunEvent] = []

    def emit(event: RunEvent | JobEvent) -> None:
        events.append(cast(RunEvent, event))  # JobEvents are of dry runs of pipelines

    return events, Pipeline(run_of(context, settings), settings, emit, commands)


def catalog_of(session: Any) -> Catalog:
    """What a session knows of its tables."""
    return Catalog(session._jsparkSession, session.sparkContext._gateway.jvm)

"""Streaming queries: what each of them writes is planned once, as a batch without rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import Any

from airflow_colgraph.collector.dry_run.notes import Notes
from airflow_colgraph.collector.dry_run.python_api import HAS_A_ROW, frame_class, replace
from airflow_colgraph.collector.dry_run.schemas import partitions_of, scala_options
from airflow_colgraph.collector.spark.jvm import private_of

Function = Callable[[Any, int], None]
FUNCTION = "_colgraph_function"  # of foreachBatch, on its writer
KEEPS_NOTHING = ("console", "noop")


class PlannedQuery:
    """A streaming query that was planned; it has ended, as its only batch would have."""

    id = runId = "00000000-0000-0000-0000-000000000000"
    name = lastProgress = None
    isActive = False
    recentProgress: tuple[Any, ...] = ()

    def __init__(self, error: Exception | None) -> None:
        """`error` is what its batch has raised."""
        self._error = error

    def awaitTermination(self, timeout: float | None = None) -> bool:
        """It has ended; what its batch has raised is raised, as Spark does it here."""
        if self._error is not None:
            raise self._error
        return True

    def processAllAvailable(self) -> None:
        """Do as if there were no more; raise what its batch has raised."""
        self.awaitTermination()

    def stop(self) -> None:
        """It has ended."""

    def exception(self) -> Exception | None:
        """What its batch has raised."""
        return self._error


def attach(notes: Notes) -> None:
    """Replace the methods for this process."""
    from pyspark.sql import streaming

    queries: list[PlannedQuery] = []
    writer = streaming.DataStreamWriter
    replace(writer, "foreachBatch", lambda original: remembered)
    for name in ("start", "toTable"):
        replace(writer, name, partial(planned, notes, queries, f"DataStreamWriter.{name}"))
    replace(streaming.StreamingQueryManager, "awaitAnyTermination", partial(ended, queries))


def remembered(writer: Any, function: Function) -> Any:
    """A writer with the function that it hands its batches to."""
    setattr(writer, FUNCTION, function)
    return writer


def ended(queries: list[PlannedQuery], original: Any) -> Any:
    """A method that waits for the queries, which have all ended."""

    def act(self: Any, timeout: float | None = None) -> bool:
        for query in queries:
            query.awaitTermination()
        return True

    return act


def planned(notes: Notes, queries: list[PlannedQuery], shown: str, original: Any) -> Any:
    """A method that plans a batch instead of starting a query."""

    def act(self: Any, *arguments: Any, **options: Any) -> PlannedQuery:
        bound = signature(original).bind(self, *arguments, **options).arguments
        error = None
        try:
            write_batch(with_settings(self, bound), bound, notes, shown)
        except Exception as raised:  # noqa: BLE001 - of the query, which raises it when it is asked
            error = raised
            notes.skip(f"{shown} ({type(raised).__name__}: {first_line(raised)})")
        queries.append(PlannedQuery(error))
        return queries[-1]

    return act


def first_line(error: Exception) -> str:
    """The first line of what an exception says."""
    return next(iter(str(error).splitlines()), "")


def with_settings(writer: Any, bound: dict[str, Any]) -> Any:
    """The writer with the settings that `start` or `toTable` were called with."""
    writer = writer.options(**bound.get("options", {}))
    for name in ("outputMode", "partitionBy", "format", "queryName"):
        if bound.get(name) is not None:
            writer = getattr(writer, name)(bound[name])
    return writer


def write_batch(writer: Any, bound: dict[str, Any], notes: Notes, shown: str) -> None:
    """Plan what a streaming query would do with each of its batches."""
    java = writer._jwrite
    settings = scala_options(private_of(java, "extraOptions"))
    source = str(private_of(java, "source")).lower()
    function: Function | None = getattr(writer, FUNCTION, None)
    if function is None and private_of(java, "foreachWriter") is not None:
        notes.skip(f"{shown} with foreach")
        return
    frame = batch_of(writer)
    if function is not None:
        function(with_a_row(frame), 0)
    elif source == "memory":
        frame.createOrReplaceTempView(settings.get("queryname", ""))
    elif source not in KEEPS_NOTHING:
        save(frame, java, source, settings, bound)


def save(
    frame: Any, java: Any, source: str, settings: dict[str, Any], bound: dict[str, Any]
) -> None:
    """Write a batch where the query would."""
    path = bound.get("path") or settings.get("path")
    is_complete = "complete" in str(private_of(java, "outputMode").toString()).lower()
    settings.pop("path", None)
    batch = frame.write.format(source).options(**settings)
    batch = batch.mode("overwrite" if is_complete else "append")
    columns = partitions_of(java)
    if columns:
        batch = batch.partitionBy(*columns)
    if "tableName" in bound:
        batch.saveAsTable(bound["tableName"])
    else:
        batch.save(path)


def batch_of(writer: Any) -> Any:
    """The frame of a streaming query as one that is not streaming, and has no rows."""
    session = writer._spark
    streamed = getattr(writer, "_df", None)
    dataset = streamed._jdf if streamed is not None else private_of(writer._jwrite, "ds")
    return frame_class()(session._jvm.colgraph.StreamedBatch.of(dataset), session)


def with_a_row(frame: Any) -> Any:
    """A batch that says it has a row: functions return at once where it has none."""
    setattr(frame, HAS_A_ROW, True)
    return frame

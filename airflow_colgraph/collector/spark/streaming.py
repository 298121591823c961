"""Streaming queries: reported once, when they start, against the sources that they read for good.

A micro-batch's own plan reads this batch's files; the plan that the user wrote is known from the
start and has the same attributes. What `foreachBatch` writes starts from those attributes, so it is
reported with the stream's sources as its inputs, once for as long as it stays the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from airflow_colgraph.collector.model import (
    FOREACH_BATCH,
    MEMORY,
    Columns,
    NamedDataset,
    Rdd,
    Read,
    Write,
)
from airflow_colgraph.collector.naming.options import lowered
from airflow_colgraph.collector.plan import Row
from airflow_colgraph.collector.registry import register
from airflow_colgraph.collector.spark.catalog import Catalog
from airflow_colgraph.collector.spark.connectors import kinesis_stream, topics_of
from airflow_colgraph.collector.spark.jvm import (
    Java,
    option,
    private,
    private_of,
    scala_map,
    seq,
    short_class_name,
    weak,
)
from airflow_colgraph.collector.spark.reads import READS, attributes_of
from airflow_colgraph.collector.spark.writes import SINKS, WRITES, Target, lines_of, nameless

WRAPPER = "org.apache.spark.sql.streaming.PythonStreamingQueryListenerWrapper"  # from Spark 3.4 on
ABOVE_RDDS = 1 << 32  # their numbers are 32 bits long, as are Java's hash codes
OF_THE_DRIVER = {"ForeachBatchSink", "MemorySink"}  # what a function writes is reported by itself


class Stream:
    """A streaming query that has started."""

    def __init__(self, query: Java) -> None:
        """For a JVM StreamExecution."""
        self._query = query
        self._sink = query.sink()

    @property
    def function(self) -> str:
        """What a query of this kind is called, as Spark's listener calls others."""
        is_batches = short_class_name(self._sink) == "ForeachBatchSink"
        return FOREACH_BATCH if is_batches else "stream"

    @property
    def memory(self) -> int | None:
        """The number by which later queries start from what it keeps in memory, if it does."""
        return number_of(self._sink) if short_class_name(self._sink) == "MemorySink" else None

    @property
    def run_id(self) -> str:
        """What the descriptions of its batches name it by."""
        return str(self._query.runId())

    def session(self) -> str:
        """The session that its batches have, of its own."""
        return str(private_of(self._query, "sparkSessionForStream").sessionUUID())

    def analyzed(self) -> Java:
        """The plan that the user wrote."""
        return self._query.analyzedPlan()

    def target(self, catalog: Catalog) -> Target:
        """What the stream writes; nothing is kept by a console, by memory, by foreachBatch."""
        table = table_of(self._query)
        if table is not None and option(table.storage().locationUri()) is not None:
            return Target(Write(catalog.table(table), None), self.analyzed())
        sink = sink_of(self._sink, catalog) or topic_of(self._query, self._sink)
        if sink is not None:
            columns = self._lines() if is_of_text(self._sink) else None
            return Target(Write(sink[0], columns, "", sink[1]), self.analyzed())
        if short_class_name(self._sink) in OF_THE_DRIVER:
            return Target(None, self.analyzed())
        return nameless(self._sink, self.analyzed())

    def _lines(self) -> Columns:
        names = seq(private(self._sink, "partitionColumnNames"))
        return lines_of(self.analyzed(), {str(name) for name in names})

    def _detach(self) -> None:
        """A stream lives longer than its telling: there is nothing to give back."""


def is_of_text(sink: Java) -> bool:
    """Whether a stream's sink writes text files."""
    is_of_files = short_class_name(sink) == "FileStreamSink"
    return is_of_files and short_class_name(private(sink, "fileFormat")) == "TextFileFormat"


def table_of(query: Java) -> Java | None:
    """The table of the session's catalog that a stream writes to by `toTable`, if any."""
    plan = private_of(query, "plan")
    is_known = plan is not None and short_class_name(plan) == "WriteToStream"
    return option(plan.catalogTable()) if is_known else None


def sink_of(sink: Java, catalog: Catalog) -> tuple[NamedDataset, str] | None:
    """The dataset behind a stream's sink, and its format."""
    kind = short_class_name(sink)
    located = re.fullmatch(r"(File|Delta)Sink\[(.*)\]", str(sink.toString()))
    if located:
        form = "delta" if located[1] == "Delta" else ""
        return catalog.places([located[2]])[0], form
    if kind == "SparkTable":  # Iceberg's
        location = sink.properties().get("location")
        return (catalog.places([str(location)])[0], "iceberg") if location is not None else None
    return None


def topic_of(query: Java, sink: Java) -> tuple[NamedDataset, str] | None:
    """The Kafka topic that a stream's options name; one in each row has no name of its own."""
    if short_class_name(sink) != "KafkaTable":
        return None
    named = SINKS["KafkaSourceProvider"](scala_map(private(query, "extraOptions")))
    return (named, "kafka") if named is not None else None


class StreamListener:
    """What the JVM calls when a streaming query of one session starts."""

    def __init__(
        self,
        session: Java,
        on_stream: Callable[[Stream], None],
        on_end: Callable[[str], None],
        warn: Callable[[BaseException], None],
    ) -> None:
        """`on_stream` is called with each query, `on_end` with the UUID of the session that it had.

        Both return at once; `warn` is called with failures.
        """
        self._session = weak(session)  # which holds this
        self._on_stream = on_stream
        self._on_end = on_end
        self._warn = warn
        self._running: dict[str, str] = {}

    def onQueryStarted(self, event: Java) -> None:
        """Spark's callback: the query is there, its first batch has not begun."""
        try:
            query = self._session.get().streams().get(event.id())
            if query is not None:
                stream = Stream(query.streamingQuery())
                self._on_stream(stream)
                self._running[str(event.runId())] = stream.session()
        except Exception as error:  # noqa: BLE001 - the one edge: lineage never harms the job
            self._warn(error)

    def onQueryProgress(self, event: Java) -> None:
        """Spark's callback for each batch."""

    def onQueryIdle(self, event: Java) -> None:
        """Spark's callback when there is nothing new."""

    def onQueryTerminated(self, event: Java) -> None:
        """Spark's callback at the end."""
        try:
            session = self._running.pop(str(event.runId()), None)
            if session is not None:
                self._on_end(session)
        except Exception as error:  # noqa: BLE001 - the one edge: lineage never harms the job
            self._warn(error)

    class Java:
        """py4j's way to say which Java interface this is."""

        implements = ("org.apache.spark.sql.streaming.PythonStreamingQueryListener",)


def follow(
    session: Java,
    gateway: Any,
    on_stream: Callable[[Stream], None],
    on_end: Callable[[str], None],
    warn: Callable[[BaseException], None],
) -> None:
    """Tell of each streaming query that a session starts from now on, and of its end."""
    wrapper = getattr(gateway.jvm, WRAPPER)
    if isinstance(wrapper, type(gateway.jvm.org)):  # a package: this Spark has no such class
        return
    session.streams().addListener(wrapper(StreamListener(session, on_stream, on_end, warn)))


@register(READS, "StreamingRelation")
def _streamed_files(leaf: Java, row: Row, catalog: Catalog) -> Read | None:
    source = leaf.dataSource()
    options = lowered(scala_map(source.options()))
    stream = kinesis_stream(options) if "kinesis" in str(source.className()).lower() else None
    if stream is not None:
        return Read((stream,), attributes_of(row), {}, "kinesis")
    paths = [str(path) for path in seq(source.paths())] or [options.get("path", "")]
    if not any(paths):
        return None
    named = option(source.catalogTable())
    datasets = (catalog.table(named),) if named is not None else catalog.places(paths)
    return Read(datasets, attributes_of(row), {}, str(source.className()).lower())


KAFKA = ("kafka.bootstrap.servers", "subscribe", "assign")
GENERATED = ("RateStreamTable", "RatePerMicroBatchTable")  # Spark makes their rows itself
KINESIS = ("kinesis.streamname", "kinesis.endpointurl", "kinesis.region")


@register(READS, "StreamingRelationV2")
def _streamed_table(leaf: Java, row: Row, catalog: Catalog) -> Read | None:
    options = leaf.extraOptions()
    named_options = {name: str(options.get(name)) for name in KAFKA + KINESIS if options.get(name)}
    named = topics_of(named_options)
    if named:
        return Read(named, attributes_of(row), {}, "kafka")
    source = kinesis_stream(named_options) or catalog.connected(leaf.table(), options, "read")
    if source is not None:
        return Read((source,), attributes_of(row), {}, "kinesis" if named_options else "")
    table = short_class_name(leaf.table())
    if table in GENERATED:
        return Read((), attributes_of(row), {})
    if table == "SparkTable":
        location = leaf.table().properties().get("location")
        return Read(catalog.places([str(location)]), attributes_of(row), {}, "iceberg")
    return None


@register(READS, "MemoryPlan")
def _streamed_memory(leaf: Java, row: Row, catalog: Catalog) -> Read | None:
    """The table of a memory sink: what its stream has written."""
    return Read((), (), {}, "memory", rdd=Rdd(number_of(leaf.sink()), MEMORY))


def number_of(sink: Java) -> int:
    """A number that no other sink and no RDD has, for as long as a memory sink is there."""
    return ABOVE_RDDS + int(sink.hashCode())


@register(WRITES, "WriteToMicroBatchDataSource", "WriteToMicroBatchDataSourceV1")
def _micro_batch(command: Java, kind: str, catalog: Catalog) -> Target:
    """One batch of a stream that was reported when it started."""
    return Target(None)

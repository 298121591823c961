"""Kafka topics of events: which offsets are new, and their messages as lines.

The offsets up to which a version has read are in its commit, so they change with its tables.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from airflow_colgraph.warehouse.errors import WarehouseError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

URL = re.compile(r"kafka://(?P<servers>[^/\s]+)/(?P<name>[\w.-]+)")
SOURCE = "org.apache.spark.sql.kafka010.KafkaSourceProvider"
PROPERTIES = "spark.colgraph.kafka."  # Spark properties that begin so are the consumers'
CONSUMER = {
    "isolation.level": "read_committed",  # what a transaction wrote that was aborted is not read
    "allow.auto.create.topics": "false",
}
BYTES = "org.apache.kafka.common.serialization.ByteArrayDeserializer"
DELETED = "Offsets {} to {} were deleted from the topic before they were read."
Offsets = Mapping[str, Mapping[str, int]]  # by topic and partition the next offset to be read


class Topic(NamedTuple):
    """A topic, and the brokers that know it: host:port, separated by commas."""

    servers: str
    name: str

    @property
    def url(self) -> str:
        """The topic as it is named in commits and tables."""
        return f"kafka://{self.servers}/{self.name}"


class Range(NamedTuple):
    """Offsets of a partition: from `start` to before `end` are read, `deleted` ones are gone."""

    topic: Topic
    partition: int
    start: int
    end: int
    deleted: int


def parsed(url: str) -> Topic:
    """The topic that a URL names.

    >>> parsed("kafka://one:9092,two:9092/lineage")
    Topic(servers='one:9092,two:9092', name='lineage')
    """
    match = URL.fullmatch(url)
    if not match:
        raise WarehouseError(f"{url!r} is no topic. Expected kafka://HOST:PORT/TOPIC.")
    return Topic(**match.groupdict())


def unread(spark: SparkSession, topics: Sequence[Topic], read: Offsets) -> list[Range]:
    """What each partition has that was not read; WarehouseError if there is no such topic."""
    ranges = []
    for topic in dict.fromkeys(topics):
        offsets = read.get(topic.url, {})
        for partition, (first, last) in sorted(_bounds(spark, topic).items()):
            ranges.append(_range(topic, partition, first, last, offsets.get(str(partition))))
    return ranges


def _range(topic: Topic, partition: int, first: int, last: int, next_offset: int | None) -> Range:
    if next_offset is None or next_offset > last:  # never read, or a new topic of the same name
        return Range(topic, partition, first, last, 0)
    return Range(topic, partition, max(next_offset, first), last, max(first - next_offset, 0))


def ends(ranges: Iterable[Range]) -> dict[str, dict[str, int]]:
    """The offsets after those that are read."""
    offsets: dict[str, dict[str, int]] = {}
    for span in ranges:
        offsets.setdefault(span.topic.url, {})[str(span.partition)] = span.end
    return offsets


def deleted(ranges: Iterable[Range]) -> list[tuple[str, str, int]]:
    """Each partition whose offsets are gone: its name, the reason, how many."""
    return [
        (
            f"{span.topic.url}/{span.partition}",
            DELETED.format(span.start - span.deleted, span.start - 1),
            span.deleted,
        )
        for span in ranges
        if span.deleted
    ]


def lines(spark: SparkSession, ranges: Iterable[Range]) -> list[DataFrame]:
    """The messages of each topic, with the columns `file` (topic and partition) and `line`."""
    by_topic: dict[Topic, list[Range]] = {}
    for span in ranges:
        if span.start < span.end:
            by_topic.setdefault(span.topic, []).append(span)
    return [_messages(spark, topic, some) for topic, some in by_topic.items()]


def _messages(spark: SparkSession, topic: Topic, ranges: list[Range]) -> DataFrame:
    from pyspark.sql import functions as F

    def by_partition(offsets: dict[str, int]) -> str:
        return json.dumps({topic.name: offsets})

    options = {f"kafka.{name}": value for name, value in _settings(spark, topic).items()}
    options |= {
        "assign": json.dumps({topic.name: [span.partition for span in ranges]}),
        "startingOffsets": by_partition({str(span.partition): span.start for span in ranges}),
        "endingOffsets": by_partition({str(span.partition): span.end for span in ranges}),
        "minPartitions": str(spark.sparkContext.defaultParallelism),
    }
    messages = spark.read.format("kafka").options(**options).load()
    name = F.concat(F.lit(f"{topic.url}/"), F.col("partition").cast("string"))
    return messages.select(name.alias("file"), F.col("value").alias("line"))


def _settings(spark: SparkSession, topic: Topic) -> dict[str, str]:
    own = {
        name.removeprefix(PROPERTIES): value
        for name, value in spark.sparkContext.getConf().getAll()
        if name.startswith(PROPERTIES)
    }
    return {**CONSUMER, **own, "bootstrap.servers": topic.servers}


def _bounds(spark: SparkSession, topic: Topic) -> dict[int, tuple[int, int]]:
    """Of each partition the first offset that is there, and the one after the last."""
    jvm: Any = spark._jvm
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    if not loader.getResource(f"{SOURCE.replace('.', '/')}.class"):
        raise WarehouseError(
            "Spark has no jar for Kafka. Name it: "
            "--conf spark.jars.packages=org.apache.spark:spark-sql-kafka-0-10_SCALA:SPARK"
        )
    properties = jvm.java.util.HashMap()
    for name, value in _settings(spark, topic).items():
        properties.put(name, value)
    for name in ("key.deserializer", "value.deserializer"):
        properties.put(name, BYTES)
    consumer = jvm.org.apache.kafka.clients.consumer.KafkaConsumer(properties)
    try:
        partitions = jvm.java.util.ArrayList()
        for info in consumer.partitionsFor(topic.name) or ():
            partitions.add(jvm.org.apache.kafka.common.TopicPartition(topic.name, info.partition()))
        if partitions.isEmpty():
            raise WarehouseError(f"There is no topic {topic.name} at {topic.servers}.")
        first, last = consumer.beginningOffsets(partitions), consumer.endOffsets(partitions)
        return {
            partition.partition(): (first[partition], last[partition]) for partition in partitions
        }
    finally:
        consumer.close()

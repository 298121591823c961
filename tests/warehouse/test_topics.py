"""Events of a Kafka topic: only new offsets are read, and the tables are those of the store."""

import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner
from pyspark.sql import SparkSession

from airflow_colgraph.cli import main
from airflow_colgraph.warehouse.build import TABLES, build
from airflow_colgraph.warehouse.errors import WarehouseError
from airflow_colgraph.warehouse.folder import Folder
from airflow_colgraph.warehouse.topics import Range, Topic, deleted, ends, parsed
from airflow_colgraph.warehouse.topics import _range as range_of
from tests.warehouse.random_events import random_events
from tests.warehouse.tables import different, stored, warehouse_tables, write_lines

pytestmark = [pytest.mark.spark, pytest.mark.warehouse, pytest.mark.xdist_group("warehouse")]
pytestmark += [pytest.mark.jars]

EVENTS = random_events(6, 90)
BYTES = "org.apache.kafka.common.serialization.ByteArraySerializer"


class Killed(BaseException):
    """As if the process had been killed."""


class Kafka:
    """Kafka's own clients, in the JVM of the session."""

    def __init__(self, spark: SparkSession, servers: str) -> None:
        self.jvm: Any = spark._jvm
        self.new_array: Any = spark.sparkContext._gateway.new_array
        self.servers = servers

    def properties(self, **more: str) -> Any:
        found = self.jvm.java.util.HashMap()
        for name, value in {"bootstrap.servers": self.servers, **more}.items():
            found.put(name.replace("_", "."), value)
        return found

    def admin(self, what: str, *arguments: Any) -> None:
        admin = self.jvm.org.apache.kafka.clients.admin.Admin.create(self.properties())
        try:
            getattr(admin, what)(*arguments).all().get()
        finally:
            admin.close()

    def create(self, topic: str, partitions: int) -> None:
        new = self.jvm.org.apache.kafka.clients.admin.NewTopic(
            topic, self.jvm.java.util.Optional.of(partitions), self.jvm.java.util.Optional.empty()
        )
        self.admin("createTopics", self.jvm.java.util.Collections.singleton(new))

    def delete_before(self, topic: str, partition: int, offset: int) -> None:
        of = self.jvm.org.apache.kafka.common.TopicPartition(topic, partition)
        self.admin(
            "deleteRecords", self.jvm.java.util.Collections.singletonMap(of, self._up_to(offset))
        )

    def _up_to(self, offset: int) -> Any:
        """`RecordsToDelete.beforeOffset`, of which Py4J sees only the namesake without `static`."""
        loader = self.jvm.java.lang.Thread.currentThread().getContextClassLoader()
        types = self.new_array(self.jvm.java.lang.Class, 1)
        types[0] = self.jvm.java.lang.Long.TYPE
        values = self.new_array(self.jvm.java.lang.Object, 1)
        values[0] = offset
        of = loader.loadClass("org.apache.kafka.clients.admin.RecordsToDelete")
        return of.getMethod("beforeOffset", types).invoke(None, values)

    def send(self, topic: str, values: list[tuple[int, bytes | None]], commit: bool = True) -> None:
        """Send messages to partitions in one transaction."""
        producer = self.jvm.org.apache.kafka.clients.producer
        sender = producer.KafkaProducer(
            self.properties(transactional_id="t", key_serializer=BYTES, value_serializer=BYTES)
        )
        try:
            sender.initTransactions()
            sender.beginTransaction()
            for partition, value in values:
                sender.send(producer.ProducerRecord(topic, partition, None, value))
            sender.commitTransaction() if commit else sender.abortTransaction()
        finally:
            sender.close()


@pytest.fixture(scope="module")
def topics(spark: SparkSession, servers: str) -> Kafka:
    return Kafka(spark, servers)


def messages(events: list[Any]) -> list[tuple[int, bytes | None]]:
    """The events as messages of two partitions."""
    return [(number % 2, orjson.dumps(event)) for number, event in enumerate(events)]


def offsets(to: str) -> dict[str, dict[str, int]]:
    """What the current version has read, by its commit."""
    commit = sorted(Path(to, "commits").glob("*.json"))[-1]
    found: dict[str, dict[str, int]] = json.loads(commit.read_text())["offsets"]
    return found


def test_only_new_offsets_are_read_and_exactly_once(
    spark: SparkSession, topics: Kafka, tmp_path: Path
) -> None:
    """Beside files, across a killed build, with a transaction that was aborted between."""
    topics.create("lineage", 2)
    topic, to = Topic(topics.servers, "lineage"), str(tmp_path / "warehouse")
    topics.send("lineage", messages(EVENTS[:40]))
    topics.send("lineage", messages(EVENTS[80:]), commit=False)
    first = build(spark, [], to, topics=[topic])
    assert (first.files, first.events, first.rejected) == (0, 40, 0)
    assert different(warehouse_tables(spark, first.path), stored(EVENTS[:40])) == {}
    read = offsets(to)
    again = build(spark, [], to, topics=[topic])
    assert (again.path, again.events, again.messages) == (first.path, 0, 0)

    write_lines(tmp_path / "events.jsonl", EVENTS[30:60])
    paths = [str(tmp_path / "events.jsonl")]
    topics.send("lineage", [*messages(EVENTS[50:80]), (1, b"{torn"), (0, None)])

    def kill(name: str, number: int, steps: int) -> None:
        if number == len(TABLES):
            raise Killed

    with pytest.raises(Killed):
        build(spark, paths, to, kill, topics=[topic])
    assert offsets(to) == read
    second = build(spark, paths, to, topics=[topic, topic])
    assert (second.files, second.events, second.rejected) == (1, 60, 1)
    assert different(warehouse_tables(spark, second.path), stored(EVENTS[:80])) == {}
    (rejected,) = spark.read.parquet(f"{second.path}/rejected").collect()
    assert (rejected["file"], rejected["line"]) == (f"{topic.url}/1", "{torn")
    assert offsets(to)[topic.url].keys() == read[topic.url].keys() == {"0", "1"}
    assert all(offsets(to)[topic.url][one] > read[topic.url][one] for one in ("0", "1"))


def test_offsets_that_were_deleted_before_they_were_read_are_kept_with_the_reason(
    spark: SparkSession, topics: Kafka, tmp_path: Path
) -> None:
    topics.create("short", 1)
    topic, to = Topic(topics.servers, "short"), str(tmp_path / "warehouse")
    topics.send("short", [(0, orjson.dumps(EVENTS[0]))])
    build(spark, [], to, topics=[topic])
    start = offsets(to)[topic.url]["0"]
    topics.send("short", [(0, orjson.dumps(event)) for event in EVENTS[1:6]])
    topics.delete_before("short", 0, start + 3)
    built = build(spark, [], to, topics=[topic])
    assert built.events == 2
    (lost,) = spark.read.parquet(f"{built.path}/rejected").collect()
    assert (lost["file"], lost["lines"]) == (f"{topic.url}/0", 3)
    assert f"Offsets {start} to {start + 2} were deleted" in lost["reason"]
    kept = [EVENTS[0], *EVENTS[4:6]]
    assert different(warehouse_tables(spark, built.path), stored(kept)) == {}


def test_a_command_reads_a_topic(spark: SparkSession, topics: Kafka, tmp_path: Path) -> None:
    topics.create("command", 1)
    topics.send("command", [(0, orjson.dumps(event)) for event in EVENTS[:3]])
    words = ["warehouse", "build", "--to", str(tmp_path / "warehouse"), "--topic"]
    url = f"kafka://{topics.servers}/command"
    first = CliRunner().invoke(main, [*words, url])
    # The transaction's own marker is an offset, too.
    assert first.stdout.splitlines()[0] == "3 events of 0 files and 4 messages"
    assert CliRunner().invoke(main, [*words, url]).stdout.startswith("no new messages\n")
    wrong = CliRunner().invoke(main, [*words, f"kafka://{topics.servers}/none"])
    assert wrong.exit_code != 0
    assert wrong.stderr.strip().endswith(f"There is no topic none at {topics.servers}.")


TOPIC = Topic("one:9092,two:9092", "lineage")


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        (None, Range(TOPIC, 0, 5, 9, 0)),
        (7, Range(TOPIC, 0, 7, 9, 0)),
        (9, Range(TOPIC, 0, 9, 9, 0)),
        (2, Range(TOPIC, 0, 5, 9, 3)),
        (20, Range(TOPIC, 0, 5, 9, 0)),  # the topic was made again
    ],
)
def test_a_partition_is_read_from_where_the_version_before_ended(
    known: int | None, expected: Range
) -> None:
    found = range_of(TOPIC, 0, 5, 9, known)
    assert found == expected
    assert ends([found]) == {"kafka://one:9092,two:9092/lineage": {"0": 9}}
    assert [count for _, _, count in deleted([found])] == [3] * (known == 2)


@pytest.mark.parametrize("url", ["lineage", "kafka://one", "kafka:///lineage", "kafka://a/b/c"])
def test_a_url_that_names_no_topic_is_an_error(url: str) -> None:
    with pytest.raises(WarehouseError, match=r"is no topic\. Expected kafka://HOST:PORT/TOPIC"):
        parsed(url)


def test_commits_without_offsets_are_read(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "commits").mkdir()
    (tmp_path / "commits" / "00000001.json").write_text('{"version": "versions/x"}')
    found = Folder(spark, str(tmp_path)).current()
    assert (found.format, found.offsets) == ("parquet", {})

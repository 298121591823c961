"""Kafka's own connector without a broker: its relations, its save command, a stream's sink."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.collector.model import Query
from airflow_colgraph.collector.spark.catalog import Catalog
from airflow_colgraph.collector.spark.translate import read
from tests.spark.jars import jars
from tests.spark.session import Session

pytestmark = [pytest.mark.spark, pytest.mark.jars, pytest.mark.xdist_group("spark-jdbc")]

SERVERS = "127.0.0.1:9,other:9092"
NAMES = ("spark-sql-kafka-0-10_2.13", "spark-token-provider-kafka-0-10_2.13")
NAMES += ("kafka-clients", "commons-pool2")
COLUMNS = ["key", "value", "topic", "partition", "offset", "timestamp", "timestampType"]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    found = Session(Path(tmp_path_factory.mktemp("kafka")), jars=jars(*NAMES), statements=[])
    yield found
    found.stop()


def asked(session: Session, plan: Any) -> Query:
    """What the collector understands of a plan."""
    query = read("command", plan, Catalog(session.spark._jsparkSession, session.spark._jvm))
    assert query is not None
    return query


def read_by(query: Query) -> tuple[list[tuple[str, str]], list[str]]:
    (found,) = query.reads.values()
    assert found.format == "kafka"
    names = [(named.dataset.namespace, named.dataset.name) for named in found.datasets]
    return names, [name for name, _ in found.columns]


TOPICS = {
    "one": ({"subscribe": "orders"}, ["orders"]),
    "several": ({"subscribe": "orders, payments"}, ["orders", "payments"]),
    "partitions": ({"assign": '{"orders": [0, 1]}'}, ["orders"]),
}


@pytest.mark.parametrize("kind", ["read", "readStream"])
@pytest.mark.parametrize("name", TOPICS)
def test_topics_are_read(session: Session, name: str, kind: str) -> None:
    options, topics = TOPICS[name]
    reader = getattr(session.spark, kind).format("kafka")
    frame = reader.option("kafka.bootstrap.servers", SERVERS).options(**options).load()
    query = asked(session, frame._jdf.queryExecution().analyzed())
    assert read_by(query) == ([("kafka://127.0.0.1:9", topic) for topic in topics], COLUMNS)


def test_a_topic_is_written(session: Session) -> None:
    jvm: Any = session.spark._jvm
    frame = session.spark.range(3).selectExpr("string(id) AS key", "'x' AS value")
    sources = jvm.org.apache.spark.sql.execution.datasources
    command = sources.SaveIntoDataSourceCommand(
        frame._jdf.queryExecution().analyzed(),
        jvm.org.apache.spark.sql.kafka010.KafkaSourceProvider(),
        jvm.PythonUtils.toScalaMap({"kafka.bootstrap.servers": SERVERS, "topic": "daily"}),
        jvm.org.apache.spark.sql.SaveMode.Append,
    )
    query = asked(session, command)
    assert query.write is not None
    assert query.write.named.dataset == ("kafka://127.0.0.1:9", "daily")
    assert query.write.format == "kafka"
    assert [name for name, _ in query.write.columns or ()] == ["key", "value"]


def test_a_stream_into_a_topic_is_reported(session: Session) -> None:
    session.events()
    rates = session.spark.readStream.format("rate").load().selectExpr("string(value) AS value")
    writer = rates.writeStream.format("kafka").option("kafka.bootstrap.servers", SERVERS)
    writer = writer.option("topic", "daily").option("kafka.max.block.ms", "100")
    stream = writer.option("checkpointLocation", f"{session.root}/checkpoint").start()
    stream.stop()
    (event,) = session.events()
    (output,) = event["outputs"]
    assert (output["namespace"], output["name"]) == ("kafka://127.0.0.1:9", "daily")
    assert output["facets"]["columnLineage"]["fields"] == {"value": {"inputFields": []}}

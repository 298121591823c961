"""Structured Streaming: each stream's lineage once, against the sources that it reads."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame

from tests.collector.cases.loader import lineage_of
from tests.spark.lake import whole
from tests.spark.session import Session

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark-commands")]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    found = Session(Path(tmp_path_factory.mktemp("streaming")), statements=[])
    for number in range(2):  # two files, so two batches of one file each
        frame = found.spark.range(3).selectExpr("id AS a", f"id + {number} AS b").coalesce(1)
        frame.write.mode("append").parquet(f"{found.root}/in")
    yield found
    found.stop()


def source(session: Session) -> DataFrame:
    reader = session.spark.readStream.schema("a LONG, b LONG").option("maxFilesPerTrigger", 1)
    return reader.parquet(f"{session.root}/in")


def told(session: Session, writer: Any) -> tuple[int, frozenset[str], set[str]]:
    """How many events a stream made until its end, its lineage and what it read."""
    session.events()
    name = f"{session.root}/checkpoint-{id(writer)}"
    query = writer.option("checkpointLocation", name).trigger(availableNow=True).start()
    query.awaitTermination()
    events = session.events()
    read = {item["name"] for event in events for item in event["inputs"]}
    root = str(session.root)
    return len(events), lineage_of(events, root), {name.replace(root, "") for name in read}


LINEAGE = """
    x <- /in.a DIRECT:TRANSFORMATION
    * <- /in.b INDIRECT:FILTER
"""


def test_files_to_files(session: Session) -> None:
    frame = source(session).where("b > 1").selectExpr("a + 1 AS x")
    writer = frame.writeStream.format("parquet").option("path", f"{session.root}/out")
    assert told(session, writer) == (1, whole(LINEAGE), {"/in"})


def test_what_each_batch_writes_is_told_once(session: Session) -> None:
    frame = source(session).where("b > 1").selectExpr("a + 1 AS x")

    def write(batch: DataFrame, number: int) -> None:
        batch.selectExpr("x * 2 AS x").write.mode("append").parquet(f"{session.root}/batches")

    assert told(session, frame.writeStream.foreachBatch(write)) == (1, whole(LINEAGE), {"/in"})


def test_a_stateful_aggregation_that_keeps_nothing_tells_what_it_read(session: Session) -> None:
    frame = source(session).groupBy("a").count()
    writer = frame.writeStream.outputMode("complete").format("memory").queryName("counts")
    assert told(session, writer) == (1, frozenset(), {"/in"})

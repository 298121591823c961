"""Structured Streaming: each stream's lineage once, against the sources that it reads."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

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
    frame = found.spark.range(3).selectExpr("id AS k", "timestamp_seconds(id) AS at", "id AS n")
    for name in ("left", "right"):
        frame.write.parquet(f"{found.root}/{name}")
    yield found
    found.stop()


def source(session: Session) -> DataFrame:
    reader = session.spark.readStream.schema("a LONG, b LONG").option("maxFilesPerTrigger", 1)
    return reader.parquet(f"{session.root}/in")


def summary(session: Session, writer: Any) -> tuple[int, frozenset[str], set[str]]:
    """How many events a stream made until its end, its lineage and what it read."""
    session.events()
    checkpoint = mkdtemp(prefix="checkpoint-", dir=session.root)
    query = writer.option("checkpointLocation", checkpoint).trigger(availableNow=True).start()
    query.awaitTermination()
    events = session.events()
    for event in events:
        diagnostics = event["run"]["facets"]["colgraph_diagnostics"]
        assert (diagnostics["unresolved"], diagnostics["truncated"]) == ([], "")
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
    assert summary(session, writer) == (1, whole(LINEAGE), {"/in"})


def test_a_line_of_text_is_called_as_it_is_read_back(session: Session) -> None:
    frame = source(session).selectExpr("string(a) AS line", "b")
    writer = frame.writeStream.format("text").partitionBy("b")
    number, lineage, _ = summary(session, writer.option("path", f"{session.root}/lines"))
    expected = "value <- /in.a DIRECT:TRANSFORMATION\nb <- /in.b DIRECT:IDENTITY"
    assert (number, lineage) == (1, whole(expected))


def test_relative_paths_are_those_of_the_drivers_folder(session: Session) -> None:
    folder = os.path.relpath(session.root)
    reader = session.spark.readStream.schema("a LONG, b LONG")
    frame = reader.parquet(f"{folder}/in").where("b > 1").selectExpr("a + 1 AS x")
    session.events()
    writer = frame.writeStream.option("checkpointLocation", f"{session.root}/of-relative")
    writer.trigger(availableNow=True).start(f"{folder}/relative").awaitTermination()
    (event,) = session.events()
    assert lineage_of([event], str(session.root)) == whole(LINEAGE)
    (output,) = event["outputs"]
    assert (output["namespace"], output["name"]) == ("file", f"{session.root}/relative")


def test_what_each_batch_writes_is_reported_once(session: Session) -> None:
    frame = source(session).where("b > 1").selectExpr("a + 1 AS x")

    def write(batch: DataFrame, number: int) -> None:
        batch.selectExpr("x * 2 AS x").write.mode("append").parquet(f"{session.root}/batches")

    assert summary(session, frame.writeStream.foreachBatch(write)) == (1, whole(LINEAGE), {"/in"})


def test_a_stateful_aggregation_that_writes_nothing_reports_what_it_read(session: Session) -> None:
    frame = source(session).groupBy("a").count()
    writer = frame.writeStream.outputMode("complete").format("memory").queryName("counts")
    assert summary(session, writer) == (1, frozenset(), {"/in"})


def test_what_is_read_of_a_memory_sink_comes_from_the_streams_sources(session: Session) -> None:
    frame = source(session).where("b > 1").groupBy("a").agg(F.sum("b").alias("n"))
    writer = frame.writeStream.outputMode("complete").format("memory").queryName("sums")
    summary(session, writer)
    session.spark.sql("SELECT a, n + 1 AS n FROM sums").write.parquet(f"{session.root}/sums")
    (event,) = session.events()
    assert event["run"]["facets"]["colgraph_diagnostics"]["unresolved"] == []
    assert lineage_of([event], str(session.root)) == whole("""
        a <- /in.a DIRECT:IDENTITY
        n <- /in.b DIRECT:AGGREGATION
        * <- /in.a INDIRECT:GROUP_BY
        * <- /in.b INDIRECT:FILTER
    """)


def test_a_function_that_keeps_a_state_is_handed_whole_rows(session: Session) -> None:
    def rows(key: Any, parts: Any, state: Any) -> Any:
        yield from (part.assign(k=key[0])[["k", "b"]] for part in parts)

    grouped = source(session).groupBy("a")
    frame = grouped.applyInPandasWithState(rows, "k LONG, n LONG", "n INT", "append", "NoTimeout")
    writer = frame.writeStream.format("parquet").option("path", f"{session.root}/states")
    lineage = """
        k <- /in.a DIRECT:TRANSFORMATION
        k <- /in.b DIRECT:TRANSFORMATION
        n <- /in.a DIRECT:TRANSFORMATION
        n <- /in.b DIRECT:TRANSFORMATION
        * <- /in.a INDIRECT:GROUP_BY, INDIRECT:FILTER
        * <- /in.b INDIRECT:FILTER
    """
    assert summary(session, writer) == (1, whole(lineage), {"/in"})


def timed(session: Session, name: str) -> DataFrame:
    reader = session.spark.readStream.schema("k LONG, at TIMESTAMP, n LONG")
    return reader.parquet(f"{session.root}/{name}").withWatermark("at", "1 minute")


def test_two_streams_that_are_joined(session: Session) -> None:
    left, right = timed(session, "left").alias("l"), timed(session, "right").alias("r")
    near = "l.k = r.k AND r.at BETWEEN l.at AND l.at + INTERVAL 1 MINUTE"
    frame = left.join(right, F.expr(near)).selectExpr("l.n AS one", "r.n + 1 AS two")
    writer = frame.writeStream.format("json").option("path", f"{session.root}/joined")
    lineage = """
        one <- /left.n   DIRECT:IDENTITY
        two <- /right.n  DIRECT:TRANSFORMATION
        *   <- /left.at  INDIRECT:JOIN
        *   <- /left.k   INDIRECT:JOIN
        *   <- /right.at INDIRECT:JOIN
        *   <- /right.k  INDIRECT:JOIN
    """
    assert summary(session, writer) == (1, whole(lineage), {"/left", "/right"})


def test_an_aggregation_with_a_state_that_is_kept(session: Session) -> None:
    frame = timed(session, "left").groupBy(F.window("at", "1 minute").alias("w"), "k")
    frame = frame.agg(F.sum("n").alias("total")).selectExpr("w.start AS start", "k", "total")
    writer = frame.writeStream.format("parquet").option("path", f"{session.root}/totals")
    lineage = """
        start <- /left.at DIRECT:TRANSFORMATION
        k     <- /left.k  DIRECT:IDENTITY
        total <- /left.n  DIRECT:AGGREGATION
        *     <- /left.at INDIRECT:GROUP_BY
        *     <- /left.k  INDIRECT:GROUP_BY
    """
    assert summary(session, writer) == (1, whole(lineage), {"/left"})


def test_duplicates_that_are_dropped_within_a_time(session: Session) -> None:
    frame = timed(session, "left").dropDuplicatesWithinWatermark(["k"]).select("n")
    writer = frame.writeStream.format("csv").option("path", f"{session.root}/once-in-a-while")
    lineage = """
        n <- /left.n DIRECT:IDENTITY
        * <- /left.k INDIRECT:GROUP_BY
    """
    assert summary(session, writer) == (1, whole(lineage), {"/left"})


def test_duplicates_that_are_dropped(session: Session) -> None:
    frame = timed(session, "left").dropDuplicates(["k", "at"]).select("n")
    writer = frame.writeStream.format("csv").option("path", f"{session.root}/once")
    lineage = """
        n <- /left.n  DIRECT:IDENTITY
        * <- /left.at INDIRECT:GROUP_BY
        * <- /left.k  INDIRECT:GROUP_BY
    """
    assert summary(session, writer) == (1, whole(lineage), {"/left"})


def test_made_up_rows_are_made_of_nothing(session: Session) -> None:
    frame = session.spark.readStream.format("rate").load().selectExpr("value * 2 AS x")
    writer = frame.writeStream.format("parquet").option("path", f"{session.root}/rates")
    assert summary(session, writer) == (1, whole("x <-"), set())


def test_a_stream_into_a_table(session: Session) -> None:
    session.events()
    writer = source(session).selectExpr("b AS y").writeStream.trigger(availableNow=True)
    stream = writer.option("checkpointLocation", f"{session.root}/to-table").toTable("streamed")
    stream.awaitTermination()
    created, event = session.events()  # it makes the table first
    (output,) = event["outputs"]
    assert output["name"] == created["outputs"][0]["name"] == f"{session.root}/warehouse/streamed"
    assert list(output["facets"]["columnLineage"]["fields"]) == ["y"]


def test_batches_are_reported_again_when_they_change(session: Session) -> None:
    def write(batch: DataFrame, number: int) -> None:
        frame = batch.selectExpr("a AS x" if number == 0 else "b AS x")
        frame.write.mode("append").parquet(f"{session.root}/changing")
        frame.write.mode("append").json(f"{session.root}/also")

    count, lineage, read = summary(session, source(session).writeStream.foreachBatch(write))
    assert (count, read) == (4, {"/in"})
    assert lineage == whole("x <- /in.b DIRECT:IDENTITY")


def test_a_batch_that_is_used_twice_and_checkpointed(session: Session) -> None:
    def write(batch: DataFrame, number: int) -> None:
        both = batch.select("a", "b").union(batch.select("b", "a"))
        kept = both.where("a > 0").localCheckpoint()
        twice = kept.withColumn("z", F.col("a") + F.col("b")).localCheckpoint()
        frame = twice.select("z", "b").union(twice.select("b", "z"))
        frame.write.mode("append").parquet(f"{session.root}/kept")

    lineage = """
        z <- /in.a DIRECT:IDENTITY, DIRECT:TRANSFORMATION
        z <- /in.b DIRECT:IDENTITY, DIRECT:TRANSFORMATION
        b <- /in.a DIRECT:IDENTITY, DIRECT:TRANSFORMATION
        b <- /in.b DIRECT:IDENTITY, DIRECT:TRANSFORMATION
        * <- /in.a INDIRECT:FILTER
        * <- /in.b INDIRECT:FILTER
    """
    assert summary(session, source(session).writeStream.foreachBatch(write)) == (
        1,
        whole(lineage),
        {"/in"},
    )


def test_streams_of_one_source_are_distinguished(session: Session) -> None:
    """Their batches have the same attributes, and so has the source when it is read as files."""
    read = source(session)
    files = session.spark.read.schema("a LONG, b LONG").parquet(f"{session.root}/in")

    def begun(condition: str, name: str) -> object:
        def write(batch: DataFrame, number: int) -> None:
            batch.select("a").join(files.select("a"), "a").write.mode("append").parquet(
                f"{session.root}/{name}"
            )

        writer = read.where(condition).writeStream.foreachBatch(write)
        writer = writer.option("checkpointLocation", f"{session.root}/state-{name}")
        return writer.trigger(availableNow=True).start()

    session.events()
    for stream in [begun("a >= 0", "apart-a"), begun("b >= 0", "apart-b")]:
        stream.awaitTermination()
    found = {
        event["outputs"][0]["name"].rpartition("/")[2]: lineage_of([event], str(session.root))
        for event in session.events()
    }
    alike = "a <- /in.a DIRECT:IDENTITY\n * <- /in.a INDIRECT:{}"
    assert found == {
        "apart-a": whole(alike.format("JOIN, INDIRECT:FILTER")),
        "apart-b": whole(alike.format("JOIN") + "\n * <- /in.b INDIRECT:FILTER"),
    }

"""Files that a program's own RDDs read are reported: Spark has no query of them."""

import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

from airflow_colgraph.collector.driver import listener
from airflow_colgraph.collector.spark import rdd_jobs
from airflow_colgraph.collector.spark.stages import next_stage
from tests.collector.cases.loader import lineage_of
from tests.spark.session import Session

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark-commands")]

FORMAT = "org.apache.hadoop.mapreduce.lib.input.TextInputFormat"
OUTPUT = "org.apache.hadoop.mapreduce.lib.output.TextOutputFormat"
OLD = {
    "mapred.output.format.class": "org.apache.hadoop.mapred.TextOutputFormat",
    "mapreduce.job.output.key.class": "org.apache.hadoop.io.Text",
    "mapreduce.job.output.value.class": "org.apache.hadoop.io.IntWritable",
}
KEY, VALUE = "org.apache.hadoop.io.LongWritable", "org.apache.hadoop.io.Text"


@pytest.fixture(autouse=True)
def no_session_is_left() -> Iterator[None]:
    """A test that fails leaves no session to those that come after it."""
    yield
    if SparkContext._active_spark_context is not None:
        listener.finish()
        SparkContext._active_spark_context.stop()


def inputs(events: list[dict[str, Any]]) -> list[str]:
    """The names of the files that events have as inputs, without their folder."""
    return [Path(one["name"]).name for event in events for one in event["inputs"]]


def facts(event: dict[str, Any]) -> dict[str, Any]:
    return dict(event["run"]["facets"].get("colgraph_diagnostics", {}))


def texts(folder: Path, *names: str) -> list[str]:
    for name in names:
        (folder / name).write_text("1\n2\n")
    return [str(folder / name) for name in names]


def ended(session: Session) -> list[dict[str, Any]]:
    """The events since the last look, with those of the end."""
    session.events()
    session.stop()
    return session.events()


def test_rows_that_the_driver_makes_of_an_rdd_name_its_files(tmp_path: Path) -> None:
    """Not of one that is read later, nor of one that a query has as its source."""
    session = Session(tmp_path, statements=[])
    spark, context = session.spark, session.spark.sparkContext
    first, second, source, later = texts(tmp_path, "first", "second", "source", "later")
    words = context.textFile(source).map(lambda line: (line,))
    spark.createDataFrame(words, "word STRING").write.parquet(f"{tmp_path}/copy")
    spark.createDataFrame([(0,)], "n INT").write.parquet(f"{tmp_path}/none")
    for number, read in enumerate((first, second)):
        count = context.textFile(read).count()
        spark.createDataFrame([(count,)], "n INT").write.parquet(f"{tmp_path}/counted{number}")
    context.textFile(later).count()
    events = session.events()
    through = {
        Path(rows["name"]).name: inputs([{"inputs": rows["datasets"]}])
        for event in events
        for rows in facts(event).get("throughDriver", ())
    }
    assert through == {"counted0": ["first"], "counted1": ["first", "second"]}
    assert sorted(inputs(events)) == ["first", "second", "source"]
    assert inputs(ended(session)) == ["later"]


def test_a_job_that_runs_while_queries_are_looked_at_is_not_passed_over(tmp_path: Path) -> None:
    """The worker may come to a query when the next job of an RDD has begun and read nothing yet."""
    session = Session(tmp_path, statements=[])
    spark, context = session.spark, session.spark.sparkContext
    (text,) = texts(tmp_path, "text")
    jobs = rdd_jobs.RddJobs(context._jsc.sc(), lambda: (), next_stage(context._jsc.sc()))
    executions = [planned(spark)]

    def wait(line: str) -> str:
        while not (tmp_path / "go").exists():
            time.sleep(0.02)
        return line

    reading = Thread(target=context.textFile(text).map(wait).count)
    reading.start()
    while not context.statusTracker().getActiveStageIds():
        time.sleep(0.02)
    executions.append(planned(spark))
    found = [jobs.before(one).files for one in executions]
    (tmp_path / "go").touch()
    reading.join()
    executions.append(planned(spark))
    found += [jobs.before(one).files for one in executions[1:]]
    assert [[Path(one.dataset.name).name for one in files] for files in found] == [
        [],
        [],
        ["text"],
        [],
    ]


def planned(spark: SparkSession) -> Any:
    """The execution of a query that has its plan now."""
    execution = spark.range(1)._jdf.queryExecution()
    execution.executedPlan()
    return execution


def test_each_way_to_read_files_is_reported_once(tmp_path: Path) -> None:
    session = Session(tmp_path, statements=[])
    context = session.spark.sparkContext
    one, two, three, four, five = texts(tmp_path, "one", "two", "three", "four", "five")
    context.parallelize([(1, 2)]).saveAsSequenceFile(f"{tmp_path}/sequence")
    context.parallelize([1]).saveAsPickleFile(f"{tmp_path}/pickled")
    lines = context.textFile(f"{one},{two}").cache()
    assert (lines.count(), lines.count()) == (4, 4)
    assert len(context.wholeTextFiles(three).collect()) == 1
    assert context.binaryFiles(four).count() == 1
    assert context.newAPIHadoopFile(five, FORMAT, KEY, VALUE).count() == 2
    assert context.sequenceFile(f"{tmp_path}/sequence").collect() == [(1, 2)]
    assert context.pickleFile(f"{tmp_path}/pickled").collect() == [1]
    (read, end) = ended(session)
    assert sorted(inputs([read])) == sorted(
        ["one", "two", "three", "four", "five", "sequence", "pickled"]
    )
    assert facts(read).get("unresolved", []) == []
    assert end["eventType"] == "COMPLETE"


def test_what_names_no_file_is_unresolved(tmp_path: Path) -> None:
    """An RDD that was renamed, and one that came from a configuration."""
    session = Session(tmp_path, statements=[])
    context = session.spark.sparkContext
    one, two = texts(tmp_path, "one", "two")
    conf = {"mapreduce.input.fileinputformat.inputdir": one}
    context.wholeTextFiles(two).setName("mine").count()
    context.newAPIHadoopRDD(FORMAT, KEY, VALUE, conf=conf).count()
    (*read, _) = ended(session)
    assert inputs(read) == []
    found = [facts(event)["unresolved"][0]["class"] for event in read]
    assert sorted(found) == ["NewHadoopRDD", "WholeTextFileRDD"]


def test_stages_that_are_too_many_are_unresolved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rdd_jobs, "MOST_STAGES", 2)
    session = Session(tmp_path, statements=[])
    for path in texts(tmp_path, "one", "two", "three"):
        session.spark.sparkContext.textFile(path).count()
    (read, more, _) = ended(session)
    assert inputs([read, more]) == ["one", "two"]
    assert facts(more)["unresolved"] == [{"class": "RDD", "count": 1}]


@pytest.mark.parametrize(
    ("kept", "names", "unknown"), [(1000, ["one"], []), (3, [], [{"class": "RDD", "count": 1}])]
)
def test_what_was_read_many_stages_ago_is_known_or_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: int, names: list[str], unknown: list[Any]
) -> None:
    """As what a model has learnt from, by hundreds of stages, before it is saved."""
    monkeypatch.setattr(rdd_jobs, "MOST_STAGES", 2)
    session = Session(tmp_path, {"spark.ui.retainedStages": str(kept)}, statements=[])
    context = session.spark.sparkContext
    context.textFile(*texts(tmp_path, "one")).count()
    for _ in range(8):
        context.parallelize([1]).count()
    session.spark.createDataFrame([(1,)], "n INT").write.parquet(f"{tmp_path}/out")
    (read, written) = session.events()
    assert inputs([read]) == names
    assert facts(read)["unresolved"] == unknown
    through = facts(written).get("throughDriver", ())
    assert [inputs([{"inputs": one["datasets"]}]) for one in through] == [names][: len(names)]
    assert bool(facts(written)["unresolved"]) is bool(unknown)


def test_stages_of_queries_are_no_unknown_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many a stage has run since the last rows that the driver has made."""
    monkeypatch.setattr(rdd_jobs, "MOST_STAGES", 2)
    monkeypatch.setattr(rdd_jobs, "MOST_UNSEEN", 2)
    monkeypatch.setattr(rdd_jobs, "LOOK_EVERY", 1)
    session = Session(tmp_path, {"spark.ui.retainedStages": "8"}, statements=[])
    rows = session.spark.createDataFrame([(1,)], "n INT")
    rows.write.parquet(f"{tmp_path}/in")
    for number in range(8):
        session.spark.read.parquet(f"{tmp_path}/in").write.parquet(f"{tmp_path}/out{number}")
        session.worker.wait(60)
    rows.write.parquet(f"{tmp_path}/again")
    found = session.events()
    assert inputs(found) == ["in"] * 8
    assert [facts(event)["unresolved"] for event in found] == [[]] * 10


def test_queries_have_no_such_event(tmp_path: Path) -> None:
    session = Session(tmp_path, statements=[])
    spark = session.spark
    spark.range(3).write.parquet(f"{tmp_path}/in")
    (source,) = texts(tmp_path, "source")
    rows = spark.createDataFrame(spark.sparkContext.textFile(source).map(int), "int")
    rows.join(spark.read.parquet(f"{tmp_path}/in"), rows.value == 1).collect()
    assert sorted(inputs(session.events())) == ["in", "source"]
    (end,) = ended(session)
    assert end["eventType"] == "COMPLETE"
    assert facts(end) == {}


def test_a_status_store_of_another_form_costs_no_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(*arguments: Any) -> None:
        raise TypeError("no such method")

    monkeypatch.setattr(rdd_jobs, "planned_at", unknown)
    session = Session(tmp_path, statements=[])
    session.spark.createDataFrame([(1,)], "n INT").write.parquet(f"{tmp_path}/out")
    (event,) = session.events()
    session.stop()
    assert [Path(one["name"]).name for one in event["outputs"]] == ["out"]
    assert facts(event)["unresolved"][0]["class"].startswith("TypeError: no such method")


def test_an_rdd_that_is_saved_is_written(tmp_path: Path) -> None:
    """Each was a write without lineage: an RDD has no query."""
    session = Session(tmp_path, statements=[])
    spark, context = session.spark, session.spark.sparkContext
    spark.range(3).selectExpr("id", "id AS b").write.parquet(f"{tmp_path}/numbers")
    (source,) = texts(tmp_path, "source")
    session.events()
    context.textFile(source).map(len).saveAsTextFile(f"{tmp_path}/lengths")
    spark.read.parquet(f"{tmp_path}/numbers").rdd.map(str).saveAsTextFile(path=f"{tmp_path}/rows")
    context.parallelize([1]).saveAsPickleFile(f"{tmp_path}/pickled")
    pairs = context.textFile(source).map(lambda line: (line, 1))
    pairs.saveAsNewAPIHadoopFile(f"{tmp_path}/pairs", OUTPUT)
    pairs.saveAsHadoopDataset({"mapred.output.dir": f"{tmp_path}/old", **OLD})
    events = {
        Path(event["outputs"][0]["name"]).name: event
        for event in session.events()
        if event["outputs"]
    }
    assert {name: inputs([event]) for name, event in events.items()} == {
        "lengths": ["source"],
        "rows": ["numbers"],
        "pickled": [],
        "pairs": ["source"],
        "old": ["source"],
    }
    assert lineage_of([events["rows"]], str(tmp_path)) == {
        "value <- /numbers.b DIRECT:TRANSFORMATION",
        "value <- /numbers.id DIRECT:TRANSFORMATION",
        "* <- /numbers.b INDIRECT:FILTER",
        "* <- /numbers.id INDIRECT:FILTER",
    }
    assert [each["class"] for each in facts(events["lengths"])["opaque"]] == ["LogicalRDD"]
    for name in ("pickled", "pairs", "old"):
        assert "columnLineage" not in events[name]["outputs"][0]["facets"]
        assert [each["class"] for each in facts(events[name])["unresolved"]] == ["output columns"]
    facets = events["rows"]["outputs"][0]["facets"]
    assert facets["lifecycleStateChange"]["lifecycleStateChange"] == "CREATE"
    with pytest.raises(Exception, match="already exists"):
        context.parallelize([1]).saveAsTextFile(f"{tmp_path}/rows")
    assert "colgraph_diagnostics" not in ended(session)[-1]["run"]["facets"]

"""The application's last event names what Spark has written and no event accounts for."""

import json
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.collector.events.render import missing_writes
from airflow_colgraph.collector.spark import stages
from airflow_colgraph.collector.spark.writes import WRITES
from tests.spark.session import Session
from tests.spark.test_commands import elsewhere

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark-commands")]


def last_event(session: Session) -> dict[str, Any]:
    """The event at the end, once the session is stopped."""
    session.stop()
    last = json.loads(session.sink.read_text().splitlines()[-1])
    assert last["eventType"] == "COMPLETE"
    return dict(last)


@pytest.mark.parametrize("few", [stages.FEW, 0])
def test_output_that_no_event_accounts_for_is_named(
    few: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A jar's save of an RDD, and a command without a rule; reported are three writes."""
    monkeypatch.setattr(stages, "FEW", few)
    session = Session(tmp_path, statements=[])
    spark = session.spark
    rows = spark.range(10)
    rows.write.saveAsTable("reported")
    rows.write.parquet(f"{tmp_path}/reported")
    numbers = spark.sparkContext.parallelize(range(7))
    numbers.saveAsTextFile(f"{tmp_path}/saved")
    numbers._to_java_object_rdd().saveAsTextFile(f"{tmp_path}/rdd")  # as a jar does
    session.events()
    with monkeypatch.context() as patch:
        patch.delitem(WRITES, "InsertIntoHadoopFsRelationCommand")
        rows.write.parquet(f"{tmp_path}/silent")
        session.events()
    found = last_event(session)["run"]["facets"]["colgraph_diagnostics"]
    assert found["unresolved"] == [{"class": "writes without lineage", "count": 2}]
    body = found["completeness"]
    assert (body["writes"], body["writesWithoutLineage"]) == (5, 2)
    rdd, silent = sorted(body["unaccounted"], key=lambda gap: int(gap["rows"]))
    assert (rdd["rows"], silent["rows"]) == (7, 10)
    assert "SparkHadoopWriter" in rdd["by"]
    assert "parquet at" in silent["by"]


def test_a_session_whose_listeners_were_cleared(tmp_path: Path) -> None:
    """As Spark's declarative pipelines do it: batches are not heard then, streams are."""
    session = Session(tmp_path, statements=[])
    spark = session.spark
    spark.range(3).write.parquet(f"{tmp_path}/in")
    session.events()
    spark._jsparkSession.listenerManager().clear()
    spark.range(5).write.parquet(f"{tmp_path}/unheard")
    stream = spark.readStream.schema("id LONG").parquet(f"{tmp_path}/in").writeStream
    stream = stream.option("checkpointLocation", f"{tmp_path}/checkpoint")
    stream.trigger(availableNow=True).start(f"{tmp_path}/streamed").awaitTermination()
    body = last_event(session)["run"]["facets"]["colgraph_diagnostics"]["completeness"]
    assert (body["writes"], body["writesWithoutLineage"]) == (3, 1)
    (unheard,) = body["unaccounted"]
    assert unheard["rows"] == 5
    assert "parquet at" in unheard["by"]


def test_output_without_a_name_is_named_by_its_sink(tmp_path: Path) -> None:
    """Beside a file; Spark counts neither rows nor bytes of such a sink."""
    session = Session(tmp_path, statements=[])
    session.spark.range(10).write.parquet(f"{tmp_path}/reported")
    session.spark.dataSource.register(elsewhere())
    rows = session.spark.read.parquet(f"{tmp_path}/reported").selectExpr("int(id) AS a")
    rows.write.format("elsewhere").mode("append").save()
    event = last_event(session)
    body = event["run"]["facets"]["colgraph_diagnostics"]["completeness"]
    assert (body["writes"], body["writesWithoutLineage"]) == (2, 1)
    assert body["unaccounted"] == [{"by": "output to PythonTable", "rows": 0, "bytes": 0}]
    said = missing_writes(event["run"]["facets"])
    assert said == "1 of 2 writes have no lineage: output to PythonTable"


@pytest.mark.parametrize("few", [stages.FEW, 0])
def test_a_job_without_gaps_says_nothing(
    few: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stages, "FEW", few)
    session = Session(tmp_path, statements=[])
    session.spark.range(10).write.saveAsTable("reported")
    session.spark.sql("INSERT INTO reported SELECT id + 10 FROM reported")
    session.spark.table("reported").localCheckpoint().write.csv(f"{tmp_path}/csv")
    assert "colgraph_diagnostics" not in last_event(session)["run"]["facets"]


def test_a_comparison_that_fails_costs_no_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Spark whose status store has another form."""
    session = Session(tmp_path, statements=[])
    session.spark.range(10).write.saveAsTable("reported")
    monkeypatch.setattr("airflow_colgraph.collector.driver.audit.executions", None)
    found = last_event(session)["run"]["facets"]["colgraph_diagnostics"]
    assert found["truncated"].startswith("what Spark has written was not compared: TypeError")


@pytest.mark.parametrize("arrow", ["true", "false"])
def test_rows_that_come_back_by_the_driver_name_what_it_had_read(
    arrow: str, tmp_path: Path
) -> None:
    """From pandas and from collected rows; not VALUES, and not what was made before any read."""
    session = Session(tmp_path, statements=[])
    spark = session.spark
    spark.conf.set("spark.sql.execution.arrow.pyspark.enabled", arrow)
    spark.createDataFrame([(1, 2)], "id INT, v INT").write.parquet(f"{tmp_path}/source")
    source = spark.read.parquet(f"{tmp_path}/source")
    pandas = source.toPandas()
    spark.createDataFrame(pandas).write.parquet(f"{tmp_path}/pandas")
    mixed = spark.createDataFrame(source.collect()).union(source)
    mixed.write.parquet(f"{tmp_path}/rows")
    spark.createDataFrame(mixed.rdd, mixed.schema).write.parquet(f"{tmp_path}/mixed_by_rdd")
    generated = spark.range(3).selectExpr("int(id) AS id", "1 AS v").union(source)
    spark.createDataFrame(generated.rdd, source.schema).write.parquet(f"{tmp_path}/generated")
    kept = spark.createDataFrame(pandas).localCheckpoint()
    kept.where("v > 1").localCheckpoint().write.parquet(f"{tmp_path}/kept")
    source.localCheckpoint().write.parquet(f"{tmp_path}/kept_source")
    spark.sql("SELECT * FROM VALUES (1), (2) AS t(k)").write.parquet(f"{tmp_path}/values")
    source.write.parquet(f"{tmp_path}/copy")
    found = {}
    for event in session.events():
        facts = event["run"]["facets"].get("colgraph_diagnostics", {})
        for output in event["outputs"]:
            rows = facts.get("throughDriver", [])
            found[Path(output["name"]).name] = [Path(r["datasets"][0]["name"]).name for r in rows]
            assert [one["name"] for one in rows] == [output["name"]][: len(rows)]
    session.stop()
    assert {name for name, read in found.items() if read} == {
        "pandas",
        "rows",
        "kept",
        "mixed_by_rdd",
    }
    assert all(read in ([], ["source"]) for read in found.values())
    assert found.keys() >= {"source", "values", "copy", "kept_source", "generated"}

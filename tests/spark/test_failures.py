"""Queries that the collector fails at: each has an event, and the end counts them."""

import json
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.collector.lineage.rules import relational as nodes
from airflow_colgraph.collector.sinks.sink import open_sink
from airflow_colgraph.collector.spark import running_commands
from airflow_colgraph.collector.spark import translate as query
from airflow_colgraph.collector.spark.jvm import private, scala_object
from tests.spark.session import Session

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark-commands")]


def test_each_has_an_event_and_the_end_counts_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    session = Session(tmp_path)
    leaves = query.leaves

    def fail(*_: Any) -> Any:
        raise LookupError("password=hunter2 is wrong")

    def read_and_fail(*arguments: Any, **given: Any) -> Any:
        leaves(*arguments, **given)
        fail()

    with monkeypatch.context() as patch:
        patch.setattr(query, "leaves", read_and_fail)
        session.spark.sql("CREATE TABLE mart.unread USING parquet AS SELECT a, b FROM raw.t1")
        (unread,) = session.events()
    with monkeypatch.context() as patch:
        patch.setitem(nodes.NODES, "Filter", fail)
        frame = session.spark.table("raw.t1").where("b > 1").select("a")
        frame.write.parquet(f"{tmp_path}/unresolved")
        kept = frame.localCheckpoint()
        # A write may wait for the command around it, so the two come in either order.
        checkpointed, unresolved = sorted(session.events(), key=lambda one: len(one["outputs"]))
    kept.write.parquet(f"{tmp_path}/later")
    (later,) = session.events()
    session.stop()
    for event, read, columns in (
        (unread, [], ["a", "b"]),
        (unresolved, ["t1"], ["a"]),
        (later, ["t1"], ["a"]),
    ):
        assert [found["name"].rpartition("/")[2] for found in event["inputs"]] == read
        (output,) = event["outputs"]
        schema = output["facets"]["schema"]
        assert [found["name"] for found in schema["fields"]] == columns
        assert "LookupError: password=*** is wrong" in reasons(event)
    assert checkpointed["outputs"] == []
    assert reasons(checkpointed) == ["LookupError: password=*** is wrong"]
    last = json.loads(session.sink.read_text().splitlines()[-1])
    assert last["eventType"] == "COMPLETE"
    found = last["run"]["facets"]["colgraph_diagnostics"]["unresolved"]
    assert found == [{"class": "failed queries", "count": 3}]
    assert capfd.readouterr().err.count("colgraph:") <= 1


def reasons(event: Any) -> list[str]:
    """What an event names as unresolved."""
    found = event["run"]["facets"]["colgraph_diagnostics"]["unresolved"]
    return [one["class"] for one in found]


def test_a_write_is_emitted_while_spark_reports_a_query_that_it_cannot_analyze(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    session = Session(tmp_path)
    state = session.spark._jsparkSession.sessionState()
    parsed = state.sqlParser().parsePlan("SELECT a FROM nowhere")
    mode = scala_object(state, "org.apache.spark.sql.execution.CommandExecutionMode").ALL()
    failed = state.executePlan(parsed, mode)
    running = private(scala_object(failed, running_commands.EXECUTION), running_commands.RUNNING)
    number = failed.id()
    running.put(number, failed)  # as Spark has it until its listeners are notified
    try:
        session.spark.table("raw.t1").write.parquet(f"{tmp_path}/written")
        (event,) = session.events()
    finally:
        session.stop()
    assert event["outputs"][0]["name"].endswith("/written")
    assert "colgraph:" not in capfd.readouterr().err


def test_a_path_that_hadoop_refuses_is_an_error_of_the_sink(tmp_path: Path) -> None:
    session = Session(tmp_path)
    try:
        for uri in ("hdfs://[x/e", "hdfs://nn:port/e", "hdfs://"):
            with pytest.raises(OSError, match=r"^java[.\w]+: .*hdfs:.*\Z"):
                open_sink(uri)
    finally:
        session.stop()

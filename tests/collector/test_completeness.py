"""What Spark has written against what the events report, without a JVM."""

from typing import Any

from airflow_colgraph.collector.events.completeness import (
    Completeness,
    Gap,
    completeness,
    completeness_body,
)
from airflow_colgraph.collector.events.render import render
from airflow_colgraph.collector.model import Execution, Stage

RUN = "0f6a4a5e-7f5e-4c4b-9d2c-5f1f0a3c9b11"


def execution(number: int, *stages: int, root: int | None = None, of: str = "") -> Execution:
    """An execution whose plan has one metric, with the execution's number."""
    root = number if root is None else root
    return Execution(number, root, frozenset(stages), frozenset({number}), of)


def test_a_job_whose_writes_are_all_told_has_no_gap() -> None:
    stages = [Stage(1, 10, 100), Stage(4, 5, 50)]
    executions = [execution(0, 0, 1), execution(1, 2, 3), execution(2, 4)]
    assert completeness(stages, executions, {0, 2}, ()) == Completeness(2, (), 3)


def test_a_command_and_what_runs_for_it_are_one_write() -> None:
    executions = [execution(5), execution(6, root=5), execution(7, 1, root=5)]
    for reported in (5, 6, 7):
        assert completeness([Stage(1, 1, 1)], executions, {reported}, ()) == Completeness(1, (), 3)


def test_a_query_whose_plan_has_no_metrics_may_be_any() -> None:
    executions = [execution(5, 1), execution(6, 2)]
    stages = [Stage(1, 1, 1), Stage(2, 1, 1)]
    assert completeness(stages, executions, {5}, (), 1) == Completeness(2, (), 2)
    assert len(completeness(stages, executions, (), (), 1).gaps) == 1


def test_an_execution_that_was_not_told_is_a_gap_with_all_its_rows() -> None:
    stages = [Stage(1, 10, 100), Stage(2, 5, 50), Stage(3, 1, 1)]
    executions = [
        execution(0, of="save at etl.py:7"),
        execution(1, 1, root=0),
        execution(2, 2, root=0),
        execution(3, 3),
    ]
    found = completeness(stages, executions, {3}, ())
    assert found == Completeness(2, (Gap("save at etl.py:7", 15, 150),), 4)


def test_an_output_without_a_name_is_one_write_and_one_gap() -> None:
    found = completeness([Stage(1, 5, 50)], [execution(0, 1)], {0, -1}, (), 0, ["output to X"])
    assert found == Completeness(2, (Gap("output to X", 0, 0),), 1)


def test_a_stage_outside_of_any_execution_is_a_gap() -> None:
    found = completeness([Stage(8, 7, 14, "runJob at SparkHadoopWriter.scala:85")], [], (), ())
    assert found == Completeness(1, (Gap("runJob at SparkHadoopWriter.scala:85", 7, 14),))


def test_an_rdd_that_was_saved_has_an_event() -> None:
    """The others are a write to a database, and what a jar has saved."""
    by = "runJob at SparkHadoopWriter.scala:85"
    stages = [Stage(7, 1, 1, "runJob at JDBC.scala:1"), Stage(8, 7, 14, by), Stage(9, 2, 4, by)]
    counted = completeness(stages, [], (), (), saves=1)
    assert (counted.writes, [gap.rows for gap in counted.gaps]) == (3, [1, 2])


def test_a_stage_whose_execution_is_forgotten_is_none() -> None:
    """Spark keeps a thousand executions, and the stages of more than these."""
    executions = [execution(1000, 2000, 2001)]
    assert completeness([Stage(1999, 1, 1), Stage(2001, 1, 1)], executions, {1000}, ()).gaps == ()
    assert completeness([Stage(2002, 1, 1)], executions, {1000}, ()).gaps == (Gap("", 1, 1),)


def test_the_batches_of_a_stream_are_told_by_its_start() -> None:
    batch = execution(4, 9, of=f"id = x<br/>runId = {RUN}<br/>batch = 3")
    assert completeness([Stage(9, 1, 1)], [batch], (), {RUN}).gaps == ()
    assert len(completeness([Stage(9, 1, 1)], [batch], (), {RUN[::-1]}).gaps) == 1


def test_the_body_counts_and_names_the_first_gaps() -> None:
    found = Completeness(40, tuple(Gap(f"save {n}", n, n) for n in range(30)), 50)
    body = completeness_body(found, {"reported": 12, "withoutDatasets": 3, "failed": 1})
    assert [gap["by"] for gap in body.pop("unaccounted")] == [f"save {n}" for n in range(20)]
    assert body == {
        "executions": 50,
        "reported": 12,
        "withoutDatasets": 3,
        "failed": 1,
        "dropped": 0,
        "writes": 40,
        "writesWithoutLineage": 30,
    }


def test_the_text_names_the_first_that_have_no_lineage() -> None:
    found = Completeness(14, tuple(Gap(f"save at etl.py:{n}", n, 1) for n in range(1, 5)), 20)
    end = {"run": {"facets": {"colgraph_diagnostics": {"completeness": body_of(found)}}}}
    assert render([end]) == (
        "4 of 14 writes have no lineage: save at etl.py:1 (1 rows), save at etl.py:2 (2 rows),"
        " save at etl.py:3 (3 rows), ..."
    )


def test_the_text_is_silent_where_all_have() -> None:
    end = {"run": {"facets": {"colgraph_diagnostics": {"completeness": body_of(Completeness(3))}}}}
    assert render([end, {"run": {"facets": {}}}]) == ""


def body_of(found: Completeness) -> Any:
    return completeness_body(found, {})

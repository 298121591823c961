"""Spark's status store is asked when it has heard of all, without a JVM."""

from types import SimpleNamespace
from typing import Any

import pytest

from airflow_colgraph.collector.driver import audit
from airflow_colgraph.collector.spark import stages
from airflow_colgraph.collector.spark.output_rows import rows_of_stages, stages_of_command
from airflow_colgraph.collector.spark.stages import wait_for_end


class Store:
    """Hears of the application's end when it is asked the third time."""

    def __init__(self) -> None:
        self.asked = 0

    def applicationInfo(self) -> Any:
        self.asked += 1
        attempt = SimpleNamespace(completed=lambda: self.asked >= 3)
        return SimpleNamespace(attempts=lambda: SimpleNamespace(head=lambda: attempt))


@pytest.mark.parametrize(("seconds", "asked"), [(60, 3), (0, 1)])
def test_the_end_is_waited_for_but_not_too_long(
    seconds: float, asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stages, "POLL_SECONDS", 0)
    store = Store()
    has_ended = wait_for_end(SimpleNamespace(statusStore=lambda: store), seconds)
    assert (store.asked, has_ended) == (asked, asked == 3)


@pytest.mark.parametrize("has_ended", [True, False])
def test_the_last_event_says_if_the_store_was_behind(
    has_ended: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job on a busy machine lost the files of its RDDs, and its last event was clean."""
    monkeypatch.setattr(audit, "wait_for_end", lambda *_: has_ended)
    accounting = SimpleNamespace(failed=0, reported=0, without_datasets=0)
    pipeline = SimpleNamespace(accounting=accounting)
    worker: Any = SimpleNamespace(on=True, dropped=0, pipeline=pipeline)
    unused: Any = None
    audited = audit.Audit(unused, worker, unused, unused, unused, first_stage=0)
    monkeypatch.setattr(audited, "_compare", lambda: None)
    audited.run(is_stopping=True)
    facets = audited.last_facets("", is_complete=True)
    assert ("colgraph_diagnostics" in facets) != has_ended
    assert has_ended or audit.BEHIND in facets["colgraph_diagnostics"]["truncated"]


def stage(rows: int, attempt: int = 0, failed: int = 0, killed: int = 0, active: int = 0) -> Any:
    return SimpleNamespace(
        outputRecords=lambda: rows,
        attemptId=lambda: attempt,
        numFailedTasks=lambda: failed,
        numKilledTasks=lambda: killed,
        numActiveTasks=lambda: active,
    )


@pytest.mark.parametrize(
    ("run", "rows"),
    [
        ([stage(0), stage(7)], 7),
        ([stage(0)], 0),
        ([], 0),  # of no partitions
        ([stage(3), stage(7)], None),
        ([stage(7, attempt=1)], None),
        ([stage(7, failed=1)], None),
        ([stage(7, killed=1)], None),
        ([stage(7, active=1)], None),
    ],
)
def test_rows_are_those_of_one_stage_whose_tasks_ran_once(run: list[Any], rows: int | None) -> None:
    """A task that has failed, or runs twice, may have left rows that its successor writes again."""
    store = SimpleNamespace(lastStageAttempt=lambda number: run[number])
    context = SimpleNamespace(statusStore=lambda: store)
    assert rows_of_stages(context, set(range(len(run)))) == rows


class Executions(list[Any]):
    """Spark's SQL status store, and the list that it answers."""

    def executionsCount(self) -> int:
        return len(self)

    def executionsList(self, first: int, length: int) -> Any:
        return Executions(self[first : first + length])

    def size(self) -> int:
        return len(self)

    def apply(self, index: int) -> Any:
        return self[index]

    def execution(self, number: int) -> Any:
        shown = [each for each in self if each.executionId() == number]
        return SimpleNamespace(isDefined=lambda: bool(shown), get=lambda: shown[0])


def execution(number: int, root: int, plan: str, stages: str = "", *, ended: bool = True) -> Any:
    return SimpleNamespace(
        executionId=lambda: number,
        rootExecutionId=lambda: root,
        physicalPlanDescription=lambda: f"== Physical Plan ==\n{plan}",
        stages=lambda: SimpleNamespace(mkString=lambda _: stages),
        completionTime=lambda: SimpleNamespace(isDefined=lambda: ended, get=lambda: 1),
    )


INNER = [execution(4, 3, "Scan", "5,6"), execution(5, 5, "Scan", "7")]
INSERT = execution(2, 2, "Execute InsertIntoDataSourceCommand (1)")


@pytest.mark.parametrize(
    ("kept", "stages"),
    [
        ([execution(3, 3, "Save Provider@1f"), *INNER], {5, 6}),
        ([execution(3, 3, "Save Provider@1f", ended=False), *INNER], None),
        ([execution(3, 3, "Save Provider@1f"), INNER[1]], None),
        ([execution(3, 3, "Save Provider@2f"), *INNER], None),
        ([INSERT, execution(3, 2, "Save Provider@1f"), execution(4, 2, "Scan", "5")], {5}),
        ([execution(3, 2, "Save Provider@1f"), execution(4, 2, "Scan", "5")], None),
        (
            [execution(2, 2, "Batch"), execution(3, 2, "Save Provider@1f"), execution(4, 2, "a")],
            None,
        ),
        ([execution(3, 3, "Save Provider@1f"), *INNER, *[INSERT] * 50], None),
        ([], None),
    ],
)
def test_a_command_is_found_by_its_own_object(kept: list[Any], stages: set[int] | None) -> None:
    store = Executions(kept)
    state = SimpleNamespace(statusStore=lambda: store)
    session = SimpleNamespace(sharedState=lambda: state)
    assert stages_of_command(session, "Provider@1f") == stages

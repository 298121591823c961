"""What an earlier plan had is not printed again, and the rows are as if it were."""

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_colgraph.collector.plan import Rows
from airflow_colgraph.collector.spark import plan_memory
from airflow_colgraph.collector.spark.plan_text import plan_text
from tests.spark.session import Session

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark-commands")]

TURNS = 5


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    found = Session(Path(tmp_path_factory.mktemp("plans")))
    yield found
    found.stop()


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The length of each text that Spark has printed; the rows of each plan are compared."""
    lengths: list[int] = []
    original = plan_memory.PlanMemory.printed

    def counted(tree: Any) -> str:
        lengths.append(len(text := plan_text(tree)))
        return text

    def compared(memory: Any, plan: Any) -> plan_memory.Printed:
        found = original(memory, plan)
        assert found.rows == whole(plan)
        return found

    monkeypatch.setattr(plan_memory, "plan_text", counted)
    monkeypatch.setattr(plan_memory.PlanMemory, "printed", compared)
    return lengths


def whole(plan: Any) -> Rows:
    rows: Rows = json.loads(plan_text(plan))
    return rows


def joined(frame: DataFrame, session: Session, turn: int) -> DataFrame:
    """A frame with one more join: its plan is the left side of the join's."""
    counted = session.spark.table("raw.t1").groupBy("a").agg(F.count("b").alias(f"n{turn}"))
    return frame.join(counted, "a")


@pytest.mark.parametrize("is_coalesced", [False, True])
def test_a_loop_prints_what_is_new_only(
    session: Session,
    printed: list[int],
    monkeypatch: pytest.MonkeyPatch,
    is_coalesced: bool,
) -> None:
    monkeypatch.setattr(plan_memory, "SMALL", 0)
    frame = session.spark.table("raw.t1").select("a", "b")
    for turn in range(TURNS):
        frame = joined(frame, session, turn)
        written = frame.coalesce(1) if is_coalesced else frame
        written.write.mode("overwrite").parquet(f"{session.root}/out")
    events = session.events()
    assert len(printed) == TURNS
    growth = [later - earlier for earlier, later in pairwise(printed[1:])]
    assert max(growth) < 400  # a column more in each Project; whole plans grow by thousands
    last = events[-1]
    assert last["run"]["facets"]["colgraph_diagnostics"]["unresolved"] == []
    assert list(last["outputs"][0]["facets"]["columnLineage"]["fields"]) == [
        *("a", "b"),
        *(f"n{turn}" for turn in range(TURNS)),
    ]


def test_a_plan_that_was_printed_whole_is_not_printed_at_all(
    session: Session, printed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan_memory, "SMALL", 0)
    frame = joined(session.spark.table("raw.t1"), session, 0)
    frame.collect()
    frame.write.mode("overwrite").parquet(f"{session.root}/out")
    assert len(session.events()) == 2
    assert len(printed) == 1


def test_small_plans_are_not_looked_for(session: Session, printed: list[int]) -> None:
    frame = joined(session.spark.table("raw.t1"), session, 0)
    frame.collect()
    frame.write.mode("overwrite").parquet(f"{session.root}/out")
    assert len(session.events()) == 2
    assert len(printed) == 2


def test_only_the_last_plans_are_remembered(
    session: Session, printed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan_memory, "SMALL", 0)
    memory = plan_memory.PlanMemory()
    table = session.spark.table("raw.t1")
    frames = [joined(table, session, turn) for turn in range(plan_memory.MOST_PLANS + 1)]
    plans = [frame._jdf.queryExecution().analyzed() for frame in frames]
    for plan in plans:
        memory.printed(plan)
    before = len(printed)
    memory.printed(plans[1])
    assert len(printed) == before
    memory.printed(plans[0])
    assert len(printed) == before + 1


@pytest.mark.parametrize("others", [plan_memory.MOST_UNUSED, plan_memory.MOST_UNUSED + 1])
def test_plans_that_no_query_uses_are_forgotten(
    session: Session, printed: list[int], monkeypatch: pytest.MonkeyPatch, others: int
) -> None:
    memory = plan_memory.PlanMemory()
    large = joined(session.spark.table("raw.t1"), session, 0)._jdf.queryExecution().analyzed()
    small = session.spark.range(1)._jdf.queryExecution().analyzed()
    monkeypatch.setattr(plan_memory, "SMALL", len(plan_text(small)) + 1)
    memory.printed(large)
    for _ in range(others):
        memory.printed(small)
    before = len(printed)
    memory.printed(large)
    assert (len(printed) > before) is (others > plan_memory.MOST_UNUSED)

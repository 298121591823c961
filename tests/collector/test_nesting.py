"""A write that two commands tell: once, whenever the second comes, whatever else runs."""

from time import monotonic
from typing import Any

import pytest

from airflow_colgraph.collector.events.write_buffer import WRITERS
from airflow_colgraph.collector.model import Query, Statistics
from tests.collector.pipelines import pipeline_into
from tests.collector.test_cases import RECORDED

VERSION = max(RECORDED)
ONE, OTHER = "transformations_T1_identity", "transformations_T2_transformation"  # CREATE .. AS


class Commands:
    """Spark, as far as `Worker` asks it."""

    running = True

    def may_report_more(self) -> bool:
        return self.running


class Emitted:
    def __init__(self) -> None:
        self.commands = Commands()
        self.events: list[dict[str, Any]] = []
        self.pipeline = pipeline_into(self.events, commands=self.commands)

    def add(self, query: Query) -> None:
        self.pipeline.add(query, monotonic())

    def became(self) -> list[str]:
        facets = [event["outputs"][0]["facets"] for event in self.events]
        return [f.get("lifecycleStateChange", {}).get("lifecycleStateChange", "") for f in facets]


def commands_of(case: str) -> tuple[Query, Query]:
    inner, outer = RECORDED[VERSION][case]  # the inner says OVERWRITE, the outer CREATE
    return inner, outer


def test_a_write_is_held_while_a_command_runs_that_may_report_it_again() -> None:
    emitted = Emitted()
    inner, outer = commands_of(ONE)
    emitted.add(inner)
    emitted.pipeline.buffer.release_finished(lambda: True)
    assert emitted.events == []
    emitted.add(outer)
    emitted.commands.running = False
    emitted.pipeline.buffer.release_finished(lambda: True)
    assert emitted.became() == ["CREATE"]


def test_what_no_command_reports_again_is_emitted_at_once() -> None:
    emitted = Emitted()
    emitted.commands.running = False
    emitted.add(commands_of(ONE)[0])
    emitted.pipeline.buffer.release_finished(lambda: True)
    assert emitted.became() == ["OVERWRITE"]


def test_a_command_that_is_reported_while_spark_is_asked_is_waited_for() -> None:
    waiting: list[Query] = []
    inner, outer = commands_of(ONE)

    class Ending(Commands):
        def may_report_more(self) -> bool:
            waiting.append(outer)  # its end was on the listeners' bus
            return False

    emitted = Emitted()
    emitted.add(inner)
    emitted.pipeline.buffer._commands = Ending()
    emitted.pipeline.buffer.release_finished(lambda: not waiting)
    emitted.add(waiting.pop())
    emitted.pipeline.buffer.release()
    assert emitted.became() == ["CREATE"]


def test_commands_of_several_threads_are_distinguished() -> None:
    emitted = Emitted()
    (one, around_one), (other, around_other) = commands_of(ONE), commands_of(OTHER)
    for query in (one, other, around_one, around_other):
        emitted.add(query)
    emitted.pipeline.buffer.release()
    assert emitted.became() == ["CREATE", "CREATE"]
    first, second = (event["outputs"][0]["name"] for event in emitted.events)
    assert first != second


def test_a_write_that_could_not_wait_is_emitted_again_whole() -> None:
    """Whoever merges the two events finds the same columns in both."""
    emitted = Emitted()
    inner, outer = commands_of(ONE)
    emitted.add(inner)
    emitted.pipeline.buffer.release()
    emitted.add(outer)
    emitted.pipeline.buffer.release()
    assert emitted.became() == ["OVERWRITE", "CREATE"]
    first, second = (event["outputs"][0]["facets"]["columnLineage"] for event in emitted.events)
    assert first == second


def test_an_earlier_write_is_no_part_of_a_later_command() -> None:
    emitted = Emitted()
    inner, outer = commands_of(ONE)
    emitted.add(inner._replace(number=3))
    emitted.add(inner._replace(number=6))
    emitted.add(outer._replace(number=5))
    emitted.pipeline.buffer.release()
    assert emitted.became() == ["OVERWRITE", "CREATE"]


def rows_of(event: dict[str, Any]) -> int | None:
    rows = event["outputs"][0].get("outputFacets", {}).get("outputStatistics", {}).get("rowCount")
    assert rows is None or isinstance(rows, int)
    return rows


@pytest.mark.parametrize(
    ("counts", "expected"), [([7], [7]), ([7, 7], [7, 7]), ([7, 8], [None, None]), ([None], [None])]
)
def test_a_write_has_the_rows_of_the_only_one_that_it_supersedes(
    counts: list[int | None], expected: list[int | None]
) -> None:
    """`INSERT INTO` a database's table runs a save, which alone tells the rows."""
    emitted = Emitted()
    inner, _ = commands_of(ONE)
    assert inner.write is not None
    for rows in counts:
        statistics = None if rows is None else Statistics(rows)
        emitted.add(inner._replace(write=inner.write._replace(statistics=statistics)))
    outer = inner._replace(write=inner.write._replace(supersedes=True, statistics=None))
    for _ in counts:  # INSERTs of the same frame, in threads
        emitted.add(outer)
    emitted.pipeline.buffer.release()
    assert list(map(rows_of, emitted.events)) == expected


def test_a_write_of_another_thread_is_no_part_of_an_insert() -> None:
    """It ended while the INSERT ran, and had no event."""
    emitted = Emitted()
    inner, _ = commands_of(ONE)
    other, _ = commands_of(OTHER)
    assert inner.write is not None
    assert other.write is not None
    alike = other._replace(write=other.write._replace(named=inner.write.named))
    for query in (alike, inner, inner._replace(write=inner.write._replace(supersedes=True))):
        emitted.add(query)
    emitted.pipeline.buffer.release()
    lineages = [event["outputs"][0]["facets"]["columnLineage"] for event in emitted.events]
    assert len(lineages) == 2
    assert lineages[0] != lineages[1]


def test_nothing_stays_held_when_spark_cannot_be_asked() -> None:
    class Broken(Commands):
        def may_report_more(self) -> bool:
            raise RuntimeError("an answer that nobody knows")

    emitted = Emitted()
    emitted.add(commands_of(ONE)[0])
    emitted.pipeline.buffer._commands = Broken()
    with pytest.raises(RuntimeError):
        emitted.pipeline.buffer.release()
    assert emitted.became() == ["OVERWRITE"]


@pytest.mark.parametrize("counted", ["inner", "outer"])
def test_a_write_to_a_database_has_read_what_its_query_has(counted: str) -> None:
    """Only the plan that ran counts rows, so that each such write had two events."""
    emitted = Emitted()
    outer = commands_of(ONE)[0]
    both = {"inner": outer._replace(write=None, function=WRITERS), "outer": outer}
    reads = {ids: read._replace(statistics=Statistics(3)) for ids, read in outer.reads.items()}
    both[counted] = both[counted]._replace(reads=reads)
    for query in both.values():
        emitted.add(query)
    emitted.pipeline.buffer.release()
    assert emitted.became() == ["OVERWRITE"]
    (read,) = emitted.events[0]["inputs"]
    assert read["inputFacets"]["inputStatistics"]["rowCount"] == 3


def test_each_write_of_a_frame_in_threads_takes_a_query_of_its_own() -> None:
    emitted = Emitted()
    outer = commands_of(ONE)[0]
    inner = outer._replace(write=None, function=WRITERS)
    for query in (inner, inner, outer, outer):
        emitted.add(query)
    emitted.pipeline.buffer.release()
    assert emitted.became() == ["OVERWRITE", "OVERWRITE"]

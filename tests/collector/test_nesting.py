"""A write that two commands tell: once, whenever the second comes, whatever else runs."""

from time import monotonic
from typing import Any

from airflow_colgraph.collector import settings
from airflow_colgraph.collector.driver.worker import Worker
from airflow_colgraph.collector.events.facets import Job
from airflow_colgraph.collector.model import Query
from tests.collector.test_cases import RECORDED

VERSION = max(RECORDED)
ONE, OTHER = "transformations_T1_identity", "transformations_T2_transformation"  # CREATE .. AS


class Commands:
    """Spark, as far as `Worker` asks it."""

    running = True

    def may_tell_more(self) -> bool:
        return self.running


class Told:
    def __init__(self) -> None:
        self.commands = Commands()
        self.events: list[dict[str, Any]] = []
        job = Job("tests", "recorded", "run", {})
        given: Any = self.commands
        self.worker = Worker(job, settings.read({}), self.events.append, given)

    def tell(self, query: Query) -> None:
        self.worker.tell(query, monotonic())

    def became(self) -> list[str]:
        facets = [event["outputs"][0]["facets"] for event in self.events]
        return [f.get("lifecycleStateChange", {}).get("lifecycleStateChange", "") for f in facets]


def commands_of(case: str) -> tuple[Query, Query]:
    inner, outer = RECORDED[VERSION][case]  # the inner says OVERWRITE, the outer CREATE
    return inner, outer


def test_a_write_is_held_as_long_as_a_command_runs_that_may_tell_it_again() -> None:
    told = Told()
    inner, outer = commands_of(ONE)
    told.tell(inner)
    told.worker._look()
    assert told.events == []
    told.tell(outer)
    told.commands.running = False
    told.worker._look()
    assert told.became() == ["CREATE"]


def test_what_no_command_tells_again_is_written_at_once() -> None:
    told = Told()
    told.commands.running = False
    told.tell(commands_of(ONE)[0])
    told.worker._look()
    assert told.became() == ["OVERWRITE"]


def test_commands_of_several_threads_are_told_apart() -> None:
    told = Told()
    (one, around_one), (other, around_other) = commands_of(ONE), commands_of(OTHER)
    for query in (one, other, around_one, around_other):
        told.tell(query)
    told.worker.release()
    assert told.became() == ["CREATE", "CREATE"]
    first, second = (event["outputs"][0]["name"] for event in told.events)
    assert first != second


def test_a_write_that_could_not_wait_is_told_again_whole() -> None:
    """Whoever merges the two events finds the same columns in both."""
    told = Told()
    inner, outer = commands_of(ONE)
    told.tell(inner)
    told.worker.release()
    told.tell(outer)
    told.worker.release()
    assert told.became() == ["OVERWRITE", "CREATE"]
    first, second = (event["outputs"][0]["facets"]["columnLineage"] for event in told.events)
    assert first == second


def test_an_earlier_write_is_no_part_of_a_later_command() -> None:
    told = Told()
    inner, outer = commands_of(ONE)
    told.tell(inner._replace(number=3))
    told.tell(inner._replace(number=6))
    told.tell(outer._replace(number=5))
    told.worker.release()
    assert told.became() == ["OVERWRITE", "CREATE"]

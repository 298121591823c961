"""What the JVM lent is given back at once, not when Python looks for circles of its own."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, SimpleNamespace
from typing import Any

from pyspark.errors.exceptions.captured import AnalysisException

from airflow_colgraph.collector.driver.worker import Worker
from airflow_colgraph.collector.spark.leaf_cache import LeafCache
from airflow_colgraph.collector.spark.running_commands import JvmCommands
from airflow_colgraph.collector.spark.translate import FinishedQuery
from tests.collector.pipelines import pipeline_into


class Java:
    """A proxy: what it is asked it answers, and it says when it is given back."""

    def __init__(self, name: str, given_back: list[str], **answers: Any) -> None:
        self._name = name
        self._given_back = given_back
        self._answers = answers

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in self._answers:
            raise AttributeError(name)
        answer = self._answers[name]
        return answer if isinstance(answer, FunctionType) else lambda *_: answer

    def _detach(self) -> None:
        self._given_back.append(self._name)


def plan_of(kind: str, given_back: list[str]) -> Java:
    named = Java("class", given_back, getName=f"org.apache.spark.sql.{kind}")
    return Java("plan", given_back, getClass=named)


def heard(execution: Java) -> None:
    """The query is queued, and the worker is done with it."""
    worker = Worker(pipeline_into([]))
    catalog: Any = SimpleNamespace(leaves=LeafCache())
    worker.offer(FinishedQuery("command", execution, catalog))
    assert worker.wait(60)


def test_a_query_is_released_once_it_is_reported() -> None:
    given_back: list[str] = []
    plan = plan_of("SaveAsV1TableCommand", given_back)  # which tells nothing
    heard(Java("query", given_back, id=1, analyzed=plan))
    assert "query" in given_back


def test_a_query_that_cannot_be_reported_is_released() -> None:
    given_back: list[str] = []
    heard(Java("query", given_back, id=1))
    assert given_back == ["query"]


def commands_of(given_back: list[str], *executions: Java) -> JvmCommands:
    """What Spark runs now."""
    left = iter(executions)
    more = iter([*(True for _ in executions), False])
    running = Java(
        "running",
        given_back,
        hasMoreElements=lambda: next(more),
        nextElement=lambda: next(left),
    )
    commands = JvmCommands.__new__(JvmCommands)
    commands._running = Java("map", given_back, elements=running)
    commands._bus = Java("bus", given_back, waitUntilEmpty=None)
    return commands


def test_running_queries_that_were_inspected_are_released() -> None:
    given_back: list[str] = []
    found = {"one": "Project", "two": "CreateTableAsSelect"}
    running = [
        Java(name, given_back, analyzed=plan_of(kind, given_back)) for name, kind in found.items()
    ]
    assert commands_of(given_back, *running).may_report_more()
    assert given_back == ["one", "two", "running"]


def test_a_running_query_that_cannot_be_analyzed_is_no_command() -> None:
    given_back: list[str] = []

    def analyzed() -> None:
        raise AnalysisException.__new__(AnalysisException)  # its __init__ asks a JVM

    query = Java("query", given_back, analyzed=analyzed)
    assert not commands_of(given_back, query).may_report_more()
    assert given_back == ["query", "running"]

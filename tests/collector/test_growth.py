"""Work grows with a plan, not faster: counted, as time would tell of the machine instead.

`python -m bench.collector --growth` shows the same in seconds.
"""

import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import cycle
from types import FrameType, SimpleNamespace
from typing import Any

import pytest

from airflow_colgraph.collector.model import Query
from airflow_colgraph.collector.plan import Rows, kind
from airflow_colgraph.collector.spark import plan_memory
from airflow_colgraph.collector.spark.leaf_cache import LeafCache
from airflow_colgraph.collector.spark.plan_memory import PlanMemory
from airflow_colgraph.collector.spark.translate import read
from tests.collector.test_lineage import (
    alias,
    attribute,
    concat,
    project,
    relation,
    resolved_event,
    row,
)

MOST = 2.3  # times the work for twice the plan


def depth(size: int) -> tuple[Rows, int, tuple[int, ...]]:
    """So many `withColumn` on ten columns, each made of two."""
    names = list(range(10))
    plan = relation(*names)
    for step in range(size):
        made = alias(100 + step, concat(names[step % 10], names[(step + 1) % 10]))
        names[step % 10] = 100 + step
        kept = [made if number == 100 + step else [attribute(number)] for number in names]
        plan = project(kept, plan)
    return plan, 10, tuple(range(10))


def width(size: int) -> tuple[Rows, int, tuple[int, ...]]:
    """So many columns, each computed anew three times."""
    numbers = tuple(range(size))
    plan = relation(*numbers)
    for step in range(3):
        base = step * size
        plan = project([alias(base + size + n, concat(base + n, base + n)) for n in numbers], plan)
    return plan, size, numbers


def unions(size: int) -> tuple[Rows, int, tuple[int, ...]]:
    """A union of so many filtered parts of one frame."""
    condition = [row("EqualTo", 2), attribute(1), row("Literal", value="1", dataType="integer")]
    part = [row("Filter", 1, condition=condition), *relation(1, 2)]
    return [row("Union", size), *part * size], 2, (1, 2)


def self_joins(size: int) -> tuple[Rows, int, tuple[int, ...]]:
    """A loop that joins a frame with a count of itself so many times."""
    plan, key = relation(1, 2), 2
    for step in range(size):
        new = 10 * (step + 1)
        counted = [
            row(
                "Aggregate",
                1,
                groupingExpressions=[[attribute(new + 2)]],
                aggregateExpressions=[[attribute(new + 2)], alias(new + 3, concat(new + 1))],
            ),
            *relation(new + 1, new + 2),
        ]
        equal = [row("EqualTo", 2), attribute(key), attribute(new + 2)]
        joined = [row("Join", 2, joinType={"object": "Inner$"}, condition=equal), *plan, *counted]
        plan = project([[attribute(key)], [attribute(new + 3)]], joined)
    return plan, 2, (1, 2)


def windows(size: int) -> tuple[Rows, int, tuple[int, ...]]:
    """So many window functions, one after the other, of which one column is kept."""
    plan = relation(1, 2)
    for step in range(size):
        plan = [row("Window", 1, windowExpressions=[alias(10 + step, concat(1, 2))]), *plan]
    return project([[attribute(9 + size)]], plan), 1, (1, 2)


def calls_of(act: Callable[[], Any]) -> int:
    """How many functions, Python's own methods included, are called."""
    counted = 0

    def count(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        act()
    finally:
        sys.setprofile(before)
    return counted


@pytest.mark.parametrize("shape", [depth, width, unions, self_joins, windows])
def test_twice_the_plan_is_twice_the_work(shape: Callable[..., Any]) -> None:
    once, twice = (calls_of(partial(resolved_event, *shape(size))) for size in (100, 200))
    assert once > 1000
    assert twice / once < MOST


# What the JVM is asked --------------------------------------------------------------------------


class Java:
    """An object of a JVM that counts what it is asked; each method answers what it was given."""

    _gateway_client = object()

    def __init__(self, asked: Counter[str], **answers: Any) -> None:
        self._asked = asked
        self._answers = {
            **dict.fromkeys(("loadClass", "getField", "get"), lambda name: self),
            **{"getClassLoader": self, "containsPattern": lambda pattern: False},
            **dict.fromkeys(("CASE_WHEN", "RUNTIME_REPLACEABLE")),
            **answers,
        }

    def __getattr__(self, name: str) -> Callable[..., Any]:
        self._asked[name] += 1
        answer = self._answers[name]
        return answer if callable(answer) else lambda: answer


def in_jvm(plan: Rows, asked: Counter[str], paths: Sequence[str] = ("file:/in",)) -> Java:
    """A plan as Spark would hand it over; its leaves read files, at each of `paths` in turn."""

    def of_class(name: str, **answers: Any) -> Java:
        named = Java(asked, getName=f"org.apache.spark.{name}")
        return Java(asked, getClass=named, **answers)

    def items(found: list[Java]) -> Java:
        return Java(asked, size=len(found), apply=lambda index: found[index])

    def leaf_of(path: str) -> Java:
        files = of_class("InMemoryFileIndex", rootPaths=items([Java(asked, toString=path)]))
        relation = of_class(
            "HadoopFsRelation",
            location=files,
            toString="Parquet",
            schema=Java(asked, fieldNames=["c0"]),
            equals=lambda other: other.is_of(path),
            is_of=lambda given: given == path,
        )
        return Java(asked, relation=relation)

    found = map(leaf_of, paths)
    leaves = [leaf for _, leaf in zip(relations_of(plan), cycle(found), strict=False)]
    return of_class(
        kind(plan[0]),
        output=items([]),
        toJSON=json.dumps(plan),
        collectLeaves=items(leaves),
    )


@pytest.fixture(autouse=True)
def _no_plan_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """These objects have no identity: tests/spark/test_plan_memory.py has some that do."""
    monkeypatch.setattr(plan_memory, "SMALL", math.inf)


def relations_of(plan: Rows) -> Rows:
    return [found for found in plan if kind(found) == "LogicalRelation"]


def asked_for(*plans: Rows, paths: Sequence[str] = ("file:/in",)) -> list[int]:
    """How often the JVM is asked for each query, when a session has these queries."""
    catalog: Any = SimpleNamespace(leaves=LeafCache(), plans=PlanMemory(), tables={})
    counts = []
    for plan in plans:
        asked: Counter[str] = Counter()
        query = read("collect", in_jvm(plan, asked, paths), catalog)
        assert isinstance(query, Query)
        read_names = [
            named.dataset.name for found in query.reads.values() for named in found.datasets
        ]
        assert read_names == [
            path.removeprefix("file:") for path, _ in zip(cycle(paths), read_names)
        ]
        counts.append(asked.total())
    return counts


def test_a_frame_that_is_in_a_plan_many_times_is_asked_for_once() -> None:
    _, few, many = (asked_for(unions(size)[0]) for size in (1, 1, 300))  # a JVM is asked some once
    assert few == many


def test_a_loop_asks_only_for_what_each_turn_adds() -> None:
    first, *turns = asked_for(*(self_joins(size)[0] for size in range(1, 60)))
    assert set(turns) == {turns[0]}
    assert turns[0] < first


def test_a_query_that_is_run_again_is_asked_for_no_relation() -> None:
    once, again = asked_for(*[self_joins(5)[0]] * 2)
    alone, _ = asked_for(*[self_joins(0)[0]] * 2)
    assert again < alone < once


def test_twice_the_leaves_are_asked_twice_as_much() -> None:
    (once,), (twice,) = (asked_for(self_joins(size)[0]) for size in (100, 200))
    assert twice / once < MOST


def parts(size: int) -> Rows:
    """A union of so many parts of files with the same columns, to which Spark gave new ids."""

    def part(number: int) -> Rows:
        names = enumerate(("c0", "_metadata"))
        output = [[{**attribute(2 * number + place), "name": name}] for place, name in names]
        return [row("LogicalRelation", output=output)]

    return [row("Union", size), *(found for number in range(size) for found in part(number))]


def test_parts_of_one_frame_are_compared_and_not_asked_for() -> None:
    (alone,), (once,), (twice,) = (asked_for(parts(size)) for size in (1, 100, 200))
    assert (twice - once) / 100 < alone / 3


@pytest.mark.parametrize("many", [2, 3, 100])
def test_what_is_compared_does_not_grow_with_the_sources(many: int) -> None:
    paths = [f"file:/in{number}" for number in range(many)]
    (once,), (twice,) = (asked_for(parts(size), paths=paths) for size in (100, 200))
    assert twice / once < MOST


def test_what_is_compared_has_the_same_columns_of_its_own() -> None:
    catalog: Any = SimpleNamespace(leaves=LeafCache(), plans=PlanMemory(), tables={})
    query = read("collect", in_jvm(parts(2), Counter()), catalog)
    assert isinstance(query, Query)
    assert query.notes.metadata_columns == {1, 3}
    assert [found.columns for found in query.reads.values()] == [(("c0", "int"),)] * 2

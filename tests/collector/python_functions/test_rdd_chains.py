"""What chains of an RDD's functions are told to depend on.

No earlier test could see it: a frame that came from an RDD depended on all that the RDD was.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import pytest

from airflow_colgraph.collector.lineage.transformations import TRANSFORMATIONS, bits
from airflow_colgraph.collector.python_functions.rdd_chains import of_chain
from airflow_colgraph.collector.python_functions.rdd_elements import Chain, FrameRows, Step
from airflow_colgraph.collector.python_functions.source import captured

LEFT, RIGHT = FrameRows(1, ("a", "b")), FrameRows(2, ("c", "d"))
NAMES = "abcd"


def step(method: str, function: Any = None, *parents: Chain) -> Step:
    return Step(method, parents or (LEFT,), captured(function) if function else None)


def told(chain: Chain, *names: str) -> list[str] | None:
    outcome = of_chain(chain, list(names))
    if outcome is None:
        return None
    return [
        f"{name} <- {NAMES[place]} {TRANSFORMATIONS[kind].subtype}"
        for name, inputs in [*outcome.columns.items(), ("*", outcome.rows)]
        for kind, fields in sorted(inputs.items())
        for place in bits(fields)
    ]


PAIRS = step("map", lambda r: (r.a, r[1]))
OTHERS = step("keyBy", lambda r: r["c"], RIGHT)


def swapped(rows: Iterator[Any]) -> Iterator[Any]:
    return (reversed_of(row) for row in rows)


def reversed_of(row: Any) -> tuple[Any, Any]:
    first, second = row
    return second, first


def listed(row: Any) -> list[Any]:
    if row.a > 1:
        return [(row.b, 1)]
    return []


KEPT: list[Any] = []
SUMS = (lambda v: v, lambda s, v: s + v, operator.add)
TURNED = step(
    "reduceByKey",
    lambda x, y: (y[1], x[2], x[2]),
    step("map", lambda r: (r.a, (1, r.a, r.b))),
)
"""What two totals are merged to has of `b` what none has that has seen one value."""


@pytest.mark.parametrize(
    ("chain", "expected"),
    [
        (PAIRS, ["x <- a IDENTITY", "y <- b IDENTITY"]),
        (step("mapPartitions", swapped), ["x <- b IDENTITY", "y <- a IDENTITY"]),
        (step("flatMap", listed), ["x <- b IDENTITY", "* <- a FILTER"]),
        (
            step("filter", lambda p: p[1] > 2, PAIRS),
            ["x <- a IDENTITY", "y <- b IDENTITY", "* <- b FILTER"],
        ),
        (
            step("reduceByKey", lambda x, y: x if x > y else y, PAIRS),
            ["x <- a IDENTITY", "y <- b AGGREGATION", "y <- b CONDITIONAL", "* <- a GROUP_BY"],
        ),
        (
            step("reduceByKey", operator.add, step("mapValues", lambda b: b * 2, PAIRS)),
            ["x <- a IDENTITY", "y <- b AGGREGATION", "* <- a GROUP_BY"],
        ),
        (
            step("map", lambda p: (p[1][0], p[1][1].d), step("join", None, PAIRS, OTHERS)),
            ["x <- b IDENTITY", "y <- d IDENTITY", "* <- a JOIN", "* <- c JOIN"],
        ),
        (
            step("sortBy", lambda p: p[1], step("distinct", None, PAIRS)),
            ["x <- a IDENTITY", "y <- b IDENTITY", "* <- a FILTER", "* <- b FILTER", "* <- b SORT"],
        ),
        (
            step("map", lambda p: (p[1], p[0][1]), step("zipWithIndex", None, PAIRS)),
            ["y <- b IDENTITY"],
        ),
        (
            Step("combineByKey", (PAIRS,), captured(SUMS)),
            ["x <- a IDENTITY", "y <- b AGGREGATION", "* <- a GROUP_BY"],
        ),
        (
            step("map", lambda p: (p[1][0], p[1][1]), TURNED),
            [f"{name} <- {each} AGGREGATION" for name in "xy" for each in "ab"]
            + ["* <- a GROUP_BY"],
        ),
        (step("map", lambda r: (r.a, KEPT.append(r.b) or len(KEPT))), None),
        (step("map", lambda r: (r.a, r.b), step("randomSplit")), None),
        (step("map", lambda r: (r.a, r.b, 1)), None),
        (step("flatMap", lambda p: p[1], step("map", lambda r: (1, (x for x in r)))), None),
    ],
)
def test_a_chain_of_calls(chain: Chain, expected: list[str] | None) -> None:
    lines = told(chain, "x", "y")
    assert lines == expected if expected is None else sorted(lines or []) == sorted(expected)


FIRST = [0, 1]
SECOND = [1, 0]
WIDTHS = {"a": {"a": 1, "b": 2}}


def test_lists_of_several_functions_are_told_apart() -> None:
    """Those of one function stood for those of the next, and an inner dict for the outer one."""
    first = step("map", lambda r: (r[FIRST[0]], r[FIRST[1]]))
    turned = step("map", lambda p: (p[SECOND[0]], p[SECOND[1]]), first)
    assert told(turned, "x", "y") == ["x <- b IDENTITY", "y <- a IDENTITY"]
    inner = step("map", lambda r: (sum(r[each] for each in WIDTHS["a"]),))
    assert told(inner, "x") == ["x <- a AGGREGATION", "x <- b AGGREGATION"]


def test_names_in_another_order_than_the_keys_of_dicts_are_not_told() -> None:
    """Spark gives the columns of dicts the names of a list in the order of their keys."""
    dicts = step("map", lambda r: {"x": r.a, "y": r.b})
    assert told(dicts, "y", "x") == ["y <- b IDENTITY", "x <- a IDENTITY"]
    assert of_chain(dicts, ["x", "y"], has_schema=False) is not None
    assert of_chain(dicts, ["y", "x"], has_schema=False) is None

"""Plans with Python functions that the program has handed to Spark.

No earlier test could see it: recorded plans have no function, so each keeps the conservative rule.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from airflow_colgraph.collector import load_rules as load_rules
from airflow_colgraph.collector.lineage.resolution import resolve
from airflow_colgraph.collector.lineage.sources import Options, Sources
from airflow_colgraph.collector.lineage.transformations import TRANSFORMATIONS
from airflow_colgraph.collector.model import Dataset
from airflow_colgraph.collector.plan import Rows
from airflow_colgraph.collector.python_functions.remembered import Functions
from tests.collector.test_lineage import alias, attribute, relation, row

MAP, SCALAR, TYPE = 205, 100, "long"


def told(plan: Rows, functions: Functions | None) -> tuple[list[dict[str, list[str]]], list[str]]:
    """The inputs of each column and of the rows, by transformation, and what is opaque."""
    read = (Dataset("file", "/in"),)
    sources = Sources({(1, 2): read, (1, 2, 3): read})
    lineage = resolve(plan, sources, Options(functions=functions))
    parts = [value.inputs for value in lineage.frame.in_order()] + [lineage.frame.rows]
    shown = [
        {
            TRANSFORMATIONS[step].subtype: [field.path[0] for field in fields]
            for step, fields in lineage.decoded(part).items()
        }
        for part in parts
    ]
    return shown, list(lineage.diagnostics.opaque)


def udf(kind: int, arguments: Rows, name: str = "made") -> Rows:
    return [row("PythonUDF", len(arguments), name=name, evalType=kind, dataType=TYPE), *arguments]


def remembered(kind: int, *functions: Any) -> Functions:
    every = Functions()
    for function in functions:
        every.add("made", kind, TYPE, function)
    return every


def doubled(batches: Any) -> Any:
    for pdf in batches:
        pdf["c9"] = pdf["c1"] * 2
        yield pdf[pdf["c2"] > 0][["c9"]]


def passed(batches: Any) -> Any:
    for pdf in batches:
        yield pdf.rename(columns={"c2": "c9"})[["c9"]]


PLAN = [
    row(
        "MapInPandas",
        1,
        functionExpr=udf(MAP, [attribute(1), attribute(2)]),
        output=[[attribute(9)]],
    ),
    *relation(1, 2),
]
CONSERVATIVE = [{"TRANSFORMATION": ["c1", "c2"]}, {"FILTER": ["c1", "c2"]}]


def test_a_function_over_rows_is_resolved_by_its_source() -> None:
    assert told(PLAN, remembered(MAP, doubled)) == (
        [{"TRANSFORMATION": ["c1"]}, {"FILTER": ["c2"]}],
        [],
    )


def test_each_function_of_a_name_may_be_the_plans() -> None:
    (column, rows), opaque = told(PLAN, remembered(MAP, doubled, passed))
    assert (column, rows, opaque) == ({"TRANSFORMATION": ["c1", "c2"]}, {"FILTER": ["c2"]}, [])


@pytest.mark.parametrize("functions", [None, Functions(), remembered(SCALAR, doubled)])
def test_a_function_that_was_not_seen_is_conservative(functions: Functions | None) -> None:
    assert told(PLAN, functions) == (CONSERVATIVE, ["MapInPandas"])


def running(batches: Any) -> Any:
    total = 0
    for pdf in batches:
        for c1 in pdf["c1"]:
            total += c1
        yield pd.DataFrame({"c9": [total]})


PARTITIONED = row("RepartitionByExpression", 1, partitionExpressions=[[attribute(3)]])
WITHOUT_KEY = row("Project", 1, projectList=[[attribute(1)], [attribute(2)]])
SORTED = row("Sort", 1, order=[[row("SortOrder", 1), attribute(2)]])


@pytest.mark.parametrize("functions", [None, remembered(MAP, running)])
@pytest.mark.parametrize(
    ("between", "keys"),
    [
        ([], ["c3"]),
        ([WITHOUT_KEY], ["c3"]),
        ([{**SORTED, "global": False}], ["c2", "c3"]),
        ([{**SORTED, "global": True}], ["c2"]),
        ([row("Repartition", 1, numPartitions=2, shuffle=True)], None),
    ],
)
def test_the_keys_of_partitions_affect_what_a_function_sees_together(
    functions: Functions | None, between: Rows, keys: list[str] | None
) -> None:
    """A running total of `df.repartition("c3")` has other values where c3 has, without a word."""
    plan = [PLAN[0], *between, PARTITIONED, *relation(1, 2, 3)]
    (_, rows), _ = told(plan, functions)
    assert rows.get("SORT") == keys


def label(flag: int, unused: int) -> str:
    return "n" if flag > 2 else "y"


def test_an_argument_that_a_scalar_function_does_not_use_is_no_input() -> None:
    arguments = [attribute(1), attribute(2)]
    plan = [row("Project", 1, projectList=[alias(9, udf(SCALAR, arguments))]), *relation(1, 2)]
    (column, _), _ = told(plan, remembered(SCALAR, label))
    assert column == {"CONDITIONAL": ["c1"]}


def test_a_function_that_cannot_be_called_so_is_not_the_plans() -> None:
    """Lambdas have one name."""

    def other(first: int) -> int:
        return first

    plan = [
        row("Project", 1, projectList=[alias(9, udf(SCALAR, [attribute(1), attribute(2)]))]),
        *relation(1, 2),
    ]
    (column, _), _ = told(plan, remembered(SCALAR, label, other))
    assert column == {"CONDITIONAL": ["c1"]}


def test_arguments_are_told_apart_by_name() -> None:
    """Spark's plan has them in another order than the function; each was an input before."""
    arguments = [
        row("NamedArgumentExpression", 1, key="unused"),
        attribute(2),
        row("NamedArgumentExpression", 1, key="flag"),
        attribute(1),
    ]
    expression = [row("PythonUDF", 2, name="made", evalType=SCALAR, dataType=TYPE), *arguments]
    plan = [row("Project", 1, projectList=[alias(9, expression)]), *relation(1, 2)]
    (column, _), _ = told(plan, remembered(SCALAR, label))
    assert column == {"CONDITIONAL": ["c1"]}

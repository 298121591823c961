"""CASE and replaced functions that are nested so deeply that Spark's JSON of the plan explodes."""

from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql import Column
from pyspark.sql import functions as F

from airflow_colgraph.collector.spark.plan_text import MOST_COPIES
from tests.spark.session import Session

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark-commands")]

FEW, MANY = 5, 14  # levels: Spark's JSON of them is read as it is, and would be too long
PLAIN = {"spark.sql.subexpressionElimination.enabled": "false"}  # else Spark itself takes minutes
assert 2**FEW < MOST_COPIES < 2**MANY


def case(level: int, inner: Column) -> Column:
    return F.when(F.col("a") > level, F.col("b") + level).otherwise(inner)


def case_without_else(level: int, inner: Column) -> Column:
    return F.when(F.col("a") == level, inner)


def condition(level: int, inner: Column) -> Column:
    return F.when(inner > level, F.col("a")).when(F.col("b") > level, F.col("b")).otherwise(level)


def replaced(level: int, inner: Column) -> Column:
    return F.nvl(F.nullif(F.col("b"), F.lit(level)), inner)


LEVELS: list[Callable[[int, Column], Column]] = [case, case_without_else, condition, replaced]


def nested(levels: int, level: Callable[[int, Column], Column]) -> Column:
    found = F.col("c")
    for number in range(levels):
        found = level(number, found)
    return found.alias("x")


@pytest.fixture(scope="module")
def lineage(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], dict[str, Any]]:
    """The facets of each output, by kind and number of levels."""
    root = tmp_path_factory.mktemp("nested")
    session = Session(root, PLAIN, statements=[])
    source = f"{root}/source"
    session.spark.range(3).selectExpr("id a", "id b", "id c", "id d").write.parquet(source)
    session.events()
    found = {}
    for level in LEVELS:
        for levels in (FEW, MANY):
            frame = session.spark.read.parquet(source)
            frame.select(nested(levels, level), "d").write.parquet(
                f"{root}/{level.__name__}{levels}"
            )
            (event,) = session.events()
            diagnostics = event["run"]["facets"]["colgraph_diagnostics"]
            assert not diagnostics["unresolved"], diagnostics
            found[level.__name__, levels] = event["outputs"][0]["facets"]["columnLineage"]
    session.stop()
    return found


@pytest.mark.parametrize("level", [level.__name__ for level in LEVELS])
def test_many_levels_have_the_lineage_of_few(
    level: str, lineage: dict[tuple[str, int], dict[str, Any]]
) -> None:
    few, many = lineage[level, FEW], lineage[level, MANY]
    assert many == few
    assert {one["field"] for one in many["fields"]["x"]["inputFields"]} >= {"c"}

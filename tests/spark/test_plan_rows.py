"""`colgraph plan --rows`: branches and columns are those of a run on the rows that a user gives."""

from __future__ import annotations

import json
from pathlib import Path
from subprocess import CompletedProcess

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_colgraph.testing.text import Lineage, of_events
from bench.plan import colgraph

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("plan")]

JOB = """
import sys
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
home = sys.argv[1]
spark = SparkSession.builder.getOrCreate()
orders = spark.read.parquet(f"{home}/orders").persist()
countries = spark.table("raw.countries")
print(orders.count(), "orders")
if orders.where("status = 'new'").count() == 1:
    orders.select("id").write.parquet(f"{home}/new")
if orders.where("status = 'old'").isEmpty():
    orders.select("status").write.parquet(f"{home}/no_old")
orders.groupBy("id").pivot("status").agg(F.sum("amount")).write.parquet(f"{home}/pivot")
names = [row.name for row in countries.distinct().collect()]
orders.select(*[F.lit(name).alias(name) for name in names], "id").write.parquet(f"{home}/names")
spark.read.parquet(f"{home}/names").count() == 0 or print("rows were written")
double = F.udf(lambda id: 2 * id, "long")
if orders.select(double("id")).first() is None:
    orders.select("amount").write.parquet(f"{home}/function")
"""
COUNTRIES = {"raw.countries": [{"name": "DE"}, {"name": "FR"}]}


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> tuple[CompletedProcess[str], Path]:
    home = tmp_path_factory.mktemp("rows").resolve()
    (home / "orders").mkdir()
    rows = {"id": [9], "status": ["old"], "amount": [1.0]}
    pq.write_table(pa.table(rows), home / "orders" / "part.parquet")
    orders = [{"id": 1, "status": "new", "amount": 2.5}, {"id": 2, "status": "paid"}]
    (home / "rows.json").write_text(json.dumps({**COUNTRIES, f"{home}/orders": orders}))
    (home / "schemas.json").write_text('{"raw.countries": "name STRING"}')
    (home / "job.py").write_text(JOB)
    options = ["--rows", "rows.json", "--schemas", "schemas.json", "--output", "events.jsonl"]
    job = ["--conf", "spark.ui.enabled=false", str(home / "job.py"), str(home)]
    done = colgraph("plan", *options, "--", *job, cwd=home)
    assert done.returncode == 0, done.stderr[-3000:]
    return done, home


def lineage_of(home: Path) -> Lineage:
    lines = (home / "events.jsonl").read_text().splitlines()
    return of_events(map(json.loads, lines), str(home))


def test_branches_and_columns_are_those_of_the_rows(
    planned: tuple[CompletedProcess[str], Path],
) -> None:
    lineage = lineage_of(planned[1])
    assert ("id", "/orders.id", "DIRECT:IDENTITY") in lineage["/new"]
    assert "/no_old" in lineage
    outputs = {column for column, _, _ in lineage["/pivot"]}
    assert outputs >= {"new", "paid"}
    assert "old" not in outputs
    schemas = {
        each["name"].removeprefix(str(planned[1])): each["facets"]["schema"]["fields"]
        for line in (planned[1] / "events.jsonl").read_text().splitlines()
        for each in json.loads(line)["outputs"]
    }
    assert [field["name"] for field in schemas["/names"]] == ["DE", "FR", "id"]


def place(line: str) -> str:
    """Where the program has a line."""
    return f"job.py:{next(n for n, text in enumerate(JOB.splitlines(), 1) if line in text)}"


@pytest.mark.parametrize(
    ("action", "line", "how"),
    [
        ("DataFrame.count", "'new'", "was answered from the rows of --rows"),
        ("GroupedData.pivot", "pivot", "was answered from the rows of --rows"),
        ("DataFrame.collect", "collect", "was answered from the rows of --rows"),
        ("DataFrame.count", '/names").count', "had no rows to return"),
        ("DataFrame.first", "first()", "was answered as if there were a row"),
    ],
)
def test_each_answer_says_what_it_rests_on(
    planned: tuple[CompletedProcess[str], Path], action: str, line: str, how: str
) -> None:
    assert f"colgraph: {action} at {place(line)} {how}" in planned[0].stderr


def test_no_row_is_read_or_written(planned: tuple[CompletedProcess[str], Path]) -> None:
    assert "colgraph: Spark has read and written 0 rows" in planned[0].stderr
    assert "rows were written" not in planned[0].stderr
    assert not (planned[1] / "new").exists()


def test_the_events_say_so(planned: tuple[CompletedProcess[str], Path]) -> None:
    last = json.loads((planned[1] / "events.jsonl").read_text().splitlines()[-1])
    facet = last["run"]["facets"]["colgraph_plan"]
    assert [text.split(" at ")[0] for text in facet["withoutRows"]] == [
        "DataFrame.count",
        "DataFrame.first",
    ]
    assert len(facet["assumed"]) == 5

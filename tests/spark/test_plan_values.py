"""`colgraph plan` of a program whose columns and branches rest on values: each place is named."""

from __future__ import annotations

import json
from subprocess import CompletedProcess
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_colgraph.testing.text import Lineage, of_events
from bench.plan import colgraph

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("plan")]

JOB = """
import os
import argparse
import sys
from pathlib import Path
from pyspark.sql import Observation, SparkSession
from pyspark.sql import functions as F
home = sys.argv[1]
spark = SparkSession.builder.getOrCreate()
orders = spark.read.parquet(f"{home}/orders")
orders.createOrReplaceTempView("orders")
orders.groupBy("id").pivot("status").sum("id").write.parquet(f"{home}/free")
orders.groupBy("id").pivot("status", ["paid"]).sum("id").write.parquet(f"{home}/fixed")
orders.crosstab("id", "status").write.parquet(f"{home}/crosstab")
median = orders.stat.approxQuantile("id", [0.5], 0.1)[0]
low, high = (each[0] for each in orders.approxQuantile(["id", "id"], [0.5], 0.1))
orders.where(F.col("id") > median * (high - low)).write.parquet(f"{home}/upper")
nulls = orders.agg(F.sum(F.isnull("id").cast("int")).alias("n")).first()["n"]
if nulls > 0:
    raise ValueError("nulls")
lines = orders.select(F.to_json(F.struct("id"))).rdd.map(lambda row: row[0])
spark.read.json(lines)
spark.read.schema("id int").json(lines)
spark.sql(f'''BEGIN
  DECLARE n INT DEFAULT 0;
  SET n = (SELECT count(*) FROM orders);
  INSERT OVERWRITE DIRECTORY '{home}/script' USING json SELECT id, n FROM orders;
  IF n > 0 THEN INSERT OVERWRITE DIRECTORY '{home}/branch' USING json SELECT id FROM orders; END IF;
END''')
spark.sql("SELECT CASE WHEN id > 1 THEN 'begin' END AS a FROM orders").write.parquet(f"{home}/case")
def is_empty(frame):
    return frame.isEmpty()

new = orders.where("id > 7")
if new.count() == 0:
    raise SystemExit("nothing new")
highest = orders.agg(F.max("id")).first()[0]
orders.select((F.col("id") + (highest + 1)).alias("id")).write.parquet(f"{home}/numbered")
latest = orders.orderBy("id").first()
orders.select(F.lit(latest["status"]).alias("status")).write.orc(f"{home}/latest")
since = orders.agg(F.max("id")).first()[0]
if since is None:
    orders.select("id").write.parquet(f"{home}/since")
parser = argparse.ArgumentParser()
parser.add_argument("home")
parser.parse_args()
share = orders.where("id IS NULL").count() / new.count()
if not is_empty(orders.where("status = 'late'")):
    orders.select("status").write.parquet(f"{home}/late")
bad = orders.where("status IS NULL").count()
if bad > 0:
    raise ValueError("bad rows")
try:
    observation = Observation("rows")
    orders.observe(observation, F.count("id")).write.parquet(f"{home}/observed")
    observation.get
except Exception as error:
    print(error)

spark.stop()
spark = SparkSession.builder.getOrCreate()
if os.path.exists(f"{home}/late") and Path(home, "late").is_dir():
    spark.read.parquet(f"{home}/late").write.parquet(f"{home}/again/late")
for name in os.listdir(f"{home}/again"):
    spark.read.parquet(f"{home}/again/{name}").write.parquet(f"{home}/copies/{name}")
if os.path.exists(f"{home}/flag"):
    orders.write.parquet(f"{home}/flagged")
os.makedirs(f"{home}/made", exist_ok=True)
"""


class Planned(NamedTuple):
    """A plan, and the lineage in its events."""

    done: CompletedProcess[str]
    lineage: Lineage


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Planned:
    home = tmp_path_factory.mktemp("values").resolve()
    (home / "orders").mkdir()
    rows = pa.table({"id": [1, 2], "status": ["paid", "returned"]})
    pq.write_table(rows, home / "orders" / "part.parquet")
    (home / "job.py").write_text(JOB)
    job = ["--conf", "spark.ui.enabled=false", str(home / "job.py"), str(home)]
    done = colgraph("plan", "--output", "events.jsonl", "--", *job, cwd=home)
    assert done.returncode == 0, done.stderr[-3000:]
    lines = (home / "events.jsonl").read_text().splitlines()
    return Planned(done, of_events(map(json.loads, lines), str(home)))


def place(line: str) -> str:
    """Where the program has a line."""
    number = next(at for at, text in enumerate(JOB.splitlines(), 1) if text.startswith(line))
    return f"job.py:{number}"


@pytest.mark.parametrize(
    ("action", "line"),
    [
        ("GroupedData.pivot", 'orders.groupBy("id").pivot("status").'),
        ("DataFrame.crosstab", "orders.crosstab"),
        ("DataFrame.approxQuantile", "median = orders.stat.approxQuantile"),
        ("DataFrameReader.json", "spark.read.json"),
        ("SparkSession.sql", "spark.sql(f'''BEGIN"),
        ("Observation.get", "    observation.get"),
    ],
)
def test_what_rests_on_values_is_named(planned: Planned, action: str, line: str) -> None:
    assert f"colgraph: {action} at {place(line)} had no rows to return" in planned.done.stderr


@pytest.mark.parametrize(
    "line",
    ['orders.groupBy("id").pivot("status", [', "spark.read.schema", 'spark.sql("SELECT CASE'],
)
def test_what_does_not_rest_on_values_is_not_named(planned: Planned, line: str) -> None:
    assert f"{place(line)} " not in planned.done.stderr


def test_the_branch_for_rows_is_planned_and_named(planned: Planned) -> None:
    for action, line in (("count", "if new.count"), ("isEmpty", "    return frame.isEmpty")):
        how = "was answered as if there were a row"
        assert f"colgraph: DataFrame.{action} at {place(line)} {how}" in planned.done.stderr
    assert f"DataFrame.count at {place('bad =')} had no rows to return" in planned.done.stderr
    assert {"/late", "/observed"} <= planned.lineage.keys()


def test_a_program_can_compute_with_values_of_a_row(planned: Planned) -> None:
    """A sum with a maximum ended the plan, and a column of such a null could not be written."""
    assert {"/numbered", "/latest", "/since", "/upper"} <= planned.lineage.keys()
    answered = f"DataFrame.first at {place('highest')} was answered as if there were a row"
    assert answered in planned.done.stderr
    assert f"DataFrame.first at {place('since')} had no rows to return" in planned.done.stderr


def test_what_python_looks_for_itself_is_not_named(planned: Planned) -> None:
    assert "messages.mo" not in planned.done.stderr


def test_what_the_plan_has_written_is_there_for_python_and_a_second_context(
    planned: Planned,
) -> None:
    assert ("status", "/late.status", "DIRECT:IDENTITY") in planned.lineage["/again/late"]
    assert ("status", "/again/late.status", "DIRECT:IDENTITY") in planned.lineage["/copies/late"]


def test_what_python_looks_for_in_vain_is_named(planned: Planned) -> None:
    looked = [line for line in planned.done.stderr.splitlines() if "looked for" in line]
    place_of_flag = place('if os.path.exists(f"{home}/flag")')
    assert [line.rpartition(" at ")[2] for line in looked] == [place_of_flag]
    assert "/flag, which is not there, at" in looked[0]


def test_a_script_has_variables(planned: Planned) -> None:
    assert "skipped" not in planned.done.stderr
    assert ("id", "/orders.id", "DIRECT:IDENTITY") in planned.lineage["/script"]

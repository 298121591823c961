"""`colgraph plan` of a job that reads by JDBC what it has written there; no database is there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_colgraph.testing.text import of_events
from bench.plan import colgraph

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("plan")]

JOB = """
import os
import sys
from pyspark.sql import SparkSession
home = sys.argv[1]
spark = SparkSession.builder.getOrCreate()
frame = spark.createDataFrame([], "id int, name string, amount double")
url = "jdbc:postgresql://anna:secret@nowhere/db?password=geheim"
frame.write.jdbc(url, "shop.a", mode="overwrite")
spark.read.jdbc(url, "shop.A").select("id").write.parquet(f"{home}/a")
frame.write.format("jdbc").options(url=url, dbtable="shop.b").mode("append").save()
b = spark.read.format("jdbc").option("dbtable", "shop.b").load(url=url)
b.select("name").write.parquet(f"{home}/b")
try:
    spark.read.jdbc(url, "shop.c")
except Exception as error:
    print(str(error)[:300])
with open(f"{home}/state.json", "w") as file:
    file.write("{}")
open(f"{home}/state.json").read()
os.remove(f"{home}/state.json")
cached = spark.range(3).cache()
if cached.count() == 3 and cached.count() == 3:
    cached.write.parquet(f"{home}/range")
"""


def test_a_table_that_was_written_is_known_and_named(tmp_path: Path) -> None:
    home = tmp_path.resolve()
    (home / "job.py").write_text(JOB)
    job = ["--conf", "spark.ui.enabled=false", str(home / "job.py"), str(home)]
    done = colgraph("plan", "--output", "events.jsonl", "--", *job, cwd=home)
    assert done.returncode == 0, done.stderr[-3000:]
    lines = (home / "events.jsonl").read_text().splitlines()
    lineage = of_events(map(json.loads, lines), str(home))
    assert ("id", "db.shop.A.id", "DIRECT:IDENTITY") in lineage["/a"]
    assert ("name", "db.shop.b.name", "DIRECT:IDENTITY") in lineage["/b"]
    assert "/range" in lineage
    url = "jdbc:postgresql://nowhere/db?password=***"
    assert f"skipped: SaveIntoDataSourceCommand into {url} shop.a" in done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("colgraph: ")]
    assert not any("secret" in line or "geheim" in line for line in said)
    assert f"colgraph: beside Spark, the job wrote {home}/state.json at job.py:18" in said
    assert f"colgraph: beside Spark, the job removed {home}/state.json at job.py:21" in said
    assert not any("had no rows to return" in line for line in said)

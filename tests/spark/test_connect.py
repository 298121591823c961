"""Spark Connect in the driver: its client's session is followed, too."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from airflow_colgraph.collector.sinks import sink
from airflow_colgraph.operators.collector_archive import source_archive
from tests.collector.cases.loader import lineage_in, lineage_of
from tests.spark.test_submit import QUICK, SPARK_SUBMIT

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("submit")]

# SPARK_TESTING gives the server a free port: else it is on 15002, where two such jobs meet. The
# JVM, which runs already, does not see the variable.
JOB = """
import os, sys
os.environ["SPARK_TESTING"] = "1"
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()
assert "connect" in type(spark).__module__
spark.range(3).selectExpr("id AS a", "id * 2 AS b").write.parquet("first")

@F.udf("long")
def masked(a): return a + 1

first = spark.read.parquet("first")
kept = first.where("b >= 0").select(masked("a").alias("m"), F.col("b").cast("string").alias("b"))
checkpoint = kept.localCheckpoint()
checkpoint.write.parquet("second")
spark.read.parquet("second").createOrReplaceTempView("v")
spark.sql("SELECT b, sum(m) AS s FROM v GROUP BY b").write.parquet("third")
print("rows", first.count(), flush=True)
spark.stop()
sys.exit(3)
"""
EXPECTED = {
    "first": "a <-\n b <-",
    "second": """
        m <- /first.a DIRECT:TRANSFORMATION
        b <- /first.b DIRECT:TRANSFORMATION
        * <- /first.b INDIRECT:FILTER
    """,
    "third": """
        b <- /second.b DIRECT:IDENTITY
        s <- /second.m DIRECT:AGGREGATION
        * <- /second.b INDIRECT:GROUP_BY
    """,
}


PLAIN = pytest.param("", id="plain", marks=pytest.mark.long)


@pytest.mark.parametrize("events", [pytest.param("events.ndjson", id="collected"), PLAIN])
def test_a_job_by_spark_connect(tmp_path: Path, events: str) -> None:
    script = tmp_path / "job.py"
    script.write_text(JOB)
    collector = ["--py-files", str(source_archive(tmp_path))] if events else []
    ran = subprocess.run(
        [*SPARK_SUBMIT, *QUICK, *collector, "--conf", f"spark.colgraph.sink={events}", str(script)],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_API_MODE": "connect",
            "SPARK_LOCAL_IP": "127.0.0.1",
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 3, ran.stderr
    assert "rows 3" in ran.stdout
    assert "colgraph: " not in ran.stdout + ran.stderr
    if not events:
        return
    received = sink.read(str(tmp_path / events)).events
    assert [received[0]["eventType"], received[-1]["eventType"]] == ["START", "FAIL"]
    written = {e["outputs"][0]["name"]: e for e in received if e["outputs"]}
    for name, lineage in EXPECTED.items():
        event = written[f"{tmp_path}/{name}"]
        assert lineage_of([event], str(tmp_path)) == lineage_in(lineage)
    (counted,) = [e for e in received if not e["outputs"] and e["inputs"]]
    assert [read["name"] for read in counted["inputs"]] == [f"{tmp_path}/first"]

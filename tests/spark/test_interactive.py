"""A session that people type into: `install(spark)` in the pyspark shell."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.collector.sinks import sink
from tests.collector.cases.loader import lineage_of
from tests.spark.test_submit import PYSPARK, QUICK

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("submit")]

TYPED = """
spark.range(3).write.parquet("before")
from airflow_colgraph.collector import install
install(spark)
install(spark)
spark.range(3).selectExpr("id AS a", "id * 2 AS b").write.parquet("first")
1 / 0
spark.read.parquet("first").where("a > 1").select("b").write.parquet("second")
"""
SHELL = """
from airflow_colgraph.collector import install
install(spark)
spark.range(3).selectExpr("id AS a").write.parquet("first")
spark.read.parquet("first").selectExpr("a + 1 AS b").write.parquet("second")
print("worked")
"""


def shell(typed: str, folder: Path) -> "tuple[subprocess.CompletedProcess[str], list[Any]]":
    """What the pyspark shell prints when people type this, and the events of it."""
    events = folder / "events.ndjson"
    ran = subprocess.run(
        [str(PYSPARK / "bin" / "pyspark"), *QUICK, "--conf", f"spark.colgraph.sink={events}"],
        input=typed,
        cwd=folder,
        env={
            **os.environ,
            "PYSPARK_PYTHON": sys.executable,
            "PYSPARK_DRIVER_PYTHON": sys.executable,
            "PYSPARK_DRIVER_PYTHON_OPTS": "-i",  # a shell, though nobody sits at a terminal
            "PYTHONPATH": str(Path(__file__).parents[2]),
            "SPARK_LOCAL_IP": "127.0.0.1",
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "colgraph: " not in ran.stdout + ran.stderr
    received = sink.read(str(events)).events
    assert [event["eventType"] for event in received] == ["START", "RUNNING", "RUNNING", "COMPLETE"]
    return ran, received


def test_the_shell_collects_after_install(tmp_path: Path) -> None:
    ran, received = shell(SHELL, tmp_path)
    assert "worked" in ran.stdout
    (output,) = received[2]["outputs"]
    assert list(output["facets"]["columnLineage"]["fields"]) == ["b"]


def test_what_is_typed_into_the_pyspark_shell_is_reported(tmp_path: Path) -> None:
    ran, received = shell(TYPED, tmp_path)
    assert "ZeroDivisionError" in ran.stderr
    assert lineage_of(received, str(tmp_path)) == {
        "b <- /first.b DIRECT:IDENTITY",
        "* <- /first.a INDIRECT:FILTER",
    }

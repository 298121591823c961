"""A notebook: cells through a real IPython kernel, with `install(spark)` in the first."""

import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from jupyter_client.manager import KernelManager

from airflow_colgraph.collector.sinks import sink
from tests.collector.cases.loader import lineage_of
from tests.spark.test_submit import QUICK

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("submit")]

SECONDS = 240
BEGIN = """
from airflow_colgraph.collector import drain, install
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
install(spark)
"""

Cell = Callable[[str], str]


@contextmanager
def notebook(folder: Path) -> Iterator[Cell]:
    """What runs a cell and says the name of the error that it ended with, or nothing."""
    submitted = [*QUICK, "--conf", f"spark.colgraph.sink={folder}/events.ndjson"]
    sockets = TemporaryDirectory(prefix="kernel-")  # tcp's ports may be taken before it listens
    where = {"transport": "ipc", "ip": f"{sockets.name}/kernel"}
    kernel = KernelManager(kernel_name="python3", shutdown_wait_time=SECONDS, **where)
    kernel.start_kernel(
        cwd=str(folder),
        env={
            **os.environ,
            "IPYTHONDIR": str(folder / "ipython"),
            "PYSPARK_PYTHON": sys.executable,
            "PYSPARK_SUBMIT_ARGS": shlex.join([*submitted, "pyspark-shell"]),
            "PYTHONPATH": str(Path(__file__).parents[2]),
            "SPARK_LOCAL_IP": "127.0.0.1",
        },
    )
    client = kernel.blocking_client()
    client.start_channels()
    client.wait_for_ready(SECONDS)
    shown: list[str] = []

    def hear(message: dict[str, Any]) -> None:
        shown.append(message["content"].get("text", ""))

    def run(code: str) -> str:
        reply = client.execute_interactive(code, timeout=SECONDS, output_hook=hear)
        return str(reply["content"].get("ename", ""))

    try:
        yield run
    finally:
        client.stop_channels()
        kernel.shutdown_kernel()
        sockets.cleanup()
    assert "colgraph: " not in "".join(shown)


def test_cells_are_reported_as_they_end(tmp_path: Path) -> None:
    def events_of() -> list[Any]:
        return sink.read(str(tmp_path / "events.ndjson")).events

    def kinds() -> list[str]:
        return [event["eventType"] for event in events_of()]

    with notebook(tmp_path) as cell:
        assert not cell(f"{BEGIN}spark.range(3).selectExpr('id AS a').write.parquet('one')")
        assert not cell("drain()")
        assert kinds() == ["START", "RUNNING"]
        assert not cell("one = spark.read.parquet('one')\ninstall(spark)")
        assert not cell("one.selectExpr('a + 1 AS b').write.parquet('two')\ndrain()")
        assert kinds() == ["START", "RUNNING", "RUNNING"]
        assert lineage_of(events_of(), str(tmp_path)) == {"b <- /one.a DIRECT:TRANSFORMATION"}
        write = "one.where('a > 0').write.parquet('three')"
        assert cell(f"{write}\n1 / 0\none.write.parquet('never')") == "ZeroDivisionError"
        assert cell("spark.table('nowhere')") == "AnalysisException"
        assert not cell("spark.stop()\ndrain()")
        assert kinds() == ["START", "RUNNING", "RUNNING", "RUNNING"]
        assert not cell(f"{BEGIN}spark.read.parquet('two').write.parquet('four')\ndrain()")
        assert kinds()[4:] == ["START", "RUNNING"]
        assert lineage_of(events_of(), str(tmp_path)) == {"b <- /two.b DIRECT:IDENTITY"}
    assert kinds()[6:] == ["COMPLETE", "COMPLETE"]
    assert len({event["run"]["runId"] for event in events_of()}) == 2
    assert "/never" not in str(events_of())

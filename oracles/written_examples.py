"""PySpark's own examples of Python functions, with what they show written: how much is whole?

The programs are those of its documentation, and `sql/arrow.py` of its examples. The frames that one
makes of its own rows are read from files, and frames of Python functions that it shows are written,
so that there is lineage. Nothing else of it changes.

    python -m oracles.written_examples
"""

from __future__ import annotations

import doctest
import importlib
import itertools
import json
import os
import re
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

MODULES = ("dataframe", "group", "udf", "udtf", "pandas.functions", "pandas.group_ops")
NAMED = re.compile(r"udf|udtf|InPandas|InArrow")
IN_PLANS = re.compile(r'PythonUD\w+"|In(Pandas|Arrow)"')  # whose JSON has these classes
PROGRAM = "examples/src/main/python/sql/arrow.py"
SUBMIT = ["--master", "local[2]", "--conf", "spark.ui.enabled=false"]
SUBMIT += ["--conf", "spark.sql.shuffle.partitions=1", "--conf", "spark.log.level=ERROR"]
RUN = "run"  # the argument of the program that is submitted
NUMBERS = itertools.count()


# The program that is submitted --------------------------------------------------------------------


def from_files(make: Callable[..., Any]) -> Callable[..., Any]:
    """A method that makes a frame of rows: the frame of a file that has them."""

    def act(self: Any, *arguments: Any, **options: Any) -> Any:
        frame = make(self, *arguments, **options)
        path = os.path.abspath(f"made/{next(NUMBERS)}")
        frame.write.parquet(path)
        return self.read.schema(frame.schema).parquet(path)

    return act


def show(frame: Any, *arguments: Any, **options: Any) -> None:
    """Write a frame of a Python function's to a folder of its own."""
    if IN_PLANS.search(frame._jdf.queryExecution().analyzed().toJSON()):
        frame.write.parquet(os.path.abspath(f"shown/{next(NUMBERS)}"))


def programs() -> Iterator[str]:
    """The files of all programs: those of the documentation are written first."""
    for name in MODULES:
        module = importlib.import_module(f"pyspark.sql.{name}")
        for test in doctest.DocTestFinder().find(module):
            if NAMED.search(test.docstring or ""):
                Path(f"{test.name}.py").write_text(
                    doctest.script_from_examples(test.docstring or ""), encoding="utf-8"
                )
                yield f"{test.name}.py"
    yield os.path.join(os.environ["SPARK_HOME"], PROGRAM)


def run_all() -> None:
    """Run each program as if it was alone."""
    from pyspark.sql import DataFrame, SparkSession

    from airflow_colgraph.collector.driver import listener
    from airflow_colgraph.collector.python_functions.remembered import FUNCTIONS

    spark = SparkSession.builder.getOrCreate()
    SparkSession.createDataFrame = from_files(SparkSession.createDataFrame)  # type: ignore[method-assign]
    SparkSession.range = from_files(SparkSession.range)  # type: ignore[method-assign]
    DataFrame.show = type(spark.range(1)).show = show  # type: ignore[method-assign]
    for file in programs():
        try:
            runpy.run_path(file, {"spark": spark}, run_name="__main__")
        except Exception as error:  # noqa: BLE001 - the documentation's own errors
            print(f"{file} failed: {type(error).__name__}")
        listener.drain()
        FUNCTIONS._functions.clear()


# Judging ------------------------------------------------------------------------------------------


def has_inputs(lineage: dict[str, Any]) -> bool:
    """Whether a `columnLineage` facet has any edge; a count of rows has those of the dataset."""
    fields = lineage.get("fields", {}).values()
    return bool(lineage.get("dataset")) or any(entry["inputFields"] for entry in fields)


def main() -> int:
    """Submit this file, and count the writes whose event says that something is not known."""
    from oracles.public_programs import reasons_of  # it needs PySpark's folder

    with tempfile.TemporaryDirectory() as folder:
        colgraph = Path(sys.executable).with_name("colgraph")
        command = [
            colgraph,
            "submit",
            "--quiet",
            "--output",
            "events",
            "--",
            *SUBMIT,
            __file__,
            RUN,
        ]
        environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}
        subprocess.run(command, cwd=folder, check=True, env=environment)
        events = map(json.loads, Path(folder, "events").read_text().splitlines())
        writes = [
            (reasons_of(event), output["facets"].get("columnLineage", {}))
            for event in events
            for output in event["outputs"]
            if "/shown/" in output["name"]
        ]
    for reasons, _ in writes:
        print("whole" if not reasons else "; ".join(reasons))
    lost = sum(not has_inputs(lineage) for _, lineage in writes)
    whole = sum(not reasons for reasons, _ in writes)
    print(f"{len(writes)} writes of Python functions, {whole} whole, {lost} without inputs")
    return bool(lost)


if __name__ == "__main__":
    if RUN in sys.argv:
        run_all()
    else:
        raise SystemExit(main())

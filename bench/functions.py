"""What reading Python functions costs the driver, in CPU seconds of its own, without Spark.

    python -m bench.functions [--runs N]

The functions are those of the job `ten_functions` of `bench.collector`. Each run is a process of
its own, as a driver is: it imports the interpreter, reads the ten functions for the first time, and
then one that does not end within the bound.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

COLUMNS = ("a", "b", "c")


class Recorder:
    """A stand-in for a session and its frames: it keeps the functions that it is handed."""

    def __init__(self) -> None:
        """Nothing was handed yet."""
        self.functions: list[tuple[str, Callable[..., Any]]] = []

    def __getattr__(self, name: str) -> Any:
        """A method or an attribute of a frame."""
        if name in ("mapInPandas", "applyInPandas"):
            return partial(self.handed, name)
        return self

    def handed(self, name: str, function: Callable[..., Any], schema: str) -> Recorder:
        """A frame of a function."""
        self.functions.append((name, function))
        return self

    def __call__(self, *arguments: Any, **options: Any) -> Recorder:
        """Another frame."""
        return self


def endless(table: Any) -> Any:
    """A function of very many steps."""
    for first in range(60):
        for second in range(60):
            table[f"c{first}"] = table["a"] * second + table["b"]
    return table


def seconds(act: Callable[[], Any]) -> float:
    """The CPU seconds of this process that something takes."""
    before = time.process_time()
    act()
    return time.process_time() - before


def measured() -> dict[str, float]:
    """One run: milliseconds of the import, of the ten functions, and of one that is too long."""
    import bench.job as job
    from airflow_colgraph.collector.lineage.transformations import IDENTITY

    milliseconds = {"import": 1000 * seconds(lambda: __import__(INTERPRETER))}
    from airflow_colgraph.collector.python_functions.interpretation import of_batches, of_tables
    from airflow_colgraph.collector.python_functions.source import captured

    columns = [(name, {IDENTITY: 1 << place}) for place, name in enumerate(COLUMNS)]
    spark: Any = Recorder()
    job.ten_functions(spark, "")

    outcomes: list[Any] = []

    def read(kind: str, function: Callable[..., Any]) -> None:
        outcomes.append(interpreted(kind, function))

    def interpreted(kind: str, function: Callable[..., Any]) -> Any:
        if kind == "mapInPandas":
            return of_batches(captured(function), columns)
        return of_tables(captured(function), [columns], [columns[1][1]])

    each = [1000 * seconds(partial(read, *pair)) for pair in spark.functions]
    milliseconds |= {"ten functions": sum(each), "the first of them": each[0]}
    milliseconds["one that is too long"] = 1000 * seconds(partial(read, "applyInPandas", endless))
    opaque = [outcome.opaque for outcome in outcomes]
    assert not any(opaque[:-1]), "a function of the job is not read"
    assert "too long a function" in opaque[-1][0], "the long function is read"
    return milliseconds


INTERPRETER = "airflow_colgraph.collector.python_functions.interpretation"


def main() -> None:
    """Print the medians of some runs, with the least and the most."""
    parser = argparse.ArgumentParser(prog="python -m bench.functions", description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.once:
        print(json.dumps(measured()))
        return
    command = [sys.executable, "-m", "bench.functions", "--once"]
    runs = [json.loads(subprocess.check_output(command)) for _ in range(options.runs)]
    for name in runs[0]:
        values = sorted(run[name] for run in runs)
        middle = statistics.median(values)
        print(f"{name:<22} {middle:8.1f} ms of CPU ({values[0]:.1f} to {values[-1]:.1f})")


if __name__ == "__main__":
    main()

"""What a plan of twice the size costs: n against 2n in one session, in turn.

python -m bench.collector --growth [--runs N]

Prints the seconds that the collector's thread took for one query, the fastest of the runs, and how
many times as long 2n took. `tests/collector/test_growth.py` holds the same in counts.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from functools import reduce
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from airflow_colgraph.collector.driver import listener

Shape = Callable[[DataFrame, int], DataFrame]


def depth(source: DataFrame, size: int) -> DataFrame:
    """So many `withColumn` over 50 columns."""
    frame = source.select(*[(F.col("id") + n).alias(f"c{n}") for n in range(50)])
    for step in range(size):
        name, other = f"c{step % 50}", f"c{(step + 1) % 50}"
        frame = frame.withColumn(name, F.col(name) + F.col(other))
    return frame


def width(source: DataFrame, size: int) -> DataFrame:
    """So many columns, each computed anew three times."""
    frame = source.select(*[(F.col("id") + n).alias(f"c{n}") for n in range(size)])
    for _ in range(3):
        frame = frame.select(*[F.upper(F.col(name)).alias(name) for name in frame.columns])
    return frame


def unions(source: DataFrame, size: int) -> DataFrame:
    """A union of so many filtered parts."""
    return reduce(DataFrame.union, [source.where(F.col("id") == n) for n in range(size)])


def self_joins(source: DataFrame, size: int) -> DataFrame:
    """A loop that joins a frame with a count of itself so many times."""
    frame = source
    for step in range(size):
        counted = source.groupBy("k").agg(F.count("id").alias(f"n{step}"))
        frame = frame.join(counted, "k").drop(*([f"n{step - 1}"] if step else []))
    return frame


SHAPES: tuple[tuple[Shape, int], ...] = ((depth, 50), (width, 500), (unions, 100), (self_joins, 10))


def seconds_of(frame: DataFrame, folder: Path) -> float:
    """What the collector's thread took for a query of this frame that runs nothing."""
    frame.limit(0).write.mode("overwrite").parquet(str(folder / "out"))
    listener.drain()
    sink = folder / "events.ndjson"
    facets = [json.loads(line)["run"]["facets"] for line in sink.read_text().splitlines()]
    sink.write_text("")
    return sum(float(f.get("colgraph_diagnostics", {}).get("seconds", 0)) for f in facets)


def measure_growth(runs: int) -> None:
    """Measure and print one line a shape."""
    folder = Path(tempfile.mkdtemp(prefix="colgraph-bench-"))
    builder = SparkSession.builder.master("local[2]").appName("growth")
    builder = builder.config("spark.ui.enabled", "false").config("spark.driver.memory", "2g")
    builder = builder.config("spark.colgraph.sink", str(folder / "events.ndjson"))
    spark = builder.config("spark.colgraph.queryBudgetSeconds", "300").getOrCreate()
    listener.install(spark)
    spark.range(20).selectExpr("id", "id % 3 AS k").write.parquet(str(folder / "source"))
    source = spark.read.parquet(str(folder / "source"))
    print(f"{'shape':<12} {'n':>6} {'s':>8} {'2n':>6} {'s':>8} {'ratio':>6}")
    for shape, size in SHAPES:
        frames = [shape(source, times * size) for times in (1, 2)]
        seconds_of(frames[1], folder)  # the first time costs what Spark compiles
        costs = [[seconds_of(frame, folder) for frame in frames] for _ in range(runs)]
        once, twice = (min(column) for column in zip(*costs, strict=True))
        sizes = f"{size:6} {once:8.3f} {2 * size:6} {twice:8.3f}"
        print(f"{shape.__name__:<12} {sizes} {twice / max(once, 0.001):6.2f}", flush=True)
    spark.stop()
    listener.finish()
    shutil.rmtree(folder)

"""The Spark jobs that the collector is measured on: `spark-submit bench_job.py WORKLOAD FOLDER`."""

from __future__ import annotations

import sys
from functools import reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def wide(spark: SparkSession, folder: str, columns: int, steps: int, every: bool) -> None:
    """A plan of many columns and projections."""
    names = [f"c{number}" for number in range(columns)]
    source = f"{folder}/wide{columns}"
    spark.range(3).select(*[F.col("id").alias(name) for name in names]).write.parquet(source)
    frame = spark.read.parquet(source)
    for step in range(steps):
        if every:
            frame = frame.select(*[(F.col(name) + 1).alias(name) for name in names])
        else:
            name = names[step % columns]
            frame = frame.withColumn(name, F.col(name) + F.col(names[(step + 1) % columns]))
    frame.write.parquet(f"{folder}/out")


def empty(spark: SparkSession, folder: str) -> None:
    """A session and nothing else."""


def small_writes(spark: SparkSession, folder: str) -> None:
    """200 small writes."""
    spark.range(3).write.parquet(f"{folder}/source")
    frame = spark.read.parquet(f"{folder}/source")
    for number in range(200):
        part = frame.where(F.col("id") > number).select((F.col("id") * 2).alias("double"), "id")
        part.coalesce(1).write.parquet(f"{folder}/out{number}")


def columns_500_by_100(spark: SparkSession, folder: str) -> None:
    """500 columns, 100 times withColumn."""
    wide(spark, folder, 500, 100, every=False)


def columns_2000_by_5(spark: SparkSession, folder: str) -> None:
    """2,000 columns, each computed anew 5 times."""
    wide(spark, folder, 2000, 5, every=True)


def union_300(spark: SparkSession, folder: str) -> None:
    """A union of 300 frames."""
    spark.range(3).select("id", (F.col("id") + 1).alias("n")).write.parquet(f"{folder}/source")
    source = spark.read.parquet(f"{folder}/source")
    frames = [source.where(F.col("id") == number) for number in range(300)]
    reduce(DataFrame.union, frames).coalesce(1).write.parquet(f"{folder}/out")


def iterations_60(spark: SparkSession, folder: str) -> None:
    """60 growing iterations, each a write of a plan that joins its source once more."""
    spark.range(20).select("id", (F.col("id") % 3).alias("k")).write.parquet(f"{folder}/source")
    source = spark.read.parquet(f"{folder}/source")
    frame = source
    for number in range(60):
        counted = source.groupBy("k").agg(F.count("id").alias(f"n{number}"))
        frame = frame.join(counted, "k").drop(*([f"n{number - 1}"] if number else []))
        frame.coalesce(1).write.parquet(f"{folder}/out{number}")


WORKLOADS = {
    job.__name__: job
    for job in (
        empty,
        small_writes,
        columns_500_by_100,
        columns_2000_by_5,
        union_300,
        iterations_60,
    )
}

if __name__ == "__main__":
    session = SparkSession.builder.appName("bench").getOrCreate()
    WORKLOADS[sys.argv[1]](session, sys.argv[2])
    session.stop()

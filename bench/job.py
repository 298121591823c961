"""The Spark jobs that the collector is measured on: `spark-submit job.py WORKLOAD FOLDER`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import reduce
from typing import Any

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


def one_query(spark: SparkSession, folder: str) -> None:
    """A session and the smallest query: Spark itself makes the session's state."""
    spark.range(3).collect()


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


TABLES = {  # name: (rows, columns as SQL over `id`)
    "region": (5, "id AS r_id, concat('r', id) AS r_name"),
    "nation": (25, "id AS n_id, id % 5 AS n_region, concat('n', id) AS n_name"),
    "customer": (500, "id AS c_id, id % 25 AS c_nation, concat('c', id) AS c_name"),
    "supplier": (50, "id AS s_id, id % 25 AS s_nation, concat('s', id) AS s_name"),
    "part": (200, "id AS p_id, concat('p', id) AS p_name, id % 7 AS p_size"),
    "orders": (2000, "id AS o_id, id % 500 AS o_customer, id % 365 AS o_day"),
    "items": (
        8000,
        "id % 2000 AS i_order, id % 200 AS i_part, id % 50 AS i_supplier, id % 9 AS i_pieces,"
        " id * 1.5 AS i_price, id % 3 / 10 AS i_discount",
    ),
}
JOINS = """
    SELECT {group}, sum(i_price * (1 - i_discount)) AS revenue, count(DISTINCT o_id) AS orders,
           avg(CASE WHEN i_pieces > 4 THEN i_price ELSE 0 END) AS large,
           rank() OVER (ORDER BY sum(i_price) DESC) AS place
    FROM items JOIN orders ON i_order = o_id JOIN customer ON o_customer = c_id
         JOIN part ON i_part = p_id JOIN supplier ON i_supplier = s_id
         JOIN nation ON c_nation = n_id JOIN region ON n_region = r_id
    WHERE o_day BETWEEN {day} AND {day} + 90 AND p_size > 1
      AND EXISTS (SELECT 1 FROM nation home WHERE home.n_id = s_nation AND home.n_region < 4)
    GROUP BY {group}
"""


def joins_10(spark: SparkSession, folder: str) -> None:
    """Ten joins of seven tables as TPC-H has them, after seven writes that make the tables."""
    for name, (rows, columns) in TABLES.items():
        spark.sql(f"SELECT {columns} FROM range({rows})").write.parquet(f"{folder}/{name}")
    for name in TABLES:
        spark.read.parquet(f"{folder}/{name}").createOrReplaceTempView(name)
    groups = ("n_name", "r_name", "p_name", "c_name", "s_name")
    for number in range(10):
        query = JOINS.format(group=groups[number % 5], day=number * 20)
        spark.sql(query).coalesce(1).write.parquet(f"{folder}/out{number}")


def dense_900_by_120(spark: SparkSession, folder: str) -> None:
    """900 columns, each computed from 120 columns."""
    names = [f"c{number}" for number in range(120)]
    spark.range(3).select(*[F.col("id").alias(name) for name in names]).write.parquet(
        f"{folder}/source"
    )
    total = reduce(lambda left, right: left + right, map(F.col, names))
    spark.read.parquet(f"{folder}/source").select(
        *[(total + number).alias(f"d{number}") for number in range(900)]
    ).write.parquet(f"{folder}/out")


def ten_functions(spark: SparkSession, folder: str) -> None:
    """Ten writes of rows that have passed through a Python function over pandas each."""
    columns = "id AS a, id % 7 AS b, CAST(id AS STRING) AS c"
    spark.sql(f"SELECT {columns} FROM range(1000)").write.parquet(f"{folder}/source")
    frame = spark.read.parquet(f"{folder}/source")
    for number in range(5):

        def scaled(batches: Iterator[Any], rate: int = number + 1) -> Iterator[Any]:
            for pdf in batches:
                pdf = pdf[pdf["b"] > 1]
                pdf["z"] = pdf["a"] * rate + pdf["b"].fillna(0)
                yield pdf.rename(columns={"c": "name"})[["z", "name"]]

        def totals(pdf: Any, *, most: int = number * 100) -> Any:
            kept = pdf.where(pdf["a"] > most).assign(size=pdf["c"].str.len())
            return kept.groupby("b").agg({"a": "sum", "size": "max"}).reset_index()

        rows = frame.mapInPandas(scaled, "z long, name string")
        rows.coalesce(1).write.parquet(f"{folder}/scaled{number}")
        groups = frame.groupBy("b").applyInPandas(totals, "b long, a long, size long")
        groups.coalesce(1).write.parquet(f"{folder}/totals{number}")


WORKLOADS = {
    job.__name__: job
    for job in (
        empty,
        one_query,
        small_writes,
        columns_500_by_100,
        columns_2000_by_5,
        union_300,
        iterations_60,
        joins_10,
        dense_900_by_120,
        ten_functions,
    )
}

if __name__ == "__main__":
    session = SparkSession.builder.appName("bench").getOrCreate()
    WORKLOADS[sys.argv[1]](session, sys.argv[2])
    session.stop()

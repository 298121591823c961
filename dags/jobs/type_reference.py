"""Airlines, airports and planes: three CSV files as typed parquet."""

import argparse

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

arguments = argparse.ArgumentParser()
arguments.add_argument("--raw", required=True)
arguments.add_argument("--out", required=True)
places = arguments.parse_args()

spark = SparkSession.builder.getOrCreate()


def read(name):
    return spark.read.csv(f"{places.raw}/{name}.csv", header=True, nullValue="NA")


def write(table, name):
    table.coalesce(1).write.mode("overwrite").parquet(f"{places.out}/{name}")


write(read("airlines").withColumnRenamed("name", "airline"), "airlines")
write(
    read("airports").select(
        F.col("faa").alias("airport"),
        "name",
        F.col("lat").cast("double").alias("lat"),
        F.col("lon").cast("double").alias("lon"),
        "tzone",
    ),
    "airports",
)
write(
    read("planes").select(
        "tailnum",
        F.col("year").cast("int").alias("built"),
        "manufacturer",
        "model",
        F.col("seats").cast("int").alias("seats"),
    ),
    "planes",
)
spark.stop()

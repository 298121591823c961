"""The flights' CSV file as typed parquet."""

import argparse

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

arguments = argparse.ArgumentParser()
arguments.add_argument("--raw", required=True)
arguments.add_argument("--out", required=True)
places = arguments.parse_args()

spark = SparkSession.builder.getOrCreate()
rows = spark.read.csv(f"{places.raw}/flights.csv", header=True, nullValue="NA")
typed = rows.select(
    F.make_date(*(F.col(part).cast("int") for part in ("year", "month", "day"))).alias("day"),
    "carrier",
    F.col("flight").cast("int").alias("flight"),
    "tailnum",
    "origin",
    "dest",
    F.col("time_hour").cast("timestamp").alias("scheduled_hour"),
    F.col("dep_delay").cast("int").alias("dep_delay"),
    F.col("arr_delay").cast("int").alias("arr_delay"),
    F.col("air_time").cast("int").alias("air_time"),
    F.col("distance").cast("int").alias("distance"),
)
typed.write.mode("overwrite").parquet(f"{places.out}/flights")
spark.stop()

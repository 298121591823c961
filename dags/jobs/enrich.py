"""Flights with their airline, their plane and both airports."""

import argparse

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

arguments = argparse.ArgumentParser()
arguments.add_argument("--typed", required=True)
arguments.add_argument("--out", required=True)
places = arguments.parse_args()

spark = SparkSession.builder.getOrCreate()
flights, airlines, airports, planes = (
    spark.read.parquet(f"{places.typed}/{name}")
    for name in ("flights", "airlines", "airports", "planes")
)


def airport(end):
    return F.broadcast(
        airports.select(
            F.col("airport").alias(end),
            F.col("name").alias(f"{end}_name"),
            F.col("lat").alias(f"{end}_lat"),
            F.col("lon").alias(f"{end}_lon"),
        )
    )


enriched = (
    flights.join(F.broadcast(airlines), "carrier")
    .join(F.broadcast(planes), "tailnum", "left")
    .join(airport("origin"), "origin", "left")
    .join(airport("dest"), "dest", "left")
    .withColumn("plane_age", F.year("day") - F.col("built"))
    .withColumn("northwards", F.col("dest_lat") > F.col("origin_lat"))
    .drop("origin_lat", "origin_lon", "dest_lat", "dest_lon", "built")
)
enriched.write.mode("overwrite").parquet(places.out)
spark.stop()

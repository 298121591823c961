"""The mart: each plane's days, its tail number hashed, beside how its carrier did."""

import argparse

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

arguments = argparse.ArgumentParser()
arguments.add_argument("--delays", required=True)
arguments.add_argument("--report", required=True)
arguments.add_argument("--out", required=True)
places = arguments.parse_args()

spark = SparkSession.builder.getOrCreate()
flights = spark.read.parquet(f"{places.delays}/flights")
carriers = spark.read.parquet(f"{places.delays}/carriers").select("day", "carrier", "rank")
lateness = spark.read.parquet(f"{places.report}/lateness")
airlines = lateness.where("scope = 'airline'").select(
    F.col("name").alias("airline"), F.col("share_late").alias("airline_share_late")
)

mart = (
    flights.where(F.col("tailnum").isNotNull())
    .withColumn("plane", F.sha2("tailnum", 256))
    .groupBy("day", "carrier", "airline", "plane")
    .agg(
        F.count("*").alias("flights"),
        F.max("arr_delay").alias("worst_delay"),
        F.max("plane_age").alias("plane_age"),
        F.sum(F.when(F.col("kind") == "on time", 1).otherwise(0)).alias("on_time"),
    )
    .join(F.broadcast(carriers), ["day", "carrier"])
    .join(F.broadcast(airlines), "airline")
    .withColumnRenamed("rank", "carrier_rank")
)
mart.write.mode("overwrite").parquet(f"{places.out}/plane_days")
spark.stop()

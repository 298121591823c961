"""Each flight's kind of delay (a Python function), each day's rank of carriers (a window)."""

import argparse

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

arguments = argparse.ArgumentParser()
arguments.add_argument("--enriched", required=True)
arguments.add_argument("--out", required=True)
places = arguments.parse_args()

spark = SparkSession.builder.getOrCreate()


@F.udf("string")
def kind_of_delay(departure, arrival):
    if departure is None or arrival is None:
        return "cancelled"
    if arrival <= 15:
        return "on time"
    return "made worse in the air" if arrival > departure else "late from the start"


enriched = spark.read.parquet(places.enriched)
flights = enriched.select(
    "day",
    "carrier",
    "airline",
    "flight",
    "tailnum",
    "plane_age",
    "arr_delay",
    kind_of_delay("dep_delay", "arr_delay").alias("kind"),
)
flights.write.mode("overwrite").parquet(f"{places.out}/flights")

days = enriched.groupBy("day", "carrier").agg(F.avg("arr_delay").alias("mean_delay"))
ranked = days.withColumn(
    "rank", F.rank().over(Window.partitionBy("day").orderBy(F.col("mean_delay").asc_nulls_last()))
)
ranked.write.mode("overwrite").parquet(f"{places.out}/carriers")
spark.stop()

"""Paid orders by day. A job like any other: it knows nothing of lineage."""

import argparse

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("source")
parser.add_argument("target")
parser.add_argument("--day", help="only this day")
options = parser.parse_args()

spark = SparkSession.builder.getOrCreate()
orders = spark.read.csv(options.source, header=True, inferSchema=True)
paid = orders.where("state = 'paid'")
if options.day:
    paid = paid.where(F.col("day") == options.day)
daily = paid.groupBy("day").agg(F.sum("amount").alias("total"), F.count("id").alias("orders"))
daily.write.mode("overwrite").parquet(options.target)

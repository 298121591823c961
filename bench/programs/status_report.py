"""A report with a column for each status and each collected country."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

home = sys.argv[1]
spark = SparkSession.builder.getOrCreate()
orders = spark.read.parquet(f"{home}/raw/orders")
customers = spark.read.csv(f"{home}/raw/customers.csv", header=True, inferSchema=True)

fixed = orders.groupBy("customer").pivot("status", ["paid", "returned"]).agg(F.sum("amount"))
fixed.na.fill(0).write.mode("overwrite").parquet(f"{home}/mart/by_status")

free = orders.groupBy("customer").pivot("status").agg(F.sum("amount"))
free.write.mode("overwrite").parquet(f"{home}/mart/by_any_status")

countries = [
    row.country for row in customers.select("country").distinct().orderBy("country").collect()
]
both = orders.join(customers, "customer")
wide = both.groupBy("day").agg(
    F.sum("amount").alias("total"),
    *[
        F.sum(F.when(F.col("country") == each, F.col("amount"))).alias(f"amount_{each}")
        for each in countries
    ],
)
wide.write.mode("overwrite").parquet(f"{home}/mart/by_country")

long = wide.unpivot("day", [name for name in wide.columns if name != "day"], "measure", "value")
long.write.mode("overwrite").option("sep", "\t").csv(f"{home}/export/by_country")
both.rollup("country", "status").agg(F.count("*").alias("n")).write.parquet(f"{home}/mart/rollup")

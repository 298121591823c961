"""The best customers, of the table that dbt has made."""

import sys

from pyspark.sql import SparkSession

lake = sys.argv[1]
spark = SparkSession.builder.appName("report").getOrCreate()
customers = spark.read.parquet(f"{lake}/mart/customers.parquet").where("lifetime_value > 0")
best = customers.selectExpr("upper(full_name) AS customer", "lifetime_value AS value")
best.write.mode("overwrite").parquet(f"{lake}/report")
spark.stop()

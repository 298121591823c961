"""Orders to a staging table, that to a mart: the second query reads what the first wrote."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

(home,) = sys.argv[1:]
spark = SparkSession.builder.getOrCreate()
orders = spark.read.schema("id INT, customer STRING, amount DOUBLE").json(f"{home}/orders.json")
cleaned = orders.where("amount > 0").withColumn("customer", F.sha2("customer", 256))
cleaned.write.mode("overwrite").parquet(f"{home}/staging")
staging = spark.read.parquet(f"{home}/staging")
totals = staging.groupBy("customer").agg(F.sum("amount").alias("total"), F.count("*").alias("n"))
totals.write.mode("overwrite").parquet(f"{home}/mart")

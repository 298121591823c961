"""One write, then an error."""

import sys

from pyspark.sql import SparkSession

(home,) = sys.argv[1:]
spark = SparkSession.builder.getOrCreate()
orders = spark.read.schema("id INT, customer STRING, amount DOUBLE").json(f"{home}/orders.json")
orders.select("id").write.mode("overwrite").parquet(f"{home}/kept")
raise ValueError("the second half is missing")

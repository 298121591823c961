"""Orders to a staging table, that to a mart: the second query reads what the first wrote.

Called with a file's name too, it waits until the file is there.
"""

import os
import sys
import time

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

home, *files = sys.argv[1:]
spark = SparkSession.builder.getOrCreate()
while not all(map(os.path.exists, files)):
    time.sleep(0.2)
orders = spark.read.schema("id INT, customer STRING, amount DOUBLE").json(f"{home}/orders.json")
cleaned = orders.where("amount > 0").withColumn("customer", F.sha2("customer", 256))
cleaned.write.mode("overwrite").parquet(f"{home}/staging")
staging = spark.read.parquet(f"{home}/staging")
totals = staging.groupBy("customer").agg(F.sum("amount").alias("total"), F.count("*").alias("n"))
totals.write.mode("overwrite").parquet(f"{home}/mart")

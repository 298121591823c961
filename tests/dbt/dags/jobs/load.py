"""Files of the landing zone, as the tables that dbt reads."""

import sys

from pyspark.sql import SparkSession

lake = sys.argv[1]
spark = SparkSession.builder.appName("load").getOrCreate()


def load(name, *columns):
    found = spark.read.json(f"{lake}/landing/{name}.json").selectExpr(*columns)
    found.write.mode("overwrite").parquet(f"{lake}/raw/{name}")


load(
    "customers",
    "id",
    "split(name, ' ')[0] AS first_name",
    "substring_index(name, ' ', -1) AS last_name",
)
load("orders", "id", "customer AS user_id", "to_date(placed_at) AS order_date", "status")
load("payments", "id", "order_id", "method", "CAST(euros * 100 AS INT) AS cents")
spark.stop()

"""Daily sales: partitioned Parquet beside a CSV file with a header, and one day overwritten."""

import argparse

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

parser = argparse.ArgumentParser()
parser.add_argument("home")
parser.add_argument("--date", default="2024-01-02")
arguments = parser.parse_args()

CONFIG = {
    "orders": {"path": f"{arguments.home}/raw/orders", "format": "parquet"},
    "customers": {
        "path": f"{arguments.home}/raw/customers.csv",
        "format": "csv",
        "options": {"header": "true", "inferSchema": "true"},
    },
}


def load(name):
    source = CONFIG[name]
    return (
        spark.read.format(source["format"])
        .options(**source.get("options", {}))
        .load(source["path"])
    )


spark = SparkSession.builder.appName(f"daily_sales_{arguments.date}").getOrCreate()
spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")

orders = load("orders").filter(F.col("day") == arguments.date).dropDuplicates(["id"])
customers = load("customers").select("customer", F.upper("country").alias("country"), "email")
sales = (
    orders.join(F.broadcast(customers), on="customer", how="left")
    .withColumn("net", F.when(F.col("status") == "returned", 0).otherwise(F.col("amount") * 0.81))
    .fillna({"country": "??"})
    .groupBy("country", "day")
    .agg(F.sum("net").alias("net"), F.countDistinct("customer").alias("buyers"))
)
sales.repartition("day").write.mode("overwrite").partitionBy("day").parquet(
    f"{arguments.home}/mart/daily_sales"
)
written = spark.read.parquet(f"{arguments.home}/mart/daily_sales").where(
    f"day = '{arguments.date}'"
)
written.coalesce(1).write.mode("overwrite").option("header", True).csv(
    f"{arguments.home}/export/sales_{arguments.date.replace('-', '')}"
)

"""Products of a database by JDBC, by table and by query, with a read that may fail."""

import sys

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

home = sys.argv[1]
spark = SparkSession.builder.getOrCreate()
JDBC = {"url": f"jdbc:derby:{home}-db", "driver": "org.apache.derby.jdbc.EmbeddedDriver"}


def read_or_empty(path, schema):
    try:
        return spark.read.parquet(path)
    except AnalysisException as error:
        print(f"no {path} yet: {error}")
        return spark.createDataFrame([], schema)


products = spark.read.format("jdbc").options(**JDBC, dbtable="APP.PRODUCTS").load()
cheap = (
    spark.read.format("jdbc")
    .options(**JDBC)
    .option("query", "SELECT SKU, PRICE * 2 AS TWICE FROM APP.PRODUCTS WHERE PRICE < 100")
    .load()
)
old = read_or_empty(f"{home}/mart/prices", "sku string, name string, price double, twice double")
new = products.join(cheap, "SKU", "left").select(
    F.lower("SKU").alias("sku"),
    F.col("NAME").alias("name"),
    F.col("PRICE").cast("double").alias("price"),
    F.col("TWICE").cast("double").alias("twice"),
)
merged = new.unionByName(old.join(new, "sku", "left_anti"))
merged.write.mode("overwrite").parquet(f"{home}/mart/prices_new")
sold = (
    spark.read.json(f"{home}/raw/clicks")
    .select(F.inline("items"))
    .groupBy("sku")
    .agg(F.sum("qty").alias("qty"))
)
sums = merged.join(sold, "sku").select("sku", (F.col("price") * F.col("qty")).alias("revenue"))
sums.write.jdbc(JDBC["url"], "APP.REVENUE", mode="overwrite", properties={"driver": JDBC["driver"]})
again = spark.read.jdbc(JDBC["url"], "APP.REVENUE", properties={"driver": JDBC["driver"]})
again.write.mode("overwrite").parquet(f"{home}/mart/revenue")

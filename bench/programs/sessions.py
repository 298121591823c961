"""Sessions of clicks: nested JSON without a schema, explode, and windows."""

import sys

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

home = sys.argv[1]
spark = SparkSession.builder.getOrCreate()

clicks = spark.read.json(f"{home}/raw/clicks")
flat = clicks.select(
    F.col("user.id").alias("user"),
    "user.geo.country",
    F.to_timestamp("at").alias("at"),
    F.explode_outer("items").alias("item"),
).select("user", "country", "at", "item.*")

by_user = Window.partitionBy("user").orderBy("at")
sessions = (
    flat.withColumn("gap", F.col("at").cast("long") - F.lag("at").over(by_user).cast("long"))
    .withColumn("is_new", (F.col("gap").isNull() | (F.col("gap") > 1800)).cast("int"))
    .withColumn("session", F.sum("is_new").over(by_user.rowsBetween(Window.unboundedPreceding, 0)))
    .withColumn(
        "rank", F.row_number().over(Window.partitionBy("user", "session").orderBy(F.desc("qty")))
    )
    .drop("gap", "is_new")
)
sessions.cache()
top = sessions.where("rank = 1").withColumn("date", F.to_date("at"))
top.write.mode("overwrite").partitionBy("date").json(f"{home}/mart/top_items")
summary = sessions.groupBy("user", "session").agg(
    F.min("at").alias("begin"),
    F.struct(F.max("at").alias("end"), F.collect_set("sku").alias("skus")).alias("rest"),
)
summary.withColumn(
    "minutes", (F.unix_timestamp("rest.end") - F.unix_timestamp("begin")) / 60
).write.orc(f"{home}/mart/sessions")

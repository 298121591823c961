"""Clicks from files into Delta by streams with availableNow, then by foreachBatch into a MERGE."""

import json
import os
import sys

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

home = sys.argv[1]
spark = SparkSession.builder.getOrCreate()
SCHEMA = """at STRING, items ARRAY<STRUCT<qty: BIGINT, sku: STRING>>,
    user STRUCT<geo: STRUCT<country: STRING>, id: BIGINT>"""


def bronze():
    source = (
        spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(f"{home}/raw/clicks")
    )
    source = source.withColumn("file", F.input_file_name()).withColumn(
        "loaded", F.current_timestamp()
    )
    query = source.writeStream.format("delta").option("checkpointLocation", f"{home}/check/bronze")
    query.trigger(availableNow=True).start(f"{home}/lake/bronze").awaitTermination()


def upsert(batch, number):
    latest = Window.partitionBy("user", "sku").orderBy(F.desc("at"))
    batch = batch.withColumn("n", F.row_number().over(latest)).where("n = 1").drop("n")
    if number == 0 and not os.path.exists(f"{home}/lake/silver"):
        batch.limit(0).write.format("delta").save(f"{home}/lake/silver")
    batch.createOrReplaceGlobalTempView("batch")
    batch.sparkSession.sql(f"""
        MERGE INTO delta.`{home}/lake/silver` t USING global_temp.batch s
        ON t.user = s.user AND t.sku = s.sku
        WHEN MATCHED AND s.at > t.at THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *
    """)


bronze()
items = (
    spark.readStream.format("delta")
    .load(f"{home}/lake/bronze")
    .select(
        F.col("user.id").alias("user"),
        F.col("user.geo.country").alias("country"),
        "at",
        F.inline("items"),
    )
)
query = items.writeStream.foreachBatch(upsert).option("checkpointLocation", f"{home}/check/silver")
query.trigger(availableNow=True).start().awaitTermination()
silver = spark.read.format("delta").load(f"{home}/lake/silver")
print(json.dumps({"rows": silver.count()}))
silver.groupBy("country").agg(F.sum("qty").alias("qty")).write.format("delta").mode(
    "overwrite"
).option("overwriteSchema", "true").save(f"{home}/lake/gold")

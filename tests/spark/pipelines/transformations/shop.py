from pyspark import pipelines as dp
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.active()


@dp.materialized_view
def orders():
    return spark.read.parquet("files/orders").where("valid").drop("valid")


@dp.temporary_view
def streamed():
    return spark.readStream.table("orders").where("customer IS NOT NULL")


dp.create_streaming_table("ledger")
dp.create_streaming_table("audit", schema="id LONG, who STRING")


@dp.append_flow(target="ledger")
def orders_in_ledger():
    return spark.readStream.table("streamed").select("id", F.col("amount").alias("value"))


@dp.append_flow(target="audit")
def orders_in_audit():
    return spark.readStream.table("orders").select("id", F.lit("us").alias("who"))

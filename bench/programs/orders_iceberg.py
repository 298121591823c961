"""Orders in Iceberg: writeTo, a branch on tableExists, MERGE, UPDATE, and a snapshot read."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

home = sys.argv[1]
spark = SparkSession.builder.getOrCreate()
orders = spark.read.parquet(f"{home}/raw/orders")

spark.sql("CREATE NAMESPACE IF NOT EXISTS ice.shop")
clean = orders.where("amount > 0").select(
    "id", "customer", "amount", "status", F.to_date("day").alias("day")
)
if spark.catalog.tableExists("ice.shop.orders"):
    clean.writeTo("ice.shop.orders").overwritePartitions()
else:
    clean.writeTo("ice.shop.orders").using("iceberg").partitionedBy(F.months("day")).create()

returned = orders.where("status = 'returned'")
returned.createOrReplaceTempView("returned")
spark.sql("""
    MERGE INTO ice.shop.orders t
    USING (SELECT id, max(amount) AS amount FROM returned GROUP BY id) s ON t.id = s.id
    WHEN MATCHED THEN UPDATE SET t.amount = t.amount - s.amount, t.status = 'settled'
""")
spark.sql("UPDATE ice.shop.orders SET status = lower(status) WHERE day >= DATE '2024-01-01'")
orders.where("amount <= 0").select(
    "id", "customer", "amount", "status", F.to_date("day").alias("day")
).writeTo("ice.shop.orders").append()
monthly = (
    spark.table("ice.shop.orders")
    .groupBy(F.date_trunc("month", "day").alias("month"), "status")
    .agg(F.sum("amount").alias("amount"), F.expr("percentile_approx(amount, 0.5)").alias("median"))
)
monthly.writeTo("ice.shop.monthly").tableProperty("format-version", "2").createOrReplace()
snapshots = spark.table("ice.shop.orders.snapshots").select(
    "snapshot_id", "operation", "committed_at"
)
snapshots.write.mode("overwrite").parquet(f"{home}/audit/snapshots")
spark.sql(
    "CREATE TABLE ice.shop.settled AS SELECT o.* FROM ice.shop.orders o WHERE status = 'settled'"
)

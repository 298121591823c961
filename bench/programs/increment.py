"""An incremental load: a watermark that is collected, branches on counts, and a quality gate."""

import logging
import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

home = sys.argv[1]
spark = SparkSession.builder.getOrCreate()
log = logging.getLogger("increment")
orders = spark.read.parquet(f"{home}/raw/orders")
state, target = f"{home}/state/orders", f"{home}/lake/orders"

try:
    watermark = spark.read.parquet(state).agg(F.max("day")).first()[0]
except Exception:
    watermark = "1900-01-01"

new = orders.where(F.col("day") > watermark).persist()
if new.count() == 0:
    log.warning("nothing new")
    spark.stop()
    sys.exit(0)

bad = new.where("amount IS NULL OR customer IS NULL OR amount < 0")
rate = bad.count() / new.count()
if rate > 0.5:
    raise ValueError(f"{rate:.0%} of the rows are bad")
if not bad.isEmpty():
    bad.write.mode("append").parquet(f"{home}/quarantine/orders")

good = new.subtract(bad)
good.write.mode("append").partitionBy("day").parquet(target)
top = good.orderBy(F.desc("amount")).limit(1).collect()
best = top[0]["customer"]
good.where(F.col("customer") == best).write.mode("overwrite").parquet(f"{home}/mart/best")
summary = {
    row["status"]: row["n"] for row in good.groupBy("status").agg(F.count("*").alias("n")).collect()
}
assert sum(summary.values()) == good.count()
good.agg(F.max("day").alias("day")).write.mode("overwrite").parquet(state)

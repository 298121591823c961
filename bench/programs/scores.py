"""Scores by Python, pandas and grouped functions, with a module of helpers beside the program."""

import sys

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from helpers import cleaned, paths

target = paths(sys.argv[1])
spark = SparkSession.builder.getOrCreate()


@F.udf(returnType=T.StructType().add("user", "string").add("domain", "string"))
def split_mail(mail):
    user, _, domain = (mail or "").partition("@")
    return user, domain


@F.pandas_udf("double")
def scaled(amount: pd.Series, customer: pd.Series) -> pd.Series:
    return amount / (1 + customer % 7)


def ranked(rows: pd.DataFrame) -> pd.DataFrame:
    rows["rank"] = rows["score"].rank()
    return rows[["customer", "score", "rank"]]


customers = cleaned(spark.read.csv(target["customers"], header=True)).withColumn(
    "mail", split_mail("email")
)
orders = spark.read.parquet(target["orders"]).transform(cleaned)
scored = orders.withColumn("score", scaled("amount", "customer")).join(
    customers.select(F.col("customer").cast("long"), "mail.domain", "country"), "customer"
)
scored.select("id", "customer", "domain", "score").write.mode("overwrite").parquet(target["scores"])
scored.groupBy("country").applyInPandas(
    ranked, "customer long, score double, rank double"
).write.mode("overwrite").parquet(target["ranks"])
spark.udf.register("initial", lambda text: (text or "?")[0])
customers.createOrReplaceTempView("customers")
spark.sql("SELECT initial(name) AS initial, mail.user FROM customers").write.json(
    target["initials"]
)
pd_frame = orders.groupBy("status").agg(F.avg("amount").alias("mean")).toPandas()
spark.createDataFrame(pd_frame, "status string, mean double").write.parquet(target["means"])

"""Two tasks in sessions of one Spark Connect server at the same time, and one that reads both."""

import os
import time
from pathlib import Path

from airflow.sdk import DAG, task

LAKE = os.environ["REMOTE_LAKE"]


def wait_for_the_other(name: str, other: str) -> None:
    """Both tasks have a session before either of them writes."""
    Path(LAKE, f"{name}.ready").touch()
    while not Path(LAKE, f"{other}.ready").exists():
        time.sleep(0.1)


with DAG("remote", schedule=None):

    @task.colgraph_pyspark(conn_id="connect")
    def one(spark):
        source = spark.read.parquet(f"{LAKE}/source")
        source.createOrReplaceTempView("rows")
        wait_for_the_other("one", "two")
        for number in range(3):
            spark.sql("SELECT a AS key, b AS value FROM rows").write.parquet(f"{LAKE}/one{number}")
            time.sleep(0.2)

    @task.pyspark(conn_id="connect")  # the stock one, by the policy
    def two(spark):
        spark.read.parquet(f"{LAKE}/source").createOrReplaceTempView("rows")
        wait_for_the_other("two", "one")
        for number in range(3):
            spark.sql("SELECT a AS key, c AS value FROM rows").write.parquet(f"{LAKE}/two{number}")
            time.sleep(0.2)

    @task.pyspark(conn_id="connect")
    def joined(spark):
        first, second = (spark.read.parquet(f"{LAKE}/{name}0") for name in ("one", "two"))
        found = first.join(second.withColumnRenamed("value", "other"), "key")
        found.selectExpr("value + other AS total").write.parquet(f"{LAKE}/joined")

    @task.pyspark(conn_id="connect")
    def fails(spark):
        spark.range(3).write.parquet(f"{LAKE}/left")
        raise ValueError("as a test")

    [one(), two()] >> joined() >> fails()

"""The fifth lesson: lineage for DAGs that nobody changes.

There is nothing of ours in this file. With

    AIRFLOW__COLGRAPH__WRAP_SPARK_SUBMIT=True

for the DAG processor and the workers, all of these tasks have lineage, mapped ones too; without it
they run just the same and have none.
"""

import os
from pathlib import Path

from airflow.providers.apache.spark.operators.spark_sql import SparkSqlOperator
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.sdk import DAG, task

JOBS = Path(__file__).parent / "jobs"
HOME = Path(os.environ.get("LESSONS_HOME", Path.home() / "lessons"))
CONF = {"spark.ui.enabled": "false", "spark.sql.warehouse.dir": str(HOME / "warehouse")}

with DAG("stock", schedule=None, tags=["colgraph", "lesson"], doc_md=__doc__):

    @task.pyspark(conn_id="spark_default", config_kwargs=CONF)
    def customers(spark):
        orders = spark.read.csv(str(JOBS / "orders.csv"), header=True)
        spent = orders.groupBy("customer").agg({"amount": "sum"})
        spent.toDF("customer", "spent").write.mode("overwrite").parquet(str(HOME / "customers"))

    best = SparkSqlOperator(
        task_id="best",
        master="local[1]",
        conf=CONF,
        sql=f"""
            INSERT OVERWRITE DIRECTORY '{HOME}/best' USING parquet
            SELECT customer AS name FROM parquet.`{HOME}/customers` WHERE spent > 3
        """,
    )

    submitted = SparkSubmitOperator.partial(
        task_id="daily", application=str(JOBS / "daily.py"), conf=CONF
    ).expand(application_args=[[str(JOBS / "orders.csv"), str(HOME / "stock-daily")]])

    customers() >> best

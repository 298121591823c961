"""Stock declarative pipelines, to which the policy adds lineage, for test_pipelines.py."""

import os

from airflow.providers.apache.spark.operators.spark_pipelines import SparkPipelinesOperator
from airflow.sdk import DAG

CONF = {
    "spark.ui.enabled": "false",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.shuffle.partitions": "1",
}
SPEC = f"{os.environ['CASES_HOME']}/spark-pipeline.yml"

with DAG("pipelines", schedule=None):
    planned = SparkPipelinesOperator(
        task_id="planned", pipeline_command="dry-run", pipeline_spec=SPEC, conf=CONF, conn_id="here"
    )
    shop = SparkPipelinesOperator(task_id="shop", pipeline_spec=SPEC, conf=CONF, conn_id="here")
    planned >> shop

"""One job on each kind of cluster, for test_clusters.py. CASES_HOME is its folder."""

import os
import sys
from pathlib import Path

from airflow.sdk import DAG

from airflow_colgraph.operators.spark_submit import ColgraphSparkSubmitOperator

JOB = Path(__file__).parents[2] / "airflow" / "dags" / "jobs" / "totals.py"
HOME, HDFS = os.environ["CASES_HOME"], os.environ["CASES_HDFS"]
CONF = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.pyspark.python": sys.executable,
    "spark.driver.extraJavaOptions": os.environ["JAVA_TOOL_OPTIONS"],
    "spark.executor.extraJavaOptions": os.environ["JAVA_TOOL_OPTIONS"],
}
SMALL = {"num_executors": 1, "driver_memory": "600m", "executor_memory": "600m"}

with DAG("clusters", schedule=None):
    ColgraphSparkSubmitOperator(
        task_id="yarn",
        conn_id="yarn",
        application=str(JOB),
        application_args=[f"{HDFS}/data"],
        durable=False,  # the mini cluster's resource manager answers no REST
        conf={
            **CONF,
            "spark.yarn.jars": os.environ["CASES_JARS"],
            "spark.yarn.appMasterEnv.SPARK_LOCAL_IP": "127.0.0.1",
            "spark.executorEnv.SPARK_LOCAL_IP": "127.0.0.1",
        },
        **SMALL,
    )
    ColgraphSparkSubmitOperator(
        task_id="standalone",
        conn_id="standalone",
        application=str(JOB),
        application_args=[f"file:{HOME}/data"],
        conf={**CONF, "spark.colgraph.sink": f"{HOME}/standalone.ndjson"},
        **SMALL,
    )

"""One job on each kind of cluster, for test_clusters.py. CASES_HOME is its folder."""

import os
import signal
import sys
from datetime import timedelta
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


class Lost(ColgraphSparkSubmitOperator):
    """Its first try's process is killed when it has submitted; the job waits for the second."""

    def poll_until_complete(self, external_id, context):
        if context["ti"].try_number == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        Path(HOME, "go").touch()
        super().poll_until_complete(external_id, context)


with DAG("clusters", schedule=None):
    Lost(
        task_id="yarn",
        conn_id="yarn",
        application=str(JOB),
        application_args=[f"{HDFS}/data", f"{HOME}/go"],
        yarn_track_via_rm_api=True,
        retries=1,
        retry_delay=timedelta(0),
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
        conf={
            **CONF,
            "spark.colgraph.sink": f"{HOME}/standalone.ndjson",
            "spark.colgraph.legacyIndirect": "true",
            "spark.colgraph.lineageFacet": "true",
        },
        **SMALL,
    )

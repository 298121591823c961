"""Tasks that end in every way, for test_scheduler.py. CASES_HOME is where they write."""

import os
from datetime import timedelta
from pathlib import Path

from airflow.sdk import DAG

from airflow_colgraph.operators.spark_submit import ColgraphSparkSubmitOperator

JOBS, HOME = Path(__file__).parent / "jobs", os.environ["CASES_HOME"]
CONF = {
    "spark.ui.enabled": "false",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.warehouse.dir": f"{HOME}/warehouse",
}
REAL = {"conf": CONF, "application_args": [HOME], "driver_memory": "1g"}
FAKE = {"application": "job.py", "spark_binary": "spark2-submit"}

with DAG("cases", schedule=None):
    ColgraphSparkSubmitOperator(task_id="totals", application=f"{JOBS}/totals.py", **REAL)
    ColgraphSparkSubmitOperator(task_id="half", application=f"{JOBS}/half.py", **REAL)
    ColgraphSparkSubmitOperator(task_id="no_application", application=f"{JOBS}/none.py", **REAL)
    ColgraphSparkSubmitOperator(
        task_id="no_spark_submit", application="job.py", spark_binary="spark3-submit"
    )
    ColgraphSparkSubmitOperator(
        task_id="retried",
        application_args=["writes=mart", f"fail={HOME}/tried"],
        retries=1,
        retry_delay=timedelta(0),
        **FAKE,
    )
    ColgraphSparkSubmitOperator.partial(task_id="mapped", **FAKE).expand(
        application_args=[[f"writes=part-{at}"] for at in range(3)]
    )

with DAG("quiet", schedule=None):
    ColgraphSparkSubmitOperator(task_id="totals", application=f"{JOBS}/totals.py", **REAL)

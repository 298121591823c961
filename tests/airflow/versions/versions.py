"""One DAG for every Airflow that is supported, for test_versions.py. CASES_HOME is its folder."""

import os
from datetime import datetime, timezone
from pathlib import Path

try:
    from airflow.sdk import DAG
except ImportError:  # Airflow 2
    from airflow import DAG
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

from airflow_colgraph.operators.spark_submit import ColgraphSparkSubmitOperator

JOBS, HOME = Path(__file__).parents[1] / "dags" / "jobs", os.environ["CASES_HOME"]
CONF = {
    "spark.ui.enabled": "false",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.warehouse.dir": f"{HOME}/warehouse",
}
FAKE = {"application": "job.py", "spark_binary": "spark2-submit"}


class Extracted(ColgraphSparkSubmitOperator):
    """Has no OpenLineage methods of its own: the registered extractor speaks for it."""

    get_openlineage_facets_on_start = None
    get_openlineage_facets_on_complete = None
    get_openlineage_facets_on_failure = None


with DAG("versions", schedule=None, start_date=datetime(2026, 1, 1, tzinfo=timezone.utc)):
    ColgraphSparkSubmitOperator(
        task_id="totals",
        application=f"{JOBS}/totals.py",
        application_args=[HOME],
        conf=CONF,
        driver_memory="1g",
    )
    Extracted(task_id="extracted", application_args=["writes=extracted"], **FAKE)
    ColgraphSparkSubmitOperator.partial(task_id="mapped", **FAKE).expand(
        application_args=[[f"writes=part-{at}"] for at in range(3)]
    )
    SparkSubmitOperator(task_id="stock", application_args=["writes=stock"], **FAKE)
    SparkSubmitOperator.partial(task_id="stock_mapped", **FAKE).expand(
        application_args=[[f"writes=stock-{at}"] for at in range(2)]
    )
    ColgraphSparkSubmitOperator(
        task_id="broken", application_args=["writes=kept", f"fail={HOME}/tried"], **FAKE
    )

"""The first lesson: one Spark job, and on its task's event what each column comes from.

The operator is a SparkSubmitOperator in all that it takes and does. After a run look at the task's
OpenLineage event, its log (a line that begins with colgraph), or the page.
"""

import os
from pathlib import Path

from airflow.sdk import DAG

from airflow_colgraph.operators.spark_submit import ColgraphSparkSubmitOperator

JOBS = Path(__file__).parent / "jobs"
HOME = Path(os.environ.get("LESSONS_HOME", Path.home() / "lessons"))

with DAG("first", schedule=None, tags=["colgraph", "lesson"], doc_md=__doc__):
    ColgraphSparkSubmitOperator(
        task_id="daily",
        application=str(JOBS / "daily.py"),
        application_args=[str(JOBS / "orders.csv"), str(HOME / "daily")],
        conf={"spark.ui.enabled": "false"},
    )

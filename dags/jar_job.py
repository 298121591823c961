"""The second lesson: a job in Java or Scala needs nothing more than one in Python.

The jar is of jobs/Daily.java. To make it, with Spark's jars in $SPARK_HOME/jars:

    javac -cp "$SPARK_HOME/jars/*" -d classes dags/jobs/Daily.java
    jar cf "$LESSONS_HOME/daily.jar" -C classes .

The collector starts the class by a launcher of its own; the job's arguments, its exit code and its
errors are what they would be without.
"""

import os
from pathlib import Path

from airflow.sdk import DAG

from airflow_colgraph.operators.spark_submit import ColgraphSparkSubmitOperator

JOBS = Path(__file__).parent / "jobs"
HOME = Path(os.environ.get("LESSONS_HOME", Path.home() / "lessons"))

with DAG("jar_job", schedule=None, tags=["colgraph", "lesson"], doc_md=__doc__):
    ColgraphSparkSubmitOperator(
        task_id="daily",
        application=str(HOME / "daily.jar"),
        java_class="lesson.Daily",
        application_args=[str(JOBS / "orders.csv"), str(HOME / "daily-by-jar")],
        conf={"spark.ui.enabled": "false"},
    )

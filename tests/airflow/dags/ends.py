"""Further ways to end, for the rows of docs/events.md that cases.py has not; no Spark is run.

CASES_HOME is where they write.
"""

import os
import signal
from datetime import timedelta

from airflow.exceptions import AirflowSkipException
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.providers.standard.triggers.file import FileTrigger
from airflow.sdk import DAG

from airflow_colgraph.operators.spark_submit import ColgraphSparkSubmitOperator, SparkSubmitLineage

HOME = os.environ["CASES_HOME"]
FAKE = {"application": "job.py", "spark_binary": "spark2-submit"}
MANY = int(os.environ["AIRFLOW__CORE__PARALLELISM"])


def skip(context):
    raise AirflowSkipException("nothing to do today")


class Killed(ColgraphSparkSubmitOperator):
    """Its process is killed when the job has been submitted and has reported."""

    def execute(self, context):
        super().execute(context)
        os.kill(os.getpid(), signal.SIGKILL)


class Lost(ColgraphSparkSubmitOperator):
    """The first try's process is killed while the job goes on, on the cluster."""

    def poll_until_complete(self, external_id, context):
        if context["ti"].try_number == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        super().poll_until_complete(external_id, context)


class Skips(SparkSubmitOperator):
    """Finds after the job that there was nothing to do."""

    def execute(self, context):
        super().execute(context)
        skip(context)


class SkipsWithLineage(SparkSubmitLineage, Skips):
    """The same with column lineage."""


class Defers(SparkSubmitOperator):
    """Waits for the job without a worker."""

    def execute(self, context):
        super().execute(context)
        trigger = FileTrigger(filepath=f"{HOME}/resume", poke_interval=0.5)
        self.defer(trigger=trigger, method_name="resumed")

    def resumed(self, context, event=None):
        self.log.info("resumed")


class Deferred(SparkSubmitLineage, Defers):
    """The same with column lineage."""


with DAG("ends", schedule=None):
    skipped = ColgraphSparkSubmitOperator(
        task_id="skipped", application_args=["writes=never"], pre_execute=skip, **FAKE
    )
    skipped >> ColgraphSparkSubmitOperator(task_id="skipped_too", **FAKE)
    SkipsWithLineage(task_id="skipped_after", application_args=["writes=empty"], **FAKE)
    killed = Killed(task_id="killed", application_args=["writes=killed"], **FAKE)
    killed >> ColgraphSparkSubmitOperator(task_id="upstream_failed", **FAKE)
    Deferred(task_id="deferred", application_args=["writes=deferred"], **FAKE)
    ColgraphSparkSubmitOperator(
        task_id="waived",
        application_args=["writes=waived", f"fail={HOME}/waived"],
        retries=1,
        retry_delay=timedelta(days=1),
        **FAKE,
    )
    ColgraphSparkSubmitOperator(
        task_id="stopped", application_args=["writes=never", f"hold={HOME}/stopped"], **FAKE
    )
    ColgraphSparkSubmitOperator(task_id="corrected", application_args=["writes=corrected"], **FAKE)
    Lost(
        task_id="lost",
        conn_id="yarn",
        application_args=["writes=lost", f"later={HOME}/lost.json"],
        yarn_track_via_rm_api=True,
        retries=1,
        retry_delay=timedelta(0),
        conf={"spark.colgraph.sink": f"{HOME}/sinks/{{{{ ti.try_number }}}}/lost.ndjson"},
        **FAKE,
    )

with DAG("many", schedule=None, max_active_tasks=MANY):
    ColgraphSparkSubmitOperator.partial(task_id="mapped", **FAKE).expand(
        application_args=[[f"writes=of-{at}", f"together={HOME}/many/{MANY}"] for at in range(MANY)]
    )

"""Runs in the Spark driver: column lineage of every query as OpenLineage events."""

import atexit
from typing import Any


def install(spark: Any) -> None:
    """Collect the lineage of the queries of a SparkSession from now on; safe to call again.

    A `QueryExecutionListener` (org.apache.spark.sql.util) is registered with the session, and a
    thread of this process resolves what it reports. The events are the OpenLineage run events of
    `collector.openlineage.RunEvent`: START now, RUNNING for each query, and COMPLETE or FAIL.

    Args:
        spark: The `pyspark.sql.SparkSession`. Its properties `spark.colgraph.*` are the settings
            (`collector.settings.OPTIONS`).

    It returns nothing and never raises: a failure is a line in the job's log, and the job runs
    without lineage. The run ends with `finish`, or else with the process.
    """
    from airflow_colgraph.collector.driver import (  # here, so that a sink alone can be imported
        attach,
        listener,
    )

    listener.install(spark)
    attach.follow_loaded()
    atexit.unregister(finish)
    atexit.register(finish)  # who has not called it: the run ends with the process


def drain() -> None:
    """Write the events of all finished queries; call it before the SparkContext is stopped.

    It blocks for at most `spark.colgraph.exitTimeoutSeconds`, and never raises.
    """
    from airflow_colgraph.collector.driver import listener

    listener.drain()


def finish(failed: bool = False, reason: str = "") -> None:
    """End the OpenLineage runs of this process. A second call has no effect.

    It blocks for at most about `spark.colgraph.exitTimeoutSeconds`, and never raises.

    Args:
        failed: Whether the last event is FAIL rather than COMPLETE.
        reason: The message of its `errorMessage` facet (1-0-1); credentials in it are redacted.
    """
    from airflow_colgraph.collector.driver import listener

    listener.finish(failed, reason)

"""Runs in the Spark driver: column lineage of every query as OpenLineage events."""

import atexit
from typing import Any


def install(spark: Any) -> None:
    """Collect the lineage of the queries of a SparkSession from now on; safe to call again."""
    from airflow_colgraph.collector.driver import (
        listener,  # here, so that a sink alone can be imported
    )

    listener.install(spark)
    atexit.unregister(finish)
    atexit.register(finish)  # who has not called it: the run ends with the process


def drain() -> None:
    """Write what has happened so far: before the JVM's context goes away."""
    from airflow_colgraph.collector.driver import listener

    listener.drain()


def finish(failed: bool = False, reason: str = "") -> None:
    """End the runs with COMPLETE, or FAIL and the reason; once, at the end of the process."""
    from airflow_colgraph.collector.driver import listener

    listener.finish(failed, reason)

"""Spark's QueryExecutionListener in Python: `install(spark)`, `drain()`, `finish()`.

Nothing here may slow or break the job: the callback only enqueues, and each of the three functions
catches errors, prints one line and lets the job continue without lineage.
"""

from __future__ import annotations

from time import monotonic
from typing import Any

from airflow_colgraph.collector.driver.application import Application
from airflow_colgraph.collector.driver.exit_budget import GRACE_SECONDS, ExitBudget
from airflow_colgraph.collector.driver.warnings import warn_off

_applications: dict[str, Application] = {}
_budget = ExitBudget()


def install(spark: Any) -> None:
    """Collect the lineage of the queries of a SparkSession from now on; safe to call again."""
    try:
        session = spark._jsparkSession
        context = spark.sparkContext._jsc.sc()
        number = str(context.applicationId())
        gateway = spark.sparkContext._gateway
        if number not in _applications:
            _applications[number] = Application(context)
        _applications[number].listen(session, gateway)
    except Exception as error:  # noqa: BLE001 - the one edge: lineage never harms the job
        warn_off(error)


def resolved(graph: str, is_dry: bool) -> None:
    """Write what of a declarative pipeline is heard of from its graph only.

    Of a dry run these are all flows, of a run its views.
    """
    for application in list(_applications.values()):
        try:
            application.pipeline_resolved(graph, is_dry)
        except Exception as error:  # noqa: BLE001 - the one edge: lineage never harms the job
            warn_off(error)


def drain() -> None:
    """Write what has happened so far: before the JVM's context goes away."""
    for application in list(_applications.values()):
        since = monotonic()
        try:
            if not application.drain(_budget.left(application.settings["exitTimeoutSeconds"])):
                _budget.spend(since)
        except Exception as error:  # noqa: BLE001 - the one edge: lineage never harms the job
            warn_off(error)


def stopping() -> None:
    """Write what has happened, and compare it with what Spark has written: a context is to stop."""
    drain()
    for application in list(_applications.values()):
        try:
            application.audit()
        except Exception as error:  # noqa: BLE001 - the one edge: lineage never harms the job
            warn_off(error)


def finish(failed: bool = False, reason: str = "") -> None:
    """End the runs with COMPLETE, or FAIL and the reason; once, at the end of the process."""
    since = monotonic()
    while _applications:
        _, application = _applications.popitem()
        try:
            deadline = since + _budget.left(application.settings["exitTimeoutSeconds"])
            last = max(deadline, since + GRACE_SECONDS)
            application.end("FAIL" if failed else "COMPLETE", reason, deadline, last)
        except Exception as error:  # noqa: BLE001 - the one edge: lineage never harms the job
            warn_off(error)

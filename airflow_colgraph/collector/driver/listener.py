"""Spark's QueryExecutionListener in Python: `install(spark)`, `drain()`, `finish()`.

Nothing here may slow or break the job: the callback only enqueues, and each of the functions
catches errors, prints one line and lets the job continue without lineage.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import monotonic
from typing import Any

from airflow_colgraph.collector.driver.application import Application
from airflow_colgraph.collector.driver.connections import (
    close_without_waiting,
    end_before_shutdown,
)
from airflow_colgraph.collector.driver.exit_budget import GRACE_SECONDS, ExitBudget
from airflow_colgraph.collector.driver.first_command import is_own_thread
from airflow_colgraph.collector.driver.procedure_calls import CALL, called_procedures
from airflow_colgraph.collector.driver.session_watch import SessionWatch
from airflow_colgraph.collector.driver.timed_calls import at_exit
from airflow_colgraph.collector.driver.warnings import warn_off
from airflow_colgraph.collector.model import FOREACH_BATCH
from airflow_colgraph.collector.python_functions.effects import named_with
from airflow_colgraph.collector.spark.drops import is_creation, is_drop
from airflow_colgraph.collector.spark.jvm import Java
from airflow_colgraph.collector.spark.rdd_saves import saved_to
from airflow_colgraph.collector.spark.sessions import at_application_end, plugins

_applications: dict[str, Application] = {}
_budget = ExitBudget()
_lock = threading.Lock()  # a session may be found by a thread of ours and by the program


def begin(context: Java, *, is_whole: bool = False) -> Application | None:
    """Begin the run of a SparkContext of the JVM, if it has not begun; None where that fails.

    `is_whole`: what it has run before belongs to the run, too.
    """
    try:
        with _lock:
            return _application(context, is_whole=is_whole)
    except Exception as error:  # noqa: BLE001 - the one edge: lineage never harms the job
        warn_off(error)
        return None


def begin_in_jvm(context: Java, gateway: Any) -> None:
    """Begin the run of a SparkContext that a jar has made, and will stop without telling Python."""
    application = begin(context, is_whole=True)  # it may have run its first job before it was seen
    if application is None:
        return
    try:
        from pyspark.java_gateway import ensure_callback_server_started

        ensure_callback_server_started(gateway)
        at_application_end(context, Stopping(application))
    except Exception as error:  # noqa: BLE001 - the one edge: lineage never harms the job
        warn_off(error)


class Stopping:
    """A java.lang.Runnable that compares what Spark has written with the events."""

    def __init__(self, application: Application) -> None:
        """Of an application."""
        self._application = application

    def run(self) -> None:
        """The JVM's callback, from the bus of events: the context stops meanwhile."""
        since = monotonic()
        try:
            left = _budget.left(self._application.settings["exitTimeoutSeconds"])
            if not self._application.worker.wait(left):
                _budget.spend(since)
            self._application.audit(is_stopping=True)
        except Exception as error:  # noqa: BLE001 - the one edge: lineage never harms the job
            warn_off(error)

    class Java:
        """py4j's way to say which Java interface this is."""

        implements = ("java.lang.Runnable",)


def follow(context: Any) -> None:
    """Collect the lineage of a SparkContext of Python, whoever makes its first session."""
    application = begin(context._jsc.sc())
    if application is not None:
        SessionWatch(context, application, install).start()


def install(spark: Any) -> None:
    """Collect the lineage of the queries of a SparkSession from now on; safe to call again."""
    try:
        context = spark.sparkContext
        with _lock:
            _application(context._jsc.sc()).listen(spark._jsparkSession, context._gateway)
    except Exception as error:  # noqa: BLE001 - the one edge: lineage never harms the job
        warn_off(error)


def install_when_used(spark: Any) -> None:
    """Do so as soon as the program asks the JVM for anything, which a new session costs less.

    At once where it may be used by others: by plugins of Spark's, or by a jar, whose session is
    found by a thread of ours.
    """
    try:
        context = spark.sparkContext
        with _lock:
            application = _application(context._jsc.sc())
        if is_own_thread() or plugins(application.context):
            install(spark)
        else:
            application.await_use(context, partial(install, spark))
    except Exception as error:  # noqa: BLE001 - the one edge: lineage never harms the job
        warn_off(error)


def _application(context: Java, *, is_whole: bool = False) -> Application:
    number = str(context.applicationId())
    if number not in _applications:
        close_without_waiting()
        end_before_shutdown(drain)
        at_exit.start()
        _applications[number] = Application(context, is_whole=is_whole)
    return _applications[number]


def session_begins(session: Java) -> None:
    """A session of the JVM's begins, and has run nothing yet; Spark waits for the answer."""
    try:
        for application in list(_applications.values()):
            application.session_begins(session)
    except Exception as error:  # noqa: BLE001 - the one edge: lineage never harms the job
        warn_off(error)


def used_as_rdd(frame: Any) -> None:
    """Write what the RDD of a DataFrame is read from: what is done with it Spark tells nobody."""
    try:
        for application in list(_applications.values()):
            application.used_as_rdd(frame._jdf)
    except Exception as error:  # noqa: BLE001 - the one edge: lineage never harms the job
        warn_off(error)


def read_by_driver(number: int, frame: Java) -> None:
    """Resolve what a frame of the JVM is read from, of whose rows the program has made others."""
    for application in list(_applications.values()):
        application.read_by_driver(number, frame)


def saved_rdd(method: str, rdd: Any, arguments: Sequence[Any], options: Mapping[str, Any]) -> None:
    """Write what a program has saved of an RDD, by a method of PySpark's that names a path."""
    path = saved_to(method, arguments, options)
    java = getattr(rdd, "_prev_jrdd", None) or rdd._jrdd  # below the functions in Python
    for application in list(_applications.values()):
        if path and not application.has_ended:
            application.saved_rdd(java.rdd(), method, path)


def ran_for_each(name: str, *functions: Any) -> None:
    """Report that a function of the program's was run for its effects: what it reaches is named."""
    for application in list(_applications.values()):
        if not application.has_ended:
            what = named_with(name, application.effects_of(*functions))
            application.worker.do(application.pipeline.accounting.wrote_elsewhere, what)


def streams_to(name: str, *functions: Any) -> None:
    """Report what the function that a stream was given reaches beside Spark."""
    for application in list(_applications.values()):
        effects = application.effects_of(*functions) if not application.has_ended else ()
        accounting = application.pipeline.accounting
        if effects and name == FOREACH_BATCH:
            application.worker.do(accounting.wrote_elsewhere, named_with(name, effects))
        elif effects:  # Spark has a query of it, whose sink has this class
            application.worker.do(accounting.reaches, "ForeachWriterTable", effects)


def about_to_run(spark: Any, text: object) -> Callable[[], None] | None:
    """Look at what a SQL text will drop or create; returns how to forget it if the text fails."""
    if not isinstance(text, str) or not (is_drop(text) or is_creation(text)):
        return None
    session = spark._jsparkSession
    forget = (each.about_to_run(session, text) for each in list(_applications.values()))
    return next(filter(None, forget), None)


def ran_text(text: object) -> None:
    """Report the procedures that a SQL text has called: what they write Spark tells nobody."""
    for name in called_procedures(text) if isinstance(text, str) else ():
        ran_for_each(CALL + name)


def resolved(graph: str, is_dry: bool) -> None:
    """Write the flows of a declarative pipeline that only its graph tells of.

    Of a dry run these are all flows, of a run its views.
    """
    for application in list(_applications.values()):
        try:
            application.pipeline_resolved(graph, is_dry)
        except Exception as error:  # noqa: BLE001 - the one edge: lineage never harms the job
            warn_off(error)


def drain() -> None:
    """Write what has happened so far: before the JVM's context, or the gateway, goes away."""
    for application in list(_applications.values()):
        since = monotonic()
        try:
            if not application.drain(_budget.left(application.settings["exitTimeoutSeconds"])):
                _budget.spend(since)
        except Exception as error:  # noqa: BLE001 - the one edge: lineage never harms the job
            warn_off(error)


def stopping(context: Any) -> None:
    """Write what has happened, and compare it with what Spark has written: a context is to stop."""
    for application in list(_applications.values()):
        application.await_no_more(context)
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

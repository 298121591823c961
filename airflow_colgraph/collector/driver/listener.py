"""Spark's QueryExecutionListener in Python: `install(spark)`, `drain()`, `finish()`.

Nothing here may slow or break the job: the callback only enqueues, and each of the three functions
catches what goes wrong, says one line and lets the job go on without lineage.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from time import monotonic
from typing import Any

from airflow_colgraph.collector import extensions
from airflow_colgraph.collector.driver.application import job_of, settings_of
from airflow_colgraph.collector.driver.warnings import warn_once
from airflow_colgraph.collector.driver.worker import Item, Worker
from airflow_colgraph.collector.events import facets
from airflow_colgraph.collector.events.facets import Json
from airflow_colgraph.collector.redaction import in_text
from airflow_colgraph.collector.sinks.sink import Sink, open_sink, without_userinfo
from airflow_colgraph.collector.spark.catalog import Catalog
from airflow_colgraph.collector.spark.jvm import Java
from airflow_colgraph.collector.spark.running_commands import Commands
from airflow_colgraph.collector.spark.sessions import is_a_clone, serves_connect, tell_of_others
from airflow_colgraph.collector.spark.streaming import follow


class Listener:
    """What the JVM calls after each query of one session."""

    def __init__(self, worker: Worker, catalog: Catalog) -> None:
        """For one session."""
        self._worker = worker
        self._catalog = catalog

    def onSuccess(self, function: str, execution: Java, nanoseconds: int) -> None:
        """Spark's callback: enqueue and return."""
        try:
            self._worker.offer(Item(function, execution, self._catalog))
        except Exception as error:  # noqa: BLE001 - the one edge: Spark's log stays as it was
            _warn(error)

    def onFailure(self, function: str, execution: Java, error: Java) -> None:
        """Spark's callback for a query that failed: it wrote nothing that can be relied on."""

    class Java:
        """py4j's way to say which Java interface this is."""

        implements = ("org.apache.spark.sql.util.QueryExecutionListener",)


class Application:
    """The lineage of one Spark application: its run, its sink, its sessions' listeners."""

    def __init__(self, context: Java) -> None:
        """Start the run; the sink is opened and START written by the worker's thread."""
        self.context = context
        self.settings = settings_of(context)
        self.job = job_of(context, self.settings)
        self._sink: Sink | None = None
        self._lock = threading.Lock()
        self._listeners: dict[str, tuple[Java, Listener]] = {}
        self._ended = False
        self.worker = Worker(self.job, self.settings, self.write, Commands(context))
        for problem in self.settings.problems:
            self.worker.warn(problem)
        extensions.load(self.settings["extensions"], self.worker.warn)
        self.worker.do(self._begin, facets.event(self.job, "START"))

    def _begin(self, start: Json) -> None:
        if not self.settings["sink"]:
            return
        try:
            self._sink = open_sink(self.settings["sink"], self.settings["sinkToken"])
        except OSError as error:
            self._refused(error)
        self.write(start)

    def _refused(self, error: OSError) -> None:
        """A sink that refuses is not asked again: there is nothing left to do."""
        self._sink = None
        self.worker.on = False
        where = without_userinfo(self.settings["sink"])
        self.worker.warn(f"lineage can not be written to {where}: {error}")

    def write(self, event: Json) -> None:
        """One event to the sink."""
        with self._lock:
            if self._sink is None:
                return
            try:
                self._sink.write(event)
            except OSError as error:
                self._refused(error)

    def listen(self, session: Java, gateway: Any) -> None:
        """Register for the queries of a session, once."""
        name = str(session.sessionUUID())
        if name in self._listeners:
            return
        from pyspark.java_gateway import ensure_callback_server_started

        ensure_callback_server_started(gateway)
        catalog = Catalog(session, gateway.jvm)
        listener = Listener(self.worker, catalog)
        manager = session.listenerManager()
        manager.register(listener)
        follow(
            session,
            gateway,
            lambda stream: self.worker.offer(Item(stream.function, stream, catalog)),
        )
        self._listeners[name] = (manager, listener)

    def follow_clients(self, session: Java, gateway: Any) -> None:
        """Register for the sessions that Spark Connect's clients begin beside this one."""

        def listen(begun: Java) -> None:
            try:
                if not is_a_clone(begun):
                    self.listen(begun, gateway)
            except Exception as error:  # noqa: BLE001 - the one edge: lineage never harms the job
                _warn(error)

        def told(begun: Java) -> None:  # while Spark makes the session, which waits for the answer
            threading.Thread(target=listen, args=[begun], name="colgraph", daemon=True).start()

        tell_of_others(session, told)

    def drain(self, seconds: float) -> bool:
        """Wait until all that has happened is written; False when the time is over."""
        from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped,unused-ignore]

        deadline = monotonic() + seconds  # one limit for the bus and the queue together
        try:
            self.context.listenerBus().waitUntilEmpty(int(seconds * 1000))
        except Py4JJavaError:  # java.util.concurrent.TimeoutException
            return False
        except (Py4JError, OSError):  # the JVM is gone: what was heard of it is still written
            pass
        return self.worker.wait(max(0.0, deadline - monotonic()))

    def end(self, kind: str, reason: str) -> None:
        """The last event of the run, once."""
        if self._ended:
            return
        self._ended = True
        deadline = monotonic() + self.settings["exitTimeoutSeconds"]
        complete = self.drain(self.settings["exitTimeoutSeconds"])
        self._stop_listening()
        said: dict[str, Json] = {}
        if reason:
            said["errorMessage"] = facets.facet(
                "errorMessage", message=in_text(reason), programmingLanguage="python"
            )
        missing = {"dropped queries": self.worker.dropped, "failed queries": self.worker.failed}
        lost = {name: count for name, count in missing.items() if count}
        if lost or not complete:
            late = "" if complete else "queries were still unresolved at the exit timeout"
            said["colgraph_diagnostics"] = facets.diagnostics_of(lost, truncated=late)
        event = facets.event(self.job, kind, run_facets=said)
        if complete:
            self.worker.do(self.write, event)
            complete = self.worker.wait(max(1.0, deadline - monotonic()))
        elif self._lock.acquire(timeout=1.0):  # else the sink itself is what is slow
            self._lock.release()
            self.write(event)
        if complete and self._sink is not None:
            self._sink.close()

    def _stop_listening(self) -> None:
        from py4j.protocol import Py4JError

        with suppress(Py4JError, OSError):  # the JVM may be gone
            for manager, listener in self._listeners.values():
                manager.unregister(listener)


_applications: dict[str, Application] = {}


def _warn(error: BaseException) -> None:
    text = (str(error).splitlines() or [""])[0]
    warn_once(f"{type(error).__name__}: {text}")


def install(spark: Any) -> None:
    """Collect the lineage of the queries of a SparkSession from now on; safe to call again."""
    try:
        session = spark._jsparkSession
        context = spark.sparkContext._jsc.sc()
        number = str(context.applicationId())
        gateway = spark.sparkContext._gateway
        is_new = number not in _applications
        if is_new:
            _applications[number] = Application(context)
        application = _applications[number]
        application.listen(session, gateway)
        if is_new and serves_connect(context):
            application.follow_clients(session, gateway)
    except Exception as error:  # noqa: BLE001 - the one edge: lineage never harms the job
        _warn(error)


def drain() -> None:
    """Write what has happened so far: before the JVM's context goes away."""
    for application in list(_applications.values()):
        try:
            application.drain(application.settings["exitTimeoutSeconds"])
        except Exception as error:  # noqa: BLE001 - the one edge: lineage never harms the job
            _warn(error)


def finish(failed: bool = False, reason: str = "") -> None:
    """End the runs with COMPLETE, or FAIL and the reason; once, at the end of the process."""
    while _applications:
        _, application = _applications.popitem()
        try:
            application.end("FAIL" if failed else "COMPLETE", reason)
        except Exception as error:  # noqa: BLE001 - the one edge: lineage never harms the job
            _warn(error)

"""Runs the main class of a jar with the collector beside it.

    spark-submit --py-files collector.zip --jars job.jar launcher.py com.example.Main args...

is for the job what `spark-submit --class com.example.Main job.jar args...` is: the same arguments,
the same exit code, the same stack trace. The job makes its own SparkContext or SparkSession, with
its own settings; a thread here sees the session appear and hands it to the listener.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from contextlib import suppress
from typing import Any

Java = Any  # an object of the JVM

USAGE = "usage: spark-submit [options] --jars JOB.jar launcher.py MAIN_CLASS [args...]"
CLASS_NOT_FOUND = 101  # spark-submit's exit code for it
LOOK_EVERY_SECONDS = 0.01  # until there is a session: its first query must not be missed
LOOK_AGAIN_SECONDS = 0.25  # afterwards: it may be stopped, and another one made


def main(arguments: list[str]) -> int:
    """Run the class, and return the exit code."""
    if not arguments:
        sys.stderr.write(USAGE + "\n")
        return 2
    from py4j.protocol import Py4JError
    from pyspark import SparkContext

    SparkContext._ensure_initialized()  # type: ignore[attr-defined,unused-ignore]
    gateway: Any = SparkContext._gateway
    sessions = Sessions(gateway)
    sessions.start()
    try:
        failure = run(gateway, *arguments)
    except (Py4JError, OSError):  # the JVM is gone: System.exit
        return _exit_with(gateway)
    reason = "" if failure is None else failure.printed(gateway.jvm)
    sessions.end(failed=failure is not None, reason=reason)
    return failure.code if failure else 0


class Failure:
    """Why the job failed, as spark-submit prints it."""

    def __init__(self, code: int, error: Java = None, message: str = "") -> None:
        """By what the job threw, or by what is wrong with its class."""
        self.code = code
        self._error = error
        self._message = message

    def printed(self, jvm: Any) -> str:
        """Print it to the JVM's standard error, and return it in one line."""
        if self._error is None:
            jvm.java.lang.System.err.println(self._message)
            return self._message
        jvm.java.lang.System.err.print('Exception in thread "main" ')
        self._error.printStackTrace()
        return str(self._error.toString()).partition("\n")[0]


def run(gateway: Any, name: str, *arguments: str) -> Failure | None:
    """Call `name.main(arguments)`; what it throws is the failure."""
    from py4j.protocol import Py4JJavaError

    lang = gateway.jvm.java.lang
    strings = gateway.new_array(lang.String, len(arguments))
    for position, argument in enumerate(arguments):
        strings[position] = argument
    try:
        method = _main_method(gateway, name, strings.getClass())
    except Py4JJavaError as error:
        why = error.java_exception
        if "ClassNotFoundException" in str(why.getClass().getName()):
            return Failure(CLASS_NOT_FOUND, message=f"Error: Failed to load class {name}.")
        return Failure(1, why)
    if not gateway.jvm.java.lang.reflect.Modifier.isStatic(method.getModifiers()):
        return Failure(1, message="The main method in the given main class must be static")
    values = gateway.new_array(lang.Object, 1)
    values[0] = strings
    try:
        method.invoke(None, values)
    except Py4JJavaError as error:
        thrown = error.java_exception  # an InvocationTargetException around the job's own
        return Failure(1, thrown.getCause() or thrown)
    return None


def _main_method(gateway: Any, name: str, strings: Java) -> Java:
    lang = gateway.jvm.java.lang
    loader = lang.Thread.currentThread().getContextClassLoader()
    types = gateway.new_array(lang.Class, 1)
    types[0] = strings
    return lang.Class.forName(name, True, loader).getMethod("main", types)


def _exit_with(gateway: Any) -> int:
    """Exit as the JVM did; under spark-submit its exit code is the one that counts."""
    process = getattr(gateway, "proc", None)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # the JVM was who read them
            stream.flush()
    os._exit(process.wait() if process is not None else 1)  # no farewell to a JVM that is gone


class Sessions(threading.Thread):
    """Looks for the job's SparkSession, and hands it to the listener."""

    def __init__(self, gateway: Any) -> None:
        """Nothing is looked for before `start`."""
        super().__init__(name="colgraph-sessions", daemon=True)
        self._gateway = gateway
        self._ended = threading.Event()
        self._made: queue.SimpleQueue[Java] = queue.SimpleQueue()  # sessions by `newSession()`
        self._seen: Any = None
        self._in_jvm: Any = None
        self._begun: Java | None = None  # the context whose run has begun
        self._farewell: Java = None
        self._on = True

    def run(self) -> None:
        """Look again and again."""
        self._run_or_disable(self._look_on)

    def end(self, failed: bool, reason: str) -> None:
        """The job's main method has returned or thrown."""
        self._ended.set()
        self._made.put(None)
        self.join()
        self._run_or_disable(self._finish, failed, reason)

    def _run_or_disable(self, act: Any, *arguments: Any) -> None:
        """The edge: what goes wrong with lineage does not reach the job."""
        if not self._on:
            return
        try:
            act(*arguments)
        except Exception as error:  # noqa: BLE001 -- the edge: the user's job goes on
            self._on = False
            if not _is_lost(error):
                from airflow_colgraph.collector.driver.warnings import warn_once

                warn_once(f"observing the jar's session failed: {type(error).__name__}: {error}")

    def _look_on(self) -> None:
        while not self._ended.is_set():
            self._look()
            with suppress(queue.Empty):
                seconds = LOOK_AGAIN_SECONDS if self._seen else LOOK_EVERY_SECONDS
                self._follow(self._made.get(timeout=seconds))

    def _follow(self, session: Java | None) -> None:
        """Hand over a session that another has made."""
        from airflow_colgraph.collector.driver import listener
        from airflow_colgraph.collector.spark.sessions import is_a_clone

        if session is not None and not is_a_clone(session):
            listener.install(self._in_python(session, session.sparkContext()))

    def _finish(self, failed: bool, reason: str) -> None:
        from airflow_colgraph.collector.driver import listener

        self._look()
        if self._farewell is not None:
            self._gateway.jvm.java.lang.Runtime.getRuntime().removeShutdownHook(self._farewell)
        listener.finish(failed, reason)

    def _look(self) -> None:
        """Hand over the context and the default session, if there are new ones."""
        from airflow_colgraph.collector.spark.sessions import InJvm

        self._in_jvm = self._in_jvm or InJvm(self._gateway.jvm)
        if self._begun is None or self._begun.isStopped():
            self._begin(self._in_jvm.context())
        session = self._in_jvm.session()
        if session is None:
            return
        context = session.sparkContext()
        name = f"{context.applicationId()} {session.sessionUUID()}"
        if name == self._seen or context.isStopped():
            return
        self._seen = name
        from airflow_colgraph.collector.driver import listener
        from airflow_colgraph.collector.spark.sessions import on_new_session

        listener.install(self._in_python(session, context))
        on_new_session(session, self._begins)
        if self._farewell is None:
            self._farewell = self._shutdown_hook()

    def _begins(self, session: Java) -> None:
        from airflow_colgraph.collector.driver import listener

        listener.session_begins(session)
        self._made.put(session)

    def _begin(self, context: Java | None) -> None:
        """A job may have a context and no session."""
        if context is not None and not context.isStopped():
            from airflow_colgraph.collector.driver import listener

            self._begun = context
            listener.begin_in_jvm(context, self._gateway)

    def _in_python(self, session: Java, context: Java) -> Any:
        from pyspark import SparkConf, SparkContext
        from pyspark.sql import SparkSession

        ours = SparkContext._active_spark_context
        if ours is None or ours._jsc.sc().applicationId() != context.applicationId():
            SparkContext._active_spark_context = None  # that of a context which was stopped
            ours = SparkContext(
                gateway=self._gateway,
                jsc=self._gateway.jvm.JavaSparkContext(context),
                conf=SparkConf(_jconf=context.conf()),
            )
        return SparkSession(ours, session)

    def _shutdown_hook(self) -> Java:
        """Let System.exit wait until the last queries are written."""
        lang = self._gateway.jvm.java.lang
        thread = lang.Thread(Drain())
        lang.Runtime.getRuntime().addShutdownHook(thread)
        return thread


class Drain:
    """A java.lang.Runnable that writes what is pending."""

    def run(self) -> None:
        """The JVM's callback; the exit code is not known, so the run is left without an end."""
        from airflow_colgraph.collector.driver import listener

        listener.drain()

    class Java:
        """py4j's way to say which Java interface this is."""

        implements = ("java.lang.Runnable",)


def _is_lost(error: Exception) -> bool:
    """Whether the JVM is gone: then there is nothing left to report."""
    from py4j.protocol import Py4JError, Py4JJavaError

    if isinstance(error, Py4JJavaError) or "does not exist" in str(error):  # another Spark
        return False
    return isinstance(error, (Py4JError, OSError))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

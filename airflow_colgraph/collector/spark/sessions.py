"""Sessions that begin in the JVM without Python hearing of it: a jar's, and Spark Connect's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from airflow_colgraph.collector.spark.jvm import (
    Java,
    java_class,
    loaded_class,
    option,
    private,
    private_of,
    scala_object,
    seq,
)

CONNECT = "org.apache.spark.sql.connect.SparkConnectPlugin"  # serves Connect in the driver


class NewSessionHook:
    """A scala.Function2 among a session's extensions: it is asked when another session begins."""

    def __init__(self, on_session: Callable[[Java], None]) -> None:
        """`call` is called with each session, before it can run a query; it returns at once."""
        self._on_session = on_session

    def apply(self, session: Java, parser: Java) -> Java:
        """The session's parser: the one that it has."""
        self._on_session(session)
        return parser

    class Java:
        """py4j's way to say which Java interface this is."""

        implements = ("scala.Function2",)


def on_new_session(session: Java, on_session: Callable[[Java], None]) -> None:
    """Call `on_session` with each session that begins beside this one from now on."""
    session.extensions().injectParser(NewSessionHook(on_session))


class InJvm:
    """The context and the session that the JVM has now, to be asked for again and again."""

    def __init__(self, jvm: Any) -> None:
        """Each name of a package is a question to the JVM, so it is asked once."""
        from py4j.java_gateway import JavaClass  # type: ignore[import-untyped,unused-ignore]

        spark = jvm.org.apache.spark
        self._contexts = getattr(getattr(spark, "SparkContext$"), "MODULE$")
        package = spark.sql.classic.SparkSession  # a package before Spark 4
        self._sessions = package if isinstance(package, JavaClass) else spark.sql.SparkSession

    def context(self) -> Java | None:
        """The SparkContext that has not been stopped, if there is one."""
        return option(self._contexts.getActive())

    def session(self) -> Java | None:
        """The session that all share which do not ask for another, if there is one."""
        return option(self._sessions.getDefaultSession())


def at_application_end(context: Java, act: Any) -> None:
    """Run `act`, a java.lang.Runnable of Python's, when a context stops, before it forgets all.

    A listener in Python would be called for each task, so a java.beans.EventHandler is: it leaves
    all events but one in the JVM.
    """
    kind = loaded_class(context, "org.apache.spark.scheduler.SparkListenerInterface")
    handler = java_class(context, "java.beans.EventHandler")
    context.addSparkListener(handler.create(kind, act, "run", None, "onApplicationEnd"))


def is_a_clone(session: Java) -> bool:
    """Whether a session was cloned from another, as each stream's is."""
    return not private(session, "parentSessionState").isEmpty()


def listeners_of(session: Java, first: Java, gateway: Any) -> Java:
    """A session's manager of QueryExecutionListeners that only we have.

    A declarative pipeline clears its session's own (`listenerManager.clear()`) when it starts. The
    session may be one that is just being made; the configuration is not asked, so it is that of the
    `first` one, which is ready.
    """
    manager = gateway.jvm.org.apache.spark.sql.util.ExecutionListenerManager
    return manager(session, first.sessionState().conf(), False)


def open_sessions(context: Java) -> set[str]:
    """The UUIDs of the sessions that a Spark Connect server (4.0 or newer) has for its clients."""
    service = scala_object(context, "org.apache.spark.sql.connect.service.SparkConnectService")
    active = service.sessionManager().listActiveSessions()
    return {str(holder.serverSessionId()) for holder in seq(active)}


def end_streams_listening(session: Java) -> None:
    """Let Spark's bus no longer post to the bus of a session's streams, which nothing else ends."""
    bus = private_of(session.streams(), "listenerBus")
    session.sparkContext().listenerBus().removeListener(bus)


def plugins(context: Java) -> str:
    """The classes of Spark's plugins, which may use a session on their own."""
    return str(context.conf().get("spark.plugins", ""))


def serves_connect(context: Java) -> bool:
    """Whether the driver's JVM serves Spark Connect: each of its clients has a session there."""
    return CONNECT in plugins(context)

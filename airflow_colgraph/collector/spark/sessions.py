"""Sessions that begin in the JVM without Python hearing of it: a jar's, and Spark Connect's."""

from __future__ import annotations

from collections.abc import Callable

from airflow_colgraph.collector.spark.jvm import Java, private

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


def is_a_clone(session: Java) -> bool:
    """Whether a session has the listeners of the one that it was cloned from."""
    return not private(session, "parentSessionState").isEmpty()


def serves_connect(context: Java) -> bool:
    """Whether the driver's JVM serves Spark Connect: each of its clients has a session there."""
    return CONNECT in str(context.conf().get("spark.plugins", ""))

"""Looks for the first session of a program that makes a SparkContext only.

Such a program works with RDDs, but Spark may make a session for it in the JVM, as the `save` of
`pyspark.mllib`'s models does.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from time import sleep
from typing import Any

from airflow_colgraph.collector.driver.application import Application
from airflow_colgraph.collector.spark.jvm import Java
from airflow_colgraph.collector.spark.sessions import InJvm

FIRST_SECONDS = 1.0  # nearly all programs have made a session by then
EVERY_SECONDS = 0.2  # a session that is being made takes seconds for its first query


class JvmSession:
    """A session of the JVM, as far as the listener asks a SparkSession of Python."""

    def __init__(self, session: Java, context: Any) -> None:
        """With the SparkContext of Python that it belongs to."""
        self._jsparkSession = session
        self.sparkContext = context


class SessionWatch(threading.Thread):
    """Hands the first session over, unless the program makes one itself."""

    def __init__(
        self, context: Any, application: Application, install: Callable[[Any], None]
    ) -> None:
        """For a SparkContext of Python whose run has just begun."""
        super().__init__(name="colgraph-session", daemon=True)
        self._context = context
        self._application = application
        self._install = install

    def run(self) -> None:
        """Look until there is a session, or no context any more."""
        from py4j.protocol import Py4JError  # type: ignore[import-untyped,unused-ignore]

        sleep(FIRST_SECONDS)
        with suppress(Py4JError, OSError):  # the JVM may be gone
            if self._application.has_session:
                return
            in_jvm = InJvm(self._context._gateway.jvm)
            seen = None
            while not self._application.has_session and not self._application.has_ended:
                if seen is not None:  # since the last look: the program is not making it
                    self._install(JvmSession(seen, self._context))
                    return
                seen = in_jvm.session()
                sleep(EVERY_SECONDS)

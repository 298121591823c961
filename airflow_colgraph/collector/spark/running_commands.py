"""The commands that Spark runs now: those around others report the same write a second time."""

from __future__ import annotations

from airflow_colgraph.collector.spark.jvm import (
    Java,
    give_back,
    private,
    scala_object,
    short_class_name,
    thrown,
)

EXECUTION = "org.apache.spark.sql.execution.SQLExecution"
RUNNING = "executionIdToQueryExecution"  # private there: the queries that have not ended yet
OUTER = {
    "CreateDataSourceTableAsSelectCommand",
    "CreateHiveTableAsSelectCommand",
    "CreateTableAsSelect",
    "InsertIntoDataSourceCommand",
    "InsertIntoDataSourceDirCommand",
    "ReplaceTableAsSelect",
    "SaveAsV1TableCommand",
    "SaveIntoDataSourceCommand",
}
BUS_MILLISECONDS = 50  # how long a check waits until the listeners have received everything


class JvmCommands:
    """What Spark reports of the commands that run now."""

    def __init__(self, context: Java) -> None:
        """For a JVM SparkContext."""
        self._bus = context.listenerBus()
        self._running = private(scala_object(context, EXECUTION), RUNNING)

    def may_report_more(self) -> bool:
        """Whether a command runs that has others inside, or one whose end was not reported yet."""
        from py4j.protocol import Py4JError  # type: ignore[import-untyped,unused-ignore]

        try:
            if not OUTER.isdisjoint(self._kinds()):
                return True
            self._bus.waitUntilEmpty(BUS_MILLISECONDS)
        except thrown():  # java.util.concurrent.TimeoutException
            return True
        except (Py4JError, OSError):  # the JVM is gone: nothing more is reported
            return False
        return False

    def _kinds(self) -> set[str]:
        """The kinds of the queries that have not ended yet."""
        running = self._running.elements()  # asked by key, py4j's int is no Long of the map
        kinds = set()
        while running.hasMoreElements():
            execution = running.nextElement()
            try:
                kinds.add(short_class_name(execution.analyzed()))
            except thrown():  # Spark reports a query that has no plan: no command
                pass
            give_back(execution)
        give_back(running)
        return kinds

"""What Spark calls after each query of a session, its QueryExecutionListener."""

from __future__ import annotations

from collections.abc import Callable

from airflow_colgraph.collector.driver.warnings import warn_off
from airflow_colgraph.collector.driver.worker import Worker
from airflow_colgraph.collector.spark.catalog import Catalog
from airflow_colgraph.collector.spark.jvm import Java
from airflow_colgraph.collector.spark.translate import FinishedQuery


class QueryListener:
    """What the JVM calls after each query of one session."""

    def __init__(self, worker: Worker, catalog: Callable[[], Catalog]) -> None:
        """For one session, which may not be ready yet; `catalog` knows its tables."""
        self._worker = worker
        self.catalog = catalog

    def onSuccess(self, function: str, execution: Java, nanoseconds: int) -> None:
        """Spark's callback: enqueue and return."""
        try:
            self._worker.offer(FinishedQuery(function, execution, self.catalog(), nanoseconds))
        except Exception as error:  # noqa: BLE001 - the one edge: Spark's log stays as it was
            warn_off(error)

    def onFailure(self, function: str, execution: Java, error: Java) -> None:
        """Spark's callback for a query that failed: it wrote nothing that can be relied on."""

    class Java:
        """py4j's way to say which Java interface this is."""

        implements = ("org.apache.spark.sql.util.QueryExecutionListener",)

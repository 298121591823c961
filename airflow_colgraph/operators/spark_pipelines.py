"""SparkPipelinesOperator with column lineage on the task's events.

It has the arguments of the provider's operator. `spark-pipelines` is spark-submit with an
application of PySpark's own, so the collector is attached as for a PySpark application.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from airflow.providers.apache.spark.operators.spark_pipelines import SparkPipelinesOperator

from airflow_colgraph import conf as settings
from airflow_colgraph.operators.collector_archive import CollectorFiles, collector_files
from airflow_colgraph.operators.inject import inject
from airflow_colgraph.operators.lineage_mixin import TaskLineage
from airflow_colgraph.operators.pipelines_command import accepted, py_files_with
from airflow_colgraph.operators.submit_command import Place


class SparkPipelinesLineage(TaskLineage):
    """For SparkPipelinesOperator and your subclasses of it."""

    conf: dict[Any, Any] | None

    def execute(self, context: Any, **sentinel: Any) -> Any:
        """Run the pipeline as the stock operator does, and collect its lineage."""
        self.__dict__.pop("hook", None)  # executed before: it has that try's arguments
        return super().execute(context, **sentinel)

    def colgraph_properties(self) -> Mapping[Any, Any]:
        """The properties in `conf`."""
        return self.conf or {}

    @cached_property
    def hook(self) -> Any:
        """The stock hook; while the operator executes, with the collector added to it."""
        hook = super().hook  # type: ignore[misc]
        if self._colgraph_context is not None:
            with self._guarded("adding the collector"):
                at = collector_files(settings.collector_path())
                self._add_collector(hook, self._colgraph_context, at)
        return hook

    def _add_collector(self, hook: Any, context: Any, at: CollectorFiles) -> None:
        connection = hook._connection
        place = Place(
            connection.get("spark_remote") or connection["master"],
            connection["deploy_mode"] or "client",
        )
        properties = inject(hook._conf, context)
        py_files = py_files_with(at.archive, hook._py_files, properties, place)
        self._collector_added(properties)
        hook._conf, hook._py_files = properties, py_files
        stock = hook._build_spark_pipelines_command
        hook._build_spark_pipelines_command = lambda: accepted(stock())


class ColgraphSparkPipelinesOperator(
    SparkPipelinesLineage,
    SparkPipelinesOperator,  # type: ignore[misc]
):
    """The provider's SparkPipelinesOperator, with column lineage.

    The driver must run where the pipeline is submitted from: with a connection to a Spark Connect
    server (`spark_connect`) the pipeline runs without lineage, and the task's log says so. A dry
    run writes nothing, so its task has no lineage either.

    Args:
        kwargs: The arguments of `SparkPipelinesOperator` in apache-airflow-providers-apache-spark.

    Returns:
        As `ColgraphSparkSubmitOperator`.

    Raises:
        AirflowException: As the stock operator. A failure of lineage collection is only logged.
    """

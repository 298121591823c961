"""PySparkOperator with column lineage on the task's events.

    from airflow_colgraph.operators.spark_pyspark import ColgraphPySparkOperator

It has the arguments of the provider's operator: the function runs in the worker's own process, and
so does the collector. In a DAG it is `@task.colgraph_pyspark`, see decorators.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from airflow.providers.apache.spark.operators.spark_pyspark import PySparkOperator

from airflow_colgraph import collector
from airflow_colgraph.operators.inject import inject
from airflow_colgraph.operators.lineage_mixin import TaskLineage
from airflow_colgraph.operators.submit_arguments import NotPossible


class PySparkLineage(TaskLineage):
    """For PySparkOperator and your subclasses of it."""

    config_kwargs: dict[str, Any]
    python_callable: Callable[..., Any]

    def colgraph_properties(self) -> Mapping[Any, Any]:
        """The properties in `config_kwargs`."""
        return self.config_kwargs

    def execute_callable(self) -> Any:
        """Start the session as the stock operator does, with the collector in it."""
        given = self.config_kwargs, self.python_callable
        with self._guarded("adding the collector"):
            if self._colgraph_context is not None:
                self._add_collector(inject(self.config_kwargs, self._colgraph_context))
        try:
            return super().execute_callable()  # type: ignore[misc]
        finally:
            self.config_kwargs, self.python_callable = given

    def _add_collector(self, properties: dict[Any, Any]) -> None:
        function = self.python_callable

        @wraps(function)
        def collected(*arguments: Any, **named: Any) -> Any:
            with self._guarded("starting the collector"):
                self._install(named["spark"])
            try:
                result = function(*arguments, **named)
            except Exception as error:
                first = (str(error).splitlines() or [""])[0]
                collector.finish(failed=True, reason=f"{type(error).__name__}: {first}")
                raise
            collector.finish()
            return result

        self._collector_added(properties)
        properties = self._token_in_environment(properties, self.config_kwargs or {})
        self.config_kwargs, self.python_callable = properties, collected

    def _install(self, spark: Any) -> None:
        if ".connect." in type(spark).__module__:
            self.colgraph_sink = None
            raise NotPossible("the driver of a Spark Connect session runs elsewhere")
        collector.install(spark)


class ColgraphPySparkOperator(PySparkLineage, PySparkOperator):  # type: ignore[misc]
    """The provider's PySparkOperator, with column lineage.

    Args:
        kwargs: The arguments of `PySparkOperator` in apache-airflow-providers-apache-spark.

    Returns:
        `execute` returns what the function returns; for the lineage see
        `ColgraphSparkSubmitOperator`.

    Raises:
        Exception: Whatever the function raises. A failure of lineage collection is only logged.
    """

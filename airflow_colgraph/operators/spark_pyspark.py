"""PySparkOperator with column lineage on the task's events.

It has the arguments of the provider's operator: the function runs in the worker's own process, and
so does the collector; with Spark Connect the collector is at the server, which `colgraph
connect-server` starts. In a DAG it is `@task.colgraph_pyspark`, see decorators.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from time import monotonic
from typing import Any

from airflow.providers.apache.spark.operators.spark_pyspark import PySparkOperator

from airflow_colgraph import collector, conf
from airflow_colgraph.collector.connect_client import ConnectClient
from airflow_colgraph.collector.settings import read as read_settings
from airflow_colgraph.collector.sinks import sink as sinks
from airflow_colgraph.collector.sinks.token import bearer_token
from airflow_colgraph.operators.inject import SINK, inject
from airflow_colgraph.operators.lineage_mixin import TaskLineage
from airflow_colgraph.operators.sink_token import SINK_TOKEN
from airflow_colgraph.operators.submit_arguments import NotPossible
from airflow_colgraph.spools import task_spool


class PySparkLineage(TaskLineage):
    """For PySparkOperator and your subclasses of it."""

    config_kwargs: dict[str, Any]
    python_callable: Callable[..., Any]

    def colgraph_properties(self) -> Mapping[Any, Any]:
        """The properties in `config_kwargs`."""
        return self.config_kwargs

    def execute_callable(self) -> Any:
        """Start the session as the stock operator does, with the collector in it."""
        originals = self.config_kwargs, self.python_callable
        with self._guarded("adding the collector"):
            if self._colgraph_context is not None:
                self._add_collector(inject(self.config_kwargs, self._colgraph_context))
        try:
            return super().execute_callable()  # type: ignore[misc]
        finally:
            self.config_kwargs, self.python_callable = originals

    def _add_collector(self, properties: dict[Any, Any]) -> None:
        function = self.python_callable

        @wraps(function)
        def collected(*arguments: Any, **named: Any) -> Any:
            client = None
            with self._guarded("starting the collector"):
                client = self._install(named["spark"])
            try:
                result = function(*arguments, **named)
            except Exception as error:
                first = (str(error).splitlines() or [""])[0]
                self._end(client, properties, f"{type(error).__name__}: {first}")
                raise
            self._end(client, properties)
            return result

        self._collector_added(properties)
        properties = self._token_in_environment(properties, self.config_kwargs or {})
        self.config_kwargs, self.python_callable = properties, collected

    def _install(self, spark: Any) -> ConnectClient | None:
        if ".connect." not in type(spark).__module__:
            collector.install(spark)
            return None
        try:
            return ConnectClient(spark)
        except LookupError as error:
            self.colgraph_sink = None
            raise NotPossible(str(error)) from None

    def _end(
        self, client: ConnectClient | None, properties: Mapping[Any, Any], why: str = ""
    ) -> None:
        """End the run; a Spark Connect client's events go where the job's own would go."""
        if client is None:
            collector.finish(failed=bool(why), reason=why)
            return
        with self._guarded("fetching the lineage from the Spark Connect server"):
            seconds = read_settings({str(key): str(value) for key, value in properties.items()})
            events = client.end(bool(why), seconds["exitTimeoutSeconds"])
            sink = sinks.open_sink(
                str(properties[SINK]),
                bearer_token("", str(properties.get(SINK_TOKEN, ""))),
                task_spool(conf.spool()),
                lambda text: self.log.warning("colgraph: %s", text),
            )
            for event in events:
                sink.write(event)
            sink.flush(monotonic() + conf.deadline_seconds(), is_last=True)
            sink.close()
            if client.lost:
                self.log.warning(
                    "colgraph: lineage is missing: %d events were more than the Spark Connect"
                    " server holds for a client",
                    client.lost,
                )


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

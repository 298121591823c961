"""SparkSubmitOperator with column lineage on the task's events.

It has the arguments and the behaviour of the provider's operator. Around it, `execute` adds the
collector to this one submit and reads the events that the job reported; see lineage_mixin.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

from airflow_colgraph.operators.collector_archive import CollectorFiles
from airflow_colgraph.operators.hook_mixin import HookLineage
from airflow_colgraph.operators.inject import inject
from airflow_colgraph.operators.submit_arguments import SubmitArguments, with_collector


class SparkSubmitLineage(HookLineage):
    """For SparkSubmitOperator and your subclasses of it."""

    application: str
    conf: dict[Any, Any] | None

    def execute(self, context: Any, **sentinel: Any) -> Any:
        """Run the Spark job as the stock operator does, and collect its lineage."""
        application = self.application
        try:
            return super().execute(context, **sentinel)
        finally:
            self.application = application

    def colgraph_properties(self) -> Mapping[Any, Any]:
        """The properties in `conf`."""
        return self.conf or {}

    def colgraph_application(self) -> str:
        """The application that the hook submits."""
        return self.application

    def _add_collector(self, hook: Any, context: Any, at: CollectorFiles) -> None:
        dag_properties = hook._conf or {}
        properties = inject(dag_properties, context)
        application = self.colgraph_application()
        job = SubmitArguments(
            application=application,
            application_args=list(hook._application_args or []),
            py_files=hook._py_files,
            jars=hook._jars or properties.get("spark.jars"),
            java_class=hook._java_class,
            name=hook._name,
            properties=properties,
        )
        ours = with_collector(
            job,
            archive=at.archive,
            launcher=at.launcher,
            master=hook._connection["master"],
            deploy_mode=hook._connection["deploy_mode"],
        )
        self._collector_added(properties)
        # Only now, when nothing can fail any more: all of it or nothing.
        hook._conf, hook._py_files = ours.properties, ours.py_files
        mode = hook._connection["deploy_mode"] or properties.get("spark.submit.deployMode")
        if mode != "cluster":
            hook._conf = self._token_in_environment(ours.properties, dag_properties)
        if ours.application != application:
            hook._jars, hook._java_class, hook._name = ours.jars, ours.java_class, ours.name
            hook._application_args = ours.application_args
            self.application = ours.application


class ColgraphSparkSubmitOperator(SparkSubmitLineage, SparkSubmitOperator):  # type: ignore[misc]
    """The provider's SparkSubmitOperator, with column lineage.

    Args:
        kwargs: The arguments of `SparkSubmitOperator` in apache-airflow-providers-apache-spark,
            including template fields and deferrable mode.

    Returns:
        `execute` returns what the stock operator returns. The lineage is on the task's OpenLineage
        events, and from the end of `execute` in `colgraph_lineage`
        (an `extractors.task_lineage.Lineage`).

    Raises:
        AirflowException: As the stock operator. A failure of lineage collection is only logged.
    """

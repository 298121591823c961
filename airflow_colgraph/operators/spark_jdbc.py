"""SparkJDBCOperator with column lineage on the task's events.

It has the arguments of the provider's operator, which submits a PySpark script of the provider's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airflow.providers.apache.spark.operators.spark_jdbc import SparkJDBCOperator

from airflow_colgraph.operators.spark_submit import SparkSubmitLineage


class SparkJdbcLineage(SparkSubmitLineage):
    """For SparkJDBCOperator and your subclasses of it."""

    _spark_conf: dict[str, Any] | None

    def colgraph_properties(self) -> Mapping[Any, Any]:
        """The properties in `spark_conf`."""
        return self._spark_conf or {}

    def colgraph_application(self) -> str:
        """The provider's script, which the hook finds beside itself."""
        return "spark_jdbc_script.py"


class ColgraphSparkJDBCOperator(SparkJdbcLineage, SparkJDBCOperator):  # type: ignore[misc]
    """The provider's SparkJDBCOperator, with column lineage.

    Args:
        kwargs: The arguments of `SparkJDBCOperator` in apache-airflow-providers-apache-spark.

    Returns:
        As `ColgraphSparkSubmitOperator`.

    Raises:
        AirflowException: As the stock operator. A failure of lineage collection is only logged.
    """

"""LivyOperator with column lineage on the task's events.

It has the arguments of the provider's operator, and needs that provider. To read the lineage it
must wait for the job: set `polling_interval` or `deferrable=True`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from airflow.providers.apache.livy.operators.livy import LivyOperator

from airflow_colgraph.operators.requests import LIVY_BATCH, Request
from airflow_colgraph.operators.services import ServiceLineage


class ColgraphLivyOperator(ServiceLineage, LivyOperator):  # type: ignore[misc]
    """The provider's LivyOperator, with column lineage.

    The files of `colgraph collector` must be at `[colgraph] collector_path`.

    Args:
        kwargs: The arguments of `LivyOperator` in apache-airflow-providers-apache-livy.

    Returns:
        As `ColgraphSparkSubmitOperator`.

    Raises:
        AirflowException: As the stock operator. A failure of lineage collection is only logged.
    """

    colgraph_requests: ClassVar[Mapping[str, Request]] = {"spark_params": LIVY_BATCH}

"""A LivyOperator whose task events say which columns each output column is made of.

    from airflow_colgraph.operators.livy import ColgraphLivyOperator

It takes what the provider's operator takes, and needs that provider. To know its lineage it has to
see the job's end: set `polling_interval`, or `deferrable=True`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from airflow.providers.apache.livy.operators.livy import LivyOperator

from airflow_colgraph.operators.requests import LIVY_BATCH, Request
from airflow_colgraph.operators.services import ServiceLineage


class ColgraphLivyOperator(ServiceLineage, LivyOperator):  # type: ignore[misc]
    """The provider's LivyOperator, with column lineage."""

    colgraph_requests: ClassVar[Mapping[str, Request]] = {"spark_params": LIVY_BATCH}

"""Lineage for stock DAGs: a cluster policy, registered by the entry point `airflow.policy`.

With `[colgraph] wrap_spark_submit = True` every task whose operator is one of the Spark provider's,
or a subclass of one, gets the lineage of ours; with `sql_tasks = True` those of the SQL providers,
and Python tasks. Airflow loads this module in all its processes, so
its imports are lazy.
"""

from __future__ import annotations

import logging
from functools import cache
from importlib import import_module
from typing import Any

from airflow.policies import hookimpl

log = logging.getLogger(__name__)

OURS = "airflow_colgraph.operators"
SPARK, SQL = "wrap_spark_submit", "sql_tasks"  # the options
# The stock operators, by provider and class; old providers do not have all of them.
LINEAGES = {
    ("apache.spark", "SparkSubmitOperator"): (SPARK, "spark_submit", "SparkSubmitLineage"),
    ("apache.spark", "SparkJDBCOperator"): (SPARK, "spark_jdbc", "SparkJdbcLineage"),
    ("apache.spark", "SparkSqlOperator"): (SPARK, "spark_sql", "SparkSqlLineage"),
    ("apache.spark", "SparkPipelinesOperator"): (SPARK, "spark_pipelines", "SparkPipelinesLineage"),
    ("apache.spark", "PySparkOperator"): (SPARK, "spark_pyspark", "PySparkLineage"),
    ("common.sql", "SQLExecuteQueryOperator"): (SQL, "sql", "SqlLineage"),
    ("standard", "PythonOperator"): (SQL, "hook_sql", "HookSqlLineage"),
}
PROVIDERS = "airflow.providers."


@hookimpl  # type: ignore[untyped-decorator]
def task_policy(task: Any) -> None:
    """Add lineage to the task, if the option is on: whenever the DAG is parsed."""
    if wanted(SPARK) or wanted(SQL):
        try:
            wrap(task)
        except Exception as error:  # noqa: BLE001 -- the edge: a DAG is read as without us
            log.warning("colgraph: %s gets no lineage: %s", task.task_id, error)


@cache
def wanted(option: str) -> bool:
    """Whether the option is on; an invalid value is logged once and means no."""
    from airflow_colgraph import conf
    from airflow_colgraph.version_compat import ConfigException

    try:
        return bool(getattr(conf, option)())
    except ConfigException as error:
        log.warning("colgraph: stock operators get no lineage: %s", error)
        return False


def wrap(task: Any) -> None:
    """Turn a stock task into one with lineage; a mapped one will expand to such tasks."""
    if hasattr(task, "partial_kwargs"):
        task.operator_class = with_lineage(task.operator_class)
        task.operator_extra_links = task.operator_class.operator_extra_links
        return
    task.__class__ = with_lineage(task.__class__)


def with_lineage(operator_class: Any) -> Any:
    """The class with lineage; the class itself if it has lineage or is no Spark operator.

    It keeps its name, so that Airflow shows the task as before.
    """
    entry = next(filter(None, map(_lineage_for, operator_class.__mro__)), None)
    if entry is None:
        return operator_class  # without an import, as most are
    option, module, name = entry
    if not wanted(option):
        return operator_class

    from airflow_colgraph.operators.lineage_mixin import TaskLineage

    if issubclass(operator_class, TaskLineage):
        return operator_class
    return _with_mixin(operator_class, getattr(import_module(f"{OURS}.{module}"), name))


def _lineage_for(stock: Any) -> tuple[str, str, str] | None:
    """The entry of LINEAGES for a class of Airflow's providers."""
    if not stock.__module__.startswith(PROVIDERS):
        return None
    inside = stock.__module__.removeprefix(PROVIDERS)
    for (provider, name), lineage in LINEAGES.items():
        if stock.__name__ == name and inside.startswith(f"{provider}."):
            return lineage
    return None


@cache
def _with_mixin(operator_class: Any, lineage: type) -> Any:
    """A class whose methods are those of `lineage`, then those of `operator_class`.

    As the latter is its first base, the object layout is the same, so that Python allows assigning
    it to an existing task's `__class__`.
    """

    class LineageFirst(type(operator_class)):  # type: ignore[misc]
        def mro(cls) -> list[type]:
            order = type.mro(cls)
            ours = [each for each in order if each.__module__.startswith("airflow_colgraph.")]
            return [cls, *ours, *(each for each in order if each is not cls and each not in ours)]

    as_before = {"__module__": operator_class.__module__, "__doc__": operator_class.__doc__}
    return LineageFirst(operator_class.__name__, (operator_class, lineage), as_before)

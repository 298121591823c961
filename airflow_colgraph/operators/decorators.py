"""`@task.colgraph_submit` and `@task.colgraph_pyspark`.

A job with arguments that are only known when it runs: the function returns them.

    @task.colgraph_submit(application="job.py")
    def daily(day: str) -> list[str]:
        return ["--day", day]

    daily.expand(day=days())

A job that is a function, with the session that Airflow's connection describes:

    @task.colgraph_pyspark(conn_id="spark_default")
    def daily(spark): ...
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from airflow.providers.apache.spark.decorators.pyspark import _PySparkDecoratedOperator
from airflow.providers.common.compat.sdk import (
    DecoratedOperator,
    context_merge,
    determine_kwargs,
    task_decorator_factory,
)

from airflow_colgraph.operators.spark_pyspark import PySparkLineage
from airflow_colgraph.operators.spark_submit import ColgraphSparkSubmitOperator


class SubmitDecoratedOperator(DecoratedOperator, ColgraphSparkSubmitOperator):  # type: ignore[misc]
    """Submits a Spark job with the arguments that a function returns."""

    custom_operator_name = "@task.colgraph_submit"
    template_fields: Sequence[str] = (
        *DecoratedOperator.template_fields,
        *ColgraphSparkSubmitOperator.template_fields,
    )
    template_fields_renderers: Mapping[str, str] = {
        **DecoratedOperator.template_fields_renderers,
        **ColgraphSparkSubmitOperator.template_fields_renderers,
    }
    overwrite_rtif_after_execution: bool = True

    def __init__(
        self,
        *,
        python_callable: Callable[..., Any],
        op_args: Collection[Any] | None = None,
        op_kwargs: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """It takes what SparkSubmitOperator takes, but for `application_args`."""
        if kwargs.pop("multiple_outputs", None):
            raise TypeError("@task.colgraph_submit has no multiple_outputs: it returns nothing.")
        super().__init__(
            python_callable=python_callable, op_args=op_args, op_kwargs=op_kwargs, **kwargs
        )

    def execute(self, context: Any, **sentinel: Any) -> Any:
        """Ask the function for the arguments, and submit."""
        context_merge(context, self.op_kwargs)
        kwargs = determine_kwargs(self.python_callable, self.op_args, context)
        arguments = self.python_callable(*self.op_args, **kwargs)
        if arguments is not None and not isinstance(arguments, list | tuple):
            raise TypeError(
                f"The function of {self.task_id} returned {type(arguments).__name__}. "
                "Expected a list, the application's arguments."
            )
        self.application_args = [str(argument) for argument in arguments or ()]
        return ColgraphSparkSubmitOperator.execute(self, context, **sentinel)


class PySparkDecoratedOperator(PySparkLineage, _PySparkDecoratedOperator):  # type: ignore[misc]
    """@task.pyspark with column lineage."""

    custom_operator_name = "@task.colgraph_pyspark"


def colgraph_submit(python_callable: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
    """Make a function the source of a Spark job's arguments."""
    return task_decorator_factory(
        python_callable=python_callable, decorated_operator_class=SubmitDecoratedOperator, **kwargs
    )


def colgraph_pyspark(
    python_callable: Callable[..., Any] | None = None,
    multiple_outputs: bool | None = None,
    **kwargs: Any,
) -> Any:
    """Make a function a task with a SparkSession and column lineage."""
    return task_decorator_factory(
        python_callable=python_callable,
        multiple_outputs=multiple_outputs,
        decorated_operator_class=PySparkDecoratedOperator,
        **kwargs,
    )

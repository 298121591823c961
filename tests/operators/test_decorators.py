"""The task decorators, by DAGs that Airflow's own decorator factory makes of functions."""

from types import SimpleNamespace
from typing import Any

import pytest
from airflow.providers.apache.spark.operators.spark_pyspark import PySparkOperator
from airflow.sdk import DAG, task

from airflow_colgraph.operators.decorators import SubmitDecoratedOperator
from airflow_colgraph.operators.spark_pyspark import ColgraphPySparkOperator
from tests.operators.conftest import Fake
from tests.operators.test_inject import context
from tests.operators.test_spark_submit import warnings, written


def task_of(function: Any, **arguments: Any) -> Any:
    """The operator that `@task.colgraph_submit` makes of the function."""
    with DAG("shop", schedule=None):
        return task.colgraph_submit(task_id="load", application="job.py", **arguments)(
            function
        )().operator


def test_the_function_returns_the_applications_arguments(fake: Fake) -> None:
    operator = task_of(lambda dag_run: ["writes=mart", 7], name="load")
    assert type(operator) is SubmitDecoratedOperator
    assert operator.custom_operator_name == "@task.colgraph_submit"
    operator.execute(context())
    (call,) = fake.calls()
    assert call[-3:] == ["job.py", "writes=mart", "7"]
    assert written(operator) == ["mart"]


def test_nothing_is_no_arguments(fake: Fake) -> None:
    task_of(lambda: None).execute(context())
    (call,) = fake.calls()
    assert call[-1] == "job.py"


def test_what_is_no_list_is_an_error_that_says_so(fake: Fake) -> None:
    with pytest.raises(TypeError, match=r"of load returned str\. Expected a list"):
        task_of(lambda: "--day 1").execute(context())


def test_there_are_no_multiple_outputs() -> None:
    with pytest.raises(TypeError, match="no multiple_outputs"):
        task_of(lambda: [], multiple_outputs=True)


# In process -------------------------------------------------------------------------------------


def connect_session(**_: Any) -> Any:
    session_class = type("SparkSession", (), {"__module__": "pyspark.sql.connect.session"})
    session = session_class()
    session.conf = SimpleNamespace(get=lambda name, default: default)
    return session


def test_a_spark_connect_session_costs_one_warning(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def execute_callable(self: Any) -> Any:
        return self.python_callable(spark=connect_session())

    monkeypatch.setattr(PySparkOperator, "execute_callable", execute_callable)
    operator: Any = ColgraphPySparkOperator(task_id="load", python_callable=lambda spark: 42)
    operator._colgraph_context = context()
    assert operator.execute_callable() == 42
    assert (operator.colgraph_sink, operator.config_kwargs) == (None, {})
    (warning,) = warnings(capsys)
    assert "starting the collector failed: the Spark Connect server has no collector" in warning


def test_what_the_function_raises_is_raised_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = []
    monkeypatch.setattr(
        "airflow_colgraph.operators.spark_pyspark.collector",
        SimpleNamespace(install=ends.append, finish=lambda **how: ends.append(how)),
    )
    monkeypatch.setattr(
        PySparkOperator, "execute_callable", lambda self: self.python_callable(spark="session")
    )

    def job(spark: Any) -> None:
        raise ValueError("half\nway")

    operator: Any = ColgraphPySparkOperator(task_id="load", python_callable=job)
    operator._colgraph_context = context()
    with pytest.raises(ValueError, match="half"):
        operator.execute_callable()
    assert ends == ["session", {"failed": True, "reason": "ValueError: half"}]
    assert operator.python_callable is job

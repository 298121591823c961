"""Stock operators by the policy: what Airflow's own reading of a DAG makes of them."""

from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from airflow import policies
from airflow.dag_processing.dagbag import DagBag
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.sdk import BaseOperator

from airflow_colgraph import conf, policy
from airflow_colgraph.operators.lineage_mixin import TaskLineage
from airflow_colgraph.operators.spark_submit import ColgraphSparkSubmitOperator
from tests.operators.conftest import Fake
from tests.operators.test_inject import context
from tests.operators.test_spark_submit import written

DAG = """
from airflow.providers.apache.spark.operators.spark_jdbc import SparkJDBCOperator
from airflow.providers.apache.spark.operators.spark_pipelines import SparkPipelinesOperator
from airflow.providers.apache.spark.operators.spark_pyspark import PySparkOperator
from airflow.providers.apache.spark.operators.spark_sql import SparkSqlOperator
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import DAG, task

from airflow_colgraph.operators.spark_submit import ColgraphSparkSubmitOperator


class OurSubmitOperator(SparkSubmitOperator):
    def __init__(self, *, day, **kwargs):
        super().__init__(application="job.py", application_args=["writes=" + day], **kwargs)


with DAG("stock", schedule=None):
    SparkSubmitOperator(task_id="submit", application="job.py")
    SparkSubmitOperator.partial(task_id="mapped", application="job.py").expand(
        application_args=[["writes=a"], ["writes=b"]]
    )
    SparkSubmitOperator.partial(task_id="by_kwargs").expand_kwargs([{"application": "job.py"}])
    OurSubmitOperator(task_id="subclass", day="monday")
    OurSubmitOperator.partial(task_id="mapped_subclass").expand(day=["monday", "tuesday"])
    SparkJDBCOperator(task_id="jdbc", jdbc_table="shop.books", metastore_table="books")
    SparkSqlOperator(task_id="sql", sql="SELECT 1")
    SparkPipelinesOperator(task_id="pipelines", pipeline_spec="shop.yml")
    PySparkOperator(task_id="pyspark", python_callable=lambda spark: None)
    ColgraphSparkSubmitOperator(task_id="ours", application="job.py")
    EmptyOperator(task_id="other")
    SQLExecuteQueryOperator(task_id="sql_query", conn_id="shop", sql="SELECT 1")
    SQLExecuteQueryOperator.partial(task_id="sql_mapped", conn_id="shop").expand(sql=["a", "b"])
    PythonOperator(task_id="python", python_callable=print)

    @task
    def python_decorated():
        pass

    python_decorated()

    @task.pyspark
    def decorated(spark):
        pass

    @task.pyspark
    def decorated_mapped(n, spark):
        pass

    decorated()
    decorated_mapped.expand(n=[1, 2])
"""

SQL = ("sql_query", "sql_mapped", "python", "python_decorated")


@pytest.fixture(autouse=True)
def _fresh(sink: Path) -> Iterator[None]:
    policy.wanted.cache_clear()
    yield
    policy.wanted.cache_clear()


def read(folder: Path) -> dict[str, Any]:
    """The tasks of the DAG, as Airflow's DagBag reads them."""
    (folder / "stock.py").write_text(DAG)
    bag = DagBag(folder, collect_dags=False)
    bag.process_file(str(folder / "stock.py"))
    assert bag.import_errors == {}
    return dict(bag.dags["stock"].task_dict)


def has_lineage(task: Any) -> bool:
    return issubclass(getattr(task, "operator_class", type(task)), TaskLineage)


def test_without_the_option_tasks_are_as_they_were(tmp_path: Path) -> None:
    tasks = read(tmp_path)
    assert {name for name, task in tasks.items() if has_lineage(task)} == {"ours"}
    assert type(tasks["submit"]) is SparkSubmitOperator


def test_with_the_option_all_spark_tasks_have_lineage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {name: task.task_type for name, task in read(tmp_path).items()}
    monkeypatch.setenv("AIRFLOW__COLGRAPH__WRAP_SPARK_SUBMIT", "True")
    conf.wrap_spark_submit.cache_clear()
    policy.wanted.cache_clear()
    tasks = read(tmp_path)
    assert {name for name, task in tasks.items() if not has_lineage(task)} == {"other", *SQL}
    assert {name: task.task_type for name, task in tasks.items()} == names  # shown as before
    assert type(tasks["ours"]) is ColgraphSparkSubmitOperator
    links = {
        name: [link.name for link in task.operator_extra_links] for name, task in tasks.items()
    }
    assert links == {name: ["Column lineage"] * (name not in ("other", *SQL)) for name in tasks}


def test_with_the_option_all_sql_and_python_tasks_have_lineage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {name: task.operator_name for name, task in read(tmp_path).items()}
    monkeypatch.setenv("AIRFLOW__COLGRAPH__SQL_TASKS", "True")
    conf.sql_tasks.cache_clear()
    policy.wanted.cache_clear()
    tasks = read(tmp_path)
    assert {name for name, task in tasks.items() if has_lineage(task)} == {"ours", *SQL}
    assert {name: task.operator_name for name, task in tasks.items()} == names  # shown as before
    assert tasks["python"].task_type != "PythonOperator"  # that has an extractor of Airflow's own


@pytest.mark.parametrize(
    ("name", "resolved", "outputs"),
    [
        ("submit", None, ["mart"]),
        ("mapped", {"application_args": ["writes=b"]}, ["mart", "b"]),
        ("by_kwargs", {"application": "job.py"}, ["mart"]),
        ("jdbc", None, ["mart"]),
        ("subclass", None, ["mart", "monday"]),
        ("mapped_subclass", {"day": "tuesday"}, ["mart", "tuesday"]),
    ],
)
def test_a_wrapped_task_collects_what_its_job_reports(
    fake: Fake,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    resolved: dict[str, Any] | None,
    outputs: list[str],
) -> None:
    monkeypatch.setenv("AIRFLOW__COLGRAPH__WRAP_SPARK_SUBMIT", "True")
    fake.job(writes=["mart"])
    task = read(tmp_path)[name]
    if resolved is not None:
        task = task.unmap(resolved)
    task.execute(context())
    assert written(task) == outputs


def test_an_invalid_value_is_logged_once_and_breaks_no_dag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("AIRFLOW__COLGRAPH__WRAP_SPARK_SUBMIT", "perhaps")
    tasks = read(tmp_path)
    assert not has_lineage(tasks["submit"])
    log_lines = [
        line for line in caplog.messages if line.startswith("colgraph: stock operators get")
    ]
    assert log_lines == [
        "colgraph: stock operators get no lineage: Option 'wrap_spark_submit' in [colgraph] is "
        "'perhaps'. Expected True or False."
    ]


def test_wrapping_twice_is_wrapping_once() -> None:
    once = policy.with_lineage(SparkSubmitOperator)
    assert policy.with_lineage(once) is once
    assert policy.with_lineage(ColgraphSparkSubmitOperator) is ColgraphSparkSubmitOperator
    assert policy.with_lineage(BaseOperator) is BaseOperator


def test_airflow_finds_the_policy() -> None:
    (found,) = entry_points(group="airflow.policy", name="colgraph")
    assert found.load() is policy
    assert policies.hookimpl.project_name == "airflow.policy"
    assert hasattr(policy.task_policy, "airflow.policy_impl")

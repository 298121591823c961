"""What the tasks of a DAG would submit, as the provider's own hook builds it."""

from datetime import datetime, timezone
from pathlib import Path

import pytest
from click.testing import CliRunner

from airflow_colgraph.cli import main
from airflow_colgraph.operators.dag_tasks import (
    NoSuchDag,
    NotPlanned,
    Statements,
    Submit,
    Work,
    tasks_of,
)

AT = datetime(2026, 1, 31, tzinfo=timezone.utc)
DAG = """
from datetime import datetime
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG, TaskGroup

with DAG("shop", schedule=None, start_date=datetime(2026, 1, 1)):
    start = EmptyOperator(task_id="start")
    with TaskGroup("spark"):
        job = SparkSubmitOperator(
            task_id="job", application="/jobs/{{ dag.dag_id }}.py", name="daily",
            application_args=["{{ macros.ds_add(ds, 1) }}", "{{ var.value.bucket }}"],
            conf={"spark.x": "{{ ts_nodash }}"}, py_files="lib.zip",
        )
        SparkSubmitOperator.partial(task_id="mapped", application="a.py").expand(name=["a", "b"])
    sums = SQLExecuteQueryOperator(task_id="sums", conn_id="mart", sql=["SELECT '{{ ds }}'"])
    lost = SQLExecuteQueryOperator(task_id="lost", conn_id="nowhere", sql="SELECT 1")
    unset = SparkSubmitOperator(task_id="unset", application="{{ var.value.not_there }}")
    start >> sums >> job >> [lost, unset]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "shop.py").write_text(DAG)
    monkeypatch.setenv("AIRFLOW_VAR_BUCKET", "lake")
    monkeypatch.setenv("AIRFLOW_CONN_MART", "postgres://user:secret@db:5432/shop")
    return tmp_path


def works(folder: Path) -> dict[str, Work]:
    return {task.name: task.work for task in tasks_of("shop", folder, AT)}


def test_a_spark_task_is_what_the_providers_hook_submits(folder: Path) -> None:
    work = works(folder)["shop.spark.job"]
    assert isinstance(work, Submit)
    assert work.arguments[-3:] == ["/jobs/shop.py", "2026-02-01", "lake"]
    assert "spark.x=20260131T000000" in work.arguments
    assert work.arguments[work.arguments.index("--py-files") + 1] == "lib.zip"


def test_a_sql_tasks_statements_have_the_connections_names(folder: Path) -> None:
    work = works(folder)["shop.sums"]
    assert isinstance(work, Statements)
    assert work.sql == ["SELECT '2026-01-31'"]
    assert work.naming.namespace == "postgres://db:5432"
    assert work.naming.table(("shop", "public", "t"))[1] == "shop.public.t"


def test_tasks_come_in_the_order_of_their_dependencies(folder: Path) -> None:
    names = list(works(folder))
    assert "shop.start" not in names  # it moves no data
    assert names.index("shop.sums") < names.index("shop.spark.job") < names.index("shop.unset")


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        ("shop.spark.mapped", "mapped over values"),
        ("shop.unset", "its templates cannot be rendered"),
        ("shop.lost", "its connection cannot be read"),
    ],
)
def test_what_is_not_known_before_a_run_has_a_reason(folder: Path, task: str, reason: str) -> None:
    work = works(folder)[task]
    assert isinstance(work, NotPlanned)
    assert reason in work.reason
    assert "\n" not in work.reason


def test_a_dag_that_is_not_there(folder: Path) -> None:
    with pytest.raises(NoSuchDag, match=r"no DAG 'shopp' in .*Its DAGs are: shop"):
        tasks_of("shopp", folder, AT)
    (folder / "shop.py").write_text("import not_there\n\nDAG = 1")
    with pytest.raises(NoSuchDag, match=r"shop\.py cannot be imported: .*not_there"):
        tasks_of("shop", folder, AT)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--dag", "shop", "--", "job.py"], "Give --dag DAG_ID without an application"),
        (["--dag", "shop", "--job-name", "x"], "Give --dag DAG_ID without an application"),
        (["--dag", "shop", "--logical-date", "soon"], "'soon' is not a date like"),
        (["--logical-date", "2026-01-31", "--", "job.py"], "are of --dag DAG_ID"),
        (["--dag", "none", "--dags-folder", "."], "there is no DAG 'none' in"),
    ],
)
def test_wrong_usage_is_one_line(
    words: list[str], message: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(main, ["plan", *words])
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output

from typing import Any

import pytest
from airflow.providers.apache.spark.operators.spark_sql import SparkSqlOperator

from airflow_colgraph.operators.collector_archive import CollectorFiles, compiled_archive, launcher
from airflow_colgraph.operators.inject import inject
from airflow_colgraph.operators.spark_sql import SQL_CLI, ColgraphSparkSqlOperator, as_submit, pairs
from airflow_colgraph.operators.submit_arguments import NotPossible
from tests.operators.conftest import Fake
from tests.operators.test_inject import context
from tests.operators.test_spark_submit import warnings, written

AT = CollectorFiles("C.zip", "L.py")


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("spark-sql -e Q", f"spark-submit --py-files C.zip L.py {SQL_CLI} -e Q"),
        (
            "spark-sql --conf a=b -f q.sql --master yarn --verbose --queue q --hiveconf x=y",
            "spark-submit --conf a=b --master yarn --verbose --queue q --py-files C.zip "
            f"L.py {SQL_CLI} -f q.sql --hiveconf x=y",
        ),
    ],
)
def test_the_shell_becomes_an_application(command: str, expected: str) -> None:
    assert as_submit(command.split(), AT) == expected.split()


def test_another_shell_is_named() -> None:
    with pytest.raises(NotPossible, match="beeline"):
        as_submit(["beeline"], AT)


@pytest.mark.parametrize(
    ("conf", "expected"),
    [
        (None, {}),
        ({"a": 1}, {"a": 1}),
        ("a=b,c=d=e", {"a": "b", "c": "d=e"}),
    ],
)
def test_properties_come_in_two_forms(conf: Any, expected: dict[str, Any]) -> None:
    assert pairs(conf) == expected


@pytest.mark.parametrize("conf", ["spark.x=1", {"spark.x": "1"}])
def test_the_operator_submits_the_shell_with_the_collector(fake: Fake, conf: Any) -> None:
    fake.job(writes=["mart"])
    sql = "INSERT INTO mart SELECT * FROM raw; SELECT 1"
    operator = ColgraphSparkSqlOperator(task_id="load", sql=sql, conf=conf, master="local[1]")
    operator.execute(context())
    (call,) = fake.calls()
    given = [
        word
        for pair in {"spark.x": "1", **inject({}, context())}.items()
        for word in ("--conf", "=".join(pair))
    ]
    assert call == [
        *given,
        *("--master", "local[1]", "--name", "default-name", "--verbose", "--queue", "default"),
        *("--py-files", str(compiled_archive()), str(launcher()), SQL_CLI, "-e", sql),
    ]
    assert written(operator) == ["mart"]
    assert operator._conf == conf


def test_where_the_collector_cannot_go_along_it_is_the_stock_shell(
    fake: Fake, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commands: list[list[str]] = []
    hook = "airflow.providers.apache.spark.hooks.spark_sql.SparkSqlHook"
    monkeypatch.setattr(f"{hook}._prepare_command", lambda self, more: ["beeline", *more])
    monkeypatch.setattr(
        f"{hook}.run_query", lambda self: commands.append(self._prepare_command(["x"]))
    )
    for operator_class in (SparkSqlOperator, ColgraphSparkSqlOperator):
        operator_class(task_id="load", sql="SELECT 1").execute(context())
    assert commands == [["beeline", "x"]] * 2
    (warning,) = warnings(capsys)
    assert "adding the collector failed: ['beeline'] is not spark-sql" in warning

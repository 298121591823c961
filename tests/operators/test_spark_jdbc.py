"""The JDBC operator against the stock one, with a fake spark-submit that notes its call."""

from typing import Any

import pytest
from airflow.providers.apache.spark.operators.spark_jdbc import SparkJDBCOperator

from airflow_colgraph.operators.collector_archive import compiled_archive
from airflow_colgraph.operators.inject import inject
from airflow_colgraph.operators.spark_jdbc import ColgraphSparkJDBCOperator
from tests.operators.conftest import Fake
from tests.operators.test_inject import context
from tests.operators.test_spark_submit import written


def submitted(fake: Fake, operator_class: type, **more: Any) -> list[str]:
    operator = operator_class(
        task_id="load",
        spark_conn_id="spark_default",
        jdbc_conn_id="shop",
        jdbc_table="shop.books",
        metastore_table="books",
        cmd_type="jdbc_to_spark",
        **more,
    )
    operator.execute(context())
    if operator_class is ColgraphSparkJDBCOperator:
        assert written(operator) == ["mart"]
    return fake.calls()[-1]


def test_the_script_is_submitted_with_the_collector(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake.job(writes=["mart"])
    monkeypatch.setenv("AIRFLOW_CONN_SHOP", '{"conn_type": "jdbc", "host": "db", "schema": "s"}')
    stock = submitted(fake, SparkJDBCOperator)
    script = stock.index(next(word for word in stock if word.endswith("spark_jdbc_script.py")))
    ours = submitted(fake, ColgraphSparkJDBCOperator, spark_conf={"spark.x": "1"})
    added = [f"{name}={value}" for name, value in inject({"spark.x": "1"}, context()).items()]
    assert ours[-len(stock[script:]) :] == stock[script:]
    assert [ours[at + 1] for at, word in enumerate(ours) if word == "--conf"] == added
    assert ours[ours.index("--py-files") + 1] == str(compiled_archive())

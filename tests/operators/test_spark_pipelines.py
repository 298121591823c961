"""The operator with a spark-pipelines that notes how it was called."""

import json
from typing import Any

import pytest
from airflow.models import Connection
from airflow.providers.apache.spark.operators.spark_pipelines import SparkPipelinesOperator

from airflow_colgraph import policy
from airflow_colgraph.operators.collector_archive import compiled_archive
from airflow_colgraph.operators.inject import inject
from airflow_colgraph.operators.spark_pipelines import ColgraphSparkPipelinesOperator
from tests.operators.conftest import Fake
from tests.operators.test_inject import context
from tests.operators.test_spark_submit import names, warnings, written


@pytest.fixture
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = {"conn_type": "spark", "host": "local[1]"}
    monkeypatch.setenv("AIRFLOW_CONN_SPARK_DEFAULT", json.dumps(connection))


def stock(**options: Any) -> Any:
    """A stock operator that the policy has given lineage."""
    operator = SparkPipelinesOperator(**options)
    operator.__class__ = policy.with_lineage(SparkPipelinesOperator)
    return operator


@pytest.fixture(params=["ours", "stock"])
def operator_class(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(policy, "wanted", lambda option: option == policy.SPARK)
    return ColgraphSparkPipelinesOperator if request.param == "ours" else stock


@pytest.mark.usefixtures("local")
def test_the_pipeline_runs_with_the_collector(fake: Fake, operator_class: Any) -> None:
    fake.job(writes=["mart"])
    operator = operator_class(task_id="shop", pipeline_spec="shop.yml", conf={"spark.x": "1"})
    operator.execute(context())
    (call,) = fake.calls()
    assert call[:5] == ["run", "--spec", "shop.yml", "--remote", "local[1]"]
    assert not {"--master", "--name"} & {*call}
    given = [call[at + 1] for at, word in enumerate(call) if word == "--conf"]
    assert given == [
        f"{name}={value}" for name, value in inject({"spark.x": "1"}, context()).items()
    ]
    assert call[call.index("--py-files") + 1] == str(compiled_archive())
    assert written(operator) == ["mart"]


@pytest.mark.usefixtures("local")
def test_a_failed_pipeline_has_what_it_wrote_and_can_be_tried_again(
    fake: Fake, operator_class: Any
) -> None:
    fake.job(writes=["half"], exit=1)
    operator = operator_class(task_id="shop", pipeline_spec="shop.yml")
    with pytest.raises(Exception, match="Error code is: 1"):
        operator.execute(context())
    assert names(operator.get_openlineage_facets_on_failure(None).outputs) == ["half"]
    fake.job(writes=["whole"])
    operator.execute(context())
    assert written(operator) == ["whole"]
    assert [call.count("--py-files") for call in fake.calls()] == [1, 1]


def test_a_spark_connect_server_has_no_collector(
    fake: Fake, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    connection = Connection(conn_id="remote", conn_type="spark_connect", host="sc://server")
    monkeypatch.setenv("AIRFLOW_CONN_REMOTE", connection.get_uri())
    operator = ColgraphSparkPipelinesOperator(
        task_id="shop", pipeline_spec="shop.yml", conn_id="remote"
    )
    calls: list[list[str]] = []
    monkeypatch.setattr(
        "airflow.providers.apache.spark.hooks.spark_pipelines.SparkPipelinesHook.submit_pipeline",
        lambda hook: calls.append(hook._build_spark_pipelines_command()),
    )
    operator.execute(context())
    assert calls[0][2:] == ["pyspark.pipelines.cli", "run", "--spec", "shop.yml"]
    assert "Spark Connect server runs elsewhere" in "\n".join(warnings(capsys))
    assert operator.colgraph_lineage is None

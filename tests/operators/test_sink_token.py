"""`[colgraph] sink_key`: each job gets a token for its own run, in sight of nobody else."""

import os
import time
from pathlib import Path
from typing import Any

import jwt
import pytest
from airflow.sdk._shared.secrets_masker import redact

from airflow_colgraph import conf, run_tokens
from airflow_colgraph.collector.sinks.token import VARIABLE
from airflow_colgraph.operators import sink_token
from airflow_colgraph.operators.inject import inject
from airflow_colgraph.operators.requests import LIVY_BATCH
from airflow_colgraph.operators.spark_sql import ColgraphSparkSqlOperator
from airflow_colgraph.run_tokens import RunScope
from airflow_colgraph.version_compat import ConfigException, identity
from tests.operators.conftest import CACHED, Fake
from tests.operators.test_inject import context
from tests.operators.test_spark_submit import ours

KEY = run_tokens.new_key()
TOKEN = "spark.colgraph.sinkToken"
YARN = '{"conn_type": "spark", "host": "yarn"}'
CLUSTER = '{"conn_type": "spark", "host": "yarn", "extra": {"deploy-mode": "cluster"}}'


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch, sink: Path) -> None:
    monkeypatch.setenv("AIRFLOW__COLGRAPH__SINK", "http://lineage.test/api/v1/lineage")
    monkeypatch.setenv("AIRFLOW__COLGRAPH__SINK_KEY", KEY)
    for option in CACHED:
        option.cache_clear()


def scope(token: str) -> RunScope:
    return run_tokens.verified(token, run_tokens.public_key(KEY).__eq__)


def of_the_task() -> RunScope:
    task = identity(context()["ti"])
    return RunScope(
        ("default", "shop.group.load.spark"),
        task.run_id,
        ("default", "shop.group.load"),
        (task.root_run_id, "default", "shop"),
        ("shop", task.dag_run_id, "group.load"),
    )


def test_it_is_for_the_run_of_the_task() -> None:
    assert scope(inject({}, context())[TOKEN]) == of_the_task()


def test_it_is_for_the_job_and_the_parent_that_the_dag_names() -> None:
    given = {
        "spark.colgraph.jobName": "mine",
        "spark.openlineage.parentRunId": "r",
        "spark.openlineage.parentJobNamespace": "ns",
        "spark.openlineage.parentJobName": "p",
    }
    assert scope(inject(given, context())[TOKEN]) == RunScope(
        ("default", "mine"), "r", ("ns", "p"), (), of_the_task().task
    )


@pytest.mark.parametrize(
    "given",
    [
        {TOKEN: "of the DAG"},
        {"spark.colgraph.sinkTokenFile": "/run/token"},
        {"spark.colgraph.sink": "/a/folder"},
        {"spark.openlineage.parentJobName": "without a run"},
    ],
)
def test_a_job_that_has_a_token_or_needs_none_gets_none(given: dict[str, str]) -> None:
    assert inject(given, context()).get(TOKEN) == given.get(TOKEN)


def test_the_workers_own_token_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "of the worker")
    assert TOKEN not in inject({}, context())


def test_injecting_twice_is_injecting_once() -> None:
    once = inject({}, context())
    assert inject(once, context()) == once


def test_it_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__COLGRAPH__SINK_TOKEN_SECONDS", "600")
    conf.sink_token_seconds.cache_clear()
    claims = jwt.decode(inject({}, context())[TOKEN], options={"verify_signature": False})
    assert 540 < claims["exp"] - time.time() <= 600


def test_a_driver_in_client_mode_inherits_it(fake: Fake, tmp_path: Path) -> None:
    fake.job(token=str(tmp_path / "token"), silent=True)
    ours().execute(context())
    token = (tmp_path / "token").read_text()
    assert scope(token) == of_the_task()
    assert token not in str(fake.calls())
    assert TOKEN not in str(fake.calls())
    assert VARIABLE not in os.environ
    assert token not in redact(f"the token {token}")


def test_the_dags_own_variable_comes_first(fake: Fake, tmp_path: Path) -> None:
    fake.job(token=str(tmp_path / "token"), silent=True)
    ours(env_vars={VARIABLE: "of the DAG"}).execute(context())
    assert (tmp_path / "token").read_text() == "of the DAG"


@pytest.mark.parametrize(
    ("connection", "properties"),
    [(CLUSTER, {}), (YARN, {"spark.submit.deployMode": "cluster"})],
    ids=["by the connection", "by a property"],
)
def test_a_driver_on_the_cluster_gets_it_as_a_property(
    fake: Fake,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    connection: str,
    properties: dict[str, str],
) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_SPARK_DEFAULT", connection)
    fake.job(token=str(tmp_path / "token"), silent=True)
    ours(durable=False, conf=properties).execute(context())
    (call,) = fake.calls()
    (token,) = (word.partition("=")[2] for word in call if word.startswith(f"{TOKEN}="))
    assert scope(token) == of_the_task()
    assert (tmp_path / "token").read_text() == ""
    assert token not in redact(" ".join(call))


def test_sparks_sql_shell_inherits_it(fake: Fake, tmp_path: Path) -> None:
    fake.job(token=str(tmp_path / "token"), silent=True)
    ColgraphSparkSqlOperator(task_id="load", sql="SELECT 1").execute(context())
    assert scope((tmp_path / "token").read_text()) == of_the_task()
    assert TOKEN not in str(fake.calls())


def test_a_service_gets_it_as_a_property() -> None:
    from airflow_colgraph.operators.collector_archive import CollectorFiles

    at = CollectorFiles("s3://b/c.zip", "s3://b/l.py")
    request: dict[str, Any] = LIVY_BATCH.with_lineage({"file": "s3://b/job.py"}, context(), at)
    assert scope(request["conf"][TOKEN]) == of_the_task()


def test_a_key_that_is_none_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__COLGRAPH__SINK_KEY", "colgraph_of_another_scope")
    conf.sink_key.cache_clear()
    with pytest.raises(ConfigException, match="sink_key") as caught:
        conf.check()
    assert "colgraph_of_another_scope" not in str(caught.value)


def test_the_variable_is_the_collectors() -> None:
    assert sink_token.VARIABLE == VARIABLE

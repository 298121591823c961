"""The provider's own SparkPipelinesOperator with real Spark, under the policy."""

import json
import os
import sys
from pathlib import Path

import pytest

from airflow_colgraph.collector.sinks import sink
from dev.demo_airflow import environment
from tests.airflow.ran import Run, dags_test, store_url, transport
from tests.spark.test_pipelines import Flows, Ran, expected, furnished

pytestmark = [pytest.mark.airflow, pytest.mark.versions, pytest.mark.xdist_group("airflow")]

DAGS = Path(__file__).with_name("pipelines")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """One `airflow dags test` of a dry run and a run of the pipeline."""
    home = furnished(tmp_path_factory.mktemp("pipelines"))
    here = os.getcwd()
    variables = environment(
        home / "airflow",
        DAGS,
        CASES_HOME=str(home),
        SPARK_TESTING="1",  # a free port for the server
        AIRFLOW_CONN_HERE=json.dumps({"conn_type": "spark", "host": "local[1]"}),
        AIRFLOW__COLGRAPH__WRAP_SPARK_SUBMIT="True",
        AIRFLOW__COLGRAPH__STORE=store_url(home),
        AIRFLOW__COLGRAPH__KEEP_EVENTS="True",
        AIRFLOW__OPENLINEAGE__NAMESPACE="tests",
        AIRFLOW__OPENLINEAGE__TRANSPORT=json.dumps(transport(home)),
    )
    os.chdir(home)  # the pipeline's files are beside its specification
    try:
        return Run(home, "pipelines", dags_test(sys.executable, variables, "pipelines"))
    finally:
        os.chdir(here)


def flows_in(ran: Run, task: str) -> Flows:
    """The lineage in the events that the task's Spark job reported."""
    (file,) = (ran.home / "airflow" / "colgraph" / "pipelines").glob(f"*/{task}/task-*.ndjson")
    return Ran(ran.home, 0, "", sink.read(str(file)).events).flows()


def test_both_tasks_ran(ran: Run) -> None:
    assert "state=success" in ran.log, ran.log[-5_000:]
    assert (ran.home / "spark-warehouse" / "totals").is_dir()


def test_the_jobs_report_every_flow(ran: Run) -> None:
    assert flows_in(ran, "planned") == flows_in(ran, "shop") == expected()


def test_the_task_that_ran_has_the_tables_and_the_dry_run_has_none(ran: Run) -> None:
    (planned,), (shop,) = ran.of("planned", "COMPLETE"), ran.of("shop", "COMPLETE")
    assert planned["outputs"] == []
    names = {Path(output["name"]).name for output in shop["outputs"]}
    assert names == {"orders", "customers", "totals", "doubled", "ledger", "audit", "names"}


def test_the_store_has_the_whole_way(ran: Run) -> None:
    found = ran.upstream(f"{ran.home}/spark-warehouse/totals", "total")
    assert "orders: amount" in found
    assert "files/orders: amount  DIRECT IDENTITY  <pipelines.shop>" in found

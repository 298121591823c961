"""Without an OpenLineage transport the job runs, its events are kept, and the store has them."""

import sys
from pathlib import Path

import pytest

from airflow_colgraph.collector.sinks import sink
from dev.demo_airflow import environment
from tests.airflow.ran import ORDERS, Run, dags_test, store_url

pytestmark = [pytest.mark.airflow, pytest.mark.xdist_group("airflow")]

DAGS = Path(__file__).parent / "dags"


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """One `airflow dags test` of the DAG."""
    home = tmp_path_factory.mktemp("quiet")
    (home / "orders.json").write_text(ORDERS)
    variables = environment(
        home / "airflow",
        DAGS,
        CASES_HOME=str(home),
        AIRFLOW__COLGRAPH__STORE=store_url(home),
        AIRFLOW__COLGRAPH__KEEP_EVENTS="True",
    )
    return Run(home, "quiet", dags_test(sys.executable, variables, "quiet"))


def test_the_job_ran(ran: Run) -> None:
    assert (ran.home / "mart" / "_SUCCESS").exists(), ran.log[-3_000:]
    assert "state=success" in ran.log
    assert "openlineage" not in ran.log.lower().replace("spark.openlineage", "")


def test_the_events_are_at_the_sink(ran: Run) -> None:
    (file,) = (ran.home / "airflow" / "colgraph" / "quiet").glob("*/totals/task-*.ndjson")
    reading = sink.read(str(file))
    assert reading.bad == []
    kinds = [event["eventType"] for event in reading.events]
    assert kinds == ["START", "RUNNING", "RUNNING", "COMPLETE"]


def test_the_store_has_the_tasks_lineage(ran: Run) -> None:
    assert (
        ran.upstream(f"{ran.home}/mart", "total")
        == """\
file mart: total
└─ file staging: amount  DIRECT AGGREGATION  <quiet.totals>
   └─ file orders.json: amount  DIRECT IDENTITY  <quiet.totals>
"""
    )

"""Without an OpenLineage transport the job runs, its events are kept, and the store has them."""

import subprocess
import sys
from pathlib import Path

import pytest

from airflow_colgraph.collector import sink
from airflow_colgraph.exports.tree import tree
from airflow_colgraph.store import graph
from airflow_colgraph.store.store import Store
from dev.demo_airflow import environment, run_airflow

pytestmark = [pytest.mark.airflow, pytest.mark.xdist_group("airflow")]

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which `airflow dags test quiet` has run."""
    home = tmp_path_factory.mktemp("quiet")
    (home / "orders.json").write_text('{"id": 1, "customer": "a", "amount": 2.5}')
    variables = environment(
        home / "airflow",
        HERE / "dags",
        CASES_HOME=str(home),
        AIRFLOW__COLGRAPH__STORE=f"sqlite:///{home}/store.db",
        AIRFLOW__COLGRAPH__KEEP_EVENTS="True",
    )
    run_airflow(variables, "db", "migrate")
    done = subprocess.run(
        [sys.executable, "-m", "airflow", "dags", "test", "quiet"],
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    (home / "log").write_text(done.stdout + done.stderr)
    assert done.returncode == 0, (home / "log").read_text()[-3000:]
    return home


def test_the_job_ran(home: Path) -> None:
    assert (home / "mart" / "_SUCCESS").exists()
    assert "state=success" in (home / "log").read_text()
    assert "openlineage" not in (home / "log").read_text().lower().replace("spark.openlineage", "")


def test_the_events_are_at_the_sink(home: Path) -> None:
    (file,) = (home / "airflow" / "colgraph" / "quiet").glob("*/totals/task.ndjson")
    reading = sink.read(str(file))
    assert reading.bad == []
    kinds = [event["eventType"] for event in reading.events]
    assert kinds == ["START", "RUNNING", "RUNNING", "COMPLETE"]


def test_the_store_has_the_tasks_lineage(home: Path) -> None:
    store = Store.open(f"sqlite:///{home}/store.db")
    try:
        found = tree(graph.upstream(store, "file", f"{home}/mart", "total"))
    finally:
        store.close()
    assert (
        found.replace(f"{home}/", "")
        == """\
file mart: total
└─ file staging: amount  DIRECT AGGREGATION  <quiet.totals>
   └─ file orders.json: amount  DIRECT IDENTITY  <quiet.totals>
"""
    )

"""dags/warehouse.py in a real Airflow with a real spark-submit: tables, and their own lineage."""

import json
import sys
from pathlib import Path

import pyarrow.parquet as parquet
import pytest

from airflow_colgraph.store.query import graph
from airflow_colgraph.store.store import Store
from dev.demo_airflow import environment
from tests.airflow.ran import Run, dags_test, store_url, transport
from tests.warehouse.random_events import random_events
from tests.warehouse.tables import write_lines

pytestmark = [pytest.mark.airflow, pytest.mark.warehouse, pytest.mark.xdist_group("warehouse")]

DAGS = Path(__file__).parents[2] / "dags"


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Two runs of the DAG: more events have come before the second."""
    home = tmp_path_factory.mktemp("warehouse")
    events = random_events(2, 60)
    variables = environment(
        home / "airflow",
        DAGS,
        WAREHOUSE_HOME=str(home),
        WAREHOUSE_EVENTS=str(home / "logs"),
        AIRFLOW__OPENLINEAGE__NAMESPACE="tests",
        AIRFLOW__OPENLINEAGE__TRANSPORT=json.dumps(transport(home)),
        JAVA_TOOL_OPTIONS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    )
    log = ""
    for number, part in enumerate((events[:40], events[40:])):
        write_lines(home / "logs" / f"{number}.jsonl", part)
        log += dags_test(sys.executable, variables, "warehouse")
    return Run(home, "warehouse", log)


def test_both_tasks_of_both_runs_succeed(ran: Run) -> None:
    for task in ("build", "impact"):
        assert [event["eventType"] for event in ran.of(task)] == ["START", "COMPLETE"] * 2, ran.log


def test_the_tables_have_the_events_of_both_runs(ran: Run) -> None:
    commits = sorted((ran.home / "lineage" / "commits").glob("*.json"))
    assert len(commits) == 2
    version = json.loads(commits[-1].read_text())["version"]
    files = parquet.read_table(ran.home / "lineage" / version / "files")
    assert sorted(Path(name).name for name in files["file"].to_pylist()) == ["0.jsonl", "1.jsonl"]


def test_the_builds_own_lineage_goes_from_the_logs_to_the_tables(ran: Run) -> None:
    tables = {"edges", "fields", "datasets", "runs", "jobs", "occurrences"}
    for event in ran.of("build", "COMPLETE"):
        outputs = {one["name"]: one["facets"] for one in event["outputs"]}
        assert {f"{ran.home}/lineage/{name}" for name in tables} <= outputs.keys()
        lineage = outputs[f"{ran.home}/lineage/edges"]["columnLineage"]
        columns = {"job_output", "output", "input", "transformation", "first_seen", "is_current"}
        assert columns <= lineage["fields"].keys()
        assert all(lineage["fields"][name]["inputFields"] for name in columns)
        diagnostics = event["run"]["facets"].get("colgraph_diagnostics") or {}
        assert not diagnostics.get("unresolved"), diagnostics
        completeness = diagnostics.get("completeness") or {}
        assert not completeness.get("writesWithoutLineage"), completeness


def test_one_question_goes_from_the_answer_to_the_logs(ran: Run) -> None:
    """Events -> edges -> closure -> answer, over both tasks; the last build read one file."""
    with Store.open(store_url(ran.home)) as store:
        answer = f"{ran.home}/lineage/answer"
        found = graph.upstream(store, "file", answer, "columns", indirect=True).nodes
    names = {field.name.removeprefix(f"{ran.home}/") for field in found}
    assert {"lineage/edges", "lineage/fields", "lineage/_work/rows", "logs/1.jsonl"} <= names

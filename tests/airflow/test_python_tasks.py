"""Python tasks in a real Airflow: SQL that their hooks ran, and lineage that they state."""

import json
import sqlite3
import sys
from pathlib import Path

import pytest

from dev.demo_airflow import environment
from tests.airflow.ran import Run, dags_test, furnished

pytestmark = [pytest.mark.airflow, pytest.mark.xdist_group("airflow")]

DAGS = Path(__file__).parent / "python_dags"
TABLES = """
CREATE TABLE orders (day TEXT, amount REAL);
CREATE TABLE kept (day TEXT);
INSERT INTO orders VALUES ('monday', 2), ('monday', 3);
"""
STATED = """\
daily.csv  (file daily.csv)
  day   <- daily.day    DIRECT:IDENTITY
  made  <-
  total <- daily.total  DIRECT:TRANSFORMATION masking
  *     <- daily.total  INDIRECT:FILTER"""
KEPT = "kept  (sqlite:shop.db kept)\n  day <- daily.day  DIRECT:IDENTITY"


def run(home: Path, **options: str) -> Run:
    """One `airflow dags test` of the DAG."""
    with sqlite3.connect(home / "shop.db") as shop:
        shop.executescript(TABLES)
    shop.close()
    variables = environment(
        home / "airflow",
        DAGS,
        **furnished(home),
        AIRFLOW_CONN_SHOP=json.dumps({"conn_type": "sqlite", "host": f"{home}/shop.db"}),
        AIRFLOW__LINEAGE__MAX_EXTRAS_PER_COLLECTOR="8",
        **options,
    )
    return Run(home, "python_tasks", dags_test(sys.executable, variables, "python_tasks"))


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """With the option."""
    return run(tmp_path_factory.mktemp("python"), AIRFLOW__COLGRAPH__SQL_TASKS="True")


def lineage(ran: Run, task: str, kind: str = "COMPLETE") -> str:
    (event,) = ran.of(task, kind)
    return ran.text(event)


def test_a_hooks_statements_are_on_the_tasks_event(ran: Run) -> None:
    assert lineage(ran, "load") == (
        "daily  (sqlite:shop.db daily)\n"
        "  day   <- orders.day     DIRECT:IDENTITY\n"
        "  total <- orders.amount  DIRECT:AGGREGATION\n"
        "  *     <- orders.day     INDIRECT:GROUP_BY"
    ), ran.log[-4_000:]


def test_what_a_task_states_is_on_its_event(ran: Run) -> None:
    assert lineage(ran, "export") == STATED
    (event,) = ran.of("export", "COMPLETE")
    assert [one["name"] for one in event["inputs"]] == ["daily"]


def test_a_task_can_have_both(ran: Run) -> None:
    assert lineage(ran, "both") == f"{STATED}\n\n{KEPT}"


def test_what_airflow_did_not_collect_is_reported(ran: Run) -> None:
    (event,) = ran.of("many", "COMPLETE")
    assert "max_extras_per_collector" in event["run"]["facets"]["colgraph_diagnostics"]["truncated"]
    (event,) = ran.of("both", "COMPLETE")
    assert "colgraph_diagnostics" not in event["run"]["facets"]


def test_no_task_repeats_what_earlier_tasks_ran(ran: Run) -> None:
    """Airflow collects statements by process, and `airflow dags test` runs all tasks in one.

    No test looked at the events that Airflow's provider makes of them for a task without lineage.
    """
    events = [event["job"]["name"] for event in ran.events if ".query." in event["job"]["name"]]
    assert [name for name in events if not name.startswith("python_tasks.load.")] == []


def test_a_branch_is_a_python_task(ran: Run) -> None:
    assert lineage(ran, "branch") == STATED


def test_a_task_that_failed_has_done_nothing(ran: Run) -> None:
    assert lineage(ran, "failed", "FAIL") == ""
    (event,) = ran.of("failed", "FAIL")
    assert event["outputs"] == []


def test_one_question_crosses_the_database_and_the_file(ran: Run) -> None:
    found = ran.upstream(f"{ran.home}/daily.csv", "total")
    tasks = ", ".join(f"python_tasks.{name}" for name in ("branch", "both", "export"))
    assert found == (
        "file daily.csv: total\n"
        f"└─ sqlite:shop.db daily: total  DIRECT TRANSFORMATION masking  <{tasks}>\n"
        "   └─ sqlite:shop.db orders: amount  DIRECT AGGREGATION  <python_tasks.load>\n"
    )


@pytest.mark.long
def test_without_the_option_the_log_says_what_is_not_reported(
    tmp_path: Path,
) -> None:
    found = run(tmp_path)
    assert "stated lineage is not reported: set [colgraph] sql_tasks = True" in found.log
    assert lineage(found, "export") == ""

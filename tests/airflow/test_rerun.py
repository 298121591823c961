"""`colgraph rerun` against a real Airflow: three DAGs with twenty tasks, six changed columns."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from click.testing import CliRunner, Result

from airflow_colgraph.check import clear
from airflow_colgraph.check.clear import RerunError, rerun
from airflow_colgraph.check.rerun import Plan, Step
from airflow_colgraph.cli import main
from airflow_colgraph.store.store import Store
from dev.demo_airflow import Airflow
from tests.airflow.ran import store_url, transport, wait_for_end
from tests.check import twenty_tasks
from tests.check.twenty_tasks import CHANGES, DAGS, EXPECTED

pytestmark = [pytest.mark.airflow, pytest.mark.reruns, pytest.mark.xdist_group("airflow")]

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).with_name("reruns")


@dataclass
class Ran:
    """An Airflow in which each of the DAGs has run once."""

    home: Path
    airflow: Airflow
    runs: dict[str, str] = field(default_factory=dict)
    ends: Counter[str] = field(default_factory=Counter)  # of tasks, so far

    def instances(self, dag: str) -> dict[str, dict[str, Any]]:
        """The DAG run's task instances by task."""
        run = f"/api/v2/dags/{dag}/dagRuns/{quote(self.runs[dag])}/taskInstances"
        return {one["task_id"]: one for one in self.airflow.ask("GET", run)["task_instances"]}

    def tries(self) -> dict[str, dict[str, int]]:
        return {
            dag: {task: one["try_number"] for task, one in self.instances(dag).items()}
            for dag in DAGS
        }

    def again(self, before: dict[str, dict[str, int]]) -> dict[str, set[str]]:
        """The tasks that have run once more, by DAG, once their events are in the store."""
        found = {
            dag: {task for task, number in of.items() if number == before[dag][task] + 1}
            for dag, of in self.tries().items()
        }
        for dag, tasks in found.items():
            self.ran(dag, list(tasks))
        return {dag: tasks for dag, tasks in found.items() if tasks}

    def ran(self, dag: str, tasks: list[str]) -> None:
        """Wait for the events of tasks that have run once more."""
        self.ends.update(f"{dag}.{task}" for task in tasks)
        wait_for_end(self.home, dict(self.ends))

    def rerun(self, *changed: str) -> Result:
        columns = [word for one in changed for word in ("--changed", one)]
        words = ["--store", store_url(self.home), "rerun", *columns]
        token = {"COLGRAPH_AIRFLOW_TOKEN": self.airflow.token}
        address = self.airflow.address
        return CliRunner().invoke(
            main, [*words, "--airflow", address, "--format", "json"], env=token
        )


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    home = tmp_path_factory.mktemp("reruns")
    database = twenty_tasks.furnish(home)
    with Store.open(store_url(home)) as store:
        store.keep_events()  # they have the order of the tasks
    variables = {
        "CASES_HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "AIRFLOW_CONN_SHOP": json.dumps({"conn_type": "sqlite", "host": str(database)}),
        "AIRFLOW__COLGRAPH__STORE": store_url(home),
        "AIRFLOW__OPENLINEAGE__NAMESPACE": "tests",
        "AIRFLOW__OPENLINEAGE__TRANSPORT": json.dumps(transport(home)),
    }
    with Airflow(home / "airflow", FOLDER, variables) as airflow:
        login = {"login": airflow.user, "password": airflow.password}
        airflow.variables["AIRFLOW_CONN_AIRFLOW_API"] = json.dumps(
            {"conn_type": "http", "host": airflow.address, **login}
        )
        airflow.start()
        found = Ran(home, airflow)
        for dag, tasks in DAGS.items():
            found.runs[dag] = airflow.trigger(dag)
            states = airflow.wait(dag, found.runs[dag], seconds=600)
            failed = [task for task, state in states.items() if task and state == "failed"]
            assert not failed, airflow.log_of(dag, found.runs[dag], failed[0])
            assert set(states.values()) == {"success"}
            found.ran(dag, list(tasks))
        yield found


@pytest.mark.parametrize("column", CHANGES)
def test_only_the_expected_tasks_run_and_tables_equal_a_full_rerun(
    ran: Ran, column: str, tmp_path: Path
) -> None:
    before, tries = twenty_tasks.contents(ran.home), ran.tries()
    twenty_tasks.change(ran.home, CHANGES[column])
    done = ran.rerun(column)
    assert done.exit_code == 0, done.output
    expected = {dag: set(tasks.split()) for dag, tasks in EXPECTED[column].items()}
    assert ran.again(tries) == expected
    planned = json.loads(done.stdout)
    assert {(one["dag_id"], one["task_id"]) for one in planned} == {
        (dag, task) for dag, tasks in expected.items() for task in tasks
    }
    assert {one["run_id"] for one in planned} <= set(ran.runs.values())
    assert done.stderr.splitlines() == [
        f"step {number}: {dag} {ran.runs[dag]} is cleared" for number, dag in enumerate(expected, 1)
    ]
    times = [
        [ran.instances(dag)[task][end] for task in expected[dag]]
        for dag in expected
        for end in ("start_date", "end_date")
    ]
    waited = zip(
        times[1::2], times[2::2], strict=False
    )  # the ends of a DAG, the starts of the next
    assert all(max(ends) <= min(starts) for ends, starts in waited)
    after = twenty_tasks.contents(ran.home)
    assert after == full_rerun(ran.home, tmp_path)
    assert after != before


def full_rerun(home: Path, folder: Path) -> dict[str, bytes]:
    """The tables and files of all tasks, run without Airflow on the same sources."""
    full = twenty_tasks.copy_of(home, folder / "full")
    twenty_tasks.run_all_here(full)
    return twenty_tasks.contents(full)


def test_the_operator_in_a_dag_does_the_same(ran: Ran, tmp_path: Path) -> None:
    tries = ran.tries()
    twenty_tasks.change(ran.home, CHANGES["csv.day"])
    run = ran.airflow.trigger("again")
    assert set(ran.airflow.wait("again", run).values()) == {"success"}
    assert ran.again(tries) == {
        dag: set(tasks.split()) for dag, tasks in EXPECTED["csv.day"].items()
    }
    assert twenty_tasks.contents(ran.home) == full_rerun(ran.home, tmp_path)
    assert "2. mart" in "".join(ran.airflow.log_of("again", run, "rerun"))


def test_what_airflow_refuses_is_one_line_and_clears_nothing(ran: Ran) -> None:
    tries, address, token = ran.tries(), ran.airflow.address, ran.airflow.token
    run = ran.runs["ingest"]

    def refused(step: Step, words: str, token: str = token) -> None:
        with pytest.raises(RerunError, match=words) as raised:
            rerun(Plan((step,)), clear.Airflow(address, token), lambda number, step: None)
        assert "\n" not in str(raised.value)

    refused(Step("ingest", run, (("prices", "lineage"), ("gone", "lineage"))), "not have gone: was")
    refused(Step("ingest", "gone", (("prices", "lineage"),)), "404")
    refused(Step("gone", run, (("prices", "lineage"),)), "404")
    refused(Step("ingest", run, (("prices", "lineage"),)), "403", token="wrong")
    ran.airflow.ask("PATCH", "/api/v2/dags/ingest", {"is_paused": True})
    refused(Step("ingest", run, (("prices", "lineage"),)), "The DAG ingest is paused")
    ran.airflow.ask("PATCH", "/api/v2/dags/ingest", {"is_paused": False})
    assert ran.tries() == tries


def test_a_run_that_fails_ends_the_rerun(ran: Ran, tmp_path: Path) -> None:
    tries = ran.tries()
    twenty_tasks.change(ran.home, "ALTER TABLE feed RENAME TO kept")
    done = ran.rerun("feed.price")
    run = ran.runs["ingest"]
    assert (done.exit_code, done.stderr.splitlines()[1:]) == (
        1,
        [
            f"colgraph: error: The run {run} of ingest has failed; failed tasks: prices."
            " 1 step of the plan is left."
        ],
    )
    assert ran.again(tries) == {"ingest": {"prices"}}
    twenty_tasks.change(ran.home, "ALTER TABLE kept RENAME TO feed")
    done = ran.rerun("feed.price")
    assert done.exit_code == 0, done.output
    ran.ran("ingest", ["prices"])
    ran.ran("mart", ["margins"])
    assert twenty_tasks.contents(ran.home) == full_rerun(ran.home, tmp_path)


def test_a_full_rerun_by_airflow_changes_nothing_more(ran: Ran) -> None:
    before, tries = twenty_tasks.contents(ran.home), ran.tries()
    for dag, tasks in DAGS.items():
        body = {"dag_run_id": ran.runs[dag], "dry_run": False, "only_failed": False}
        ran.airflow.ask("POST", f"/api/v2/dags/{dag}/clearTaskInstances", body)
        assert set(ran.airflow.wait(dag, ran.runs[dag]).values()) == {"success"}
        ran.ran(dag, list(tasks))
    assert ran.tries() == {
        dag: {task: number + 1 for task, number in of.items()} for dag, of in tries.items()
    }
    assert twenty_tasks.contents(ran.home) == before

"""A plan is carried out over Airflow's REST API, a step at a time."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from airflow_colgraph.check import clear
from airflow_colgraph.check.clear import Airflow, RerunError, rerun
from airflow_colgraph.check.rerun import Plan, Step
from airflow_colgraph.cli import main
from airflow_colgraph.store.store import Store
from tests.check.airflow_api import TOKEN, AirflowServer, airflow_server
from tests.check.flows import events

PLAN = Plan(
    (
        Step("a", "scheduled__2026-11-20T10:00:00+00:00", (("one", "lineage"), ("two", "lineage"))),
        Step("b/c", "r", (("three", "no lineage"),)),
        Step("a", "r2", (("four", "lineage"),)),
    )
)


@pytest.fixture
def server() -> Iterator[AirflowServer]:
    with airflow_server() as found:
        yield found


def carry_out(server: AirflowServer, token: str = TOKEN) -> list[int]:
    steps: list[int] = []
    rerun(PLAN, Airflow(server.url, token, pause=0), lambda number, step: steps.append(number))
    return steps


def test_each_step_is_cleared_when_the_one_before_has_ended(server: AirflowServer) -> None:
    assert carry_out(server) == [1, 2, 3]
    assert server.cleared == [
        (step.dag_id, step.run_id, [task for task, _ in step.tasks]) for step in PLAN.steps
    ]
    assert server.overlaps == 0


def test_a_run_that_fails_ends_the_rerun(server: AirflowServer) -> None:
    server.failing = {"three"}
    with pytest.raises(RerunError, match=r"failed tasks: three\. 1 step of the plan") as raised:
        carry_out(server)
    assert "\n" not in str(raised.value)
    assert [dag_id for dag_id, *_ in server.cleared] == ["a", "b/c"]


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("paused", "The DAG b/c is paused"),
        ("unknown", "404"),
        ("token", "401"),
        ("removed", "The run r of b/c does not have three: was the DAG changed"),
        ("running", "The run r of b/c is running. Wait until it has ended."),
    ],
)
def test_nothing_is_cleared_if_the_plan_cannot_be_carried_out(
    server: AirflowServer, what: str, words: str
) -> None:
    values = {"removed": {"three"}, "running": {("b/c", "r"): ["running"]}}
    if what != "token":
        setattr(server, what, values.get(what, {"b/c"}))
    with pytest.raises(RerunError, match=words) as raised:
        carry_out(server, token="wrong" if what == "token" else TOKEN)
    assert server.cleared == []
    assert "wrong" not in str(raised.value)


def test_an_address_that_is_none() -> None:
    with pytest.raises(RerunError, match="is not a URL"):
        Airflow("airflow", "")


def invoke(url: str, *words: str) -> Result:
    words = ("--store", url, "rerun", "--changed", "feed.price", *words)
    return CliRunner().invoke(main, words, env={"COLGRAPH_AIRFLOW_TOKEN": TOKEN})


def test_the_command(
    server: AirflowServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clear.Airflow.__init__, "__defaults__", (0.0,))
    url = f"sqlite:///{tmp_path}/colgraph.db"
    store = Store.open(url)
    store.keep_events()
    store.add(events())
    done = invoke(url, "--airflow", server.url)
    assert done.exit_code == 0, done.output
    assert server.cleared == [("ingest", "run_0", ["prices"]), ("mart", "run_0", ["margins"])]
    assert done.stderr.splitlines() == [
        "step 1: ingest run_0 is cleared",
        "step 2: mart run_0 is cleared",
    ]
    server.failing = {"margins"}
    done = invoke(url, "--airflow", server.url)
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (
        1,
        "colgraph: error: The run run_0 of mart has failed; failed tasks: margins.",
    )
    both = invoke(url, "--airflow", server.url, "--dry-run")
    assert (both.exit_code, invoke(url).exit_code) == (2, 2)
    assert len(server.cleared) == 4

"""The page inside a real Airflow, with its users, in a real browser."""

import json
import time
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from airflow_colgraph.operators.links import LineageLink
from airflow_colgraph.views import task_url
from dev.demo_airflow import Airflow
from tests.graph_answers import edges_of
from tests.ui.conftest import Browse

pytestmark = [pytest.mark.ui, pytest.mark.airflow, pytest.mark.xdist_group("airflow")]


def status(url: str, token: str = "", data: bytes | None = None) -> tuple[int, str]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        with urlopen(Request(url, data, headers), timeout=60) as response:
            return response.status, response.read().decode()
    except HTTPError as error:
        return error.code, error.read().decode()


def begin_runs(airflow: Airflow) -> None:
    """Runs of a DAG that stays paused: its task instances have pages, but nothing is started."""
    deadline = time.monotonic() + 180
    while status(f"{airflow.address}/api/v2/dags/cases", airflow.token)[0] != 200:
        assert time.monotonic() < deadline, "Airflow has not found the DAG"
        time.sleep(0.5)
    for run in ("first", "second"):
        body = {"dag_run_id": run, "logical_date": None}
        airflow.ask("POST", "/api/v2/dags/cases/dagRuns", body)


def keep_link(airflow: Airflow, run: str, task: str, url: str) -> None:
    """What a worker does when a task of ours has ended: keep the address of its link."""
    task_instance = f"/api/v2/dags/cases/dagRuns/{run}/taskInstances/{task}"
    body = {"key": LineageLink().xcom_key, "value": url}
    airflow.ask("POST", f"{task_instance}/xcomEntries", body)


def test_the_page_in_airflow(
    airflow: Airflow, browse: Browse, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugins = airflow.ask("GET", "/api/v2/plugins?limit=100")["plugins"]
    ours = next(plugin for plugin in plugins if plugin["name"] == "colgraph")
    assert {view["destination"] for view in ours["external_views"]} == {
        "nav",
        "dag",
        "dag_run",
        "task",
        "task_instance",
    }
    api = f"{airflow.address}/colgraph/api/v1"
    token = airflow.token
    for route in ("datasets", "upstream?namespace=n&name=mart", "tasks?dag_id=cases"):
        assert status(f"{api}/{route}")[0] == 401
        assert status(f"{api}/{route}", "wrong")[0] in {401, 403}
        assert status(f"{api}/{route}", token)[0] == 200
    assert status(f"{api}/lineage", token, b"{}")[0] == 403
    assert status(f"{api}/namespaces", token)[0] == 403
    cdap = f"{airflow.address}/colgraph/v3/namespaces/n/datasets/mart"
    fields = f"{cdap}/lineage/fields?start=0&end=now"
    assert [status(fields)[0], status(fields, token)[0]] == [401, 200]
    hidden, unknown = (
        status(f"{api}/tasks?dag_id={dag}", token) for dag in ("elsewhere", "nowhere")
    )
    assert hidden[0] == 404
    assert hidden[1].replace("elsewhere", "nowhere") == unknown[1]
    edges = {}
    for name in ("mart", "secret"):
        answer = status(f"{api}/upstream?namespace=n&name={name}", token)[1]
        edges[name] = sorted(
            (edge["subtype"], [report["job"]["name"] for report in edge["reported_by"]])
            for edge in edges_of(json.loads(answer))
        )
    assert edges == {
        "mart": [("IDENTITY", ["cases.totals"]), ("IDENTITY", ["lonely.job"])],
        "secret": [("RESTRICTED", [])],
    }
    begin_runs(airflow)
    monkeypatch.setenv("AIRFLOW__API__BASE_URL", airflow.address)
    button = task_url("cases", "first", "totals")
    keep_link(airflow, "first", "totals", button)
    passed = browse(
        "airflow.mjs",
        COLGRAPH_ADDRESS=airflow.address,
        AIRFLOW_USER=airflow.user,
        AIRFLOW_PASSWORD=airflow.password,
        DEEP_LINK=task_url("cases", "first", "mapped", 1),
        BUTTON_LINK=button,
    )
    assert passed == 11

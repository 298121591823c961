"""The page inside a real Airflow, with its users, in a real browser."""

import json
import subprocess
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from airflow_colgraph.store.store import Store
from dev import build_ui
from dev.demo_airflow import Airflow
from tests.store.samples import copy

pytestmark = [pytest.mark.ui, pytest.mark.airflow, pytest.mark.xdist_group("airflow")]

HERE = Path(__file__).parent
DAGS = HERE.parent / "airflow" / "dags"


def status(url: str, token: str = "", data: bytes | None = None) -> tuple[int, str]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        with urlopen(Request(url, data, headers), timeout=60) as response:
            return response.status, response.read().decode()
    except HTTPError as error:
        return error.code, error.read().decode()


def test_the_page_in_airflow(tmp_path: Path, chromium: str) -> None:
    build_ui.build()
    url = f"sqlite:///{tmp_path}/store.db"
    store = Store.open(url)
    for dag, dataset in (("cases", "mart"), ("elsewhere", "secret")):
        event = copy(f"{dag}.totals", 10, dataset, {"t": "raw.a"})
        event["run"]["facets"] = {
            "airflow": {"dag": {"dag_id": dag}, "task": {"task_id": "totals"}}
        }
        store.add([event])
    store.close()
    variables = {"COLGRAPH_STORE": url, "CASES_HOME": str(tmp_path)}
    with Airflow(tmp_path / "airflow", DAGS, variables) as airflow:
        airflow.start()
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
        login = {"username": airflow.user, "password": airflow.password}
        token = airflow.ask("POST", "/auth/token", login)["access_token"]
        for route in ("datasets", "upstream?namespace=n&name=mart", "outputs?dag_id=cases"):
            assert status(f"{api}/{route}")[0] == 401
            assert status(f"{api}/{route}", "wrong")[0] in {401, 403}
            assert status(f"{api}/{route}", token)[0] == 200
        assert status(f"{api}/lineage", token, b"{}")[0] == 403
        for route in ("api/v1/namespaces", "v3/namespaces/colgraph/api/v1/datasets/a/fields"):
            assert status(f"{airflow.address}/colgraph/{route}", token)[0] == 403
        edges = {}
        for name in ("mart", "secret"):
            answer = status(f"{api}/upstream?namespace=n&name={name}", token)[1]
            (edge,) = json.loads(answer)["edges"]
            edges[name] = (edge["subtype"], [said["job"]["name"] for said in edge["said"]])
        assert edges == {"mart": ("IDENTITY", ["cases.totals"]), "secret": ("RESTRICTED", [])}
        where = {
            "COLGRAPH_ADDRESS": airflow.address,
            "COLGRAPH_CHROMIUM": chromium,
            "AIRFLOW_USER": airflow.user,
            "AIRFLOW_PASSWORD": airflow.password,
        }
        done = subprocess.run(
            ["node", "--test", str(HERE / "airflow.mjs")],
            env=build_ui.environment() | where,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=240,
        )
        assert done.returncode == 0, done.stdout

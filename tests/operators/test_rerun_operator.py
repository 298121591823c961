"""ColgraphRerunOperator: plans by the store, and clears over Airflow's API.

In a DAG of a real Airflow: tests/airflow/test_rerun.py.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.check import clear
from airflow_colgraph.check.clear import RerunError
from airflow_colgraph.operators.rerun import ColgraphRerunOperator
from airflow_colgraph.store.errors import UnknownNode
from airflow_colgraph.store.store import Store
from tests.check.airflow_api import PASSWORD, TOKEN, USER, AirflowServer, airflow_server
from tests.check.flows import events


@pytest.fixture
def store(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'lineage.db'}"
    opened = Store.open(url)
    opened.keep_events()
    opened.add(events())
    opened.close()
    return url


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[AirflowServer]:
    monkeypatch.setattr(clear.Airflow.__init__, "__defaults__", (0.0,))
    with airflow_server() as found:
        yield found


def connect(monkeypatch: pytest.MonkeyPatch, server: AirflowServer, **given: str) -> None:
    host, port = server.server_address[:2]
    connection = {"conn_type": "http", "host": host, "port": port, **given}
    monkeypatch.setenv("AIRFLOW_CONN_AIRFLOW_API", json.dumps(connection))


def operator(**given: Any) -> ColgraphRerunOperator:
    return ColgraphRerunOperator(task_id="again", **{"changed": ["feed.price"], **given})


@pytest.mark.parametrize(
    "login", [{"password": TOKEN}, {"login": USER, "password": PASSWORD}], ids=["token", "user"]
)
def test_it_clears_the_tasks_and_returns_the_plan(
    store: str, server: AirflowServer, login: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    connect(monkeypatch, server, **login)
    found = operator(conn_id="airflow_api", store=store).execute({})
    assert [(one["step"], one["dag_id"], one["task_id"]) for one in found] == [
        (1, "ingest", "prices"),
        (2, "mart", "margins"),
    ]
    assert server.cleared == [("ingest", "run_0", ["prices"]), ("mart", "run_0", ["margins"])]


def test_without_a_connection_it_only_plans(store: str, server: AirflowServer) -> None:
    assert [one["task_id"] for one in operator(store=store).execute({})] == ["prices", "margins"]
    assert server.cleared == []


def test_what_cannot_be_done_fails_the_task(
    store: str, server: AirflowServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect(monkeypatch, server, login=USER, password="no-password")
    with pytest.raises(RerunError, match="auth/token: 401") as raised:
        operator(conn_id="airflow_api", store=store).execute({})
    assert "no-password" not in str(raised.value)
    connect(monkeypatch, server, password=TOKEN)
    server.running["mart", "run_0"] = ["running"]
    with pytest.raises(RerunError, match="The run run_0 of mart is running"):
        operator(conn_id="airflow_api", store=store).execute({})
    with pytest.raises(UnknownNode):
        operator(changed=["feed.none"], store=store).execute({})
    assert server.cleared == []


@pytest.mark.parametrize("changed", [[], "feed.price"])
def test_wrong_arguments_fail_the_import(changed: Any) -> None:
    with pytest.raises(ValueError, match="as a list"):
        operator(changed=changed)


def test_templates_are_rendered(store: str) -> None:
    made = operator(changed=["{{ column }}"], since="{{ since }}", store="{{ store }}")
    made.render_template_fields({"column": "crm.mail", "since": "2026-11-01", "store": store})
    assert {one["dag_id"] for one in made.execute({})} == {"ingest", "mart", "report"}

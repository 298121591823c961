import json
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph import conf
from airflow_colgraph.views import store_url, task_url, transport_url, views

OURS = {"type": "airflow_colgraph.transport.StoreTransport", "url": "sqlite:///x.db"}
OTHER = {"type": "http", "url": "http://localhost"}


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLGRAPH_STORE", raising=False)
    conf.store.cache_clear()


@pytest.mark.parametrize(
    ("transport", "url"),
    [
        (OURS, "sqlite:///x.db"),
        (OTHER, None),
        ({"type": "composite", "transports": [OTHER, OURS]}, "sqlite:///x.db"),
        ({"type": "composite", "transports": {"a": OTHER, "b": OURS}}, "sqlite:///x.db"),
        ({"type": "composite", "transports": {"a": {"transports": [OURS]}}}, "sqlite:///x.db"),
        ({"type": "composite"}, None),
        ([], None),
        ("text", None),
    ],
)
def test_the_store_that_the_events_go_to(transport: Any, url: str | None) -> None:
    assert transport_url(transport) == url


def test_the_option_wins_over_the_transport(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__OPENLINEAGE__TRANSPORT", json.dumps(OURS))
    assert store_url() == "sqlite:///x.db"
    conf.store.cache_clear()
    monkeypatch.setenv("COLGRAPH_STORE", "sqlite:///settings.db")
    assert store_url() == "sqlite:///settings.db"
    conf.store.cache_clear()
    monkeypatch.delenv("COLGRAPH_STORE")
    monkeypatch.setenv("AIRFLOW__OPENLINEAGE__TRANSPORT", "{no json")
    assert store_url() is None


def test_the_tabs_carry_the_path_of_airflows_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__API__BASE_URL", "https://host/team/airflow/")
    assert {view["destination"]: view["href"] for view in views()} == {
        "nav": "/team/airflow/colgraph/",
        "dag": "/team/airflow/colgraph/?dag_id={DAG_ID}",
        "dag_run": "/team/airflow/colgraph/?dag_id={DAG_ID}&run_id={RUN_ID}",
        "task": "/team/airflow/colgraph/?dag_id={DAG_ID}&task_id={TASK_ID}",
        "task_instance": "/team/airflow/colgraph/?dag_id={DAG_ID}&task_id={TASK_ID}"
        "&run_id={RUN_ID}&map_index={MAP_INDEX}",
    }
    routes = [view["url_route"] for view in views()]
    assert len(set(routes)) == len(routes)


@pytest.mark.parametrize(
    ("base", "map_index", "address"),
    [
        ("https://host/team/", -1, "https://host/team/dags/d/runs/r%3A1/tasks/g.t"),
        ("", 2, "/dags/d/runs/r%3A1/tasks/g.t/mapped/2"),
    ],
)
def test_the_address_of_a_task_instances_tab(
    monkeypatch: pytest.MonkeyPatch, base: str, map_index: int, address: str
) -> None:
    monkeypatch.setenv("AIRFLOW__API__BASE_URL", base)
    assert task_url("d", "r:1", "g.t", map_index) == f"{address}/plugin/colgraph-task-instance"


def test_the_plugin_itself_imports_no_server() -> None:
    text = (Path(conf.__file__).parent / "plugin.py").read_text()
    at_import = [line for line in text.splitlines() if line.startswith(("import", "from"))]
    assert [line for line in at_import if "fastapi" in line or "web" in line] == []

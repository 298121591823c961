"""Columns that are gone are marked in files with drawings of the lineage of now."""

import pytest
from fastapi.testclient import TestClient

from airflow_colgraph.api.app import create_app
from airflow_colgraph.store.store import Store
from tests.store.samples import copy_event, memory_store, run_id

MARKS = {"mermaid": '"b (gone)"', "dot": "<s>b</s> (gone)"}
ROUTES = {
    "upstream": {"namespace": "n", "name": "report"},
    "graph": {"namespace": "n", "name": "report"},
    "tasks": {"dag_id": "shop"},
}


@pytest.fixture
def client() -> TestClient:
    """A report that still uses `mart.b`, which the latest run of `mart` no longer writes."""
    store: Store = memory_store()
    report = copy_event("shop.report", 5, "report", {"x": "mart.a", "y": "mart.b"})
    report["run"]["facets"] = {
        "airflow": {
            "dag": {"dag_id": "shop"},
            "dagRun": {"run_id": "first"},
            "task": {"task_id": "report"},
            "taskInstance": {"try_number": 1},
        },
        "parent": {"run": {"runId": run_id(1000)}, "job": {"namespace": "n", "name": "shop"}},
    }
    store.add(
        [
            copy_event("shop.mart", 1, "mart", {"a": "raw.a", "b": "raw.b"}),
            report,
            copy_event("shop.mart", 9, "mart", {"a": "raw.a"}),
        ]
    )
    return TestClient(create_app(store))


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("format_", MARKS)
def test_a_gone_column_is_marked_now(client: TestClient, route: str, format_: str) -> None:
    text = client.get(f"/api/v1/{route}", params={**ROUTES[route], "format": format_}).text
    assert MARKS[format_] in text
    assert text.count("(gone)") == 1


@pytest.mark.parametrize("format_", MARKS)
def test_nothing_is_marked_at_another_time(client: TestClient, format_: str) -> None:
    for route, query in (
        ("upstream", {**ROUTES["upstream"], "at": "2026-11-20T12:06:00Z"}),
        ("tasks", {"dag_id": "shop", "run_id": "first"}),
    ):
        text = client.get(f"/api/v1/{route}", params={**query, "format": format_}).text
        assert "y" in text
        assert "(gone)" not in text

"""A route that has looked at nothing is no answer of 200, and one that reads creates no store.

No earlier test could see it: each had a store, and asked for fields and tags that it has.
"""

from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from airflow_colgraph.api.app import create_app
from airflow_colgraph.store.store import Store

GIVEN = {"namespace": "n", "name": "mart", "field": "t", "since": "now-1d", "before": "now-1d"}
OTHERS = {"q": "x", "tag": "pii", "job": "shop.mart", "period": "DAY"}
OF_NODES = {"nodeId": "dataset:n:mart", "to_namespace": "n", "to_name": "raw", "to_field": "a"}
ASKED = {**GIVEN, **OTHERS, **OF_NODES, "dataset": '["n", "mart"]', "of": '["jobs", "m"]'}

TOLD_OTHERWISE = {"/livez", "/metrics"}  # the process lives; a metric says that the store does not


def routes(app: FastAPI) -> dict[str, set[str]]:
    """The routes that read, without those of which the path has the names; their parameters."""
    paths: dict[str, Any] = app.openapi()["paths"]
    return {
        path: {one["name"] for one in operations["get"].get("parameters", ())}
        for path, operations in paths.items()
        if "get" in operations and "{" not in path
    }


@pytest.mark.parametrize("place", ["typo/x.db", "empty.db"])
def test_a_route_that_reads_creates_no_store(tmp_path: Path, place: str) -> None:
    (tmp_path / "empty.db").touch()
    store = Store(f"sqlite:///{tmp_path / place}")
    app = create_app(store)
    client = TestClient(app)
    asked = {
        path: {**ASKED, **({} if "name" in names else {"dag_id": "shop"})}
        for path, names in routes(app).items()
    }
    answers = {path: client.get(path, params=words).status_code for path, words in asked.items()}
    assert "colgraph_store_up 0.0" in client.get("/metrics").text
    store.close()
    assert len(answers) > 30
    wrong = {path for path, status in answers.items() if status != 503} - TOLD_OTHERWISE
    assert not wrong, {path: client.get(path, params=asked[path]).text for path in wrong}
    assert [file.name for file in tmp_path.iterdir()] == ["empty.db"]
    assert (tmp_path / "empty.db").stat().st_size == 0


@pytest.mark.parametrize("part", ["name", "field"])
def test_a_name_that_is_not_known_is_404_with_a_similar_one(client: TestClient, part: str) -> None:
    app = client.app
    assert isinstance(app, FastAPI)
    asked = [path for path, names in routes(app).items() if {"name", part} <= names]
    assert len(asked) > 8
    for path in asked:
        answer = client.get(path, params={**ASKED, part: {"name": "mrat", "field": "tt"}[part]})
        assert answer.status_code == 404, (path, answer.text)
        assert answer.json()["error"].endswith(f" {ASKED[part]}."), (path, answer.text)


def test_a_tag_that_was_never_set_is_404(client: TestClient) -> None:
    answer = client.get("/api/v1/tagged", params={"tag": "pii"})
    assert answer.status_code == 404
    why = "No tag that matches 'pii' is or was set. Tags: none."
    assert answer.json() == {"error": why}

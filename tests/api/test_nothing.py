"""A route that has looked at nothing is no answer of 200, and one that reads creates no store.

No earlier test could see it: each had a store, and asked for fields and tags that it has.
"""

from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from airflow_colgraph.api.access import Access
from airflow_colgraph.api.app import create_app
from airflow_colgraph.store.store import Store
from tests.api.test_tasks import task_event
from tests.store.samples import copy_event, memory_store

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


OF_TASKS = {"dag_id": "shpo", "task_id": "laod", "run_id": "manual__2"}
OF_TASK = {"dag_id": "shop", "task_id": "load", "run_id": "manual__1"}
UNKNOWN_TASKS = {
    "dag_id": "DAG 'shpo' is not in the store. Similar names: shop.",
    "task_id": "Task 'laod' of DAG 'shop' is not in the store. Similar names: load.",
    "run_id": "Run 'manual__2' of 'shop' is not in the store. Similar names: manual__1.",
}


@pytest.mark.parametrize("part", OF_TASKS)
def test_a_dag_task_or_run_that_is_not_known_is_404_with_a_similar_one(part: str) -> None:
    """They answered with an empty list."""
    store = memory_store()
    hidden = {"dag": {"dag_id": "shpoo"}, "task": {"task_id": "load"}}
    store.add([task_event("load", 1, 1, "raw.a"), copy_event("s.t", 2, "t", {}, airflow=hidden)])
    access = Access(frozenset({"shop"}))
    app = create_app(store, lambda request, scope: access)
    client = TestClient(app)
    asked = [path for path, names in routes(app).items() if {"dag_id", part} <= names]
    assert len(asked) > (1 if part == "run_id" else 2)
    for path in asked:
        assert client.get(path, params=OF_TASK).status_code == 200, path
        answer = client.get(path, params={**OF_TASK, part: OF_TASKS[part]})
        assert (answer.status_code, answer.json()) == (404, {"error": UNKNOWN_TASKS[part]}), path


def test_a_namespace_or_job_that_is_not_known_is_404_with_a_similar_one(client: TestClient) -> None:
    paths = ("datasets", "jobs", "namespaces/jbos/datasets", "namespaces/jbos/jobs")
    for path in paths:
        answer = client.get(f"/api/v1/{path}", params={"namespace": "jbos"})
        why = "Namespace 'jbos' is not in the store. Similar names: jobs."
        assert (answer.status_code, answer.json()) == (404, {"error": why}), path
    assert client.get("/api/v1/datasets", params={"namespace": "jobs"}).json()["datasets"] == []
    for job, why in (("shop.mart", "It is in 'jobs'."), ("shop.mrat", "Similar names: shop.mart,")):
        answer = client.get("/api/v1/runs", params={"namespace": "n", "job": job})
        assert f"Job '{job}' is not in namespace 'n'. {why}" in answer.json()["error"]


def test_a_tag_that_was_never_set_is_404(client: TestClient) -> None:
    answer = client.get("/api/v1/tagged", params={"tag": "pii"})
    assert answer.status_code == 404
    why = "No tag that matches 'pii' is or was set. Tags: none."
    assert answer.json() == {"error": why}

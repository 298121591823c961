"""Tags over REST: where they are, who may change them, and what a caller may see of the path."""

from typing import Any

import pytest
from fastapi import Request
from fastapi.testclient import TestClient

from airflow_colgraph.api.access import Access
from airflow_colgraph.api.api_key_auth import require_api_key
from airflow_colgraph.api.app import create_app
from airflow_colgraph.store.admin import api_keys
from airflow_colgraph.store.model.tag_travel import TravelRule
from airflow_colgraph.store.query.tags import tags_of
from airflow_colgraph.store.store import Store
from tests.store.samples import run_id
from tests.ui.roles import LOG

PATH = "/api/v1/dataset-tags"
TAG = {"namespace": "n", "name": "raw", "field": "b", "tag": "pii=email"}


def change(client: TestClient, *changes: Any, **more: Any) -> Any:
    return client.post(PATH, json=list(changes), **more)


def tags(client: TestClient, name: str = "mart", **more: str) -> list[tuple[str | None, str]]:
    answer = client.get(PATH, params={"name": name, **more})
    assert answer.status_code == 200, answer.text
    return [(one["field"], one["tag"]) for one in answer.json()["tags"]]


def test_set_ask_and_remove(client: TestClient) -> None:
    assert change(client, TAG, {**TAG, "field": None, "tag": "old"}).json() == {"changed": 2}
    (found,) = client.get(PATH, params={"name": "mart", "namespace": "n"}).json()["tags"][1:]
    assert (found["field"], found["tag"], found["value"]) == ("t", "pii=email", "email")
    assert found["path"][0]["job"] == "shop.mart"
    assert found["path"][0]["run"] == run_id(30)
    assert found["path"][0]["input"] == {"namespace": "n", "name": "raw", "field": "b"}
    assert tags(client, "raw") == [(None, "old"), ("b", "pii=email")]
    everywhere = client.get("/api/v1/tagged", params={"tag": ["pii", "x"]}).json()
    assert [one["name"] for one in everywhere["tags"]] == ["mart", "raw"]
    assert everywhere["truncated"] is False
    assert change(client, {**TAG, "remove": True}).json() == {"changed": 1}
    assert tags(client) == [("t", "old")]
    assert tags(client, at="2026-01-01") == []


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({"name": "raw"}, 400, "Input should be a valid list"),
        ([{"name": "raw"}], 400, "0.tag: Field required"),
        ([{**TAG, "more": 1}], 400, "0.more: Extra inputs are not permitted"),
        ([{**TAG, "tag": "="}], 400, "Tag is '='."),
        ([TAG, {**TAG, "field": "none"}], 404, "Field 'none' is not in raw."),
        ([{**TAG, "remove": True}], 404, "Tag 'pii=email' is not on raw.b."),
    ],
)
def test_what_is_wrong_changes_nothing(
    client: TestClient, store: Store, body: Any, status: int, message: str
) -> None:
    answer = client.post(PATH, json=body)
    assert answer.status_code == status
    assert message in answer.json()["error"]
    with store.connection() as connection:
        assert tags_of(connection) == []


def test_another_origin_writes_nothing(client: TestClient, store: Store) -> None:
    assert change(client, TAG, headers={"Origin": "http://evil.test"}).status_code == 403
    text = {"content": "[]", "headers": {"Content-Type": "text/plain"}}
    assert client.post(PATH, **text).status_code == 415  # type: ignore[arg-type]
    with store.connection() as connection:
        assert tags_of(connection) == []


def test_a_change_needs_its_own_scope_and_has_the_key_s_name(store: Store) -> None:
    client = TestClient(create_app(store, require_api_key(store)))
    keys = {
        scope: {"Authorization": f"Bearer {api_keys.add(store, f'{scope} key', [scope])}"}
        for scope in api_keys.SCOPES
    }
    assert change(client, TAG).status_code == 401
    for scope in ("read", "ingest"):
        answer = change(client, TAG, headers=keys[scope])
        assert answer.status_code == 403
        assert answer.json() == {"error": "The API key does not allow tag."}
    assert change(client, TAG, headers=keys["tag"]).status_code == 200
    assert client.get(PATH, params={"name": "raw"}, headers=keys["tag"]).status_code == 403
    found = client.get(PATH, params={"name": "raw"}, headers=keys["read"]).json()["tags"]
    assert [one["set"]["by"] for one in found] == ["tag key"]


def test_the_jobs_of_other_dags_are_left_out(store: Store) -> None:
    store.add(LOG)

    def only_ends(request: Request, scope: str) -> Access:
        return Access(frozenset({"ends"}))

    def found(client: TestClient) -> Any:
        answer = client.get(PATH, params={"name": "mart", "namespace": "n"}).json()["tags"]
        whole, column = (one for one in answer if one["tag"] == "pii")
        assert (whole["field"], column["field"]) == (None, "t")
        steps = (one["path"][0] for one in (whole, column))
        return {(step["job"], step["transformation"]["subtype"]) for step in steps}

    # The task could not resolve all columns that it reads, so the whole dataset has the tag.
    job = "cases.totals"
    assert found(TestClient(create_app(store))) == {(job, ""), (job, "IDENTITY")}
    assert found(TestClient(create_app(store, only_ends))) == {(None, "RESTRICTED")}


def test_the_server_s_rules_count(store: Store) -> None:
    rules = (TravelRule(aggregation=False),)
    client = TestClient(create_app(store, tag_rules=rules))
    assert change(client, TAG).status_code == 200
    assert tags(client) == []

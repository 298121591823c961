"""Huge and odd values of every parameter of every route: an answer, or a refusal in one line."""

from typing import Any
from urllib.parse import quote, urlencode

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from airflow_colgraph.api.responses import MOST_SHOWN
from airflow_colgraph.store.store import Store
from tests.api.conftest import log
from tests.store.conftest import migrated_postgres, migrated_sqlite, postgres_url  # noqa: F401
from tests.store.conftest import store as empty_store  # noqa: F401
from tests.store.samples import copy_event

VALUES = {"long": "a" * 60_000, "number": "9" * 30, "no text": "%_\\\0\r\n' --"}
REQUIRED = {"name": "mart", "namespace": "n", "field": "t", "nodeId": "dataset:n:mart"}


@pytest.fixture
def store(empty_store: Store) -> Store:  # noqa: F811
    """The log in each database."""
    empty_store.add(log())
    return empty_store


def requests(app: FastAPI, value: str) -> list[str]:
    """Each route with the value in one parameter, of its path or query."""
    found = []
    for path, operations in app.openapi()["paths"].items():
        parameters: list[dict[str, Any]] = operations.get("get", {}).get("parameters", [])
        for given in parameters:
            address, query = path, {}
            for one in parameters:
                chosen = value if one is given else REQUIRED.get(one["name"], "n")
                if one["in"] == "path":
                    address = address.replace(f"{{{one['name']}}}", quote(chosen, safe=""))
                elif one is given or one.get("required"):
                    query[one["name"]] = chosen
            found.append(f"{address}?{urlencode(query)}")
    return found


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())
def test_every_parameter_takes_any_value(client: TestClient, app: FastAPI, value: str) -> None:
    asked = requests(app, value)
    assert len(asked) > 150
    for url in asked:
        answer = client.get(url)
        assert answer.status_code < 500, (url[:200], answer.text)
        if answer.status_code >= 400:
            (message,) = answer.json().values()
            assert "\n" not in message, url[:200]
            assert len(message) <= MOST_SHOWN + 3, url[:200]


def test_a_text_is_looked_for_as_it_is(client: TestClient) -> None:
    def found(text: str) -> list[str]:
        answer = client.get("/api/v1/datasets", params={"q": text})
        assert answer.status_code == 200
        return [one["name"] for one in answer.json()["datasets"]]

    assert found("ART") == ["mart"]
    assert found("%") == found("_") == found("\\") == []


def test_a_job_with_a_long_name_is_found(client: TestClient, store: Store) -> None:
    """SQLite refuses a pattern of LIKE that long; names are kept up to 1 MB."""
    name = "job_" + "x" * 55_000
    store.add(copy_event(name, 1, "mart", {"x": "raw.a"}))
    answer = client.get(f"/api/v1/namespaces/jobs/jobs/{name}")
    assert (answer.status_code, answer.json()["name"]) == (200, name)

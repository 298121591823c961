"""What a browser sends at another site's wish is refused; tests/ui/origin.mjs does so in one."""

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from airflow_colgraph.api.app import create_app
from airflow_colgraph.cli.serve import served_names
from tests.api.test_app import EVENT
from tests.store.samples import memory_store

SERVED = {
    "127.0.0.1:8765": 200,
    "127.8.8.8": 200,
    "LOCALHOST:8765": 200,
    "[::1]:8765": 200,
    "lineage.test": 200,
    "Lineage.Test:443": 200,
    "evil.test": 421,
    "evil.test:8765": 421,
    "localhost.evil.test": 421,
    "127.0.0.1.evil.test": 421,
    "127.0.0.1@evil.test": 421,
    "evil.test/127.0.0.1": 421,
    "0.0.0.0:8765": 421,
    "10.0.0.1": 421,
    "[::1]evil.test": 421,
    "": 421,
}


@pytest.fixture(scope="module")
def guarded() -> FastAPI:
    names = served_names("127.0.0.1", ["lineage.test"])
    return create_app(memory_store(), is_served=names)


@pytest.mark.parametrize(("host", "status"), SERVED.items())
def test_a_foreign_host_is_not_served(guarded: FastAPI, host: str, status: int) -> None:
    answer = TestClient(guarded).get("/health", headers={"Host": host})
    assert answer.status_code == status
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    if status == 421:
        assert answer.json() == {
            "error": "The server has another name: start it with --allowed-host."
        }


def test_of_several_hosts_each_is_checked(guarded: FastAPI) -> None:
    hosts = [("Host", "127.0.0.1"), ("Host", "evil.test")]
    assert TestClient(guarded).get("/health", headers=hosts).status_code == 421


@pytest.mark.parametrize("probe", ["/livez", "/readyz"])
def test_a_probe_is_answered_under_a_pods_address(guarded: FastAPI, probe: str) -> None:
    assert TestClient(guarded).get(probe, headers={"Host": "10.1.2.3:8765"}).status_code == 200
    assert TestClient(guarded).get("/metrics", headers={"Host": "10.1.2.3"}).status_code == 421


def test_which_names_a_server_has() -> None:
    assert served_names("0.0.0.0", []) is None
    only = served_names("0.0.0.0", ["Lineage.test", "[::1]"])
    assert only is not None
    assert [only(name) for name in ("lineage.test", "::1", "localhost")] == [True, True, False]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 201),
        ({"Origin": "http://127.0.0.1"}, 201),
        ({"Origin": "https://127.0.0.1", "Sec-Fetch-Site": "same-origin"}, 201),
        ({"Sec-Fetch-Site": "none"}, 201),
        ({"Origin": "http://127.0.0.1:9999"}, 403),
        ({"Origin": "http://localhost"}, 403),
        ({"Origin": "http://evil.test"}, 403),
        ({"Origin": "http://127.0.0.1.evil.test"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
    ],
)
def test_no_page_of_another_origin_writes(
    guarded: FastAPI, headers: dict[str, str], status: int
) -> None:
    client = TestClient(guarded)
    sent = {"Host": "127.0.0.1", **headers}
    answer = client.post("/api/v1/lineage", json=EVENT, headers=sent)
    assert answer.status_code == status
    for method, path in (("DELETE", "jobs"), ("PUT", "dataset-tags")):  # no route has these
        refused = client.request(method, f"/api/v1/{path}", headers=sent).status_code
        assert refused == (403 if status == 403 else 405)


@pytest.mark.parametrize(
    "kind", ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "json"]
)
def test_a_write_is_json(guarded: FastAPI, kind: str) -> None:
    """A page can send the other types without asking the server first."""
    headers = {"Host": "localhost"} | ({"Content-Type": kind} if kind else {})
    for route in ("lineage", "lineage/batch"):
        answer = TestClient(guarded).post(f"/api/v1/{route}", content=b"[]", headers=headers)
        assert answer.status_code == 415
        assert answer.json()["error"].startswith("Content-Type is ")


def test_the_charset_may_be_named(guarded: FastAPI) -> None:
    headers = {"Host": "localhost", "Content-Type": "Application/JSON; charset=utf-8"}
    answer = TestClient(guarded).post("/api/v1/lineage", content=b"[]", headers=headers)
    assert answer.status_code == 201

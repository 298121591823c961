import gzip
import json
import zlib
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from airflow_colgraph.api import request_body
from airflow_colgraph.api.access import Access
from airflow_colgraph.api.api_key_auth import require_api_key
from airflow_colgraph.api.app import HEADERS, create_app
from airflow_colgraph.store.admin import api_keys
from airflow_colgraph.store.store import Store
from tests.graph_answers import edges_of
from tests.store.samples import at, copy_event, memory_store

EVENT = copy_event("j", 1, "d", {"x": "s.y"})


def routes(app: FastAPI) -> list[tuple[str, str]]:
    """Every (method, path) of the OpenAPI document."""
    paths = app.openapi()["paths"]
    return [(method, path) for path, methods in paths.items() for method in methods]


def test_every_error_has_one_shape(client: TestClient) -> None:
    """Also of every route asked for something that there is not, or in a wrong way."""
    seen = set()
    for method, path in routes(client.app):  # type: ignore[arg-type]
        for nonsense in ("%00", "none", "0199aaaa-0000-7000-8000-00000000ffff"):
            url = path
            while "{" in url:
                url = url[: url.index("{")] + nonsense + url[url.index("}") + 1 :]
            for query in ("", "?start=x&end=y&name=none&q=none&job=none&namespace=none&before=x"):
                response = client.request(method, url + query)
                seen.add(response.status_code)
                assert response.status_code != 500, (method, url, query)
                if response.status_code >= 400:
                    assert list(response.json()) == ["error"], (method, url, query)
                    assert "Traceback" not in response.text
    assert {200, 400, 404} <= seen
    assert client.get("/nope").json() == {"error": "Not Found"}
    assert client.delete("/health").json() == {"error": "Method Not Allowed"}


@pytest.mark.parametrize(
    "query",
    [
        "datasets?offset=5112448184839331387220688896",
        "jobs?limit=404&offset=775038547302051474545615523681402880",
        "upstream?name=mart&start=now-99999999999999999w",
        "upstream?name=mart&depth=99999999999999999999",
        "history?name=mart&end=9999-12-31",
    ],
)
def test_numbers_that_no_database_takes(client: TestClient, query: str) -> None:
    response = client.get(f"/api/v1/{query}")
    assert (response.status_code, list(response.json())) == (400, ["error"])


def test_a_bug_of_ours_shows_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("airflow_colgraph.store.query.listing.datasets", fails)
    client = TestClient(create_app(store), raise_server_exceptions=False)
    response = client.get("/api/v1/datasets")
    assert (response.status_code, response.json()) == (
        500,
        {"error": "Internal server error; see the server's log."},
    )


def test_every_answer_has_the_security_headers(client: TestClient) -> None:
    for path in ("/health", "/api/v1/datasets", "/nope"):
        headers = client.get(path).headers
        assert {name: headers.get(name) for name in HEADERS} == HEADERS


def test_the_documentation_needs_nothing_from_elsewhere(client: TestClient) -> None:
    assert [client.get(path).status_code for path in ("/docs", "/redoc")] == [404, 404]
    assert client.get("/api/v1/openapi.json").json()["info"]["title"] == "airflow_colgraph"


def test_large_answers_are_compressed_for_clients_that_can_read_it(
    client: TestClient, store: Store
) -> None:
    store.add(copy_event("wide", 1, "wide", {f"column_{n}": "raw.a" for n in range(500)}))
    path = "/api/v1/upstream?name=wide"
    plain = client.get(path, headers={"Accept-Encoding": "identity"})
    packed = client.get(path)
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.json() == plain.json()
    assert int(packed.headers["Content-Length"]) < len(plain.content) / 5
    head = client.head(path)
    assert (head.headers["Content-Length"], head.content) == (packed.headers["Content-Length"], b"")
    assert "Content-Encoding" not in client.get("/api/v1/datasets").headers


# Ingest ------------------------------------------------------------------------------------------


@pytest.fixture
def empty() -> TestClient:
    return TestClient(create_app(memory_store()), raise_server_exceptions=False)


def found(client: TestClient) -> int:
    response = client.get("/api/v1/upstream", params={"name": "d", "field": "x"})
    return len(edges_of(response.json())) if response.status_code == 200 else 0


@pytest.mark.parametrize("sent", [EVENT, [EVENT], [EVENT, EVENT]])
def test_one_event_or_several(empty: TestClient, sent: Any) -> None:
    assert empty.post("/api/v1/lineage", json=sent).status_code == 201
    assert found(empty) == 1


def test_a_gzipped_event(empty: TestClient) -> None:
    packed = gzip.compress(json.dumps(EVENT).encode())
    headers = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
    assert empty.post("/api/v1/lineage", content=packed, headers=headers).status_code == 201
    assert found(empty) == 1


@pytest.mark.parametrize(
    ("content", "headers", "status", "message"),
    [
        (b"{", {}, 400, "The body is not JSON: "),
        (b"{}", {}, 400, "The event has no 'eventTime': it is not OpenLineage."),
        (b"{}", {"Content-Encoding": "gzip"}, 400, "The body is not gzip: "),
        (
            gzip.compress(b"{}", mtime=0)[:-9],
            {"Content-Encoding": "gzip"},
            400,
            "The body is not gzip: ",
        ),
        (
            b"{}",
            {"Content-Encoding": "br"},
            415,
            "Content-Encoding is 'br'. Expected gzip or none.",
        ),
    ],
)
def test_events_that_cannot_be_stored(
    empty: TestClient, content: bytes, headers: dict[str, str], status: int, message: str
) -> None:
    headers = {"Content-Type": "application/json", **headers}
    response = empty.post("/api/v1/lineage", content=content, headers=headers)
    assert response.status_code == status
    assert response.json()["error"].startswith(message)


def test_bodies_are_limited_also_when_unpacked(
    empty: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_body, "MOST", 10_000)
    big = json.dumps([EVENT] * 100).encode()
    bomb = zlib.compressobj(wbits=31)
    packed = bomb.compress(b" " * 50_000_000) + bomb.flush()
    assert len(packed) < 60_000
    for content, headers in ((big, {}), (packed, {"Content-Encoding": "gzip"})):
        headers = {"Content-Type": "application/json", **headers}
        response = empty.post("/api/v1/lineage", content=content, headers=headers)
        assert response.status_code == 413
        assert response.json() == {
            "error": "The body has more than 10000 bytes. Send fewer events."
        }


# Access ------------------------------------------------------------------------------------------


def test_api_keys() -> None:
    store = memory_store()
    client = TestClient(create_app(store, require_api_key(store)))
    reader = {"Authorization": f"Bearer {api_keys.add(store, 'reader', ['read'])}"}
    writer = {"Authorization": f"Bearer {api_keys.add(store, 'writer', ['ingest'])}"}

    def status(headers: dict[str, str]) -> tuple[int, int]:
        post = client.post("/api/v1/lineage", json=EVENT, headers=headers)
        get = client.get("/api/v1/datasets", headers=headers)
        return post.status_code, get.status_code

    assert status({}) == (401, 401)
    assert status({"Authorization": "Bearer wrong"}) == (401, 401)
    assert status(reader) == (403, 200)
    assert status(writer) == (201, 403)
    api_keys.revoke(store, "reader")
    assert status(reader) == (401, 401)
    assert client.get("/api/v1/datasets").headers["www-authenticate"] == "Bearer"
    assert client.get("/health").status_code == 200


def test_keys_are_kept_as_hashes() -> None:
    store = memory_store()
    secret = api_keys.add(store, "k", ["read"])
    with store.connection() as connection:
        rows = connection.exec_driver_sql("SELECT * FROM colgraph_api_key").fetchall()
    assert len(rows) == 1
    assert secret not in repr(rows)
    assert secret.removeprefix("colgraph_") not in repr(rows)


def test_every_route_but_the_probes_requires_authorization() -> None:
    store = memory_store()
    client = TestClient(create_app(store, require_api_key(store)))
    open_to_all = set()
    for method, path in routes(client.app):  # type: ignore[arg-type]
        url = path.replace("{run}", "0199aaaa-0000-7000-8000-00000000ffff")
        while "{" in url:
            url = url[: url.index("{")] + "x" + url[url.index("}") + 1 :]
        query = "?name=x&q=x&job=x&namespace=x&before=now&start=0&end=1&nodeId=dataset:a:b&field=f"
        query += "&to_namespace=x&to_name=x&to_field=x"
        if client.request(method, url + query).status_code != 401:
            open_to_all.add(path)
    assert open_to_all == {"/health", "/livez", "/readyz"}


def test_what_a_reader_may_not_see_is_marked_as_restricted(store: Store) -> None:
    airflow = {"dag": {"dag_id": "secret"}, "task": {"task_id": "t"}}
    store.add(copy_event("secret.t", 50, "report", {"r": "mart.t"}, airflow=airflow))
    client = TestClient(create_app(store, lambda request, scope: Access(frozenset({None}))))
    answer = client.get("/api/v1/upstream", params={"name": "report", "field": "r"})
    edges = edges_of(answer.json())
    assert [(e["subtype"], len(e["reported_by"])) for e in edges] == [
        ("RESTRICTED", 0),
        ("AGGREGATION", 1),
        ("IDENTITY", 1),
    ]
    jobs = client.get("/api/v1/jobs").json()["jobs"]
    assert [job["name"] for job in jobs] == ["shop.load", "shop.mart"]
    for q, count in (("", 2), ("secret", 0), ("shop", 2)):  # nor does the number tell of a job
        assert client.get("/api/v1/jobs", params={"q": q}).json()["totalCount"] == count
    assert at(50) not in json.dumps(edges)


def test_head_is_answered_as_get_without_the_body(client: TestClient) -> None:
    for path in ("/health", "/api/v1/datasets", "/api/v1/none"):
        asked, head = client.get(path), client.head(path)
        assert (head.status_code, head.content) == (asked.status_code, b"")
        assert head.headers["content-length"] == asked.headers["content-length"]

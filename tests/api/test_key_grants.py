"""What one key may do: the namespaces that it may write, and limits of its own."""

import gzip
import json
from typing import Any

import pytest
from click.testing import CliRunner
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import update

from airflow_colgraph import run_tokens
from airflow_colgraph.api.api_key_auth import require_api_key
from airflow_colgraph.api.app import create_app
from airflow_colgraph.api.rate_limit import rate_limited
from airflow_colgraph.cli import main
from airflow_colgraph.run_tokens import RunScope
from airflow_colgraph.store.admin import api_keys
from airflow_colgraph.store.db import tables
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model.grants import Limits, require_patterns
from airflow_colgraph.store.store import Store
from tests.api.conftest import log
from tests.store.samples import copy_event, memory_store, run_id, table_rows

Event = dict[str, Any]
OWN = {"namespace": "s3://own-1", "name": "t"}
OTHER = {"namespace": "s3://other", "name": "secret"}
SCOPES = ("read", "ingest", "tag", "admin")
REFUSED = "The namespace 's3://other' may not be written."


def own(**more: Any) -> Event:
    """An event that names only namespaces of the key."""
    return {
        "eventType": "COMPLETE",
        "eventTime": "2026-11-20T10:00:00Z",
        "producer": "p",
        "job": {"namespace": "team", "name": "load"},
        "run": {"runId": run_id(500)},
        "inputs": [],
        "outputs": [OWN],
        **more,
    }


def of_output(**facets: Any) -> Event:
    return own(outputs=[{**OWN, "facets": facets}])


def of_job(entry: dict[str, Any]) -> Event:
    facets = {"lineage": {"entries": [entry]}}
    return own(outputs=[], job={"namespace": "team", "name": "load", "facets": facets})


def of_run(**facets: Any) -> Event:
    return own(run={"runId": run_id(500), "facets": facets})


def parent(**more: Any) -> Event:
    start = {"run": {"runId": run_id(501)}, "job": {"namespace": "team", "name": "dag.load"}}
    return of_run(parent={**start, **more})


INPUT = {**OTHER, "field": "x", "transformations": [{"type": "DIRECT", "subtype": "IDENTITY"}]}
ELSEWHERE: dict[str, Event] = {
    "job": own(job={"namespace": "s3://other", "name": "load"}),
    "input": own(inputs=[OTHER]),
    "output": own(outputs=[OTHER]),
    "input of a column": of_output(columnLineage={"fields": {"a": {"inputFields": [INPUT]}}}),
    "input of the dataset": of_output(columnLineage={"fields": {}, "dataset": [INPUT]}),
    "lineage of the output": of_output(
        lineage={"fields": {"a": {"inputs": [{**INPUT, "type": "DATASET"}]}}}
    ),
    "lineage of the job": of_job({**OTHER, "type": "DATASET", "inputs": []}),
    "source of the job": of_job(
        {
            "namespace": "team",
            "name": "load",
            "type": "JOB",
            "inputs": [{**OTHER, "type": "JOB"}],
        }
    ),
    "symlink": of_output(symlinks={"identifiers": [{**OTHER, "type": "TABLE"}]}),
    "former name": of_output(
        lifecycleStateChange={"lifecycleStateChange": "RENAME", "previousIdentifier": OTHER}
    ),
    "parent": parent(job={"namespace": "s3://other", "name": "dag.load"}),
    "root": of_run(
        colgraph_task={"dag_id": "dag", "task_id": "load", "run_id": "manual"},
        parent={
            "run": {"runId": run_id(501)},
            "job": {"namespace": "team", "name": "dag.load"},
            "root": {
                "run": {"runId": run_id(502)},
                "job": {"namespace": "s3://other", "name": "dag"},
            },
        },
    ),
    "dataset event": {"eventTime": "2026-11-20T10:00:00Z", "producer": "p", "dataset": OTHER},
}


@pytest.fixture
def store() -> Store:
    store = memory_store()
    store.add(log())
    store.add(own(job={"namespace": "s3://other", "name": "load"}, run={"runId": run_id(77)}))
    store.add(own(outputs=[OTHER]))
    return store


@pytest.fixture
def app(store: Store) -> FastAPI:
    return create_app(store, rate_limited(require_api_key(store)))


@pytest.fixture
def client(app: FastAPI) -> TestClient:
    return TestClient(app, raise_server_exceptions=False)


@pytest.fixture
def key(store: Store) -> dict[str, str]:
    return bearer(api_keys.add(store, "team", SCOPES, namespaces=["team", "s3://own*"]))


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def lineage_rows(store: Store) -> dict[str, list[Any]]:
    return {name: rows for name, rows in table_rows(store).items() if "api_key" not in name}


@pytest.mark.parametrize("event", ELSEWHERE.values(), ids=ELSEWHERE)
def test_an_event_that_names_another_namespace_is_refused(
    client: TestClient, store: Store, key: dict[str, str], event: Event
) -> None:
    before = lineage_rows(store)
    for body in (event, [own(), event]):
        answer = client.post("/api/v1/lineage", json=body, headers=key)
        assert (answer.status_code, answer.json()) == (403, {"error": REFUSED})
    assert lineage_rows(store) == before
    everywhere = bearer(api_keys.add(store, "all", ["ingest"]))
    assert client.post("/api/v1/lineage", json=event, headers=everywhere).status_code == 201


def test_events_of_its_own_namespaces_are_stored(
    client: TestClient, store: Store, key: dict[str, str]
) -> None:
    before = lineage_rows(store)
    for body in (own(), parent(), of_output(symlinks={"identifiers": [{**OWN, "name": "u"}]})):
        assert client.post("/api/v1/lineage", json=body, headers=key).status_code == 201
    assert lineage_rows(store) != before


def test_a_run_of_a_job_elsewhere_is_not_taken_over(
    client: TestClient, store: Store, key: dict[str, str]
) -> None:
    before = lineage_rows(store)
    taken = parent(run={"runId": run_id(77)})
    for event in (own(run={"runId": run_id(77)}), taken):
        answer = client.post("/api/v1/lineage", json=event, headers=key)
        assert (answer.status_code, answer.json()) == (403, {"error": REFUSED})
    assert lineage_rows(store) == before


WRITES: dict[str, tuple[str, Any]] = {
    "POST /api/v1/lineage": ("/api/v1/lineage", own(outputs=[OTHER])),
    "POST /api/v1/lineage/batch": ("/api/v1/lineage/batch", [own(outputs=[OTHER])]),
    "POST /api/v1/dataset-tags": ("/api/v1/dataset-tags", [{"name": "secret", "tag": "pii"}]),
    "DELETE /api/v1/namespaces/{namespace}": ("/api/v1/namespaces/s3:%2F%2Fother", None),
    "DELETE /api/v1/namespaces/{namespace}/datasets/{dataset}": (
        "/api/v1/namespaces/s3:%2F%2Fother/datasets/secret",
        None,
    ),
    "DELETE /api/v1/namespaces/{namespace}/jobs/{job}": (
        "/api/v1/namespaces/s3:%2F%2Fother/jobs/load",
        None,
    ),
}


def test_no_route_writes_another_namespace(
    client: TestClient, app: FastAPI, store: Store, key: dict[str, str]
) -> None:
    paths = app.openapi()["paths"]
    writing = {
        f"{method.upper()} {path}" for path, methods in paths.items() for method in methods
    } - {f"GET {path}" for path in paths}
    assert set(WRITES) == writing
    before = lineage_rows(store)
    for route, (url, body) in WRITES.items():
        answer = client.request(route.split()[0], url, json=body, headers=key)
        assert (route, answer.status_code, answer.json()) == (route, 403, {"error": REFUSED})
    assert lineage_rows(store) == before


def test_tags_and_deletes_in_its_own_namespaces(
    client: TestClient, store: Store, key: dict[str, str]
) -> None:
    tags = [{**OWN, "tag": "pii"}]
    assert client.post("/api/v1/dataset-tags", json=tags, headers=key).json() == {"changed": 1}
    deleted = client.delete("/api/v1/namespaces/s3:%2F%2Fown-1/datasets/t", headers=key)
    assert (deleted.status_code, deleted.json()["forgotten"]["datasets"]) == (200, 1)


def test_reading_is_not_limited_by_namespaces(client: TestClient, key: dict[str, str]) -> None:
    """docs/store.md says so: an answer crosses namespaces, and a name in it would tell."""
    names = client.get("/api/v1/datasets", headers=key).json()
    assert "s3://other" in json.dumps(names)


def test_tokens_that_a_limited_key_signs_are_limited(client: TestClient, store: Store) -> None:
    secret = run_tokens.new_key()
    public = run_tokens.public_key(secret)
    api_keys.add_signer(store, "workers", public, namespaces=["team", "s3://own*"])
    token = run_tokens.sign(secret, RunScope(("team", "load"), run_id(500)), 60)
    codes = [
        client.post("/api/v1/lineage", json=event, headers=bearer(token)).status_code
        for event in (own(), own(outputs=[OTHER]))
    ]
    assert codes == [201, 403]


def test_rotation_keeps_namespaces_and_limits(
    client: TestClient, store: Store, key: dict[str, str]
) -> None:
    api_keys.add(store, "slow", ["read"], limits=Limits(7, 8, 9))
    for name in ("team", "slow"):
        api_keys.rotate(store, name, 4_000_000_000_000)
    keys = {key.name: key for key in api_keys.every(store)}
    assert keys["team"].namespaces == ("s3://own*", "team")
    assert keys["slow"].limits == Limits(7, 8, 9)


def test_an_older_version_grants_a_limited_key_no_writing(store: Store) -> None:
    """Until it is replaced it asks for the words in `scopes`, and rotates only these."""
    secret = api_keys.add(store, "team", SCOPES, namespaces=["team"])
    table = tables.api_key
    with store.connection() as connection:
        scopes = connection.execute(table.select()).one().scopes.split()
        assert set(scopes) & set(SCOPES) == {"read"}
        connection.execute(update(table).values(namespaces=None))
    client = TestClient(create_app(store, require_api_key(store)))
    answer = client.post("/api/v1/lineage", json=own(), headers=bearer(secret))
    assert answer.status_code == 403


@pytest.mark.parametrize("pattern", ["", "a*b", "**", "a\nb"])
def test_what_is_no_pattern(pattern: str) -> None:
    with pytest.raises(QuestionError, match=r"^Namespace is .*Expected a namespace"):
        require_patterns([pattern])


def test_a_key_has_a_rate_of_its_own(client: TestClient, store: Store) -> None:
    slow = bearer(api_keys.add(store, "slow", ["read"], limits=Limits(rate=2)))
    fast = bearer(api_keys.add(store, "fast", ["read"]))
    answers = [client.get("/api/v1/statistics", headers=slow) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert int(answers[2].headers["Retry-After"]) in range(20, 31)
    assert client.post("/api/v1/lineage", json=own(), headers=slow).status_code == 429
    assert client.get("/api/v1/statistics", headers=fast).status_code == 200


def test_a_key_has_a_body_of_its_own(client: TestClient, store: Store) -> None:
    body = json.dumps(own()).encode()
    headers = {"Content-Type": "application/json"}
    small, fits = (
        {**headers, **bearer(api_keys.add(store, f"{size}", SCOPES, limits=Limits(body=size)))}
        for size in (len(body) - 1, len(body))
    )
    for path in ("/api/v1/lineage", "/api/v1/dataset-tags"):
        answer = client.post(path, content=body, headers=small)
        assert answer.status_code == 413
        assert answer.json()["error"].startswith(f"The body has more than {len(body) - 1} bytes.")
    packed = {**small, "Content-Encoding": "gzip"}
    zipped = client.post("/api/v1/lineage", content=gzip.compress(body), headers=packed)
    assert zipped.status_code == 413
    assert client.post("/api/v1/lineage", content=body, headers=fits).status_code == 201


def test_a_key_has_a_depth_of_its_own(client: TestClient, app: FastAPI, store: Store) -> None:
    """On each route that has a depth, also where it is not given."""
    shallow = bearer(api_keys.add(store, "shallow", ["read"], limits=Limits(depth=1)))
    store.add(copy_event("load", 40, "x", {"y": "raw.a"}))
    values = {
        **{"namespace": "n", "name": "mart", "field": "t", "dataset": "mart"},
        **{"to_namespace": "n", "to_name": "mart", "to_field": "t"},
        **{"nodeId": "dataset:n:mart", "since": "2026-11-20T00:00:00Z"},
    }
    asked = 0
    for path, methods in app.openapi()["paths"].items():
        names = {parameter["name"] for parameter in methods.get("get", {}).get("parameters", ())}
        if "depth" not in names:
            continue
        asked += 1
        query = {name: value for name, value in values.items() if name in names}
        codes = [
            client.get(path, params={**query, **depth}, headers=shallow).status_code
            for depth in ({}, {"depth": 2}, {"depth": 1})
        ]
        assert (path, codes) == (path, [403, 403, 200])
    assert asked >= 8


def test_the_command_sets_and_lists_them(tmp_path: Any) -> None:
    def run(*words: str, code: int = 0) -> str:
        url = f"sqlite:///{tmp_path}/colgraph.db"
        result = CliRunner().invoke(main, ["--store", url, "db", "key", *words])
        assert result.exit_code == code, result.output
        return result.output

    limits = ("--rate", "60", "--max-body", "1000", "--max-depth", "3")
    run("add", "team", "--scope", "ingest", "--namespace", "s3://own*", *limits)
    run("add", "people")
    assert run("list").splitlines() == [
        "people  read  valid  never used",
        "team  ingest  valid  never used  writes s3://own*  60 requests a minute  "
        "bodies of 1000 bytes  depth 3",
    ]
    rows = {row["name"]: row for row in json.loads(run("list", "--format", "json"))}
    assert rows["team"]["namespaces"] == ["s3://own*"]
    assert [rows["team"][name] for name in ("rate", "max_body", "max_depth")] == [60, 1000, 3]
    assert rows["people"]["namespaces"] is None
    assert "Expected a namespace" in run("add", "x", "--namespace", "a*b", code=2)

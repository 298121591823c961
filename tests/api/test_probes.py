"""Probes and metrics, as an orchestrator and Prometheus ask for them."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families

from airflow_colgraph.api.access import Access
from airflow_colgraph.api.app import create_app
from airflow_colgraph.store import migrations, readiness
from airflow_colgraph.store.store import Store
from tests.api.test_gaps import lacking, of_mart
from tests.store.conftest import postgres_store_url, postgres_url  # noqa: F401
from tests.store.samples import copy_event
from tests.test_delivery import read_only

PROBES = ("/livez", "/readyz", "/health")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store.open(f"sqlite:///{tmp_path}/colgraph.db")
    yield store
    store.close()


def codes(store: Store) -> dict[str, int]:
    client = TestClient(create_app(store), raise_server_exceptions=False)
    return {probe: client.get(probe).status_code for probe in PROBES}


def test_a_store_that_can_be_used(store: Store) -> None:
    assert codes(store) == dict.fromkeys(PROBES, 200)


def test_a_store_without_tables_is_alive_and_not_ready(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    store = Store.open(f"sqlite:///{tmp_path}/empty.db", migrate=False)
    assert codes(store) == {"/livez": 200, "/readyz": 503, "/health": 503}
    store.close()


def test_a_store_of_another_revision(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "HEAD", "9999")
    answer = TestClient(create_app(store)).get("/readyz")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert answer.json()["schema"] == (
        f"The store has the tables of revision {migrations.HEAD}; this version needs 9999. "
        "Run colgraph db migrate."
    )


def test_a_disk_that_is_nearly_full(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "LEAST_FREE", 2**63)
    answer = TestClient(create_app(store)).get("/readyz").json()
    assert answer["disk"].startswith("The disk has ")
    assert "schema" not in answer
    assert codes(store) == {"/livez": 200, "/readyz": 503, "/health": 503}


def test_a_folder_that_takes_no_file(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda place, mode: False)  # root may write anywhere
    answer = TestClient(create_app(store)).get("/readyz").json()
    assert answer["writes"] == "The file of the store, or its folder, is read-only."


@pytest.mark.postgres
def test_a_database_that_takes_no_writes(postgres_store_url: str) -> None:  # noqa: F811
    Store.open(postgres_store_url).close()
    with read_only(postgres_store_url) as url, Store(url) as store:
        answer = TestClient(create_app(store)).get("/readyz").json()
        assert answer["writes"] == "The database takes no writes: it is a standby, or read-only."
        assert codes(store) == {"/livez": 200, "/readyz": 503, "/health": 200}


def samples(client: TestClient) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """The values by name and labels, as Prometheus' own parser reads them."""
    answer = client.get("/metrics")
    assert answer.status_code == 200
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def value(client: TestClient, name: str, **labels: str) -> float:
    return samples(client)[name, frozenset(labels.items())]


def test_requests_are_counted_by_route(store: Store) -> None:
    store.add(copy_event("shop.mart", 1, "mart", {"t": "raw.a"}))
    client = TestClient(create_app(store), raise_server_exceptions=False)
    for name in ("mart", "mart", "nowhere"):
        client.get(f"/api/v1/namespaces/n/datasets/{name}")
    route = "/api/v1/namespaces/{namespace:text}/datasets/{dataset:text}"
    asked = {"route": route, "method": "GET"}
    assert value(client, "colgraph_requests_total", **asked, code="200") == 2
    assert value(client, "colgraph_requests_total", **asked, code="404") == 1
    assert value(client, "colgraph_request_seconds_count", route=route) == 3
    assert not any("nowhere" in str(labels) for _, labels in samples(client))


def test_an_event_that_is_equal_to_an_accepted_one_is_repeated(store: Store) -> None:
    client = TestClient(create_app(store), raise_server_exceptions=False)
    first, other = (copy_event("shop.mart", n, "mart", {"t": "raw.a"}) for n in (1, 2))
    for event in (first, other, first, {"producer": 7}, {"producer": 7}, first):
        client.post("/api/v1/lineage", json=event)
    for result, count in (("accepted", 2), ("repeated", 2), ("refused", 2)):
        assert value(client, "colgraph_events_total", result=result, producer="") == count


def test_events_are_counted_by_result_and_producer(store: Store) -> None:
    client = TestClient(create_app(store), raise_server_exceptions=False)
    good: dict[str, Any] = copy_event("shop.mart", 1, "mart", {"t": "raw.a"})
    partly = {**good, "outputs": [{"namespace": "n", "name": "x", "facets": {"schema": 7}}]}
    sent = [good, partly, {"producer": "p"}, *({"producer": f"q{n}"} for n in range(60))]
    client.post("/api/v1/lineage", json=[{**good, "producer": "p"}])
    client.post("/api/v1/lineage", json=[{"producer": "p", **event} for event in sent])
    for result, count in (("accepted", 1), ("repeated", 1), ("part", 1), ("refused", 1)):
        assert value(client, "colgraph_events_total", result=result, producer="p") == count
    assert value(client, "colgraph_events_total", result="refused", producer="other") == 11
    assert value(client, "colgraph_newest_lineage_age_seconds", namespace="jobs") > 0
    assert value(client, "colgraph_store_up") == 1


def test_jobs_are_counted_by_their_latest_lineage(store: Store) -> None:
    lost = lacking(unresolved=[{"class": "Magic", "count": 1}])
    store.add(copy_event("shop.copy", 1, "copy", {"t": "raw.a"}))
    store.add([of_mart(1, 1, "COMPLETE", None, ["mart"]), of_mart(2, 2, "COMPLETE", lost, [])])
    client = TestClient(create_app(store))
    assert value(client, "colgraph_jobs", lineage="complete") == 1
    assert value(client, "colgraph_jobs", lineage="incomplete") == 1
    assert value(client, "colgraph_requests_active") == 1  # this one


def test_metrics_are_for_those_who_may_see_everything(store: Store) -> None:
    def of_one_dag(request: Any, scope: str) -> Access:
        return Access(frozenset({"shop"}))

    client = TestClient(create_app(store, of_one_dag), raise_server_exceptions=False)
    assert client.get("/metrics").status_code == 403
    assert client.get("/readyz").status_code == 200

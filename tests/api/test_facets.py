"""What facets say of datasets, jobs and runs, under the keys of Marquez' clients."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from airflow_colgraph.api.app import create_app
from airflow_colgraph.openlineage.facets import facet
from airflow_colgraph.store.store import Store
from tests.store.samples import at, event, memory_store, output, run_id

PRODUCER = {"_producer": "https://example.org/p", "_schemaURL": "https://example.org/s"}
DELETED = {**PRODUCER, "_deleted": True}
PARENT = {"run": {"runId": run_id(77)}, "job": {"namespace": "other", "name": "scheduler"}}
OF_RUN = {
    "nominalTime": {**PRODUCER, "nominalStartTime": at(0), "nominalEndTime": at(9)},
    "errorMessage": {**PRODUCER, "message": "boom", "programmingLanguage": "SQL"},
    "tags": {"tags": [{"key": "late", "value": "true", "source": "x"}]},
}
OF_JOB = {
    "documentation": {**PRODUCER, "description": "loads orders"},
    "ownership": {**PRODUCER, "owners": [{"name": "team:a", "type": "OWNER"}]},
    "sql": {**PRODUCER, "query": "SELECT 1"},
    "sourceCodeLocation": {**PRODUCER, "type": "git", "url": "https://example.org/etl"},
    "tags": {**PRODUCER, "tags": [{"key": "tier", "value": "1", "source": "x"}]},
    "jobType": {**PRODUCER, "processingType": "STREAMING", "integration": "X"},
}
OF_DATASET = {
    "documentation": {**PRODUCER, "description": "all orders"},
    "dataSource": {**PRODUCER, "name": "shop", "uri": "postgres://db/shop"},
    "storage": {**PRODUCER, "storageLayer": "delta"},
    "tags": {**PRODUCER, "tags": [{"key": "pii", "value": "true", "field": "x", "source": "x"}]},
    "lifecycleStateChange": {**PRODUCER, "lifecycleStateChange": "CREATE"},
    "schema": {"fields": [{"name": "x", "type": "int", "description": "the amount"}]},
}
COUNTS = {"rowCount": 5, "size": 90}


@pytest.fixture
def store() -> Store:
    store = memory_store()
    loaded = event("load", 3, [output("t", {"x": "s.a"}, **OF_DATASET)], parent=PARENT, **OF_RUN)
    loaded["job"]["facets"] = OF_JOB
    loaded["outputs"][0]["outputFacets"] = {"outputStatistics": {**PRODUCER, **COUNTS}}
    store.add(loaded)
    return store


@pytest.fixture
def client(store: Store) -> TestClient:
    return TestClient(create_app(store))


def ask(client: TestClient, path: str) -> Any:
    response = client.get(f"/api/v1/{path}")
    assert response.status_code == 200, response.text
    return response.json()


def test_a_dataset(client: TestClient) -> None:
    found = ask(client, "namespaces/n/datasets/t")
    assert found["facets"] == {n: f for n, f in OF_DATASET.items() if n != "schema"}
    assert (found["description"], found["sourceName"]) == ("all orders", "shop")
    assert (found["lastLifecycleState"], found["deleted"]) == ("CREATE", False)
    assert found["fields"] == [
        {"name": "x", "type": "int", "tags": ["pii"], "description": "the amount"}
    ]


def test_a_job(client: TestClient) -> None:
    found = ask(client, "namespaces/jobs/jobs/load")
    assert found["facets"] == OF_JOB
    assert (found["description"], found["location"]) == ("loads orders", "https://example.org/etl")
    assert (found["tags"], found["type"]) == (["tier"], "STREAM")
    assert found["parentJobName"] == "scheduler"


def test_a_run(client: TestClient) -> None:
    found = ask(client, f"jobs/runs/{run_id(3)}")
    assert (found["nominalStartTime"], found["nominalEndTime"]) == (at(0), at(9))
    assert found["facets"] == {**OF_RUN, "parent": facet("parent", **PARENT)}
    (written,) = found["outputDatasetVersions"]
    assert written["datasetVersionId"] == {"namespace": "n", "name": "t", "version": None}
    assert written["facets"] == {"outputStatistics": COUNTS}
    assert ask(client, f"runs/{run_id(3)}")["facets"] == found["facets"]


def test_a_facet_that_is_deleted(store: Store, client: TestClient) -> None:
    deleted = {"documentation": DELETED, "storage": DELETED}
    job = {"namespace": "jobs", "name": "load", "facets": {"ownership": DELETED}}
    store.add({"eventTime": at(9), "dataset": output("t", **deleted)})
    store.add({"eventTime": at(9), "job": job})
    store.add(event("load", 5, [output("t", {"x": "s.a"}, **OF_DATASET)]))
    found = ask(client, "namespaces/n/datasets/t")
    assert found["description"] is None
    assert found["facets"].keys() == OF_DATASET.keys() - {"documentation", "storage", "schema"}
    assert "ownership" not in ask(client, "namespaces/jobs/jobs/load")["facets"]


def test_a_dataset_that_was_dropped(store: Store, client: TestClient) -> None:
    change = {"lifecycleStateChange": {"lifecycleStateChange": "DROP"}}
    store.add(event("cleanup", 9, [output("t", **change)]))
    found = ask(client, "namespaces/n/datasets/t")
    assert (found["deleted"], found["fields"], found["columnLineage"]) == (True, [], [])
    assert [f["dropped"] for f in ask(client, "fields?namespace=n&name=t")["fields"]] == [True]


def test_a_dataset_that_was_renamed(store: Store, client: TestClient) -> None:
    change = {"lifecycleStateChange": "RENAME"}
    change["previousIdentifier"] = {"namespace": "n", "name": "t"}  # type: ignore[assignment]
    store.add(event("cleanup", 9, [output("u", lifecycleStateChange=change)]))
    found = ask(client, "namespaces/n/datasets/u")
    assert [(f["name"], f["type"]) for f in found["fields"]] == [("x", "int")]
    assert found["columnLineage"][0]["inputFields"][0]["field"] == "a"
    assert ask(client, "namespaces/n/datasets/t")["deleted"]


def test_namespaces_have_the_time_when_they_were_first_seen(
    store: Store, client: TestClient
) -> None:
    store.add(event("load", 1, [], run=50, reads=["s"]))
    times = {n["name"]: n["createdAt"] for n in ask(client, "namespaces")["namespaces"]}
    assert times == {"jobs": at(1), "n": at(1), "other": at(3)}


def test_names_of_one_dataset_are_listed_once(store: Store, client: TestClient) -> None:
    link = {"identifiers": [{"namespace": "hive", "name": "shop.orders", "type": "TABLE"}]}
    store.add(event("x", 5, [output("t", symlinks=link)]))
    rows = ask(client, "datasets")["datasets"]
    named = [(row["namespace"], row["name"], row["other_names"]) for row in rows]
    assert named == [("n", "s", []), ("n", "t", ["hive shop.orders"])]
    (row,) = ask(client, "datasets?q=orders")["datasets"]
    assert (row["name"], row["other_names"]) == ("shop.orders", ["n t"])
    assert ask(client, "datasets?q=t&namespace=n")["datasets"] == [rows[1]]
    assert [column["name"] for column in ask(client, "columns?q=x")["columns"]] == ["t"]
    assert [d["name"] for d in ask(client, "namespaces/n/datasets")["datasets"]] == ["s", "t"]


def test_a_node_of_the_lineage_between_datasets(client: TestClient) -> None:
    """A node had neither dates nor facets nor columns: Marquez' page shows all of them."""
    graph = ask(client, "lineage?nodeId=dataset:n:t")["graph"]
    (node,) = [node["data"] for node in graph if node["id"] == "dataset:n:t"]
    listed = ask(client, "namespaces/n/datasets")["datasets"]
    assert (node["createdAt"], node["updatedAt"]) == (at(3), at(3))
    assert {**node, "fields": []} in listed
    assert node["fields"] == [{"name": "x", "type": "int", "tags": []}]


def test_a_node_has_the_columns_that_its_dataset_has_now(store: Store, client: TestClient) -> None:
    """A column of an earlier run was told as one of today's, and one without a type was not."""
    store.add(event("load", 9, [output("t", {"y": "s.a"})]))
    graph = ask(client, "lineage?nodeId=dataset:n:t")["graph"]
    (node,) = [node["data"] for node in graph if node["id"] == "dataset:n:t"]
    assert node["fields"] == [{"name": "y", "type": None, "tags": []}]
    alone = ask(client, "namespaces/n/datasets/t")["fields"]
    assert [(field["name"], field["type"]) for field in alone] == [("y", None)]

from typing import Any

import pytest
from fastapi.testclient import TestClient

from airflow_colgraph.store.store import Store
from tests.store.samples import at, copy_event, event, table_rows


def ask(client: TestClient, path: str, **parameters: Any) -> Any:
    response = client.get(f"/api/v1/{path}", params=parameters)
    assert response.status_code == 200, response.text
    return response.json()


def links(answer: dict[str, Any]) -> set[tuple[str, str]]:
    return {
        (edge["origin"], edge["destination"])
        for node in answer["graph"]
        for edge in (*node["inEdges"], *node["outEdges"])
    }


RAW_B, MART_T, CSV_B = (f"datasetField:n:{name}" for name in ("raw:b", "mart:t", "csv:b"))


def test_column_lineage(client: TestClient) -> None:
    found = ask(client, "column-lineage", nodeId=MART_T)
    assert links(found) == {(RAW_B, MART_T), (CSV_B, RAW_B)}
    (node,) = [node for node in found["graph"] if node["id"] == MART_T]
    assert node["type"] == "DATASET_FIELD"
    assert {k: node["data"][k] for k in ("namespace", "dataset", "field")} == {
        "namespace": "n",
        "dataset": "mart",
        "field": "t",
    }
    (source,) = node["data"]["inputFields"]
    assert (source["dataset"], source["field"], source["transformationType"]) == (
        "raw",
        "b",
        "AGGREGATION",
    )
    assert node["inEdges"] == [{"origin": RAW_B, "destination": MART_T}]


def test_a_source_column_has_its_downstream(client: TestClient) -> None:
    found = ask(client, "column-lineage", nodeId=CSV_B, withDownstream=True)
    assert links(found) == {(RAW_B, MART_T), (CSV_B, RAW_B)}


def test_a_field_without_lineage_is_a_lone_node(client: TestClient) -> None:
    found = ask(client, "column-lineage", nodeId="datasetField:n:mart:n")
    assert [node["id"] for node in found["graph"]] == ["datasetField:n:mart:n"]


def test_a_dataset_or_a_job_is_all_its_fields(client: TestClient) -> None:
    for node in ("dataset:n:mart", "job:jobs:shop.mart"):
        assert links(ask(client, "column-lineage", nodeId=node)) == {
            (RAW_B, MART_T),
            (CSV_B, RAW_B),
        }


def test_explicit_names_and_a_time(client: TestClient) -> None:
    old = ask(client, "column-lineage", namespace="n", dataset="mart", field="t", at=at(16))
    assert links(old) == {
        ("datasetField:n:raw:a", MART_T),
        ("datasetField:n:csv:a", "datasetField:n:raw:a"),
    }


def test_colons_in_namespaces_and_names(client: TestClient) -> None:
    one = copy_event("j", 1, "a:b", {"c:d": ""})
    one["outputs"][0]["namespace"] = "postgres://h:5432"
    client.post("/api/v1/lineage", json=one)
    node = "datasetField:postgres://h:5432:a:b:c:d"
    (found,) = ask(client, "column-lineage", nodeId=node)["graph"]
    data = found["data"]
    assert (data["namespace"], data["dataset"], data["field"]) == (
        "postgres://h:5432",
        "a:b",
        "c:d",
    )


@pytest.mark.parametrize(
    ("node", "status"),
    [("datasetField:n:mart:none", 404), ("dataset:n:none", 404), ("nonsense", 400), ("run:x", 400)],
)
def test_nodes_that_there_are_not(client: TestClient, node: str, status: int) -> None:
    response = client.get("/api/v1/column-lineage", params={"nodeId": node})
    assert response.status_code == status


def test_datasets_and_jobs(client: TestClient) -> None:
    assert [n["name"] for n in ask(client, "namespaces")["namespaces"]] == ["jobs", "n"]
    datasets = ask(client, "namespaces/n/datasets")
    assert [d["name"] for d in datasets["datasets"]] == ["csv", "mart", "raw"]
    raw = ask(client, "namespaces/n/datasets/raw")
    assert [(f["name"], f["type"]) for f in raw["fields"]] == [("a", "int"), ("b", "string")]
    assert [c["name"] for c in raw["columnLineage"]] == ["a", "b"]
    (job,) = [
        job for job in ask(client, "namespaces/jobs/jobs")["jobs"] if job["name"] == "shop.mart"
    ]
    assert (job["inputs"], job["outputs"]) == (
        [{"namespace": "n", "name": "raw"}],
        [{"namespace": "n", "name": "mart"}],
    )
    assert job["latestRun"]["state"] == "COMPLETED"
    assert ask(client, "namespaces/jobs/jobs/shop.mart") == job
    runs = ask(client, "namespaces/jobs/jobs/shop.mart/runs")["runs"]
    assert [run["startedAt"] for run in runs] == [at(30), at(25), at(15)]
    assert ask(client, f"jobs/runs/{runs[0]['id']}") == runs[0]


def test_a_dataset_that_is_only_read_is_as_old_as_what_read_it(client: TestClient) -> None:
    listed = {d["name"]: d for d in ask(client, "namespaces/n/datasets")["datasets"]}
    alone = ask(client, "namespaces/n/datasets/csv")
    (node,) = (
        node["data"]
        for node in ask(client, "lineage", nodeId="dataset:n:csv")["graph"]
        if node["id"] == "dataset:n:csv"
    )
    assert listed["csv"]["lastModifiedAt"] is None
    for dataset in (listed["csv"], alone, node):
        assert (dataset["createdAt"], dataset["updatedAt"]) == (at(10), at(10))


def test_a_dropped_dataset_is_deleted_wherever_it_is_listed(client: TestClient) -> None:
    change = {"lifecycleStateChange": {"lifecycleStateChange": "DROP"}}
    dropped = {"namespace": "n", "name": "mart", "facets": change}
    sent = client.post("/api/v1/lineage", json=event("shop.drop", 40, [dropped]))
    assert sent.status_code == 201
    nodes = ask(client, "lineage", nodeId="dataset:n:raw")["graph"]
    graph = [node["data"] for node in nodes if node["type"] == "DATASET"]
    listed = ask(client, "namespaces/n/datasets")["datasets"]
    assert {d["name"] for d in listed if d["deleted"]} == {"mart"}
    assert {d["name"]: d["deleted"] for d in graph} == {"csv": False, "raw": False}
    assert ask(client, "namespaces/n/datasets/mart")["deleted"]


@pytest.mark.parametrize(
    "path", ["namespaces/jobs/jobs/shop.lod/runs", "namespaces/jobs/jobs/shop.lod"]
)
def test_an_unknown_job_has_no_runs_but_names_like_it(client: TestClient, path: str) -> None:
    for asked in (path, "runs?namespace=jobs&job=shop.lod"):
        response = client.get(f"/api/v1/{asked}")
        assert response.status_code == 404
        assert response.json()["error"] == (
            "Job 'shop.lod' is not in namespace 'jobs'. Similar names: shop.load."
        )


def test_the_graph_of_jobs_and_datasets(client: TestClient) -> None:
    found = ask(client, "lineage", nodeId="dataset:n:raw")
    assert links(found) == {
        ("dataset:n:csv", "job:jobs:shop.load"),
        ("job:jobs:shop.load", "dataset:n:raw"),
        ("dataset:n:raw", "job:jobs:shop.mart"),
        ("job:jobs:shop.mart", "dataset:n:mart"),
    }


def test_search(client: TestClient) -> None:
    def names(**parameters: str) -> list[tuple[str, str]]:
        return [(r["type"], r["name"]) for r in ask(client, "search", **parameters)["results"]]

    assert names(q="mart") == [("DATASET", "mart"), ("JOB", "shop.mart")]
    assert names(q="mart", filter="JOB") == [("JOB", "shop.mart")]


def test_all_jobs_have_both_shapes(client: TestClient) -> None:
    found = ask(client, "jobs", limit=1)
    assert (found["totalCount"], found["next"]) == (2, 1)
    (job,) = found["jobs"]
    assert (job["name"], job["latestRun"]["state"], job["dag_id"]) == (
        "shop.load",
        "COMPLETED",
        None,
    )


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "namespaces/n/datasets/raw/fields/a/tags/PII"),
    ],
)
def test_nothing_can_be_tagged_in_this_form(
    client: TestClient, store: Store, method: str, path: str
) -> None:
    before = table_rows(store)
    assert client.request(method, f"/api/v1/{path}").status_code == 405
    assert table_rows(store) == before

import json

import pytest
from fastapi.testclient import TestClient

from airflow_colgraph.api.access import Access
from airflow_colgraph.api.app import create_app
from airflow_colgraph.store.store import Store
from tests.api.conftest import PROPERTIES
from tests.store.samples import at, copy_event, event, output, run_id


def ask(client: TestClient, route: str, **query: str) -> dict:
    response = client.get(f"/api/v1/{route}", params={"namespace": "n", **query})
    assert response.status_code == 200, response.text
    return response.json()


def chains(found: dict) -> list[tuple]:
    return [
        (
            one["job"]["name"],
            one["runs"][0]["state"],
            one["dataset"]["name"],
            [(step["name"], step["description"]) for step in one["operations"]],
        )
        for one in found["chains"]
    ]


def test_the_chains_that_made_a_field_the_latest_first(client: TestClient) -> None:
    found = ask(client, "operations", name="mart", field="t")
    make = ("make t", "DIRECT AGGREGATION")
    chain = [("read 1", "read raw"), make, ("write", "write mart")]
    assert chains(found) == [("shop.mart", "COMPLETE", "mart", chain)] * 2
    sources = [one["operations"][0]["outputs"] for one in found["chains"]]
    assert sources == [{"fields": ["b"]}, {"fields": ["a"]}]


def test_a_chain_has_its_runs_and_held_at_a_time(client: TestClient) -> None:
    found = ask(client, "operations", name="mart", field="t")["chains"]
    spans = [(one["first_at"], one["last_at"], one["count"], one["holds"]) for one in found]
    assert spans == [(at(30), at(30), 1, True), (at(15), at(25), 2, False)]
    assert [[run["id"] for run in one["runs"]] for one in found] == [
        [run_id(30)],
        [run_id(25), run_id(15)],
    ]
    (then,) = ask(client, "operations", name="mart", field="t", at=at(20))["chains"]
    assert (then["operations"], then["count"], then["holds"]) == (found[1]["operations"], 1, True)
    assert [run["id"] for run in then["runs"]] == [run_id(15)]


def test_the_chains_that_a_field_went_through(client: TestClient) -> None:
    found = ask(client, "operations", name="raw", field="b", direction="downstream")
    steps = [("read 1", "read raw"), ("make t", "DIRECT AGGREGATION"), ("write", "write mart")]
    assert chains(found) == [("shop.mart", "COMPLETE", "mart", steps)]
    none = ask(client, "operations", name="csv", field="a")
    assert none == {"made": True, "chains": [], "truncated": False, "left_out": 0}


def test_the_expressions_of_a_datasets_fields(client: TestClient, store: Store) -> None:
    found = ask(client, "expressions", name="mart")["expressions"]
    assert {"field": "t", "expression": "DIRECT AGGREGATION"} in found
    for minute, text in ((60, "max(a)"), (61, "min(a)")):
        steps = [
            {"name": "r", "inputs": {"endPoint": {"namespace": "n", "name": "raw"}}},
            {
                "name": "p",
                "description": text,
                "inputs": {"fields": [{"origin": "r", "name": "a"}]},
                "outputs": {"fields": ["most"]},
            },
            {
                "name": "w",
                "inputs": {
                    "fields": [{"origin": "p", "name": "most"}, {"origin": "r", "name": "a"}]
                },
                "outputs": {"endPoint": {"namespace": "n", "name": "best"}},
            },
        ]
        facets = {"colgraph_operations": {"operations": steps}}
        fields = {"most": "raw.a DIRECT:AGGREGATION", "a": "raw.a"}
        store.add(event("shop.best", minute, [output("best", fields, **facets)]))
    for when, text in (("", "min(a)"), (at(60), "max(a)")):
        query = {"at": when} if when else {}
        found = ask(client, "expressions", name="best", **query)["expressions"]
        assert found == [{"field": "most", "expression": text}]


def test_what_a_dags_tasks_wrote(client: TestClient, store: Store) -> None:
    event = copy_event("shop.mart", 50, "extra", {"x": "raw.a"})
    event["job"]["facets"] = {}
    event["run"]["facets"] = {"airflow": {"dag": {"dag_id": "shop"}, "task": {"task_id": "mart"}}}
    store.add([event])
    rows = ask(client, "outputs", dag_id="shop")["outputs"]
    assert {row["name"] for row in rows} >= {"extra"}
    assert {(row["dag_id"], row["task_id"]) for row in rows} == {("shop", "mart")}
    assert ask(client, "outputs", dag_id="shop", task_id="mart")["outputs"] == rows


def test_how_many_fields_datasets_have(client: TestClient, store: Store) -> None:
    alias = {"identifiers": [{"namespace": "n", "name": "table", "type": "TABLE"}]}
    bare = event("x", 5, [output("bare")])
    set_tags = [{"key": "layer", "value": "mart"}, {"key": "pii", "value": "true", "field": "a"}]
    file = output("file", {"a": "raw.a"}, symlinks=alias, tags={"tags": set_tags})
    store.add([bare, event("y", 6, [file])])
    datasets = [f'["n", "{name}"]' for name in ("raw", "none", "mart", "bare", "file", "table")]
    answer = client.get("/api/v1/sizes", params={"dataset": datasets}).json()
    assert [(one["name"], one["fields"]) for one in answer["sizes"]] == [
        ("raw", 2),
        ("none", None),  # not in the store
        ("mart", 2),
        ("bare", 0),
        ("file", 1),
        ("table", 1),
    ]
    assert [one["name"] for one in answer["sizes"] if one["is_lacking"]] == ["bare"]
    tagged = [(size["name"], size["tags"]) for size in answer["sizes"] if size["tags"]]
    assert tagged == [("file", ["layer=mart"]), ("table", ["layer=mart"])]  # not that of a column
    for wrong in ("raw", "[1]", "1", '{"a": 1}'):
        refused = client.get("/api/v1/sizes", params={"dataset": [wrong]})
        assert (refused.status_code, list(refused.json())) == (400, ["error"])


def test_sizes_are_those_of_the_last_write_and_marks_those_of_every_writer(
    client: TestClient, store: Store
) -> None:
    """A column that is gone counted; a gap of another job than the last writer was not marked."""
    unresolved = {"unresolved": [{"class": "columns without inputs", "count": 1}]}
    first = event("first", 50, [output("both", {"x": "p.x", "gone": "p.y"})])
    first["run"]["facets"] = {"colgraph_diagnostics": unresolved}
    schema = {"fields": [{"name": "x", "type": "int"}, {"name": "y", "type": "int"}]}
    plain = output("plain", {"x": "p.x"}, schema=schema)
    store.add([first, event("second", 52, [output("both", {"x": "q.x"})])])
    store.add([event("other", 54, [plain]), event("other", 56, [output("plain", {"x": "p.x"})])])

    def sizes(time: str = "") -> list[tuple[int, bool]]:
        asked = {"dataset": ['["n", "both"]', '["n", "plain"]'], **({"at": time} if time else {})}
        answer = client.get("/api/v1/sizes", params=asked).json()["sizes"]
        return [(row["fields"], row["is_lacking"]) for row in answer]

    assert sizes() == [(1, True), (1, False)]
    assert sizes(at(55)) == [(1, True), (2, True)]
    assert sizes(at(51))[0] == (2, True)
    assert [is_lacking for _, is_lacking in sizes(at(49))] == [False, False]
    rows = client.get("/api/v1/dataset-summaries", params={"only": "lineage-missing"}).json()
    assert "both" in [row["name"] for row in rows["datasets"]]
    gaps = client.get("/api/v1/gaps", params={"namespace": "n", "name": "both"}).json()["gaps"]
    assert [gap["job"] for gap in gaps] == ["first"]


def test_the_latest_run_of_each_job_is_the_first_of_its_runs(
    client: TestClient, store: Store
) -> None:
    """A run that failed reports no output, so the edges still name the one before as the latest."""
    store.add(
        [
            event("shop.mart", 40, [], run=401, state="FAIL"),
            event("shop.load", 41, [], run=411, state="START"),
        ]
    )
    names = ["shop.mart", "shop.load", "none"]
    answer = client.get(
        "/api/v1/latest-runs", params={"of": [json.dumps(["jobs", name]) for name in names]}
    )
    runs = {run["job"]: run for run in answer.json()["runs"]}
    assert {job: run["state"] for job, run in runs.items()} == {
        "shop.mart": "FAIL",
        "shop.load": "START",
    }
    for job, run in runs.items():
        first = ask(client, "runs", namespace="jobs", job=job)["runs"][0]
        assert {key: run[key] for key in first} == first
    refused = client.get("/api/v1/latest-runs", params={"of": ["shop.mart"]})
    assert (refused.status_code, list(refused.json())) == (400, ["error"])


def fill(store: Store) -> None:
    """`mine`, written by two DAGs' tasks."""
    wrote = {"shop.mart": {"x": "raw.a", "secret": "raw.a"}, "other.job": {"x": "raw.b"}}
    for minute, (job, fields) in enumerate(wrote.items(), 50):
        dag, task = job.split(".")
        airflow = {"dag": {"dag_id": dag}, "task": {"task_id": task}}
        store.add(copy_event(job, minute, "mine", fields, airflow=airflow))


def test_who_may_not_see_the_dag_sees_no_chain_history_or_output(store: Store) -> None:
    fill(store)
    client = TestClient(create_app(store, lambda request, scope: Access(frozenset({"other"}))))
    found = ask(client, "operations", name="mine", field="x")
    assert [one["job"]["name"] for one in found["chains"]] == ["other.job"]
    found = ask(client, "expressions", name="mine")["expressions"]
    assert [one["field"] for one in found] == ["x"]
    found = ask(client, "history", name="mine", field="x")
    assert [one["job"] for one in found["history"]] == ["other.job"]
    hidden = client.get("/api/v1/outputs", params={"dag_id": "shop"})
    assert (hidden.status_code, "shop.mart" in hidden.text) == (404, False)
    assert [one["name"] for one in ask(client, "outputs", dag_id="other")["outputs"]] == ["mine"]
    found = ask(client, "diff", name="mine", before=at(0))
    assert [one["input"]["field"] for one in found["added"]] == ["b"]


CDAP = "/v3/namespaces/n/datasets/mine/lineage"
RANGE = {"start": at(0), "end": at(60)}


@pytest.mark.parametrize(
    ("path", "dags", "seen"),
    [
        (f"{CDAP}/fields", {"other"}, ["x"]),
        (f"{CDAP}/fields", {"shop", "other"}, ["secret", "x"]),
        (f"{CDAP}/fields/secret", {"other"}, {"incoming": [], "outgoing": []}),
        (f"{CDAP}/fields/secret/operations", {"other"}, {"incoming": [], "outgoing": []}),
        ("/v3/namespaces/n/endpoints/mine/fields/secret/lineage", {"other"}, []),
    ],
)
def test_cdap_answers_are_cut_down_by_dag(
    store: Store, path: str, dags: set[str], seen: object
) -> None:
    fill(store)
    client = TestClient(create_app(store, lambda request, scope: Access(frozenset(dags))))
    answer = client.get(path, params=RANGE).json()
    nodes = answer.get("nodes") if isinstance(answer, dict) else None
    assert (answer if nodes is None else nodes) == seen


def test_cdap_programs_and_mappings_are_cut_down_by_dag(store: Store) -> None:
    fill(store)
    narrow = TestClient(create_app(store, lambda request, scope: Access(frozenset({"other"}))))
    programs = narrow.get(CDAP, params=RANGE).json()["programs"]
    assert sorted(programs) == ["workflow.jobs.other.job"]  # shop.load has no DAG
    wide = Access(frozenset({"other", None}))
    client = TestClient(create_app(store, lambda request, scope: wide))
    programs = client.get(CDAP, params=RANGE).json()["programs"]
    assert sorted(programs) == ["workflow.jobs.other.job", "workflow.jobs.shop.load"]
    every = client.get(CDAP.replace("lineage", "allfieldlineage"), params=RANGE).json()
    assert every["fields"] == ["x"]
    mapped = client.get("/v3/namespaces/n/endpoints/mine/fields/lineage", params=RANGE).json()
    (mine,) = [one for one in mapped if one["Destination"]["name"] == "mine"]
    assert mine["fieldmap"] == [{"from": "b", "to": "x"}]


def test_properties_that_a_hidden_job_read_with_are_hidden(store: Store) -> None:
    load = copy_event("secret.read", 52, "copy", {"x": "csv.a"})
    load["inputs"] = [{"namespace": "n", "name": "csv", "facets": PROPERTIES}]
    load["run"]["facets"] = {"airflow": {"dag": {"dag_id": "secret"}}}
    store.add(load)
    every = TestClient(create_app(store))
    some = TestClient(create_app(store, lambda request, scope: Access(frozenset({None}))))
    counts = [len(ask(one, "properties", name="csv")["properties"]) for one in (every, some)]
    assert counts == [3, 2]

from typing import Any

import pytest
from fastapi.testclient import TestClient

from airflow_colgraph.exports.formats.csv import csv
from airflow_colgraph.exports.formats.edge_rows import edge_rows
from airflow_colgraph.store.model.lineage_body import Field, Transformation
from airflow_colgraph.store.model.lineage_graph import Edge, Graph
from airflow_colgraph.store.model.question import Question
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.store import Store
from tests.graph_answers import edges_of, nodes_of
from tests.store.samples import at, event, output


def edges(answer: dict[str, Any]) -> set[tuple[str, str, str]]:
    return {
        (
            f"{e['input']['name']}.{e['input']['field'] or '*'}",
            f"{e['output']['name']}.{e['output']['field'] or '*'}",
            e["subtype"],
        )
        for e in edges_of(answer)
    }


def ask(client: TestClient, path: str, **parameters: Any) -> Any:
    response = client.get(f"/api/v1/{path}", params=parameters)
    assert response.status_code == 200, response.text
    return response.json()


def test_upstream(client: TestClient) -> None:
    found = ask(client, "upstream", namespace="n", name="mart", field="t")
    assert edges(found) == {("raw.b", "mart.t", "AGGREGATION"), ("csv.b", "raw.b", "IDENTITY")}
    first = edges_of(found)[0]
    assert first["depth"] == 1
    assert first["reported_by"][0]["job"]["name"] == "shop.mart"
    assert (found["truncated"], found["unexplored"]) == (False, 0)


def test_an_edge_is_a_row_and_the_compact_form_has_the_same_edges(client: TestClient) -> None:
    asked = {"namespace": "n", "name": "mart", "field": "t"}
    rows = ask(client, "upstream", **asked)
    (last,) = [row for row in rows["edges"] if row["depth"] == 1]
    compact = ask(client, "upstream", **asked, format="compact")
    run = edges_of(compact)[0]["reported_by"][0]["run"]
    assert run["state"] == "COMPLETE"
    assert last == {
        "input": {"namespace": "n", "name": "raw", "field": "b"},
        "output": {"namespace": "n", "name": "mart", "field": "t"},
        "type": "DIRECT",
        "subtype": "AGGREGATION",
        "masking": False,
        "description": "",
        "direction": "upstream",
        "depth": 1,
        "job": {"namespace": "jobs", "name": "shop.mart", "dag_id": None, "task_id": None},
        "run": run["id"],
        "first_seen": at(30),
        "last_seen": at(30),
        "closed_at": None,
    }
    whole = edges_of(compact)
    for edge in whole:
        for report in edge["reported_by"]:
            report["run"] = report["run"]["id"]
    assert edges_of(rows) == whole
    assert rows["starts"] == [{key: nodes_of(compact)[0][key] for key in rows["starts"][0]}]


def test_an_edge_whose_reports_are_hidden_is_a_row_of_every_format() -> None:
    """CSV left out such edges; the routes' tests with hidden DAGs read JSON only."""
    ends = Field("n", "raw", "a"), Field("n", "mart", "t")
    edge = Edge(*ends, Transformation("DIRECT", "RESTRICTED"), 1, "upstream", ())
    answer = Graph(Question(), (ends[1],), [edge])
    assert [row["subtype"] for row in edge_rows(answer)["edges"]] == ["RESTRICTED"]
    assert (
        csv(answer).splitlines()[1]
        == "upstream,1,n,raw,a,n,mart,t,DIRECT,RESTRICTED,false" + 9 * ","
    )


@pytest.mark.parametrize("route", ["upstream", "downstream", "graph", "paths", "tasks"])
def test_both_forms_are_in_the_openapi_document(client: TestClient, route: str) -> None:
    document = client.get("/api/v1/openapi.json").json()
    answer = document["paths"][f"/api/v1/{route}"]["get"]["responses"]["200"]
    examples = answer["content"]["application/json"]["examples"]
    rows, compact = (edges_of(examples[form]["value"]) for form in ("json", "compact"))
    assert [row["input"]["field"] for row in rows] == ["amount"]
    assert [edge["output"] for edge in compact] == [row["output"] for row in rows]


def test_an_answer_in_python_is_a_table(store: Store) -> None:
    answer = graph.upstream(store, "n", "mart", "t")
    frame, table = answer.to_pandas(), answer.to_arrow()
    assert list(frame.columns) == table.column_names
    assert frame.astype(object).values.tolist() == [list(row.values()) for row in table.to_pylist()]
    assert set(zip(frame["input_field"], frame["output_field"], frame["job"], strict=True)) == {
        ("b", "t", "shop.mart"),
        ("b", "b", "shop.load"),
    }
    assert frame["masking"].tolist() == [False, False]


def test_upstream_at_a_time_and_with_what_decides_on_rows(client: TestClient) -> None:
    old = ask(client, "upstream", name="mart", field="t", at=at(26), indirect=True)
    assert edges(old) == {
        ("raw.a", "mart.t", "AGGREGATION"),
        ("raw.b", "mart.*", "FILTER"),
        ("csv.a", "raw.a", "IDENTITY"),
        ("csv.b", "raw.b", "IDENTITY"),
    }


def test_several_fields_and_both_directions(client: TestClient) -> None:
    found = ask(client, "graph", name="raw", field=["a", "b"])
    assert edges(found) == {
        ("csv.a", "raw.a", "IDENTITY"),
        ("csv.b", "raw.b", "IDENTITY"),
        ("raw.b", "mart.t", "AGGREGATION"),
    }


def test_wrong_parameters_are_each_named(client: TestClient) -> None:
    response = client.get(
        "/api/v1/graph", params={"depth": 0, "run_aware": "x", "direction": "left"}
    )
    assert response.status_code == 400
    assert response.json() == {
        "error": "name: Field required; "
        "depth: Input should be greater than or equal to 1; "
        "run_aware: Input should be a valid boolean, unable to interpret input; "
        "direction: String should match pattern '^(upstream|downstream|both)$'."
    }


def test_the_last_value_of_a_repeated_parameter_is_used(client: TestClient) -> None:
    found = ask(client, "upstream", name=["nothing", "mart"], field="t", depth=["9", "1"])
    assert edges(found) == {("raw.b", "mart.t", "AGGREGATION")}


def test_fields_of_several_datasets_at_once(client: TestClient) -> None:
    starts = {"csv": "a", "raw": "b", "mart": "t"}
    pins = [f'["n", "{name}", "{field}"]' for name, field in starts.items() if name != "raw"]
    found = ask(client, "upstream", name="raw", field="b", pin=pins)
    assert {start["name"]: start["field"] for start in found["starts"]} == starts
    each = [ask(client, "upstream", name=name, field=field) for name, field in starts.items()]
    assert edges(found) == {edge for one in each for edge in edges(one)}


@pytest.mark.parametrize("pin", ["raw.c", '["n", "raw"]', '["n", "raw", 1]', '{"a": 1}'])
def test_a_pin_that_names_no_field(client: TestClient, pin: str) -> None:
    answer = client.get("/api/v1/graph", params={"name": "raw", "pin": pin})
    assert answer.status_code == 400
    assert answer.json()["error"] == f'Pin is {pin!r}. Expected ["namespace","name","field"].'


def test_impact_is_flat_and_nearest_first(client: TestClient) -> None:
    found = ask(client, "impact", name="csv", field="b")
    assert found == {
        "impact": [
            {"namespace": "n", "name": "raw", "field": "b", "depth": 1, "jobs": ["shop.load"]},
            {"namespace": "n", "name": "mart", "field": "t", "depth": 2, "jobs": ["shop.mart"]},
        ],
        "count": 2,
        "unknown": [],
        "truncated": False,
        "left_out": 0,
    }


def test_an_impact_names_jobs_that_read_by_unknown_columns(
    store: Store, client: TestClient
) -> None:
    """A job that wrote a dataset without reporting columns was left out in silence."""
    store.add(event("shop.dump", 50, [output("dump")], reads=["mart"]))
    found = ask(client, "impact", name="csv", field="b")
    reader = {"source_namespace": "n", "source_name": "mart", "job": "shop.dump"}
    assert found["unknown"] == [{**reader, "namespace": "n", "name": "dump"}]
    assert ask(client, "impact", name="mart", field="t")["unknown"] == found["unknown"]


UNRESOLVED = {"colgraph_diagnostics": {"unresolved": [{"class": "Odd", "count": 1}]}}
READS_MART = {
    "could not resolve them": event(
        "reader", 50, [output("dump", {"x": "mart.x"})], reads=["mart"], **UNRESOLVED
    ),
    "resolved none, and wrote nothing": event("reader", 50, [], reads=["mart"], **UNRESOLVED),
    "wrote nothing": event("reader", 50, [], reads=["mart"]),
}


@pytest.mark.parametrize("words", READS_MART)
def test_an_impact_names_a_job_that_read_other_columns_too(
    store: Store, client: TestClient, words: str
) -> None:
    reads = READS_MART[words]
    wrote = reads["outputs"] and "dump"
    store.add(reads)
    (reader,) = ask(client, "impact", name="csv", field="b")["unknown"]
    assert (reader["source_name"], reader["job"], reader["name"]) == (
        "mart",
        "reader",
        wrote or None,
    )
    failed = {**event("reader", 60, [], state="FAIL"), "inputs": []}
    store.add(failed)
    assert ask(client, "impact", name="csv", field="b")["unknown"] == [reader]
    store.add(event("reader", 70, [output("dump", {"x": "mart.x"})], reads=["mart"]))
    assert not ask(client, "impact", name="csv", field="b")["unknown"]


def test_paths_are_the_edges_between(client: TestClient) -> None:
    way = {"to_namespace": "n", "to_name": "mart", "to_field": "t"}
    found = ask(client, "paths", namespace="n", name="csv", field="b", **way)
    assert edges(found) == {("csv.b", "raw.b", "IDENTITY"), ("raw.b", "mart.t", "AGGREGATION")}


@pytest.mark.parametrize(
    ("form", "start", "kind"),
    [
        ("csv", "direction,depth,", "text/csv"),
        ("mermaid", "flowchart LR\n", "text/plain"),
        ("dot", "digraph lineage {\n", "text/vnd.graphviz"),
        ("table", "n mart: t\n", "text/plain"),
    ],
)
def test_other_forms(client: TestClient, form: str, start: str, kind: str) -> None:
    parameters = {"name": "mart", "field": "t", "format": form}
    response = client.get("/api/v1/upstream", params=parameters)
    assert response.text.startswith(start)
    assert response.headers["content-type"].startswith(kind)


def test_names_with_colons_and_slashes(client: TestClient) -> None:
    namespace, name = "postgres://h:5432", "db.schema.t/x y"
    one = {
        "eventTime": at(1),
        "dataset": {
            "namespace": namespace,
            "name": name,
            "facets": {
                "columnLineage": {
                    "fields": {
                        "a:b": {
                            "inputFields": [{"namespace": "s3://b", "name": "k/v", "field": "x.y"}]
                        }
                    }
                }
            },
        },
    }
    assert client.post("/api/v1/lineage", json=one).status_code == 201
    found = ask(client, "upstream", namespace=namespace, name=name, field="a:b")
    assert edges_of(found)[0]["input"] == {"namespace": "s3://b", "name": "k/v", "field": "x.y"}

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.graph_answers import edges_of, nodes_of
from tests.store.samples import at


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
    assert first["reported_by"][0]["run"]["state"] == "COMPLETE"
    assert (found["truncated"], found["unexplored"]) == (False, 0)


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
    nodes = nodes_of(found)
    assert {nodes[at]["name"]: nodes[at]["field"] for at in found["starts"]} == starts
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
        "truncated": False,
        "left_out": 0,
    }


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

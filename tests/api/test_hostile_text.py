"""Text of a caller costs the server no more than its length, and shows no more than it may."""

from functools import partial

import pytest
from fastapi.testclient import TestClient

from airflow_colgraph.api.access import Access
from airflow_colgraph.api.app import create_app
from airflow_colgraph.api.compat import node_id
from airflow_colgraph.exports.datahub.urn import UrnError, parse_dataset, parse_field
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.query.close_names import close
from airflow_colgraph.store.store import Store
from tests.collector.test_linear import PIECE_SIZES, assert_linear, repeated
from tests.graph_answers import edges_of
from tests.store.samples import copy_event

DATASET = "urn:li:dataset:(urn:li:dataPlatform:a,"


def parsed(urn: str) -> None:
    with pytest.raises(UrnError):
        parse_field(urn)
    with pytest.raises(UrnError):
        parse_dataset(urn)


@pytest.mark.parametrize("piece", ["x,PROD),", "a", ",", ")", "(", "PROD"])
def test_urns_are_read_in_linear_time(piece: str) -> None:
    text = partial(repeated, f"urn:li:schemaField:({DATASET}", piece)
    assert_linear(parsed, text, PIECE_SIZES)


@pytest.mark.parametrize("piece", ["now+1d", "+1d", "2026-11-20T10:00:00.", "1", " "])
def test_times_are_read_in_linear_time(piece: str) -> None:
    def parse(text: str) -> None:
        for whole in (f"now{text}", f"2026-11-20T10:00:00.{text}!"):
            with pytest.raises(ValueError, match="is not a time"):
                clock.parse(whole + "?")

    assert_linear(parse, partial(repeated, "", piece), PIECE_SIZES)


def test_names_like_a_text_that_nobody_types_are_not_looked_for() -> None:
    names = [f"{'ab' * 100}{number}" for number in range(1_000)]
    assert len(close("ab" * 100, names, 1)) == 1
    assert_linear(lambda text: close(text, names, 3), partial(repeated, "", "ab"), PIECE_SIZES)
    assert close("orders", ["orderz", "ordrs" * 1_000_000], 3) == ["orderz"]


def test_a_node_id_with_many_colons_is_refused(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each way to split it would be looked up; a way that is no dataset costs no search."""
    answer = client.get("/api/v1/column-lineage", params={"nodeId": "datasetField" + ":a" * 100})
    assert (answer.status_code, answer.json()) == (
        400,
        {"error": "nodeId has more than 32 colons. Give namespace, dataset and field instead."},
    )
    searches: list[str] = []
    monkeypatch.setattr(
        "airflow_colgraph.store.query.lookup.close", lambda text, *_, **__: searches.append(text)
    )
    most = "datasetField" + ":a" * node_id.MOST_WORDS
    assert client.get("/api/v1/column-lineage", params={"nodeId": most}).status_code == 404
    assert searches == []


@pytest.mark.parametrize("pattern", ["(", r"(a)\1", "(?=a)", "a{2000}"])
@pytest.mark.parametrize("route", ["upstream", "downstream", "graph", "impact"])
def test_a_pattern_that_re2_refuses_is_400(client: TestClient, route: str, pattern: str) -> None:
    asked = {"name": "mart", "collapse": pattern}
    answer = client.get(f"/api/v1/{route}", params=asked)
    assert answer.status_code == 400
    assert "is not a regular expression of RE2" in answer.json()["error"]


def test_a_catastrophic_pattern_is_answered(client: TestClient, store: Store) -> None:
    name = "a" * 1_000 + "!"
    store.add(copy_event("j", 1, name, {"x": "raw.a"}))
    asked = {"name": name, "field": "x", "collapse": "(a+)+$"}
    assert len(edges_of(client.get("/api/v1/upstream", params=asked).json())) == 2


def test_what_is_collapsed_shows_nothing_of_a_hidden_dag(store: Store) -> None:
    """The text of two steps is joined: of a step that one may not see nothing is reported."""
    for dag, name, fields in (
        ("secret", "tmp", {"x": "raw.a DIRECT:TRANSFORMATION"}),
        ("shop", "report", {"r": "tmp.x"}),
    ):
        airflow = {"dag": {"dag_id": dag}, "task": {"task_id": "t"}}
        event = copy_event(f"{dag}.t", 50, name, fields, airflow=airflow)
        if dag == "secret":
            (output,) = event["outputs"]
            (field,) = output["facets"]["columnLineage"]["fields"]["x"]["inputFields"]
            field["transformations"][0]["description"] = "hidden * 3"
        store.add(event)
    client = TestClient(create_app(store, lambda request, scope: Access(frozenset({"shop"}))))
    asked = {"name": "report", "field": "r", "collapse": "^tmp$", "depth": 2}
    for route in ("upstream", "graph"):
        answer = client.get(f"/api/v1/{route}", params=asked)
        (edge,) = edges_of(answer.json())
        assert (edge["input"]["name"], edge["subtype"]) == ("raw", "RESTRICTED")
        assert "hidden" not in answer.text

"""Answers that have a list without pages: everything in them once, and at most 2 MB."""

from itertools import pairwise
from typing import Any

import pytest
from fastapi.testclient import TestClient

from airflow_colgraph.api.app import create_app
from airflow_colgraph.api.responses import MOST_BYTES
from airflow_colgraph.exports.formats.graph_json import graph_json
from airflow_colgraph.store.model.lineage_body import Field, Transformation
from airflow_colgraph.store.model.lineage_graph import Edge, Graph
from airflow_colgraph.store.model.question import Question
from airflow_colgraph.store.model.runs import Job, Report, Run
from airflow_colgraph.store.store import Store
from tests.graph_answers import edges_of, nodes_of
from tests.store.samples import copy_event, memory_store

LONG = "é" * 100  # an ending of names: two bytes each
WIDTH = 4000  # columns


def names(dataset: str) -> list[str]:
    return [f"{dataset}_{number:04}{LONG}" for number in range(WIDTH)]


@pytest.fixture(scope="module")
def client() -> TestClient:
    """`one` into `two` into `three`: each of so many columns with long names."""
    store: Store = memory_store()
    for minute, (source, target) in enumerate((("one", "two"), ("two", "three")), 1):
        pairs = zip(names(target), names(source), strict=True)
        columns = {to: f"{source}.{from_}" for to, from_ in pairs}
        store.add([copy_event(f"shop.{target}", minute, target, columns)])
    return TestClient(create_app(store))


def ask(client: TestClient, route: str, **query: Any) -> tuple[int, dict[str, Any]]:
    response = client.get(f"/api/v1/{route}", params={"namespace": "n", **query})
    assert response.status_code == 200, response.text
    return len(response.content), response.json()


def test_a_graph_answer_has_each_thing_once() -> None:
    job, run = Job("n", "load"), Run("1", "t", None, "START", None, None, None)
    shared, equal = Report(job, run, "t", "t", None), Report(job, run, "t", "t", None)
    declared = Report(None, None, "t", "u", "u")
    copied, masked = Transformation("DIRECT"), Transformation("DIRECT", "", True)
    a, b, c, d = (
        Field("n", "x", "a"),
        Field("n", "y", "b"),
        Field("n", "y", "c"),
        Field("n", "z", ""),
    )
    edges = [
        Edge(a, b, copied, 1, "upstream", (shared,)),
        Edge(a, c, copied, 1, "upstream", (equal, declared)),
        Edge(d, a, masked, 2, "upstream", ()),
    ]
    found = graph_json(Graph(Question(), (b, c), edges))
    assert {name: len(found[name]) for name in ("datasets", "jobs", "runs", "reports")} == {
        "datasets": 3,
        "jobs": 1,
        "runs": 1,
        "reports": 2,
    }
    assert found["transformations"] == [copied._asdict(), masked._asdict()]
    whole = edges_of(found)
    assert [(one["input"]["name"], one["output"]["field"], one["depth"]) for one in whole] == [
        ("x", "b", 1),
        ("x", "c", 1),
        ("z", "a", 2),
    ]
    assert [len(one["reported_by"]) for one in whole] == [1, 2, 0]
    assert whole[0]["reported_by"][0] == {
        "job": job._asdict(),
        "run": run._asdict(),
        **{"first_seen": "t", "last_seen": "t", "closed_at": None},
    }
    assert whole[1]["reported_by"][1]["job"] is None
    assert [nodes_of(found)[at]["field"] for at in found["starts"]] == ["b", "c"]


@pytest.mark.parametrize("format_", ["json", "compact"])
def test_an_answer_that_is_too_large_keeps_the_nearest_edges(
    client: TestClient, format_: str
) -> None:
    size, found = ask(client, "upstream", name="three", limit=100_000, format=format_)
    edges = edges_of(found)
    assert 0.9 * MOST_BYTES < size <= MOST_BYTES
    assert len(edges) + found["left_out"] == 2 * WIDTH
    assert (found["truncated"], found["unexplored"]) == (True, 0)
    near = {one["input"]["field"] for one in edges if one["depth"] == 1}
    assert near <= set(names("two"))
    assert near == set(names("two")) or {one["depth"] for one in edges} == {1}


def test_what_was_left_out_is_in_smaller_questions_and_in_the_file(client: TestClient) -> None:
    _, found = ask(client, "upstream", name="two", format="compact")
    assert (len(edges_of(found)), found["left_out"], found["truncated"]) == (WIDTH, 0, False)
    query = {"namespace": "n", "name": "three", "limit": 100_000, "format": "csv"}
    text = client.get("/api/v1/upstream", params=query).text
    assert len(text.splitlines()) == 1 + 2 * WIDTH


def test_an_impact_that_is_too_large_keeps_the_nearest_fields(client: TestClient) -> None:
    size, found = ask(client, "impact", name="one", limit=100_000)
    rows = found["impact"]
    assert 0.9 * MOST_BYTES < size <= MOST_BYTES
    assert (found["count"], found["truncated"]) == (2 * WIDTH, True)
    assert len(rows) + found["left_out"] == 2 * WIDTH
    assert [row["depth"] for row in rows] == sorted(row["depth"] for row in rows)
    assert {row["field"] for row in rows if row["depth"] == 1} == set(names("two"))


LISTS: dict[str, tuple[dict[str, Any], str, int]] = {
    "fields": ({"name": "three"}, "fields", WIDTH),
    "unused": ({"name": "three", "days": 36_500, "limit": 100_000}, "unused", WIDTH),
    "history": ({"name": "three"}, "history", 1),
    "diff": ({"name": "three", "before": "2020-01-01T00:00:00Z"}, "added", WIDTH),
}


@pytest.mark.parametrize("route", LISTS)
def test_a_list_that_is_too_long_counts_what_it_leaves_out(client: TestClient, route: str) -> None:
    query, key, count = LISTS[route]
    size, found = ask(client, route, **query)
    lists = [value for value in found.values() if isinstance(value, list)]
    assert size <= MOST_BYTES
    assert sum(map(len, lists)) + found["left_out"] == count
    assert found["truncated"] == (found["left_out"] > 0)
    assert key in found


@pytest.fixture(scope="module")
def copied() -> TestClient:
    """One key in so many datasets with long names, each from the one before, and 3 histories."""
    store: Store = memory_store()
    ways = [f"n{'é' * 400}{number:03}" for number in range(51)]
    for number, (source, target) in enumerate(pairwise(ways)):
        event = copy_event(f"shop.{number}", number, target, {"key": f"{source}.key"})
        store.add([event])
    for minute in range(3):
        wide = {f"w{number}{LONG}": f"{minute}.{LONG}{number}" for number in range(8000)}
        store.add([copy_event("shop.wide", minute + 1, "wide", wide)])
    return TestClient(create_app(store))


@pytest.mark.long
def test_copies_keep_the_nearest_with_their_runs(copied: TestClient) -> None:
    name = f"n{'é' * 400}000"
    size, found = ask(copied, "copies", name=name, field="key", limit=100_000)
    assert 0.4 * MOST_BYTES < size <= MOST_BYTES
    assert found["truncated"] is True
    assert len(found["copies"]) + found["left_out"] == 51
    assert [one["hops"] for one in found["copies"]] == list(range(len(found["copies"])))
    assert set(found["runs"]) == {one["run"] for one in found["copies"] if one["run"]}


def test_the_latest_of_a_long_history_are_kept(copied: TestClient) -> None:
    size, found = ask(copied, "history", name="wide")
    assert size <= MOST_BYTES
    assert len(found["history"]) + found["left_out"] == 3

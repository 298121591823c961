"""Each node id that the API hands out is accepted by it, and means the same."""

from itertools import pairwise
from urllib.parse import quote

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.store.samples import memory_store

NAMES = [
    "t#snapshots",
    "t",
    "a\nb",
    "end\n",
    "50%",
    "q?x=1&y",
    "a/b/",
    "'\"`",
    "größe 表",
    "#",
    "a#b#c",
]


def copied(names: list[str]) -> list[dict[str, object]]:
    """Events that copy the field of each name from the dataset of the name before."""
    events = []
    for number, (source, target) in enumerate(pairwise(names)):
        inputs = [{"namespace": "n", "name": source, "field": source}]
        facet = {"fields": {target: {"inputFields": inputs}}}
        events.append(
            {
                "eventType": "COMPLETE",
                "eventTime": "2026-11-20T10:00:00Z",
                "run": {"runId": f"019a0000-0000-7000-8000-{number:012}"},
                "job": {"namespace": "n", "name": target},
                "outputs": [{"namespace": "n", "name": target, "facets": {"columnLineage": facet}}],
            }
        )
    return events


def check(app: FastAPI, names: list[str]) -> None:
    """Follow every id of the graphs, and ask for each dataset in a path."""
    store = memory_store()
    store.add(copied(names))
    app.state.store = store
    client = TestClient(app)
    for name in names[1:]:
        for kind, route in (("datasetField", "column-lineage"), ("dataset", "lineage")):
            id = f"{kind}:n:{name}" + (f":{name}" if kind == "datasetField" else "")
            ids = [node["id"] for node in graph(client, route, id)]
            assert id in ids
            for other in ids:
                assert other in [node["id"] for node in graph(client, route, other)]
        path = f"/api/v1/namespaces/n/datasets/{quote(name, safe='')}"
        answer = client.get(path)
        assert (answer.status_code, answer.json().get("name")) == (200, name)
    store.close()


def graph(client: TestClient, route: str, id: str) -> list[dict[str, str]]:
    answer = client.get(f"/api/v1/{route}", params={"nodeId": id})
    assert answer.status_code == 200, (id, answer.text)
    nodes: list[dict[str, str]] = answer.json()["graph"]
    return nodes


def test_names_that_have_the_signs_of_ids_and_urls(app: FastAPI) -> None:
    """The earlier tests had no dataset whose name has a `#` beside the one without."""
    check(app, NAMES)


@pytest.mark.parametrize("version", ["#1", "#0190e2f3-7e1c-7000-8000-000000000000"])
def test_a_version_is_dropped(app: FastAPI, version: str) -> None:
    store = memory_store()
    store.add(copied(["s", "t#snapshots"]))
    app.state.store = store
    answer = graph(TestClient(app), "lineage", f"dataset:n:t#snapshots{version}")
    assert "dataset:n:t#snapshots" in [node["id"] for node in answer]
    store.close()

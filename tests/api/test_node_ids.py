"""Each node id that the API hands out is accepted by it, and means the same."""

import asyncio
from itertools import pairwise
from urllib.parse import quote

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx import ASGITransport, AsyncClient
from hypothesis import example, given, settings
from hypothesis import strategies as st

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
    """Follow every id of the graphs, and ask for each dataset and field in a path."""
    store = memory_store()
    store.add(copied(names))
    app.state.store = store
    asyncio.run(_check(app, names))
    store.close()


async def _check(app: FastAPI, names: list[str]) -> None:
    """Starlette's own client decodes paths twice."""
    transport = ASGITransport(app)
    async with AsyncClient(transport=transport, base_url="http://testserver") as client:
        for source, target in pairwise(names):
            await follow(client, "lineage", f"dataset:n:{target}")
            await follow(client, "column-lineage", f"datasetField:n:{target}:{target}")
            await in_paths(client, source, target)


async def follow(client: AsyncClient, route: str, id: str) -> None:
    """Each id in the answer has an answer that has it, too."""
    ids = await nodes(client, route, id)
    assert id in ids
    for other in ids:
        assert other in await nodes(client, route, other)


async def nodes(client: AsyncClient, route: str, id: str) -> list[str]:
    answer = await client.get(f"/api/v1/{route}", params={"nodeId": id, "depth": 1})
    assert answer.status_code == 200, (id, answer.text)
    return [node["id"] for node in answer.json()["graph"]]


async def in_paths(client: AsyncClient, source: str, target: str) -> None:
    """The routes of Marquez and CDAP that have a name in their path."""
    name = quote(target, safe="")
    answer = await client.get(f"/api/v1/namespaces/n/datasets/{name}")
    assert (answer.status_code, answer.json().get("name")) == (200, target)
    path = f"/v3/namespaces/n/datasets/{name}/lineage/fields"
    span = {"start": "0", "end": "now", "direction": "incoming"}
    assert (await client.get(path, params=span)).json() == [target]
    (of_field,) = (await client.get(f"{path}/{name}", params=span)).json()["incoming"]
    assert (of_field["dataset"]["dataset"], of_field["fields"]) == (source, [source])
    answer = await client.get(f"{path}/{name}/operations", params=span)
    (chain,) = answer.json()["incoming"]
    ends = {step["inputs"].get("endPoint", {}).get("name") for step in chain["operations"]}
    assert source in ends


def test_names_that_have_the_signs_of_ids_and_urls(app: FastAPI) -> None:
    """The earlier tests had no dataset whose name has a `#` beside the one without."""
    check(app, NAMES)


WORDS = ["/lineage", "/fields/", "operations", "/datasets/", "#", ":", "%2F", "\n", "a", ".", "é"]
names = st.lists(st.sampled_from(WORDS) | st.characters(codec="utf-8"), min_size=1, max_size=5)


@settings(max_examples=15, deadline=None)
@given(st.lists(names.map("".join).filter(lambda name: is_name(name)), min_size=2, max_size=3))
@example(["x", "x/lineage/fields/y", "a/lineage"])
def test_any_names(app: FastAPI, some: list[str]) -> None:
    """A slash in a name ended it where the rest of the name was like a route."""
    every = list(dict.fromkeys(some))
    if len(every) > 1:
        check(app, every)


def is_name(name: str) -> bool:
    """Whether a store keeps the name as it is, and a path can hold it: none can hold `..`."""
    return "\0" not in name and name.strip() == name and not set(name.split("/")) & {".", ".."}


@pytest.mark.parametrize("version", ["#1", "#0190e2f3-7e1c-7000-8000-000000000000"])
def test_a_version_is_dropped(app: FastAPI, version: str) -> None:
    store = memory_store()
    store.add(copied(["s", "t#snapshots"]))
    app.state.store = store
    params = {"nodeId": f"dataset:n:t#snapshots{version}"}
    answer = TestClient(app).get("/api/v1/lineage", params=params).json()
    assert "dataset:n:t#snapshots" in [node["id"] for node in answer["graph"]]
    store.close()

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from airflow_colgraph.api.app import create_app
from airflow_colgraph.store.store import Store
from tests.store.samples import copy_event, event, memory_store, output

PROPERTIES = {
    "colgraph_properties": {"format": "csv", "options": [{"name": "header", "value": "1"}]}
}


def log() -> list[dict[str, Any]]:
    """`csv` into `raw` into `mart`; the mart's `t` changes at minute 30."""
    schema = {"fields": [{"name": "a", "type": "int"}, {"name": "b", "type": "string"}]}
    events = []
    for minute in (10, 20):
        load = event(
            "shop.load", minute, [output("raw", {"a": "csv.a", "b": "csv.b"}, schema=schema)]
        )
        load["inputs"] = [{"namespace": "n", "name": "csv", "facets": PROPERTIES}]
        events.append(load)
    for minute, source in ((15, "raw.a"), (25, "raw.a"), (30, "raw.b")):
        fields = {"t": f"{source} DIRECT:AGGREGATION", "n": ""}
        events.append(
            copy_event("shop.mart", minute, "mart", fields, dataset="raw.b INDIRECT:FILTER")
        )
    return events


@pytest.fixture
def store() -> Iterator[Store]:
    store = memory_store()
    store.add(log())
    yield store
    store.close()


@pytest.fixture(scope="session")
def app() -> FastAPI:
    """Made once, as its many routes take a while; each test's own store is put into it."""
    return create_app(memory_store())


@pytest.fixture
def client(store: Store, app: FastAPI) -> TestClient:
    app.state.store = store
    return TestClient(app, raise_server_exceptions=False)

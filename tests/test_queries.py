"""Where the SQL that a job had a database run becomes tables, and where there is no parser."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from airflow_colgraph.api.app import create_app
from airflow_colgraph.extractors import forward
from airflow_colgraph.extractors.task_lineage import merge
from airflow_colgraph.queries import with_tables
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.store import Store
from tests.test_sql import event

RUN = "01941f29-7c00-7087-94f4-3c0000000000"
NOW = "2026-11-20T00:00:00Z"

QUERY = "SELECT cid AS id, sum(v) AS s FROM o WHERE ok GROUP BY cid"


def names(found: list[dict[str, object]]) -> list[object]:
    return [dataset["name"] for dataset in found]


def reported() -> dict[str, object]:
    job = {"namespace": "tests", "name": "load", "facets": {}}
    run = {"runId": "r", "facets": {}}
    return {**event(QUERY), "eventType": "RUNNING", "job": job, "run": run}


def test_a_tasks_lineage_names_the_tables() -> None:
    lineage = merge([reported()])
    assert names(lineage.inputs) == ["shop.o"]
    (output,) = lineage.outputs
    fields = output["facets"]["columnLineage"]["fields"]
    assert {item["field"] for entry in fields.values() for item in entry["inputFields"]} == {
        "cid",
        "v",
    }


def test_the_rest_endpoint_stores_the_tables(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    with Store.open(url) as store:
        with TestClient(create_app(store)) as client:
            sent = {**reported(), "run": {"runId": RUN, "facets": {}}, "eventTime": NOW}
            for given in (sent, [sent]):
                assert client.post("/api/v1/lineage", json=given).status_code == 201
            assert client.post("/api/v1/lineage", json={"inputs": "query:1"}).status_code == 400
        found = graph.upstream(store, "file", "/out", "t")
    assert {(edge.input.name, edge.input.field) for edge in found.edges} == {("shop.o", "v")}


def test_forwarded_events_name_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Any] = []
    monkeypatch.setattr(forward, "listener_adapter", lambda: SimpleNamespace(emit=sent.append))
    run = {"runId": RUN, "facets": {}}
    forward.forward([{**reported(), "run": run, "eventTime": NOW, "producer": "urn:x"}], 60)
    assert [one.name for one in sent[0].inputs] == ["shop.o"]


def test_events_without_a_query_are_the_same_objects() -> None:
    plain = {"inputs": [{"namespace": "file", "name": "/a"}], "outputs": []}
    (kept,) = with_tables([plain])
    assert kept is plain


def test_without_a_parser_the_query_stays_and_the_log_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "airflow_colgraph.sql.jdbc_queries", None)
    before = reported()
    assert with_tables([before]) == [before]
    assert "pip install 'colgraph[sql]'" in caplog.text

"""Who read a column with a tag: one row per person, dataset, route and hour, for every route."""

import json
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from airflow.api_fastapi.app import lifespan
from fastapi import FastAPI
from fastapi.testclient import TestClient

from airflow_colgraph import conf, web
from airflow_colgraph.api.access import Access
from airflow_colgraph.api.app import create_app
from airflow_colgraph.store.admin import audit, read_audit
from airflow_colgraph.store.admin.background_writer import BackgroundWriter
from airflow_colgraph.store.admin.tags import write
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.tags import TagChange, parse_tag
from airflow_colgraph.store.store import Store
from tests.store.samples import at, copy_event, event, memory_store, output, run_id

AIRFLOW = {"dag": {"dag_id": "shop"}, "task": {"task_id": "load"}}
CARD, HASHED = Field("n", "raw", "card_number"), Field("n", "mart", "card_hash")
PLAIN = Field("n", "mart", "total")


def log() -> list[dict[str, Any]]:
    """`csv` into `raw`, which has a card's number, into `mart`; the mart changes at minute 30."""
    schema = {"fields": [{"name": "card_number", "type": "string"}, {"name": "a", "type": "int"}]}
    load = event(
        "shop.load",
        10,
        [output("raw", {"card_number": "csv.c", "a": "csv.a"}, schema=schema)],
        airflow=AIRFLOW,
    )
    mart = {"card_hash": "raw.card_number DIRECT:TRANSFORMATION", "total": "raw.a"}
    first = copy_event("shop.mart", 20, "mart", mart)
    later = copy_event("shop.mart", 30, "mart", mart | {"card_hash": "raw.card_number"})
    return [load, first, later]


def tag(store: Store, *fields: Field, text: str = "pii", is_set: bool = True) -> None:
    at, what = 1 if is_set else 2, parse_tag(text)
    write(store, [TagChange(field, what, at, is_set, "USER", "ann") for field in fields])


def app_of(store: Store, *patterns: str, who: str = "bob") -> FastAPI:
    return create_app(
        store, lambda request, scope: Access(name=who, caller="x"), audit_reads=patterns
    )


@pytest.fixture
def served() -> Iterator[Store]:
    store = memory_store()
    store.add(log())
    tag(store, CARD)
    yield store
    store.close()


def reads(store: Store) -> list[audit.Action]:
    with store.connection() as connection:
        return audit.read(connection, actions=["read"])


ASKED = {
    **{"namespace": "n", "field": "card_number", "name": "raw"},
    **{"since": at(0), "before": at(21), "q": "card", "tag": "pii"},
    **{"job": "shop.mart", "nodeId": "dataset:n:raw", "start": "0", "end": "now+1d"},
    **{"to_namespace": "n", "to_name": "mart", "to_field": "card_hash"},
    **{"dataset": '["n", "raw"]', "of": '["jobs", "shop.mart"]'},
}
IN_PATHS = {
    **{"namespace": "n", "dataset": "raw", "endpoint": "raw", "field": "card_number"},
    **{"job": "shop.mart", "run": run_id(10)},
}
OTHERWISE: dict[str, dict[str, str]] = {
    "/api/v1/diff": {"name": "mart"},
    "/api/v1/expressions": {"name": "raw"},
    "/api/v1/unused": {"name": "raw"},
    "/api/v1/gaps": {"name": "raw"},
    "/api/v1/tasks": {"dag_id": "shop"},
    "/api/v1/outputs": {"dag_id": "shop"},
    "/api/v1/why": {"name": "mart", "field": "card_hash"},
}

ABOUT_IT = {  # answers about the field that is asked for, which do not repeat its name
    "/api/v1/impact",
    "/v3/namespaces/{namespace}/datasets/{dataset}/lineage/fields/{field}",
}


def paths(app: FastAPI, store: Store) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Every route that reads, its address, and its parameters."""
    with store.connection() as connection:
        query = "SELECT checksum FROM colgraph_lineage_body ORDER BY first_at LIMIT 1"
        checksum = bytes(connection.exec_driver_sql(query).scalar_one()).hex()
    for path, operations in app.openapi()["paths"].items():
        if "get" not in operations:
            continue
        names = {one["name"] for one in operations["get"].get("parameters", ())}
        query = {**ASKED, **OTHERWISE.get(path, {})}
        asked = {name: value for name, value in query.items() if name in names}
        jobs = path.endswith(("/jobs/{job}", "/jobs", "/runs")) or "/jobs/{job}/" in path
        filled = path.format(
            **{**IN_PATHS, "namespace": "jobs" if jobs else "n", "checksum": checksum}
        )
        if path == "/api/v1/runs":
            asked["namespace"] = "jobs"
        yield path, filled, asked


def test_every_answer_that_names_the_column_is_audited(served: Store) -> None:
    app = app_of(served, "pii")
    client = TestClient(app)
    naming = set()
    for path, address, asked in paths(app, served):
        answer = client.get(address, params=asked)
        assert answer.status_code == 200, (path, asked, answer.text)
        if "card_number" in answer.text:
            naming.add(path)
    assert len(naming) > 20
    audited = {row.result.rpartition(" by ")[2] for row in reads(served)}
    assert audited == naming | ABOUT_IT
    assert {(row.subject, row.by) for row in reads(served)} == {("dataset n raw", "bob")}


@pytest.mark.parametrize("form", ["json", "compact", "csv", "mermaid", "dot"])
def test_every_format_of_a_graph_is_audited(served: Store, form: str) -> None:
    client = TestClient(app_of(served, "pii"))
    asked = {"name": "mart", "field": "card_hash", "format": form}
    assert "card_number" in client.get("/api/v1/upstream", params=asked).text
    (row,) = reads(served)
    assert row.result == "card_number (pii) by /api/v1/upstream"


def test_what_is_not_read_has_no_row(served: Store) -> None:
    client = TestClient(app_of(served, "pii"), raise_server_exceptions=False)
    for path, asked in {
        "upstream": {"name": "mart", "field": "total"},  # another column of the same datasets
        "fields": {"name": "mart"},
        "datasets": {"q": "raw"},
        "history": {"name": "raw", "field": "card_numbr"},  # 404
        "dataset-summaries": {"q": "raw"},
    }.items():
        client.get(f"/api/v1/{path}", params=asked)
    assert reads(served) == []
    TestClient(app_of(served)).get("/api/v1/fields", params={"name": "raw"})  # off
    TestClient(app_of(served, "gdpr")).get("/api/v1/fields", params={"name": "raw"})
    assert reads(served) == []


def test_a_repeated_read_is_one_row_in_an_hour(
    served: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [3_600_000 * 500_000 / 1000]
    monkeypatch.setattr(read_audit, "time", lambda: now[0])
    app = app_of(served, "pii", "gdpr")
    client = TestClient(app)
    for _ in range(3):
        client.get("/api/v1/fields", params={"name": "raw"})
    client.get("/api/v1/upstream", params={"name": "raw"})
    tag(served, Field("n", "raw", "a"), text="gdpr")
    client.get("/api/v1/fields", params={"name": "raw"})
    now[0] += 3600
    client.get("/api/v1/fields", params={"name": "raw"})
    assert [row.result for row in reads(served)] == [
        "card_number (pii) by /api/v1/fields",
        "card_number (pii) by /api/v1/upstream",
        "a (gdpr) by /api/v1/fields",  # only what no earlier row has
        "a (gdpr); card_number (pii) by /api/v1/fields",
    ]
    assert len({row.at for row in reads(served)}) == 4
    counted = client.get("/metrics").text
    assert 'colgraph_audited_reads_total{result="written"} 4.0' in counted
    assert 'colgraph_audited_reads_total{result="repeated"} 2.0' in counted


def test_tags_of_wholes_count_and_removed_ones_do_not(served: Store) -> None:
    served.add(copy_event("shop.x", 40, "x", {"s.card": "raw:a", "b": "raw:a", "t": "raw:a"}))
    tag(served, Field("n", "x", "s"), text="pii=card")
    client = TestClient(app_of(served, "pii", "sensitiv*"))
    client.get("/api/v1/upstream", params={"name": "x"})
    tag(served, Field("n", "x", ""), text="sensitive")
    client.get("/api/v1/fields", params={"name": "x"})
    tag(served, CARD, is_set=False)
    before = len(reads(served))
    client.get("/api/v1/fields", params={"name": "raw"})
    assert [row.result.rpartition(" by ")[0] for row in reads(served)] == [
        "s, s.card (pii=card)",
        "b, t (sensitive); s, s.card (pii=card, sensitive)",
    ]
    assert len(reads(served)) == before


def test_who_read_is_the_key_or_else_airflows_user(served: Store) -> None:
    for who, by in (("team-key", "team-key"), ("", "x")):
        client = TestClient(app_of(served, "pii", who=who))
        client.get("/api/v1/fields", params={"name": "raw"})
        assert reads(served)[-1].by == by
    assert len(reads(served)) == 2


def test_a_database_that_takes_no_row_fails_no_read(
    served: Store, caplog: pytest.LogCaptureFixture
) -> None:
    served.engine.connect().exec_driver_sql("PRAGMA query_only = 1").close()
    client = TestClient(app_of(served, "pii"))
    with caplog.at_level(logging.WARNING, read_audit.__name__):
        for _ in range(2):
            assert client.get("/api/v1/fields", params={"name": "raw"}).status_code == 200
    lines = [entry.getMessage() for entry in caplog.records if entry.name == read_audit.__name__]
    assert len(lines) == 2
    assert lines[0].startswith(
        "read of dataset n raw by bob is only in this log: card_number (pii) by /api/v1/fields ("
    )
    assert 'colgraph_audited_reads_total{result="failed"} 2.0' in client.get("/metrics").text


def test_no_read_is_dropped_silently(
    served: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(read_audit, "MOST", 1)
    client = TestClient(app_of(served, "pii"))
    with caplog.at_level(logging.WARNING, read_audit.__name__):
        client.get("/api/v1/fields", params={"name": "raw"})
    assert "A read by bob at /api/v1/fields is not audited: too many wait." in caplog.messages
    assert 'colgraph_audited_reads_total{result="dropped"} 1.0' in client.get("/metrics").text


def test_a_writer_goes_on_after_an_error() -> None:
    written: list[list[int]] = []

    def write_all(items: list[int]) -> None:
        written.append(items)
        if items == [1]:
            raise ValueError("A fault.")

    store = memory_store()
    writer = BackgroundWriter(store, "test", write_all, 10)
    with pytest.raises(ValueError, match="A fault"):
        writer.add(1)
    assert writer.add(2)
    assert written == [[1], [2]]
    store.close()


def test_agents_are_audited(served: Store) -> None:
    import asyncio

    from airflow_colgraph.mcp_server.rest import Rest

    rest = Rest(app_of(served, "pii"))
    answer = asyncio.run(rest.get("fields", {"authorization": "Bearer x"}, name="raw"))
    assert "card_number" in json.dumps(answer)
    (row,) = reads(served)
    assert (row.by, row.result) == ("bob", "card_number (pii) by /api/v1/fields")


def test_a_read_that_waits_when_airflows_api_server_ends_is_audited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal ended the process with the rows that its thread had not written yet."""
    file = tmp_path / "store.db"
    monkeypatch.setattr(web, "authorize", lambda request, scope: Access(caller="ann"))
    monkeypatch.setattr(conf, "store", lambda: f"sqlite:///{file}")
    monkeypatch.setattr(conf, "audit_reads", lambda: ("pii",))
    with Store.open(f"sqlite:///{file}") as store:
        store.add(log())
        tag(store, CARD)
        server = FastAPI(lifespan=lifespan)  # as Airflow makes its own
        server.mount("/colgraph", web.app())
        with closing(sqlite3.connect(file, check_same_thread=False)) as other:
            with TestClient(server) as client:
                other.execute("BEGIN IMMEDIATE")  # so that the row has to wait
                answer = client.get("/colgraph/api/v1/fields", params={"name": "raw"})
                assert answer.status_code == 200
                released = Timer(1, other.rollback)
                released.start()
            written = [(row.by, row.result) for row in reads(store)]
            released.join()
        assert written == [("ann", "card_number (pii) by /api/v1/fields")]

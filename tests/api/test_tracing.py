"""Traces of a server that OpenTelemetry's own command starts, as operators do."""

import json
import sqlite3
import sys
import urllib.request
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest

from airflow_colgraph.store.store import Store
from tests.cli.test_serve import COLGRAPH, serving
from tests.store.samples import copy_event

TRACE, CALLER = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
INSTRUMENTED = (str(Path(sys.executable).with_name("opentelemetry-instrument")), *COLGRAPH)
SETTINGS = {
    "OTEL_TRACES_EXPORTER": "console",
    "OTEL_METRICS_EXPORTER": "none",
    "OTEL_LOGS_EXPORTER": "none",
}
SECRET = "hunter2"  # a value that no span may show


def spans(text: str) -> list[dict[str, Any]]:
    """The spans that the server has printed."""
    decoder, printed = json.JSONDecoder(), []
    while text := text.lstrip():
        span, end = decoder.raw_decode(text)
        printed.append(span)
        text = text[end:]
    return printed


def ask(url: str, body: bytes | None = None) -> int:
    headers = {"traceparent": f"00-{TRACE}-{CALLER}-01", "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as answer:
        return int(answer.status)


def test_the_trace_of_a_client_goes_on_to_the_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, value in SETTINGS.items():
        monkeypatch.setenv(name, value)
    url = f"sqlite:///{tmp_path}/s.db"
    Store.open(url).close()
    event = copy_event("load", 1, "raw", {"x": f"{SECRET}.a"})
    with serving(url, colgraph=INSTRUMENTED) as (address, _):
        assert ask(f"{address}/api/v1/lineage", json.dumps(event).encode()) == 201
        assert ask(f"{address}/api/v1/upstream?namespace=n&name=raw&field=x") == 200
        with closing(sqlite3.connect(tmp_path / "s.db")) as database:
            database.execute("DROP TABLE colgraph_dataset")
        with pytest.raises(HTTPError, match=r"500|503"):
            ask(f"{address}/api/v1/namespaces/n/datasets/raw")
    printed = [
        span for span in spans(capfd.readouterr().out) if TRACE in span["context"]["trace_id"]
    ]
    routes = {
        span["name"]: span["context"]["span_id"]
        for span in printed
        if (span["parent_id"] or "").endswith(CALLER)
    }
    assert {"POST /api/v1/lineage", "GET /api/v1/upstream"} < set(routes)
    statements = [span for span in printed if "db.query.text" in span["attributes"]]
    assert {span["attributes"]["db.system.name"] for span in statements} == {"sqlite"}
    names = {
        route: {span["name"] for span in statements if span["parent_id"] == id}
        for route, id in routes.items()
    }
    assert "INSERT" in names["POST /api/v1/lineage"]
    assert "SELECT" in names["GET /api/v1/upstream"]
    failed = [span for span in statements if span["status"]["status_code"] == "ERROR"]
    assert {span["status"]["description"] for span in failed} == {"OperationalError"}
    assert SECRET not in json.dumps(printed)

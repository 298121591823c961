"""Lines of the server's log: one for each request, one for a repeated fault, and no secret."""

import json
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from time import sleep
from urllib.parse import urlsplit

import pytest
from fastapi.testclient import TestClient

from airflow_colgraph.api import request_log
from airflow_colgraph.store.admin import api_keys
from airflow_colgraph.store.store import Store
from tests.store.samples import copy_event

MAIN = "from airflow_colgraph.cli import main; main()"
SECRET = "hunter2"  # what no log may show


def ask(url: str, key: str, id: str = "") -> tuple[int, str]:
    """The status of an answer, and the id that it has."""
    headers = {"Authorization": f"Bearer {key}", **({"X-Request-ID": id} if id else {})}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
            return answer.status, answer.headers["X-Request-ID"]
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers["X-Request-ID"]


def logged(url: str, form: str, level: str) -> tuple[list[str], str]:
    """The lines of a server that was asked in several ways, and the key of the caller."""
    store = Store.open(url)
    store.add(copy_event("load", 1, "raw", {"x": "csv.a"}))
    key = api_keys.add(store, "airflow", ["read"])
    store.close()
    words = ["--store", url, "serve", "--port", "0", "--keys"]
    words += ["--log-format", form, "--log-level", level]
    server = subprocess.Popen(
        [sys.executable, "-c", MAIN, *words], stderr=subprocess.PIPE, text=True
    )
    assert server.stderr
    address = ""
    while not address:
        match = re.search(r"on (http://\S+)", server.stderr.readline())
        address = match.group(1) if match else ""
    where = urlsplit(address)
    while True:  # it says its address before it listens
        try:
            socket.create_connection((where.hostname, where.port)).close()
            break
        except ConnectionRefusedError:
            assert server.poll() is None
            sleep(0.05)
    api = f"{address}/api/v1"
    assert ask(f"{api}/upstream?namespace=n&name=raw&field={SECRET}", key, "from-a-proxy.1") == (
        404,
        "from-a-proxy.1",
    )
    assert ask(f"{api}/namespaces/n/datasets/raw", key)[0] == 200
    status, id = ask(f"{api}/namespaces", SECRET, f"two words {SECRET}")
    assert (status, re.fullmatch("[0-9a-f]{32}", id) is not None) == (401, True)
    assert ask(f"{address}/livez", key)[0] == 200
    os.kill(server.pid, signal.SIGTERM)
    text = server.stderr.read()
    server.wait()
    return text.splitlines(), key


def test_requests_as_lines_of_json(tmp_path: Path) -> None:
    lines, key = logged(f"sqlite:///{tmp_path}/s.db", "json", "info")
    first, second, third, fourth = (json.loads(line) for line in lines)
    assert {name: first[name] for name in ("request_id", "method", "route", "status", "key")} == {
        "request_id": "from-a-proxy.1",
        "method": "GET",
        "route": "/api/v1/upstream",
        "status": 404,
        "key": "airflow",
    }
    assert 0 < first["seconds"] < 60
    assert second["route"] == "/api/v1/namespaces/{namespace:text}/datasets/{dataset:text}"
    assert (third["status"], "key" in third) == (401, False)
    assert fourth["route"] == "/livez"
    assert SECRET not in "".join(lines)
    assert key not in "".join(lines)


def test_requests_as_text(tmp_path: Path) -> None:
    lines, key = logged(f"sqlite:///{tmp_path}/s.db", "text", "info")
    assert re.fullmatch(
        r"\S+ \S+ INFO GET /api/v1/upstream 404 \d\.\d{3} s key=airflow request=from-a-proxy.1",
        lines[0],
    )
    assert len(lines) == 4
    assert SECRET not in "".join(lines)
    assert key not in "".join(lines)


def test_without_the_level_there_are_no_lines_of_requests(tmp_path: Path) -> None:
    assert logged(f"sqlite:///{tmp_path}/s.db", "text", "warning")[0] == []


def test_a_fault_has_a_warning_with_its_id(
    client: TestClient, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.app.state.store = Store("sqlite:////nowhere/at/all.db")  # type: ignore[attr-defined]
    with caplog.at_level(logging.WARNING, request_log.__name__):
        answer = client.get("/api/v1/namespaces", headers={"X-Request-ID": "abc"})
    assert (answer.status_code, answer.headers["x-request-id"]) == (503, "abc")
    (record,) = (r for r in caplog.records if r.name == request_log.__name__)
    assert record.getMessage().startswith("GET /api/v1/namespaces 503 ")


def test_a_repeated_fault_is_one_line_with_its_count() -> None:
    now = [0.0]
    repeats = request_log.Repeats(lambda: now[0])
    logger = logging.getLogger("tests.repeats")
    shown = []
    for second in range(130):
        now[0] = float(second)
        text = f"GET /x 503 {second}.0 s"
        record = logger.makeRecord("n", logging.WARNING, "f", 1, text, (), None)
        record.fault = "GET /x 503"
        if repeats.filter(record):
            line = json.loads(request_log.JsonLines().format(record))["message"]
            assert request_log.TextLines().format(record).endswith(f" WARNING {line}")
            assert record.getMessage() == text  # other handlers have it, too
            shown.append(line)
    assert shown == [
        "GET /x 503 0.0 s",
        "GET /x 503 60.0 s (and 59 times before)",
        "GET /x 503 120.0 s (and 59 times before)",
    ]
    other = logger.makeRecord("n", logging.WARNING, "f", 1, "another", (), None)
    assert repeats.filter(other)
    calm = logger.makeRecord("n", logging.INFO, "f", 1, "calm", (), None)
    assert repeats.filter(calm)
    assert repeats.filter(calm)

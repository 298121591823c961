"""The end of an application whose server is slow, refuses, or hangs: in time, and nothing is lost.

No earlier test had an http sink behind the application's own end, only sinks that block it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import monotonic
from types import SimpleNamespace
from typing import Any

import pytest

from airflow_colgraph.collector.driver import application, warnings
from airflow_colgraph.collector.driver.event_writer import EventWriter
from airflow_colgraph.collector.driver.worker import Worker
from airflow_colgraph.collector.events.build import run_event
from airflow_colgraph.collector.events.facets import ApplicationRun
from airflow_colgraph.collector.settings import read as read_settings
from airflow_colgraph.collector.sinks import sink as sinks

RUN = ApplicationRun("default", "load", "0199aaaa-0000-7000-8000-000000000001", {})
KINDS = ["START", "RUNNING", "RUNNING", "RUNNING", "COMPLETE"]


class Server(ThreadingHTTPServer):
    """Keeps the kinds of the events that it takes."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[bytes] = []
        self.taken: list[str] = []
        self.closing = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        is_known = body in self.server.asked
        self.server.asked.append(body)
        if self.path == "/hangs":
            self.server.closing.wait()
        elif self.path == "/refuses":
            self.send_error(403)
        elif not is_known:
            self.send_error(503)
        else:
            self.server.taken.append(json.loads(body)["eventType"])
            self.send_response(201)
            self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.closing.set()
    server.shutdown()
    server.server_close()


def ended(server: Server, path: str, limit: float) -> None:
    """Run an application without a JVM, from its first event to its last."""
    address = f"http://127.0.0.1:{server.server_port}/{path}"
    app: Any = object.__new__(application.Application)
    app.settings = read_settings({"spark.colgraph.sink": address})
    app.run, app.context = RUN, SimpleNamespace(listenerBus=Bus)
    app._ended, app._clients = False, SimpleNamespace(is_on=False)
    app._events = EventWriter(app.settings, RUN, lambda event: False, app._refused)
    app.write = app._events.write
    app._listeners = SimpleNamespace(stop=lambda: None)
    app._audit = SimpleNamespace(last_facets=lambda *_: {})
    app.await_no_more = app.audit = lambda: None
    buffer = SimpleNamespace(is_empty=True, release=lambda: None)
    app.pipeline = SimpleNamespace(settings=app.settings, buffer=buffer)
    app.worker = Worker(app.pipeline)
    app.worker.do(app._events.begin, run_event(RUN, "START"))
    for _ in range(3):
        app.worker.do(app.write, run_event(RUN, "RUNNING"))
    app.end("COMPLETE", "", monotonic() + limit, monotonic() + limit)


class Bus:
    def waitUntilEmpty(self, milliseconds: int) -> None:
        pass


def test_a_slow_server_gets_every_event_in_order(server: Server) -> None:
    ended(server, "slow", 60)
    assert server.taken == KINDS


@pytest.mark.parametrize(("path", "limit"), [("hangs", 2.0), ("refuses", 60.0)])
def test_what_is_not_taken_is_kept_and_named_within_the_budget(
    server: Server,
    path: str,
    limit: float,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(warnings, "_by_the_jvm", lambda line: False)
    since = monotonic()
    ended(server, path, limit)
    assert monotonic() - since < 15  # an event alone has twenty seconds
    folder = tmp_path / "colgraph-spool" / RUN.run_id
    assert [event["eventType"] for event in sinks.read(str(folder)).events] == KINDS
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(
        f"colgraph: lineage is not delivered: http://127.0.0.1:{server.server_port}"
    )
    address = f"http://127.0.0.1:{server.server_port}/{path}"
    assert line.endswith(f"deliver it with: colgraph deliver {folder} --to {address}")

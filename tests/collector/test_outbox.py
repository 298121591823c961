"""N events in, N in the store, whatever the server does: sent, or kept in the spool and ingested.

A real HTTP server hands each event that it acknowledges to a store. No earlier test looked at what
became of an event that was not acknowledged.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from click.testing import CliRunner

from airflow_colgraph.cli.deliver import deliver
from airflow_colgraph.collector.sinks import outbox
from airflow_colgraph.collector.sinks.http import retry_after
from airflow_colgraph.collector.sinks.sink import Sink, open_sink
from airflow_colgraph.collector.sinks.spool import Spool
from airflow_colgraph.store.store import Store

NUMBER = 10
FAR = 600  # seconds: a hang

Fault = Callable[["Handler"], bool]  # True if it has answered


def event(number: int) -> dict[str, Any]:
    return {
        "eventType": "RUNNING",
        "eventTime": f"2026-11-20T10:00:{number:02}Z",
        "run": {"runId": "0199aaaa-0000-7000-8000-000000000001"},
        "job": {"namespace": "default", "name": "shop.load.spark"},
        "outputs": [{"namespace": "file", "name": f"/mart/{number}"}],
    }


def number_of(stated: dict[str, Any]) -> int:
    return int(stated["outputs"][0]["name"].rpartition("/")[2])


class Server(ThreadingHTTPServer):
    """Puts events into a store, unless a fault answers; keeps their numbers in order."""

    daemon_threads = True

    def __init__(self, port: int, store: Store, fault: Fault) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.store = store
        self.fault = fault
        self.began = monotonic()
        self.requests: list[int] = []
        self.taken: list[int] = []

    def handle_error(self, *_: Any) -> None:
        """Resets are what is tested."""


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        self.event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(number_of(self.event))
        if self.server.fault(self):
            return
        self.server.store.add(self.event)
        self.server.taken.append(number_of(self.event))
        self.answer(201)

    def answer(self, status: int, **headers: str) -> bool:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", "0")
        self.end_headers()
        return True

    def reset(self) -> bool:
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.connection.close()
        return True

    def log_message(self, *_: Any) -> None:
        pass


def of_age(handler: Handler) -> float:
    return monotonic() - handler.server.began


def in_seconds(seconds: float) -> str:
    return format_datetime(datetime.now(timezone.utc) + timedelta(seconds=seconds), usegmt=True)


# What the server does, and for how long; in the end each takes every event.
PASSING: dict[str, Fault] = {
    "resets for 1 s": lambda handler: of_age(handler) < 1 and handler.reset(),
    "503 for 2 s": lambda handler: of_age(handler) < 2 and handler.answer(503),
    "500 for 1 s": lambda handler: of_age(handler) < 1 and handler.answer(500),
    "507 for 1 s": lambda handler: of_age(handler) < 1 and handler.answer(507),
    "429 with seconds": lambda handler: (
        of_age(handler) < 1 and handler.answer(429, Retry_After="1")
    ),
    "429 with a date": lambda handler: (
        of_age(handler) < 1 and handler.answer(429, Retry_After=in_seconds(2))
    ),
}
# What it does for good, and the events that it takes nevertheless.
LASTING: dict[str, tuple[Fault, list[int]]] = {
    "413 for one": (
        lambda handler: number_of(handler.event) == 3 and handler.answer(413),
        [0, 1, 2, 4, 5, 6, 7, 8, 9],
    ),
    "401": (lambda handler: handler.answer(401), []),
    "redirects": (lambda handler: handler.answer(307, Location="http://elsewhere/"), []),
    "503 from the fourth on": (
        lambda handler: number_of(handler.event) >= 3 and handler.answer(503),
        [0, 1, 2],
    ),
    "429 for an hour": (lambda handler: handler.answer(429, Retry_After="3600"), []),
    "says nothing": (lambda handler: sleep(FAR) or True, []),
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path}/store.db") as store:
        yield store


def serve(store: Store, fault: Fault, port: int = 0) -> Server:
    server = Server(port, store, fault)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def sent(url: str, spool: Path, said: list[str], seconds: float) -> Sink:
    """A sink that was given all events and then so long for them."""
    sink = open_sink(f"{url}/api/v1/lineage?key=hunter2", spool=Spool(str(spool)), say=said.append)
    for number in range(NUMBER):
        sink.write(event(number))
    sink.flush(monotonic() + seconds, is_last=True)
    sink.close()
    return sink


def stored(store: Store) -> list[int]:
    with store.connection() as connection:
        rows = connection.exec_driver_sql("SELECT name FROM colgraph_dataset").fetchall()
    return sorted(int(name.rpartition("/")[2]) for (name,) in rows)


def kept(spool: Path) -> list[int]:
    return [number_of(json.loads(file.read_text())) for file in sorted(spool.glob("part-*"))]


def delivered(store: Store, spool: Path) -> None:
    done = CliRunner().invoke(deliver, ["--store", store.url, str(spool)])
    assert done.exit_code == 0, done.output
    assert not list(spool.glob("part-*"))


@pytest.mark.parametrize("name", PASSING)
def test_what_passes_is_waited_out_in_order(name: str, store: Store, tmp_path: Path) -> None:
    said: list[str] = []
    server = serve(store, PASSING[name])
    sent(f"http://127.0.0.1:{server.server_port}", tmp_path / "spool", said, 60)
    server.shutdown()
    assert server.taken == list(range(NUMBER))
    assert server.requests[0] == server.requests[1] == 0  # it was asked again
    assert (said, (tmp_path / "spool").exists()) == ([], False)
    assert stored(store) == list(range(NUMBER))


def test_a_server_that_starts_later(store: Store, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        port = reserved.getsockname()[1]
    said: list[str] = []
    started: list[Server] = []
    later = threading.Timer(1, lambda: started.append(serve(store, lambda _: False, port)))
    later.start()
    sent(f"http://127.0.0.1:{port}", tmp_path / "spool", said, 60)
    started[0].shutdown()
    assert (started[0].taken, said) == (list(range(NUMBER)), [])


@pytest.mark.parametrize("name", LASTING)
def test_what_does_not_pass_is_kept_in_order_and_named(
    name: str, store: Store, tmp_path: Path
) -> None:
    fault, taken = LASTING[name]
    said: list[str] = []
    spool = tmp_path / "spool"
    server = serve(store, fault)
    began = monotonic()
    sent(f"http://127.0.0.1:{server.server_port}", spool, said, 3)
    assert monotonic() - began < 60
    server.shutdown()
    assert server.taken == taken
    assert kept(spool) == [number for number in range(NUMBER) if number not in taken]
    (line,) = said
    assert line.startswith("lineage is not delivered: http://127.0.0.1:")
    address = f"http://127.0.0.1:{server.server_port}/api/v1/lineage"
    command = f"colgraph deliver {spool} --to {address}"
    assert line.endswith(f"It is kept in {spool}; deliver it with: {command}")
    assert "hunter2" not in line
    delivered(store, spool)
    assert stored(store) == list(range(NUMBER))


def test_a_writer_never_waits_for_the_server(store: Store, tmp_path: Path) -> None:
    """The worker's thread was blocked for up to twenty seconds, and the queue behind it filled."""
    server = serve(store, LASTING["says nothing"][0])
    sink = open_sink(f"http://127.0.0.1:{server.server_port}/", spool=Spool(str(tmp_path / "s")))
    began = monotonic()
    for number in range(NUMBER):
        sink.write(event(number))
    assert monotonic() - began < 4  # less than a socket's time-out
    assert not sink.flush(monotonic())
    sink.flush(monotonic(), is_last=True)
    server.shutdown()
    assert kept(tmp_path / "s") == list(range(NUMBER))


def test_a_sink_that_is_closed_has_sent_its_events(store: Store, tmp_path: Path) -> None:
    server = serve(store, lambda handler: of_age(handler) < 1 and handler.answer(503))
    sink = open_sink(f"http://127.0.0.1:{server.server_port}/", spool=Spool(str(tmp_path / "s")))
    sink.write(event(0))
    sink.close()
    server.shutdown()
    assert server.taken == [0]


def test_an_event_has_a_limit_of_its_own(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody ends the process: after the limit all go to the spool, and so do later ones."""
    monkeypatch.setattr(outbox, "EVENT_SECONDS", 0.5)
    server = serve(store, lambda handler: handler.answer(503))
    spool = tmp_path / "spool"
    sink = open_sink(f"http://127.0.0.1:{server.server_port}/", spool=Spool(str(spool)))
    for number in range(3):
        sink.write(event(number))
    assert sink.flush(monotonic() + 60)
    sink.write(event(3))
    server.shutdown()
    assert kept(spool) == [0, 1, 2, 3]
    assert set(server.requests) == {0}


def test_where_nothing_can_be_kept_the_events_are_called_lost(tmp_path: Path) -> None:
    (tmp_path / "spool").touch()
    said: list[str] = []
    sent("http://127.0.0.1:9", tmp_path / "spool", said, 0)
    (line,) = said
    assert line.startswith("lineage is lost: ")
    assert "nor can it be kept" in line


def test_without_a_configured_spool_it_is_beside_the_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Spool(inside="a-run").keep(event(1))
    assert path.startswith(f"{tmp_path}/colgraph-spool/a-run/part-")
    (tmp_path / "taken").mkdir()
    monkeypatch.chdir(tmp_path / "taken")
    Path("colgraph-spool").touch()  # as a folder that cannot be written
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "tmp"))
    assert Spool(inside="a-run").keep(event(1)).startswith(f"{tmp_path}/tmp/colgraph-spool/a-run/")


@pytest.mark.parametrize(
    ("text", "seconds"), [("3", 3.0), ("", None), ("soon", None), ("-1", None), ("1.5", None)]
)
def test_retry_after(text: str, seconds: float | None) -> None:
    assert retry_after({"Retry-After": text}) == seconds


def test_retry_after_a_date() -> None:
    assert retry_after({"Retry-After": in_seconds(-100)}) == 0
    assert 80 < (retry_after({"Retry-After": in_seconds(100)}) or 0) <= 100

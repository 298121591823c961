from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from airflow_colgraph.collector.sinks import hadoop, outbox, timed
from airflow_colgraph.collector.sinks import sink as sinks
from airflow_colgraph.collector.sinks.http import HttpSink
from airflow_colgraph.collector.sinks.outbox import Busy, Refused
from airflow_colgraph.collector.sinks.sink import Reading, open_sink, parse, read
from airflow_colgraph.collector.sinks.token import bearer_token

ROOT = Path(__file__).parents[2]
START = {"eventType": "START", "run": {"runId": "1"}}
END = {"eventType": "COMPLETE", "run": {"runId": "1"}}


def python(program: str, *arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", textwrap.dedent(program), *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)


@pytest.mark.parametrize("form", ["{}", "file:{}", "file://{}", "file://localhost{}", "FILE:{}"])
def test_events_come_back(tmp_path: Path, form: str) -> None:
    uri = form.format(tmp_path / "made" / "on the way" / "e.jsonl")
    sink = open_sink(uri)
    sink.write(START)
    assert read(uri) == Reading([START], [])  # at once, not when the sink is closed
    sink.write(END)
    sink.close()
    sink.close()
    assert read(uri) == Reading([START, END], [])
    assert (tmp_path / "made" / "on the way" / "e.jsonl").is_file()


def test_a_file_uri_is_percent_encoded(tmp_path: Path) -> None:
    path = tmp_path / "50% off ü.jsonl"
    sink = open_sink(path.as_uri())
    sink.write(START)
    sink.close()
    assert [file.name for file in tmp_path.iterdir()] == ["50% off ü.jsonl"]
    assert read(str(path)).events == [START]


def test_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    open_sink("e.jsonl").write(START)
    assert read("e.jsonl").events == [START]


def test_later_runs_are_appended(tmp_path: Path) -> None:
    path = str(tmp_path / "e.jsonl")
    for event in (START, END):
        sink = open_sink(path)
        sink.write(event)
        sink.close()
    assert read(path).events == [START, END]


def test_any_text_is_one_line_of_ascii(tmp_path: Path) -> None:
    event = {"run": {"a\nb\u2028": "ü \ud800 \x00"}}
    line = sinks.line_of(event)
    assert line.count(b"\n") == 1
    assert line.isascii()
    assert parse(line).events == [event]


def test_after_a_half_line_only_that_one_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_bytes(sinks.line_of(START) + b'{"run": {"ru')
    sink = open_sink(str(path))
    sink.write(END)
    bad = [(2, "not JSON: Unterminated string starting at at column 10")]
    assert read(str(path)) == Reading([START, END], bad)


def test_a_short_write_is_an_error_and_the_next_line_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "e.jsonl")
    sink = open_sink(path)
    sink.write(START)
    with monkeypatch.context() as patch:
        write = os.write
        patch.setattr(os, "write", lambda descriptor, line: write(descriptor, line[:7]))
        with pytest.raises(OSError, match=r"Only 7 of \d+ bytes"):
            sink.write(END)
    sink.write(END)
    reading = read(path)
    assert reading.events == [START, END]
    assert [number for number, _ in reading.bad] == [2]


def test_a_full_disk_is_an_error() -> None:
    with pytest.raises(OSError, match="No space left"):
        open_sink("/dev/full").write(START)


def test_a_folder_in_the_way_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(IsADirectoryError):
        open_sink(str(tmp_path))
    with pytest.raises(FileExistsError):
        open_sink(str(tmp_path / "file" / "e.jsonl"))


def test_lines_of_many_processes_never_mix(tmp_path: Path) -> None:
    path = str(tmp_path / "e.jsonl")
    program = """
        import sys
        from airflow_colgraph.collector.sinks.sink import open_sink
        sink = open_sink(sys.argv[1])
        for number in range(200):
            sink.write({"run": {"runId": sys.argv[2], "n": number, "pad": sys.argv[2] * 20_000}})
    """
    writers = [python(program, path, name) for name in "abcd"]
    assert [writer.wait() for writer in writers] == [0, 0, 0, 0]
    reading = read(path)
    assert reading.bad == []
    runs = [event["run"] for event in reading.events]
    assert {run["pad"] == run["runId"] * 20_000 for run in runs} == {True}
    for name in "abcd":
        assert [run["n"] for run in runs if run["runId"] == name] == list(range(200))


def test_a_killed_writer_loses_at_most_its_last_line(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    program = """
        import itertools, sys
        from airflow_colgraph.collector.sinks.sink import open_sink
        sink = open_sink(sys.argv[1])
        for number in itertools.count():
            sink.write({"run": {"n": number, "pad": "x" * 100_000}})
            if number == 20:
                print("under way", flush=True)
    """
    writer = python(program, str(path))
    assert writer.stdout is not None
    assert writer.stdout.readline() == b"under way\n"
    writer.send_signal(signal.SIGKILL)
    assert writer.wait() == -signal.SIGKILL
    writer.stdout.close()
    reading = read(str(path))
    numbers = [event["run"]["n"] for event in reading.events]
    assert len(numbers) > 20
    assert numbers == list(range(len(numbers)))
    # The kernel may stop a long write half-way.
    assert [line for line, _ in reading.bad] in ([], [len(numbers) + 1])
    sink = open_sink(str(path))
    sink.write(END)
    assert read(str(path)).events == [*reading.events, END]


def test_part_files_are_read_in_order(tmp_path: Path) -> None:
    (tmp_path / "part-00001").write_bytes(sinks.line_of(END))
    (tmp_path / "part-00000").write_bytes(sinks.line_of(START).rstrip())  # no end of line
    (tmp_path / ".part-00000.crc").write_bytes(b"crc")
    (tmp_path / "_SUCCESS").write_bytes(b"")
    assert read(str(tmp_path)) == Reading([START, END], [])


def test_what_is_no_event_is_named_and_hides_nothing() -> None:
    deep = b'{"run":' + b"[" * 100_000
    lines = [
        json.dumps(START).encode(),
        b"",
        b"  \r",
        b"plain text",
        b"[1, 2]",
        b"null",
        b'{"level": "INFO"}',
        b'{"run": "no object"}',
        b'{"run": \xff}',
        deep,
        b"\xef\xbb\xbf" + json.dumps(END).encode() + b"\r",
        b'{"run": {"runId"',
    ]
    assert parse(b"\n".join(lines)) == Reading(
        [START, END],
        [
            (4, "not JSON: Expecting value at column 1"),
            (5, "not an OpenLineage event: a JSON list, not an object"),
            (6, "not an OpenLineage event: a JSON NoneType, not an object"),
            (7, "not an OpenLineage event: it has no run, job or dataset"),
            (8, "not an OpenLineage event: it has no run, job or dataset"),
            (9, "not UTF-8 text: byte 9"),
            (10, "not an OpenLineage event: nested too deeply"),
            (12, f"not JSON: Expecting ':' delimiter at column 17{sinks.UNFINISHED}"),
        ],
    )


def test_a_missing_file() -> None:
    with pytest.raises(FileNotFoundError):
        read("/no/such/file")


# HTTP -----------------------------------------------------------------------------------------


class Server(HTTPServer):
    """Answers with the statuses it is given, then 201; keeps what was posted."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.statuses: list[int] = []
        self.location = ""
        self.posted: list[tuple[Any, str | None, str | None]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/api/v1/lineage"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Server)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = self.headers["Content-Type"], self.headers["Authorization"]
        self.server.posted.append((json.loads(body), *headers))
        self.send_response(self.server.statuses.pop(0) if self.server.statuses else 201)
        if self.server.location:
            self.send_header("Location", self.server.location)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(outbox, "PAUSES", (0.0,))
    server = Server()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_each_event_is_posted(server: Server) -> None:
    sink = open_sink(server.url)
    sink.write(START)
    sink.write(END)
    assert sink.flush(monotonic() + 60)
    sink.close()
    assert server.posted == [
        (START, "application/json", None),
        (END, "application/json", None),
    ]


def test_a_token_goes_along(server: Server) -> None:
    HttpSink(server.url, lambda: "t0k3n").write(START)
    assert server.posted == [(START, "application/json", "Bearer t0k3n")]


def test_a_token_in_a_file_may_be_replaced(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLGRAPH_SINK_TOKEN", "of the environment")
    file = tmp_path / "token"
    file.write_text("first\n")
    sink = HttpSink(server.url, bearer_token(str(file), "given"))
    sink.write(START)
    file.write_text("second")
    sink.write(END)
    assert [token for *_, token in server.posted] == ["Bearer first", "Bearer second"]


def test_a_token_comes_from_the_environment_before_the_command_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLGRAPH_SINK_TOKEN", "of the environment")
    assert bearer_token("", "given")() == "of the environment"
    monkeypatch.delenv("COLGRAPH_SINK_TOKEN")
    assert bearer_token("", "given")() == "given"
    assert bearer_token("", "")() == ""


def test_a_token_that_is_none_is_an_error_that_does_not_tell_it(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("hunter2\nhunter3")
    with pytest.raises(OSError, match="not one line of printable ASCII") as raised:
        bearer_token(str(file), "")()
    assert "hunter" not in str(raised.value)
    with pytest.raises(FileNotFoundError):
        bearer_token(str(tmp_path / "missing"), "given")()


def test_a_busy_server_is_asked_again(server: Server) -> None:
    server.statuses = [503, 429]
    sink = open_sink(server.url)
    sink.write(START)
    assert sink.flush(monotonic() + 60)
    assert [event for event, *_ in server.posted] == [START, START, START]


@pytest.mark.parametrize(
    ("status", "kind"), [(400, Refused), (413, Refused), (401, OSError), (500, Busy), (507, Busy)]
)
def test_a_refusal_is_an_error(server: Server, status: int, kind: type[OSError]) -> None:
    server.statuses = [status]
    with pytest.raises(OSError, match=f"^{server.url} answered {status}.$") as raised:
        HttpSink(server.url + "?api_key=SECRET").write(START)
    assert raised.type is kind
    assert len(server.posted) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_an_error_and_is_not_followed(server: Server, status: int) -> None:
    server.statuses = [status]
    server.location = server.url + "/elsewhere"
    with pytest.raises(OSError, match=f"answered {status}.$"):
        HttpSink(server.url, token=lambda: "t0k3n").write(START)
    assert len(server.posted) == 1


def test_no_server_listens() -> None:
    with HTTPServer(("127.0.0.1", 0), Handler) as taken:
        port = taken.server_port
    with pytest.raises(Busy, match=f"^http://127.0.0.1:{port}/ cannot be reached: .*refused"):
        HttpSink(f"http://127.0.0.1:{port}/").write(START)


def test_http_cannot_be_read_back() -> None:
    with pytest.raises(OSError, match=r"^https://host/x only accepts events"):
        read("https://me:SECRET@host/x?key=SECRET")


# Hadoop's file systems: the real ones are in tests/spark/test_submit.py ----------------------


def test_without_a_spark_context_no_hadoop_file_system() -> None:
    with pytest.raises(
        OSError, match=r"hdfs://nn/e can only be written with a running SparkContext"
    ):
        open_sink("hdfs://nn/e")


def test_without_spark_nothing_is_read_from_hadoop(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(OSError, match=r"hdfs://nn/e can only be read with Spark"):
        read("hdfs://nn/e")


# Removing -------------------------------------------------------------------------------------


def test_what_was_read_can_be_removed_and_its_neighbours_stay(tmp_path: Path) -> None:
    file, folder = tmp_path / "a.ndjson", tmp_path / "parts"
    folder.mkdir()
    (folder / "part-00000").touch()
    for path in (file, folder / "other", tmp_path / "b.ndjson"):
        path.touch()
    sinks.remove(str(file))
    sinks.remove(f"file:{folder}")
    sinks.remove(str(file))  # which is gone
    left = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*"))
    assert left == ["b.ndjson", "parts", "parts/other"]


@pytest.mark.spark
@pytest.mark.xdist_group("submit")
def test_a_folder_of_hadoops_is_read_and_removed(tmp_path: Path) -> None:
    folder = tmp_path / "lineage"
    folder.mkdir()
    (folder / "part-00001").write_text("second\n")
    (folder / "part-00000").write_text("first\n")
    assert hadoop.read(f"file://{folder}") == b"first\nsecond\n"
    hadoop.remove(f"file://{folder}")
    assert not folder.exists()
    hadoop.remove(f"file://{folder}")


class DrippingServer(HTTPServer):
    """Sends the head of its answer byte by byte until the client goes, or is satisfied."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), DrippingHandler)
        self.released = threading.Event()


class DrippingHandler(BaseHTTPRequestHandler):
    server: DrippingServer

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        with suppress(OSError):
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
            for _ in range(40):
                self.server.released.wait(0.05)
                self.wfile.write(b"x")
            self.wfile.write(b"\r\nContent-Length: 0\r\n\r\n")

    def log_message(self, *_: object) -> None:
        pass


def test_a_whole_write_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timed, "WRITE_SECONDS", 0.3)
    with DrippingServer() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            url = f"http://127.0.0.1:{server.server_port}/x"
            opened = timed.TimedSink(HttpSink(f"{url}?key=hunter2"), url)
            with pytest.raises(OSError, match=r"/x took no event within 0.3 s") as raised:
                opened.write({"run": {}})
            assert "hunter2" not in str(raised.value)
            with pytest.raises(OSError, match="has not taken an earlier event"):
                opened.write({"run": {}})
            opened.close()
        finally:
            server.released.set()
            server.shutdown()
            thread.join()

import itertools
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
from click.testing import CliRunner
from openlineage.client import OpenLineageClient

from airflow_colgraph import run_tokens
from airflow_colgraph.cli import main
from airflow_colgraph.cli.serve import is_loopback
from airflow_colgraph.store.admin import api_keys, audit
from airflow_colgraph.store.admin.tags import write
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.tags import TRUE, Tag, TagChange
from airflow_colgraph.store.query.graph import downstream
from airflow_colgraph.store.store import Store
from tests.graph_answers import edges_of
from tests.silent_server import silent_server
from tests.store.samples import copy_event
from tests.test_transport import event

COLGRAPH = (sys.executable, "-c", "from airflow_colgraph.cli import main; main()")


def free_port() -> int:
    """A port that no program listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def serving(
    url: str, *options: str, colgraph: Sequence[str] = COLGRAPH, port: int = 0
) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """A real server in a process of its own: its address."""
    port = port or free_port()
    words = ["--store", url, "serve", "--port", str(port), "--deadline", "300", *options]
    server = subprocess.Popen([*colgraph, *words], stderr=subprocess.PIPE, text=True)
    address = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 300
        while True:
            try:
                urllib.request.urlopen(f"{address}/health", timeout=5).close()
                break
            except OSError:
                assert time.monotonic() < deadline, "the server did not start"
                assert server.poll() is None, server.communicate()
                time.sleep(0.05)
        yield address, server
    finally:
        if server.poll() is None:
            server.send_signal(signal.SIGINT)
        server.communicate(timeout=60)


def upstream(address: str, key: str = "") -> int:
    url = f"{address}/api/v1/upstream?namespace=file&name=/lake/mart"
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as response:
        return len(edges_of(json.load(response)))


def test_events_arrive_by_openlineages_own_http_transport(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/colgraph.db"
    key = api_keys.add(Store.open(url), "airflow", ["ingest", "read"])
    with serving(url, "--keys") as (address, _):
        transport = {"type": "http", "url": address, "auth": {"type": "api_key", "apiKey": key}}
        OpenLineageClient(config={"transport": transport}).emit(event())
        assert upstream(address, key) == 1


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    """Of the server, while several clients send events to it."""
    url = f"sqlite:///{tmp_path}/colgraph.db"
    kept: list[str] = []
    enough = threading.Event()
    with serving(url) as (address, server):

        def send(sender: int) -> None:
            with suppress(OSError, HTTPException):
                for number in itertools.count():
                    name = f"d{sender}_{number}"
                    body = json.dumps(copy_event(f"j{name}", 1, name, {"x": "source.a"})).encode()
                    sent = urllib.request.Request(
                        f"{address}/api/v1/lineage", body, {"Content-Type": "application/json"}
                    )
                    urllib.request.urlopen(sent, timeout=60).close()
                    kept.append(name)
                    if len(kept) >= 40:
                        enough.set()

        threads = [threading.Thread(target=send, args=(sender,)) for sender in range(4)]
        for thread in threads:
            thread.start()
        assert enough.wait(120)
        os.kill(server.pid, signal.SIGKILL)
        server.wait()
        for thread in threads:
            thread.join(120)
    store = Store.open(url)
    found = {edge.output.name for edge in downstream(store, "n", "source", "a").edges}
    assert len(kept) >= 40
    assert set(kept) <= found


def statuses(address: str, count: int, headers: Callable[[int], dict[str, str]]) -> list[int]:
    connection = HTTPConnection(urlsplit(address).netloc, timeout=60)
    found = []
    for number in range(count):
        connection.request("GET", "/api/v1/datasets", headers=headers(number))
        answer = connection.getresponse()
        answer.read()
        found.append(answer.status)
    connection.close()
    return found


MADE_UP = ("X-Forwarded-For", "Forwarded", "X-Real-IP", "X-Forwarded-Host", "Client-IP")


def test_a_made_up_header_evades_no_limit(tmp_path: Path) -> None:
    """Of a server behind no proxy, on localhost, from where the header would be believed."""
    with serving(f"sqlite:///{tmp_path}/colgraph.db", "--rate", "5") as (address, _):
        codes = statuses(address, 8, lambda number: dict.fromkeys(MADE_UP, f"192.0.2.{number}"))
    assert codes == [200] * 5 + [429] * 3


def test_a_trusted_proxy_names_the_client(tmp_path: Path) -> None:
    options = ("--rate", "5", "--trusted-proxy", "127.0.0.1")
    with serving(f"sqlite:///{tmp_path}/colgraph.db", *options) as (address, _):
        codes = statuses(address, 8, lambda number: {"X-Forwarded-For": f"192.0.2.{number % 2}"})
    assert codes == [200] * 8


HALF_OPEN = {
    "nothing": b"",
    "a line": b"GET /health HTTP/1.1\r\n",
    "headers without end": b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: 1\r\n",
    "a body that is missing": b"POST /api/v1/lineage HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n[",
    "a chunk that is missing": b"POST /api/v1/lineage HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n[",
    "a body that nobody reads": b"DELETE /health HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Length: 1000\r\n\r\n[",
}


def test_half_open_connections_are_closed(tmp_path: Path) -> None:
    """150 of them at once, some of which drip, while the server answers others."""
    options = ("--header-timeout", "1", "--body-timeout", "2")
    with serving(f"sqlite:///{tmp_path}/colgraph.db", *options) as (address, server):
        where = (urlsplit(address).hostname, urlsplit(address).port)
        kinds = list(HALF_OPEN.values())
        sockets = [socket.create_connection(where, timeout=60) for _ in range(150)]
        for number, half in enumerate(sockets):
            half.sendall(kinds[number % len(kinds)])
        answers: dict[socket.socket, bytes] = dict.fromkeys(sockets, b"")
        open_ones = set(sockets)
        deadline = time.monotonic() + 120
        while open_ones:
            assert time.monotonic() < deadline, f"{len(open_ones)} are still open"
            readable, _, _ = select.select(list(open_ones), [], [], 0.2)
            for half in readable:
                with suppress(ConnectionError):
                    part = half.recv(10_000)
                    answers[half] += part
                    if part:
                        continue
                open_ones.discard(half)
            for half in list(open_ones)[::2]:  # these drip: a byte is no progress
                with suppress(OSError):
                    half.sendall(b"a")
            with urllib.request.urlopen(f"{address}/health", timeout=60) as health:
                assert health.status == 200
        for half in sockets:
            half.close()
        codes = {answer[9:12] for answer in answers.values()} - {b""}
        assert {b"405", b"408"} <= codes <= {b"400", b"405", b"408"}  # 400: what dripped was wrong
        mine = psutil.Process(server.pid).net_connections("tcp")
        assert [one for one in mine if one.status == psutil.CONN_ESTABLISHED] == []


def test_sigterm_ends_the_server_although_a_client_is_slow(tmp_path: Path) -> None:
    """The earlier tests ended the server without a request that was under way."""
    options = ("--header-timeout", "100000", "--body-timeout", "100000")
    with serving(f"sqlite:///{tmp_path}/colgraph.db", *options) as (address, server):
        where = (urlsplit(address).hostname, urlsplit(address).port)
        with socket.create_connection(where, timeout=60) as client:
            client.sendall(HALF_OPEN["a body that is missing"])
            urllib.request.urlopen(f"{address}/health", timeout=60).close()
            began = time.monotonic()
            server.terminate()
            assert server.wait(600) == -signal.SIGTERM
            assert time.monotonic() - began < 60  # GRACE is ten seconds
            assert server.stderr
            assert "Traceback" not in server.stderr.read()


def test_a_slow_but_whole_request_is_answered(tmp_path: Path) -> None:
    """Also the later ones of a connection, and the app may take its time."""
    options = ("--header-timeout", "60", "--body-timeout", "60")
    body = json.dumps(copy_event("j", 1, "d", {"x": "s.y"})).encode()
    head = (
        b"POST /api/v1/lineage HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + f"Content-Length: {len(body)}\r\n\r\n".encode()
    )
    with serving(f"sqlite:///{tmp_path}/colgraph.db", *options) as (address, _):
        where = (urlsplit(address).hostname, urlsplit(address).port)
        with socket.create_connection(where, timeout=60) as one:
            for _ in range(2):
                for part in (head[:40], head[40:], body[:10], body[10:]):
                    one.sendall(part)
                assert one.recv(10_000).startswith(b"HTTP/1.1 201 ")


def refused(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, words)
    assert done.stdout == ""
    return done.exit_code, done.stderr


def test_an_address_that_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    store = ("--store", f"sqlite:///{tmp_path}/colgraph.db", "serve")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, text = refused(*store, "--port", str(port))
    used = f"127.0.0.1:{port} is in use by another program. Choose another --port."
    assert (code, text) == (1, f"colgraph: error: {used}\n")
    for host in ("192.0.2.1", "no.such.host.invalid", "::ffff:1:2:3"):
        code, text = refused(*store, "--host", host, "--port", "0")
        assert code == 2
        assert text.startswith("colgraph: error: The server cannot listen on ")
        assert text.count("\n") == 1


def test_a_store_that_does_not_answer_is_one_line() -> None:
    """Serving waited for it without end."""
    with silent_server() as database:
        url = f"postgresql://me@127.0.0.1:{database.port}/lineage"
        code, text = refused("--store", url, "serve", "--port", "0", "--deadline", "1")
    assert code == 1
    assert text.startswith(f"colgraph: error: The store postgresql://127.0.0.1:{database.port}")
    assert text.count("\n") == 1


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.1", False),
        ("example.org", False),
    ],
)
def test_which_addresses_only_this_machine_reaches(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


def test_a_key_that_signs_tokens_by_command(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/colgraph.db"

    def add(*words: str) -> tuple[int, str, str]:
        command = ["--store", url, "db", "key", "add", "workers", *words]
        result = CliRunner().invoke(main, command)
        return result.exit_code, result.stdout.strip(), result.stderr

    both = "colgraph: error: A key of the scope 'sign' has no other. Create another key for them.\n"
    assert add("--scope", "sign", "--scope", "read") == (2, "", both)
    code, key, _ = add("--scope", "sign")
    assert code == 0
    store = Store.open(url)
    assert api_keys.signer_of(store, run_tokens.public_key(key)) is not None
    assert [(one.name, one.scopes) for one in api_keys.every(store)] == [("workers", ("sign",))]
    store.close()
    content = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert key.removeprefix(run_tokens.PREFIX).encode() not in content
    api_keys.revoke(store, "workers")
    assert api_keys.signer_of(store, run_tokens.public_key(key)) is None


def test_keys_by_command(tmp_path: Path) -> None:
    def run(*words: str) -> tuple[int, str, str]:
        store = f"sqlite:///{tmp_path}/colgraph.db"
        result = CliRunner().invoke(main, ["--store", store, "db", "key", *words])
        return result.exit_code, result.stdout, result.stderr

    code, secret, _ = run("add", "airflow", "--scope", "ingest")
    assert code == 0
    assert secret.startswith("colgraph_")
    assert run("list") == (0, "airflow  ingest  valid  never used\n", "")
    twice = (
        "colgraph: error: There is a key 'airflow' already. Choose another name, or rotate it.\n"
    )
    assert run("add", "airflow") == (2, "", twice)
    assert run("revoke", "airflow") == (0, "", "")
    assert run("list")[1].startswith("airflow  ingest  revoked ")
    gone = "colgraph: error: There is no valid key 'airflow'.\n"
    assert run("revoke", "airflow") == (2, "", gone)


@pytest.mark.parametrize("options", [(), ("--mcp",)], ids=["rest", "mcp"])
def test_the_last_read_is_audited_before_the_server_ends(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    """The signal ends the process as soon as uvicorn has shut down."""
    url = f"sqlite:///{tmp_path}/colgraph.db"
    with Store.open(url) as store:
        store.add(copy_event("shop.load", 10, "users", {"email": "csv.e"}))
        email = Field("n", "users", "email")
        write(store, [TagChange(email, Tag("pii", TRUE), 1, True, "USER", "ann")])
        with serving(url, "--audit-reads", "pii", *options) as (address, server):
            for path in ("fields", "dataset-tags", "expressions"):
                urllib.request.urlopen(f"{address}/api/v1/{path}?name=users", timeout=60).close()
            server.send_signal(signal.SIGTERM)
            server.wait(60)
        with store.connection() as connection:
            rows = audit.read(connection, actions=["read"])
    read = {row.result.rpartition("/")[2] for row in rows}
    assert read == {"fields", "dataset-tags", "expressions"}

import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from http.client import HTTPException
from pathlib import Path

import pytest
from click.testing import CliRunner
from openlineage.client import OpenLineageClient

from airflow_colgraph.cli import main
from airflow_colgraph.cli.serve import is_loopback
from airflow_colgraph.store.admin import api_keys
from airflow_colgraph.store.query.graph import downstream
from airflow_colgraph.store.store import Store
from tests.store.samples import copy_event
from tests.test_transport import event

COLGRAPH = (sys.executable, "-c", "from airflow_colgraph.cli import main; main()")


@contextmanager
def serving(
    url: str, *options: str, colgraph: Sequence[str] = COLGRAPH
) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """A real server in a process of its own: its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["--store", url, "serve", "--port", str(port), *options]
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
        return len(json.load(response)["edges"])


def test_events_arrive_by_openlineages_own_http_transport(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/colgraph.db"
    key = api_keys.add(Store.open(url), "airflow", ["ingest", "read"])
    with serving(url, "--keys") as (address, _):
        transport = {"type": "http", "url": address, "auth": {"type": "api_key", "apiKey": key}}
        OpenLineageClient(config={"transport": transport}).emit(event())
        assert upstream(address, key) == 1


def test_a_used_port_is_said_before_anything_is_served(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        words = ["--store", f"sqlite:///{tmp_path}/colgraph.db", "serve", "--port", port]
        result = CliRunner().invoke(main, words)
    assert result.exit_code == 2
    assert f"Cannot listen on 127.0.0.1, port {port}" in result.output
    assert "serves" not in result.output


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


def test_keys_by_command(tmp_path: Path) -> None:
    def run(*words: str) -> tuple[int, str, str]:
        store = f"sqlite:///{tmp_path}/colgraph.db"
        result = CliRunner().invoke(main, ["--store", store, "db", "key", *words])
        return result.exit_code, result.stdout, result.stderr

    code, secret, _ = run("add", "airflow", "--scope", "ingest")
    assert code == 0
    assert secret.startswith("colgraph_")
    assert run("list") == (0, "airflow  ingest  valid\n", "")
    twice = "colgraph: error: There is a key 'airflow' already. Choose another name.\n"
    assert run("add", "airflow") == (2, "", twice)
    assert run("revoke", "airflow") == (0, "", "")
    assert run("list")[1].startswith("airflow  ingest  revoked ")
    gone = "colgraph: error: There is no valid key 'airflow'.\n"
    assert run("revoke", "airflow") == (2, "", gone)

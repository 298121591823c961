"""A database that cannot be written to: one clear error over REST, and nothing kept is lost."""

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from airflow_colgraph.api.app import create_app
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.store import Store
from tests.graph_answers import edges_of
from tests.store.conftest import _admin
from tests.store.samples import copy_event

FIRST = copy_event("load", 1, "raw", {"x": "csv.a"})
SECOND = copy_event("load", 2, "raw", {"x": "csv.b"})


def sources(store: Store, name: str = "raw") -> set[str]:
    return {edge.input.field for edge in graph.upstream(store, "n", name, "x").edges}


def check_refused(store: Store, why: str) -> None:
    """Reading works, writing is refused in one line."""
    client = TestClient(create_app(store), raise_server_exceptions=False)
    answer = client.post("/api/v1/lineage", json=SECOND)
    assert (answer.status_code, list(answer.json())) == (503, ["error"])
    assert why in answer.json()["error"]
    assert len(answer.json()["error"].splitlines()) == 1
    found = client.get("/api/v1/upstream", params={"name": "raw", "field": "x"})
    assert [edge["input"]["field"] for edge in edges_of(found.json())] == ["a"]


def test_a_database_that_is_opened_only_to_read(tmp_path: Path) -> None:
    file = tmp_path / "colgraph.db"
    Store.open(f"sqlite:///{file}").add(FIRST)
    with Store.open(f"sqlite:///file:{file}?mode=ro&uri=true") as store:
        check_refused(store, "attempt to write a readonly database")


@pytest.mark.postgres
def test_postgresql_whose_transactions_may_only_read(postgres_store_url: str) -> None:
    with Store.open(postgres_store_url) as store:
        store.add(FIRST)
        store.close()
        name = store.engine.url.database
        store.close()
        with _admin(postgres_store_url) as connection:
            connection.exec_driver_sql(
                f"ALTER DATABASE {name} SET default_transaction_read_only = on"
            )
        check_refused(store, "read-only transaction")
        store.close()
        with _admin(postgres_store_url) as connection:
            connection.exec_driver_sql("SET default_transaction_read_only = off")
            connection.exec_driver_sql(f"ALTER DATABASE {name} RESET default_transaction_read_only")
        store.add(SECOND)
        assert sources(store) == {"b"}


ASK = """
import json, os, sys
from fastapi.testclient import TestClient
from airflow_colgraph.api.app import create_app
from airflow_colgraph.store.store import Store
client = TestClient(create_app(Store(sys.argv[1])), raise_server_exceptions=False)
if os.geteuid() == 0:  # root may write everything
    client.get("/health")  # imports what it needs: only root may read it
    os.setuid(65534)
    client.app.state.store.close()
answer = client.post("/api/v1/lineage", json=json.loads(sys.argv[2]))
print(json.dumps([answer.status_code, answer.json()]))
"""


def test_a_file_and_folder_that_may_only_be_read() -> None:
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/colgraph.db"
        with Store.open(url) as store:
            store.add(FIRST)
            store.close()
            os.chmod(f"{folder}/colgraph.db", 0o444)
            os.chmod(folder, 0o555)
            command = [sys.executable, "-c", ASK, url, json.dumps(SECOND)]
            ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
            os.chmod(folder, 0o755)
            assert ran.returncode == 0, ran.stderr
            status, body = json.loads(ran.stdout)
            assert (status, list(body)) == (503, ["error"])
            assert body["error"].endswith("write the file and its folder?")
            assert sources(store) == {"a"}


@contextmanager
def limited_server(url: str, most: int) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """`colgraph serve`, which can make no file larger than so many bytes: a disk that is full."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    code = (
        "import resource; from airflow_colgraph.cli import main; "
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, resource.RLIM_INFINITY)); main()"
    )
    command = [sys.executable, "-c", code, "--store", url, "serve", "--port", str(port)]
    command += ["--deadline", "300"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 240
        while True:
            assert process.poll() is None, "the server did not start"
            try:
                ask(port, "GET", "/health")
                break
            except OSError:
                assert time.monotonic() < deadline, "the server did not start"
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.1)
        yield port, process
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


def ask(port: int, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, answer.read()


@pytest.mark.slow
def test_a_disk_that_is_full(tmp_path: Path) -> None:
    """What was acknowledged stays, questions are answered, and with room again it goes on."""
    url = f"sqlite:///{tmp_path}/colgraph.db"
    Store.open(url).close()
    size = (tmp_path / "colgraph.db").stat().st_size
    kept = []
    with limited_server(url, size + 200_000) as (port, process):
        for number in range(1, 1000):
            fields = {"x": f"csv.a{number}", **{f"f{n}": f"csv.b{number}_{n}" for n in range(40)}}
            event = copy_event(f"job{number}", 1, f"d{number}", fields, run=number)
            status, body = ask(port, "POST", "/api/v1/lineage", json.dumps(event).encode())
            if status != 201:
                break
            kept.append(number)
        assert (status, list(json.loads(body))) == (507, ["error"])
        assert json.loads(body)["error"].endswith("resend the events that were not acknowledged.")
        assert b"\\n" not in body
        assert ask(port, "GET", "/api/v1/upstream?name=d1&field=x")[0] == 200
        unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, unlimited)
        assert ask(port, "POST", "/api/v1/lineage", json.dumps(event).encode())[0] == 201
    assert process.stderr is not None
    assert "Traceback" not in process.stderr.read()
    assert kept
    with Store(url) as store:
        for number in [*kept, kept[-1] + 1]:
            assert sources(store, f"d{number}") == {f"a{number}"}

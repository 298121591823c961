"""No error text shows a URL's secrets: each error path is driven with canaries in every part."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from fastapi import FastAPI
from fastapi.testclient import TestClient

from airflow_colgraph.api.app import create_app
from airflow_colgraph.cli import COMMANDS, main
from airflow_colgraph.collector.sinks.spool import Spool
from airflow_colgraph.exports.http_client import SendError, check_url, send
from airflow_colgraph.operators.store_writer import write_event
from airflow_colgraph.store.errors import StoreError
from airflow_colgraph.store.model.shown_url import shown_url, without_parts
from airflow_colgraph.store.store import Store
from airflow_colgraph.transport import StoreConfig, StoreTransport
from tests.exports.standin import serving
from tests.store.samples import copy_event
from tests.test_transport import event

CANARY = "CaNaRy"
EVENT = copy_event("j", 1, "d", {"x": "s.y"})


@pytest.fixture(scope="module")
def closed_port() -> Iterator[int]:
    """A port that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


def urls(scheme: str, port: int) -> dict[str, str]:
    """URLs of a server that does not answer, with a secret in each part, parsable or not."""
    c, at = CANARY, f"127.0.0.1:{port}"
    return {
        "user": f"{scheme}://{c}@{at}/db",
        "password": f"{scheme}://me:{c}1@{at}/db",
        "encoded password": f"{scheme}://me:%43aNaRy@{at}/db",
        "password with a slash": f"{scheme}://me:a/{c}@{at}/db",
        "password with a question mark": f"{scheme}://me:a?{c}@{at}/db",
        "password with a hash": f"{scheme}://me:a#{c}@{at}/db",
        "password with an at": f"{scheme}://me:a@{c}@{at}/db",
        "password with a colon": f"{scheme}://me:a:{c}@{at}/db",
        "password with a blank": f"{scheme}://me:a {c}@{at}/db",
        "password with a line feed": f"{scheme}://me:a\n{c}@{at}/db",
        "password with a bracket": f"{scheme}://me:[{c}@{at}/db",
        "query": f"{scheme}://{at}/db?password={c}",
        "query with a user": f"{scheme}://me@{at}/db?connect_timeout=1&sslpassword={c}&x={c}",
        "query value that is refused": f"{scheme}://{at}/db?sslmode={c}",
        "query name that is refused": f"{scheme}://{at}/db?passwrd={c}",
        "query without a name": f"{scheme}://{at}/db?{c}",
        "query with an at": f"{scheme}://{at}/db?password=a@{c}",
        "query with a blank": f"{scheme}://{at}/db?password=a {c}",
        "fragment": f"{scheme}://{at}/db#{c}",
        "parameter": f"{scheme}://{at}/db;password={c}",
        "password for a port": f"{scheme}://me:{c}/db",
        "password for a port and a host": f"{scheme}://{at}:{c}/db",
        "no scheme": f"me:{c}@{at}/db",
        "no slashes": f"{scheme}:me:{c}@{at}/db",
        "only a secret": c,
        "another scheme": f"mysql://me:{c}@{at}/db",
        "an unknown driver": f"{scheme}+none://me:{c}@{at}/db",
    }


CASES = list(urls("x", 1))
FEW = ("password", "password with an at", "query value that is refused", "only a secret")


@pytest.fixture(scope="module")
def app() -> FastAPI:
    return create_app(Store("sqlite://"))


def clean(text: str) -> str:
    assert CANARY.lower() not in text.lower(), text
    assert "%43aNaRy" not in text
    assert text.strip().count("\n") == 0, text
    return text


@pytest.mark.parametrize("case", CASES)
def test_the_store(
    case: str, closed_port: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    url = urls("postgresql", closed_port)[case]
    for use in (
        lambda: Store.open(url),
        lambda: Store(url).add(EVENT),
        lambda: Store(url).keep_events(),
        lambda: write_event(url, EVENT, 1.0, Spool(str(tmp_path))),
        lambda: StoreTransport(StoreConfig(url, 1.0, str(tmp_path))).emit(event()),
    ):
        with pytest.raises(StoreError) as raised:
            use()
        clean(str(raised.value))
    clean(caplog.text)


@pytest.mark.parametrize("case", CASES)
def test_the_rest_server(app: FastAPI, case: str, closed_port: int) -> None:
    url = urls("postgresql", closed_port)[case]
    app.state.store = Store(url)
    client = TestClient(app, raise_server_exceptions=False)
    health = client.get("/health")
    assert (health.status_code, health.json()) == (503, {"error": "The store cannot be read."})
    for route in ("datasets", "upstream?name=a", "statistics"):
        answer = client.get(f"/api/v1/{route}")
        assert answer.status_code == 503
        clean(answer.text)
    answer = client.post("/api/v1/lineage", json=EVENT)
    assert answer.status_code == 503
    clean(answer.text)


ARGUMENTS = {
    "ingest": ["EVENTS"],
    "upstream": ["--name", "a"],
    "downstream": ["--name", "a"],
    "find": ["a"],
    "fields": ["--name", "a"],
    "history": ["--name", "a", "--field", "b"],
    "diff": ["--name", "a", "--before", "now-1d"],
    "serve": ["--port", "0"],
    "db": ["migrate"],
    "export": ["csv"],
}


@pytest.mark.parametrize("case", FEW)
def test_every_command(case: str, closed_port: int, tmp_path: Path) -> None:
    events = tmp_path / "events.jsonl"
    events.write_text(json.dumps(EVENT) + "\n")
    url = urls("postgresql", closed_port)[case]
    for command, arguments in ARGUMENTS.items():
        assert command in COMMANDS
        words = [str(events) if word == "EVENTS" else word for word in arguments]
        done = CliRunner().invoke(main, ["--store", url, command, *words])
        assert done.exit_code in (1, 2), (command, done.output)
        assert clean(done.stderr).startswith("colgraph: error: The store"), command
        clean(done.stdout)


@pytest.mark.parametrize(
    "url",
    [
        "nonsense",
        "mysql://h/d",
        "postgresql://h:port/d",
        "postgresql+none://h/d",
        "sqlite:///a?timeout=x",
    ],
)
def test_a_bad_url_is_wrong_usage(url: str) -> None:
    done = CliRunner().invoke(main, ["--store", url, "serve", "--port", "0"])
    assert done.exit_code == (1 if "+none" in url else 2)
    assert clean(done.stderr).startswith("colgraph: error: The store")


@pytest.mark.parametrize("case", CASES)
def test_what_is_sent_to_a_server(case: str, closed_port: int) -> None:
    url = urls("http", closed_port)[case]
    with pytest.raises(SendError) as raised:
        send("POST", url, {}, pauses=())
    clean(str(raised.value))
    words = ["--store", "sqlite://", "export", "openlineage", "--url", url]
    done = CliRunner().invoke(main, [*words, "--token", CANARY])
    clean(done.stderr + done.stdout)


@pytest.mark.parametrize(
    ("status", "headers"), [(302, {"Location": f"http://h/a?token={CANARY}"}), (400, {})]
)
def test_what_a_server_answers(status: int, headers: dict[str, str]) -> None:
    """Redirects, and errors that repeat the request."""
    with serving(lambda request: (status, f"key {CANARY}1, token {CANARY}2", headers)) as server:
        with pytest.raises(SendError) as raised:
            send("POST", f"{server.url}/a?key={CANARY}1", {}, token=f"{CANARY}2", pauses=())
        assert str(status) in clean(str(raised.value))


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("sqlite:////var/lib/a@b/x.db", "sqlite:////var/lib/a@b/x.db"),
        ("sqlite://", "sqlite://"),
        ("sqlite:///x.db?timeout=1", "sqlite:///x.db"),
        ("postgresql://me:x@db:5432/lineage", "postgresql://db:5432/lineage"),
        ("postgresql+psycopg://h1:1,h2:2/d", "postgresql+psycopg://h1:1,h2:2/d"),
        ("postgresql://[::1]:5432/d", "postgresql://[::1]:5432/d"),
        ("https://token@h/p", "https://h/p"),
    ],
)
def test_what_is_shown_of_a_url(url: str, shown: str) -> None:
    assert shown_url(url) == shown
    assert check_url("http://h:1/a?b=c") == "http://h:1/a?b=c"


def test_a_message_keeps_what_is_no_secret() -> None:
    url = "postgresql://me:pw@db:5432/lineage?sslmode=odd-mode"
    message = 'host "db", user "me": "pw" is wrong; sslmode value "odd-mode" for lineage'
    assert without_parts(message, url) == (
        'host "db", user "***": "***" is wrong; sslmode value "***" for lineage'
    )

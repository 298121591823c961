"""The table of failures in docs/operating.md, each made on purpose: N events in, N in the store.

Events go to a store or a server that fails in this way; what is not taken waits in a spool, and
`colgraph deliver` brings it when the failure is over.
"""

import fcntl
import json
import os
import re
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from click.testing import CliRunner, Result
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import Job, OutputDataset, Run, RunEvent, RunState
from sqlalchemy import create_engine
from sqlalchemy.engine import make_url

from airflow_colgraph import delivery
from airflow_colgraph.api.api_key_auth import require_api_key
from airflow_colgraph.api.app import create_app
from airflow_colgraph.cli import main
from airflow_colgraph.collector.sinks.sink import open_sink
from airflow_colgraph.collector.sinks.spool import Spool, kept_files
from airflow_colgraph.spools import LocalSpool
from airflow_colgraph.store.admin import api_keys
from airflow_colgraph.store.errors import StoreError
from airflow_colgraph.store.store import Store
from tests.api.serving import served
from tests.certificates import certificate
from tests.collector.test_outbox import NUMBER, Handler, event, serve, stored
from tests.store.conftest import postgres_store_url, postgres_url  # noqa: F401
from tests.store.unresponsive import locked
from tests.test_transport import KIND

PAGE = Path(__file__).parent.parent / "docs" / "operating.md"


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    return tmp_path / "spool"


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path}/store.db") as store:
        yield store


def colgraph(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments])


def kept(spool: Path) -> list[str]:
    """The datasets of the events that wait, in the order in which they are delivered."""
    return [_dataset(Path(file.path)) for file in delivery.waiting_files(LocalSpool(spool))]


def _dataset(file: Path) -> str:
    return str(json.loads(file.read_text())["outputs"][0]["name"])


def fill(spool: Path, numbers: range = range(NUMBER), **options: Any) -> None:
    keeper = Spool(str(spool), **options)
    for number in numbers:
        keeper.keep(event(number))


def emit(store: str, spool: Path) -> list[str]:
    """Send the events by StoreTransport; returns its errors."""
    transport = {"type": KIND, "url": store, "spool": str(spool), "deadline_seconds": 1}
    client = OpenLineageClient(config={"transport": transport})
    errors = []
    for number in range(NUMBER):
        try:
            client.emit(_of_the_client(number))
        except StoreError as error:
            errors.append(str(error))
    client.transport.close()
    return errors


def _of_the_client(number: int) -> RunEvent:
    stated = event(number)
    return RunEvent(
        eventType=RunState.RUNNING,
        eventTime=stated["eventTime"],
        run=Run(stated["run"]["runId"]),
        job=Job(**stated["job"]),
        outputs=[OutputDataset(**dataset) for dataset in stated["outputs"]],
        producer="https://example.org",
    )


# The failures -----------------------------------------------------------------------------------


@contextmanager
def read_only(url: str) -> Iterator[str]:
    """A database that takes no writes, as after a failover."""
    name = make_url(url).database
    _administer(url, f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    yield url
    _administer(url, f"ALTER DATABASE {name} RESET default_transaction_read_only")


def _administer(url: str, statement: str) -> None:
    engine = create_engine(make_url(url).set(drivername="postgresql+psycopg"))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("SET default_transaction_read_only = off")
        connection.exec_driver_sql(statement)
    engine.dispose()


@contextmanager
def partition(url: str) -> Iterator[str]:
    """A network that takes packets and brings none."""
    from tests.silent_server import silent_server

    with silent_server() as server:
        yield f"postgresql://me:hunter2@127.0.0.1:{server.port}/lineage"


@contextmanager
def refused(url: str) -> Iterator[str]:
    yield "postgresql://me:hunter2@127.0.0.1:9/lineage"


@contextmanager
def dns_gone(url: str) -> Iterator[str]:
    yield "postgresql://me:hunter2@lineage.invalid/lineage"


@contextmanager
def held_by_another(url: str) -> Iterator[str]:
    with locked(url):
        yield url


OF_DATABASES: dict[str, Callable[[str], Any]] = {
    "the database is read-only": read_only,
    "the network is partitioned": partition,
    "the database refuses connections": refused,
    "the database's name is gone from DNS": dns_gone,
    "another session holds the tables": held_by_another,
}


@pytest.mark.postgres
@pytest.mark.parametrize("name", OF_DATABASES)
def test_what_a_database_does_not_take_is_delivered_later(
    name: str,
    postgres_store_url: str,  # noqa: F811
    spool: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(delivery, "STORE_SECONDS", 1)
    with Store.open(postgres_store_url) as store:
        with OF_DATABASES[name](postgres_store_url) as url:
            errors = emit(url, spool)
            assert len(errors) == NUMBER
            assert all(f"deliver it with: colgraph deliver {spool}" in error for error in errors)
            assert "hunter2" not in "".join(errors)
            early = colgraph("deliver", str(spool), "--store", url, "--patience", "0")
            assert (early.exit_code, len(kept(spool))) == (1, NUMBER)
            assert "hunter2" not in early.output
        done = colgraph("deliver", str(spool), "--store", postgres_store_url)
        assert (done.exit_code, done.output) == (0, f"{NUMBER} events delivered\n")
        assert stored(store) == list(range(NUMBER))
        assert kept(spool) == []


SENDER = """
import resource, sys
from airflow_colgraph.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)), resource.RLIM_INFINITY))
main()
"""


def test_a_full_disk(sqlite: Store, spool: Path) -> None:
    """A limit on the size of files is to SQLite what a full disk is."""
    fill(spool)
    size = Path(make_url(sqlite.url).database or "").stat().st_size
    arguments = ["deliver", str(spool), "--store", sqlite.url, "--patience", "0"]
    full = subprocess.run(
        [sys.executable, "-c", SENDER, str(size), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert full.returncode == 1, full.stderr
    assert f"{NUMBER} files are left" in full.stderr
    assert "Traceback" not in full.stderr
    assert colgraph(*arguments).output == f"{NUMBER} events delivered\n"
    assert stored(sqlite) == list(range(NUMBER))


# Servers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 507])
def test_a_server_that_is_busy_is_waited_for(status: int, sqlite: Store, spool: Path) -> None:
    fill(spool)
    server = serve(sqlite, lambda handler: len(server.requests) <= 2 and handler.answer(status))
    done = colgraph("deliver", str(spool), "--to", f"http://127.0.0.1:{server.server_port}/")
    server.shutdown()
    assert done.output == f"{NUMBER} events delivered\n"
    assert server.taken == list(range(NUMBER))  # in order
    assert server.requests[:3] == [0, 0, 0]


def test_a_server_that_is_away_for_longer_keeps_what_it_has_and_the_spool_the_rest(
    sqlite: Store, spool: Path
) -> None:
    fill(spool)
    server = serve(sqlite, lambda handler: len(server.requests) > 4 and handler.answer(503))
    address = f"http://127.0.0.1:{server.server_port}/"
    done = colgraph("deliver", str(spool), "--to", address, "--patience", "0")
    server.shutdown()
    assert done.exit_code == 1
    assert "4 events delivered" in done.output
    assert f"6 files are left in {spool}: {address} answered 503." in done.output
    assert server.taken == [0, 1, 2, 3]
    assert kept(spool) == [f"/mart/{number}" for number in range(4, NUMBER)]


def test_what_the_key_may_not_write_does_not_hold_up_the_rest(
    sqlite: Store, spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One 403 left all later events in the spool, for good."""
    fill(spool, range(3))
    other = {**event(3), "outputs": [{"namespace": "s3://other", "name": "/mart/3"}]}
    Spool(str(spool)).keep(other)
    fill(spool, range(4, NUMBER))
    key = api_keys.add(sqlite, "shop", ["ingest"], namespaces=["file", "default"])
    monkeypatch.setenv("COLGRAPH_SINK_TOKEN", key)
    with served(create_app(sqlite, require_api_key(sqlite))) as client:
        address = f"{client.base_url}/colgraph/api/v1/lineage"
        done = colgraph("deliver", str(spool), "--to", address)
        monkeypatch.setenv("COLGRAPH_SINK_TOKEN", api_keys.add(sqlite, "reader", ["read"]))
        fill(spool, range(1))
        none = colgraph("deliver", str(spool), "--to", address)
    assert done.output == f"9 events delivered, 1 refused: see {spool}/refused\n"
    (answer,) = (spool / "refused").glob("answer-*")
    assert "answered 403. " in answer.read_text()
    assert "The namespace 's3://other' may not be written." in answer.read_text()
    assert stored(sqlite) == [number for number in range(NUMBER) if number != 3]
    assert none.exit_code == 1  # a key that may write nothing: all stay in order
    assert kept(spool) == ["/mart/0"]


@pytest.mark.parametrize("status", [400, 413, 422])
def test_what_is_refused_for_what_it_is_stays_with_the_answer(
    status: int, sqlite: Store, spool: Path
) -> None:
    fill(spool)

    def fault(handler: Handler) -> bool:
        if handler.event["outputs"][0]["name"] != "/mart/3":
            return False
        handler.send_response(status)
        text = b'{"error": "not this one"}'
        handler.send_header("Content-Length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)
        return True

    server = serve(sqlite, fault)
    address = f"http://127.0.0.1:{server.server_port}/"
    done = colgraph("deliver", str(spool), "--to", address)
    assert done.exit_code == 0
    assert done.output == f"9 events delivered, 1 refused: see {spool}/refused\n"
    (refused,) = (spool / "refused").glob("part-*")
    (answer,) = (spool / "refused").glob("answer-*")
    assert _dataset(refused) == "/mart/3"
    assert answer.read_text() == f'{address} answered {status}. {{"error": "not this one"}}\n'
    assert colgraph("deliver", str(spool), "--to", address).output == "0 events delivered\n"
    server.fault = lambda handler: False  # somebody has mended it
    again = colgraph("deliver", str(spool / "refused"), "--to", address)
    server.shutdown()
    assert again.output == "1 events delivered\n"
    assert stored(sqlite) == list(range(NUMBER))


def test_what_the_store_refuses_stays_with_the_reason(sqlite: Store, spool: Path) -> None:
    fill(spool, range(2))
    Spool(str(spool)).keep({"run": {"runId": "no"}, "eventTime": "yesterday"})
    (spool / "part-9").write_text("{half")
    done = colgraph("deliver", str(spool), "--store", sqlite.url)
    assert done.output == f"2 events delivered, 2 refused: see {spool}/refused\n"
    answers = sorted((spool / "refused").glob("answer-*"), key=lambda file: file.name)
    assert [bool(answer.read_text().strip()) for answer in answers] == [True, True]
    assert "line 1: not JSON" in answers[-1].read_text()


def context(folder: Path, until: datetime) -> ssl.SSLContext:
    """TLS with a certificate of this machine that is valid until then."""
    certificate(folder, until)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "both.pem")
    return context


def test_a_certificate_that_has_expired(
    sqlite: Store, spool: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime.now(timezone.utc)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
    server = serve(sqlite, lambda handler: False)
    address = f"https://localhost:{server.server_port}/"
    plain = server.socket
    server.socket = context(tmp_path, now - timedelta(days=1)).wrap_socket(plain, server_side=True)
    said: list[str] = []
    sink = open_sink(address, spool=Spool(str(spool)), say=said.append)
    for number in range(NUMBER):
        sink.write(event(number))
    sink.flush(monotonic() + 1, is_last=True)
    sink.close()
    server.shutdown()
    server.server_close()
    assert "certificate has expired" in said[0] or len(kept(spool)) == NUMBER
    early = colgraph("deliver", str(spool), "--to", address, "--patience", "0")
    assert early.exit_code == 1
    renewed = serve(sqlite, lambda handler: False)
    renewed.socket = context(tmp_path, now + timedelta(days=1)).wrap_socket(
        renewed.socket, server_side=True
    )
    there = f"https://localhost:{renewed.server_port}/"
    done = colgraph("deliver", str(spool), "--to", there)
    renewed.shutdown()
    assert done.output == f"{NUMBER} events delivered\n"
    assert renewed.taken == list(range(NUMBER))


def test_a_servers_name_that_is_gone_from_dns(sqlite: Store, spool: Path) -> None:
    said: list[str] = []
    sink = open_sink("http://lineage.invalid/", spool=Spool(str(spool)), say=said.append)
    for number in range(NUMBER):
        sink.write(event(number))
    sink.flush(monotonic(), is_last=True)
    sink.close()
    (line,) = said
    assert line.endswith(f"colgraph deliver {spool} --to http://lineage.invalid/")
    assert len(kept(spool)) == NUMBER
    assert colgraph("deliver", str(spool), "--store", sqlite.url).exit_code == 0
    assert stored(sqlite) == list(range(NUMBER))


# Files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sink", ["/dev/full", "{}/file/events.jsonl", "{}/file"])
def test_what_a_file_does_not_take_is_delivered_later(
    sink: str, sqlite: Store, spool: Path, tmp_path: Path
) -> None:
    """Events of a job whose sink was full, or could not be opened, were lost."""
    (tmp_path / "file").mkdir()
    os.chmod(tmp_path / "file", 0o777)
    path = sink.format(tmp_path)
    if path.endswith(".jsonl"):
        (tmp_path / "file" / "events.jsonl").mkdir()
    said: list[str] = []
    opened = open_sink(path, spool=Spool(str(spool)), say=said.append)
    for number in range(NUMBER):
        opened.write(event(number))
    opened.flush(monotonic(), is_last=True)
    opened.close()
    (line,) = said
    assert line.endswith(f"deliver it with: colgraph deliver {spool}")
    assert colgraph("deliver", str(spool), "--store", sqlite.url).exit_code == 0
    assert stored(sqlite) == list(range(NUMBER))


# The spool --------------------------------------------------------------------------------------


def test_events_of_all_runs_are_delivered_in_the_order_of_their_times(
    sqlite: Store, spool: Path
) -> None:
    first, second = Spool(str(spool), "run-b"), Spool(str(spool), "run-a")
    for number in range(NUMBER):
        (first, second)[number % 2].keep(event(number))
    server = serve(sqlite, lambda handler: False)
    colgraph("deliver", str(spool), "--to", f"http://127.0.0.1:{server.server_port}/")
    server.shutdown()
    assert server.taken == list(range(NUMBER))
    assert sorted(path.name for path in spool.iterdir()) == [".deliver.lock"]
    first.keep(event(0))  # its folder is made again
    assert kept(spool) == ["/mart/0"]


def test_a_full_spool_drops_the_oldest_and_says_so(sqlite: Store, spool: Path) -> None:
    size = len(json.dumps(event(0), separators=(",", ":"))) + 1
    said: list[str] = []
    keeper = Spool(str(spool), most_bytes=10 * size)
    sink = open_sink("http://127.0.0.1:9/", spool=keeper, say=said.append)
    sink.flush(monotonic(), is_last=True)
    for number in range(25):
        sink.write(event(number))
    sink.flush(monotonic(), is_last=True)
    sink.close()
    left = kept(spool)
    assert left[-1] == "/mart/24"
    assert sum(file.size for file in kept_files(spool)) <= 10 * size
    gone = 25 - len(left)
    assert delivery.waiting(LocalSpool(spool)).dropped == gone == keeper.dropped
    assert re.search(r"The spool is full \(0 MB\): its \d+ oldest events were dropped", said[-1])
    done = colgraph("deliver", str(spool), "--store", sqlite.url)
    assert f"{gone} events were dropped as the spool was full" in done.output
    assert f"{len(left)} events delivered" in done.output


def test_two_processes_do_not_deliver_a_spool_at_once(sqlite: Store, spool: Path) -> None:
    fill(spool)
    with (spool / ".deliver.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        busy = colgraph("deliver", str(spool), "--store", sqlite.url)
        assert (busy.exit_code, len(kept(spool))) == (1, NUMBER)
        assert f"Another process is delivering {spool}" in busy.output
    assert colgraph("deliver", str(spool), "--store", sqlite.url).exit_code == 0


def test_events_that_are_kept_meanwhile_are_delivered_too(sqlite: Store, spool: Path) -> None:
    fill(spool, range(5))
    keeper, late = Spool(str(spool)), iter(range(5, NUMBER))

    def fault(handler: Handler) -> bool:
        number = next(late, None)
        if number is not None:
            keeper.keep(event(number))
        return False

    server = serve(sqlite, fault)
    colgraph("deliver", str(spool), "--to", f"http://127.0.0.1:{server.server_port}/")
    server.shutdown()
    assert server.taken == list(range(NUMBER))


def test_many_writers_keep_and_one_delivers(sqlite: Store, spool: Path) -> None:
    """Folders of runs are removed when they are empty, while their drivers go on writing."""

    def write(run: int) -> None:
        keeper = Spool(str(spool), f"run-{run}")
        for number in range(20):
            keeper.keep(event(number % 60))

    writers = [threading.Thread(target=write, args=(run,)) for run in range(4)]
    for writer in writers:
        writer.start()
    delivered = 0
    target = delivery.into_store(sqlite)
    while any(writer.is_alive() for writer in writers) or delivery.waiting_files(LocalSpool(spool)):
        delivered += delivery.deliver(LocalSpool(spool), target).delivered
    assert delivered == 80


def test_what_is_left_out_of_an_event_is_said(
    sqlite: Store, spool: Path, caplog: pytest.LogCaptureFixture
) -> None:
    keeper = Spool(str(spool))
    output = {"namespace": "n", "name": "t", "facets": {"columnLineage": {"fields": "x"}}}
    keeper.keep({**event(0), "outputs": [output]})
    done = colgraph("deliver", str(spool), "--store", sqlite.url)
    assert (done.exit_code, done.output) == (0, "1 events delivered\n")
    (message,) = caplog.messages
    assert message.startswith("A part of an event is left out. Dataset 't': ")


def test_the_store_that_nobody_configured_is_named(
    spool: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The events were in a file of whoever ran the command, and its output did not say so."""
    fill(spool, range(1))
    for name in ("HOME", "AIRFLOW_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    for name in ("COLGRAPH_STORE", "AIRFLOW__COLGRAPH__STORE", "AIRFLOW_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    done = colgraph("deliver", str(spool))
    file = f"sqlite:///{tmp_path}/.colgraph/colgraph.db"
    warning = f"colgraph: warning: no store is configured, so the events go to {file}.\n"
    assert done.output == f"{warning}1 events delivered\n"
    monkeypatch.setenv("AIRFLOW__COLGRAPH__STORE", file)
    assert colgraph("deliver", str(spool)).output == "0 events delivered\n"


def test_usage(sqlite: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert colgraph("deliver", str(tmp_path / "no")).exit_code == 2
    (tmp_path / "s").mkdir()
    wrong = colgraph("deliver", str(tmp_path / "s"), "--to", "postgresql://me:hunter2@h/d")
    assert (wrong.exit_code, "hunter2" in wrong.output) == (2, False)
    monkeypatch.setenv("AIRFLOW__COLGRAPH__SPOOL", str(tmp_path / "none"))
    nothing = colgraph("deliver", "--store", sqlite.url)
    assert (nothing.exit_code, "so nothing waits" in nothing.output) == (0, True)


def test_every_failure_of_the_page_is_made_by_a_test_that_it_names() -> None:
    table = PAGE.read_text().partition("## Failures")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (.+?) \| .+ \| `(tests/\S+?)::(\w+)` \|$", table, flags=re.MULTILINE)
    assert len(rows) >= 15
    for name, file, test in rows:
        assert f"def {test}(" in (PAGE.parent.parent / file).read_text(), name
    assert OF_DATABASES.keys() <= {name for name, _, _ in rows}

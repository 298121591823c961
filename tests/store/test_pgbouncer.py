"""PgBouncer in transaction mode before a packaged PostgreSQL: nothing is lost, nothing fails."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from urllib.parse import parse_qs, urlsplit

import pytest

from airflow_colgraph.store.errors import BadStoreUrl
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.store import Store
from tests.store.packaged_server import packaged_server
from tests.store.samples import copy_event

pytestmark = pytest.mark.packaged_postgres
EVENTS = 200


@contextmanager
def pooled(url: str) -> Iterator[str]:
    """The URL of a pooler with two sessions for all clients."""
    program = shutil.which("pgbouncer") or shutil.which("/usr/sbin/pgbouncer")
    if program is None:
        assert not os.environ.get("CI"), "CI installs pgbouncer: see .ci/run"
        pytest.skip("there is no pgbouncer here: apt-get install pgbouncer")
    (host,) = parse_qs(urlsplit(url).query)["host"]
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        port = reserved.getsockname()[1]
    folder = Path(tempfile.mkdtemp(prefix="colgraph-pool-"))
    (folder / "users").write_text('"postgres" ""\n')
    (folder / "pool.ini").write_text(
        f"[databases]\npostgres = host={host} dbname=postgres user=postgres\n[pgbouncer]\n"
        f"listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\n"
        f"auth_file = {folder}/users\npool_mode = transaction\ndefault_pool_size = 2\n"
    )
    user = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
    if user:
        for path in (folder, *folder.iterdir()):
            shutil.chown(path, **user)
    pooler = subprocess.Popen(
        [program, str(folder / "pool.ini")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **user,  # type: ignore[call-overload]
    )
    deadline = monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except ConnectionRefusedError:
            assert pooler.poll() is None
            assert monotonic() < deadline
            sleep(0.05)
    try:
        yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
    finally:
        pooler.terminate()
        pooler.wait()
        shutil.rmtree(folder)


def test_events_and_questions_of_many_clients_share_two_sessions() -> None:
    with packaged_server() as url, pooled(url) as pool:
        stores = [Store.open(pool, seconds=30) for _ in range(4)]

        def work(number: int) -> int:
            store = stores[number % len(stores)]
            store.add(copy_event(f"job{number}", 1, f"t{number}", {"x": "csv.a"}, run=number + 1))
            return len(graph.upstream(store, "n", f"t{number}", "x").edges)

        with ThreadPoolExecutor(8) as threads:
            assert list(threads.map(work, range(EVENTS))) == [1] * EVENTS
        for store in stores:
            store.close()
        with Store.open(url) as direct, direct.connection() as connection:
            count = connection.exec_driver_sql("SELECT count(*) FROM colgraph_run").scalar()
    assert count == EVENTS


@pytest.mark.parametrize("value", ["0", "1", "5", "None", ""])
def test_the_threshold_of_prepared_statements_is_an_option_of_the_url(value: str) -> None:
    """psycopg compares the text of the URL with a number, which was a traceback."""
    with packaged_server() as url, Store.open(f"{url}&prepare_threshold={value}") as store:
        for number in range(1, 12):
            store.add(copy_event("job", number, "t", {"x": "csv.a"}))
        assert len(graph.upstream(store, "n", "t", "x").edges) == 1


def test_a_threshold_that_is_no_number_is_one_line() -> None:
    with pytest.raises(BadStoreUrl, match="prepare_threshold in the store's URL is no number"):
        Store.open("postgresql://u@h/d?prepare_threshold=hunter2")

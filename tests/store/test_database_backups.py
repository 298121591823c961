"""PostgreSQL's own ways to back up a store, as docs/operating.md names them, and back."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from airflow_colgraph.store.readiness import checks
from airflow_colgraph.store.store import Store
from dev.waiting import wait_for
from tests.collector.test_outbox import event, stored
from tests.store.packaged_server import packaged_server, run, server_folder, started, url_of
from tests.store.samples import table_rows

pytestmark = pytest.mark.packaged_postgres


def folder_of(url: str) -> Path:
    return Path(*parse_qs(urlsplit(url).query)["host"])


def test_a_dump_replaces_another_store() -> None:
    with packaged_server() as url, Store.open(url) as store:
        folder = folder_of(url)
        store.add([event(number) for number in range(5)])
        run(folder, "pg_dump", "-h", folder, "-U", "postgres", "-Fc", "-f", "store.dump")
        before = table_rows(store)
        store.add([event(number) for number in range(5, 9)])
        whole = ("-h", folder, "-U", "postgres", "-d", "postgres", folder / "store.dump")
        run(folder, "pg_restore", "--clean", *whole)
        assert table_rows(store) == before
        assert stored(store) == list(range(5))  # by a server that had asked before
        store.add([event(number) for number in range(5, 9)])  # what came after it
        assert stored(store) == list(range(9))


def test_a_store_goes_back_to_a_moment() -> None:
    """A base backup and the archived WAL, as for any database."""
    with server_folder() as archive, server_folder() as copy:
        keep = f"archive_command='cp %p {archive}/%f'"
        with packaged_server("archive_mode=on", keep) as url, Store.open(url) as store:
            primary = folder_of(url)
            store.add([event(number) for number in range(3)])
            run(copy, "pg_basebackup", "-h", primary, "-U", "postgres", "-D", "data", "-N")
            store.add([event(number) for number in range(3, 6)])
            moment = "SELECT pg_create_restore_point('before')"
            run(primary, "psql", "-qXh", primary, "-U", "postgres", "-c", moment)
            store.add([event(number) for number in range(6, 9)])
            last = "SELECT pg_switch_wal()"
            run(primary, "psql", "-qXh", primary, "-U", "postgres", "-c", last)
            run(primary, "pg_ctl", "stop", "-w", "-m", "fast")  # archives what is left
        (copy / "data" / "recovery.signal").touch()
        target = ("recovery_target_name=before", "recovery_target_action=promote")
        fetch = f"restore_command='cp {archive}/%f %p'"
        with started(copy, fetch, *target), Store.open(url_of(copy)) as restored:
            wait_for(lambda: checks(restored)["writes"])  # the end of the recovery
            assert stored(restored) == list(range(6))
            restored.add([event(number) for number in range(6, 9)])
            assert stored(restored) == list(range(9))

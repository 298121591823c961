"""A store that was opened with `seconds` gives up on a lock, a server or a statement by itself."""

import shutil
from contextlib import suppress
from pathlib import Path
from time import monotonic

import pytest

from airflow_colgraph.store.db import session_settings
from airflow_colgraph.store.errors import NoStore, StoreError, StoreUnavailable
from airflow_colgraph.store.store import Store
from tests.silent_server import silent_server
from tests.store.unresponsive import locked

EVENT = {"eventTime": "2026-11-20T10:00:00Z", "dataset": {"namespace": "n", "name": "d"}}
LONG = 60  # that a hang takes at least


def test_a_lock_of_another_session(store: Store) -> None:
    """No earlier test held the lock for longer than a writer waits."""
    url = store.url
    with Store.open(url, seconds=2) as limited:
        started = monotonic()
        with locked(url), pytest.raises(StoreUnavailable, match="lock"):
            limited.add(EVENT)
        assert monotonic() - started < LONG
        assert limited.add(EVENT) == 1


@pytest.mark.postgres
def test_another_writer(postgres_store_url: str) -> None:
    """Writers wait for each other by an advisory lock, before they touch a table."""
    with Store.open(postgres_store_url) as store:
        limited = Store(postgres_store_url, seconds=2)
        from airflow_colgraph.store.db.engine import writing

        with writing(store.engine), pytest.raises(StoreUnavailable, match="lock timeout"):
            limited.add(EVENT)
        assert limited.add(EVENT) == 1
    limited.close()


@pytest.mark.postgres
def test_a_writer_that_has_stopped(
    postgres_store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker whose machine was gone held the writers' lock until TCP noticed: two hours."""
    from airflow_colgraph.store.db.engine import writing

    monkeypatch.setattr(session_settings, "IDLE", 0)
    stopped = Store(postgres_store_url, seconds=0.5)
    added = 0
    with Store.open(postgres_store_url) as store, suppress(StoreError), writing(stopped.engine):
        added = store.add(EVENT)  # waits for the lock
    stopped.close()
    assert added == 1


@pytest.mark.postgres
def test_a_statement_in_a_transaction_and_outside(postgres_store_url: str) -> None:
    """The limit is the session's, if it is the connection's own."""
    with Store.open(postgres_store_url, seconds=2) as limited:
        with (
            pytest.raises(StoreUnavailable, match="statement timeout"),
            limited.connection() as opened,
        ):
            opened.exec_driver_sql("SELECT pg_sleep(60)")
        with limited.engine.connect() as connection:
            cursor = connection.connection.cursor()
            assert cursor.execute("SHOW statement_timeout").fetchall() == [("2s",)]
            assert cursor.execute("SHOW lock_timeout").fetchall() == [("1800ms",)]
            idle = cursor.execute("SHOW idle_in_transaction_session_timeout")
            assert idle.fetchall() == [("1min",)]


@pytest.mark.parametrize("driver", ["postgresql", "postgresql+psycopg2"])
def test_a_server_that_says_nothing(driver: str) -> None:
    started = monotonic()
    with silent_server() as server:
        store = Store(f"{driver}://me:hunter2@127.0.0.1:{server.port}/lineage", seconds=1)
        with pytest.raises(StoreUnavailable, match=r"timeout|timed out") as raised:
            store.add(EVENT)
    assert "hunter2" not in str(raised.value)
    assert monotonic() - started < LONG


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("postgresql://me@127.0.0.1:1/lineage", StoreUnavailable),
        ("sqlite:////proc/no/store.db", StoreError),
    ],
)
def test_what_may_pass_is_told_from_what_will_not(url: str, kind: type[StoreError]) -> None:
    with pytest.raises(StoreError) as raised:
        Store.open(url, seconds=1)
    assert raised.type is kind


def test_a_store_without_tables_is_not_tried_again(tmp_path: Path, migrated_sqlite: Path) -> None:
    file = tmp_path / "store.db"
    with pytest.raises(StoreError, match="does not exist") as raised:
        Store(f"sqlite:///{file}", seconds=1).add(EVENT)
    assert raised.type is NoStore
    shutil.copy(migrated_sqlite, file)
    assert Store(f"sqlite:///{file}", seconds=1).add(EVENT) == 1

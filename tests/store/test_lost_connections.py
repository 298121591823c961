"""A PostgreSQL server that ends its connections: one request fails, the next is answered."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from sqlalchemy import create_engine
from sqlalchemy.engine import Connection, Engine, make_url

from airflow_colgraph.store.db.engine import reading, without_transaction, writing
from airflow_colgraph.store.errors import StoreError
from airflow_colgraph.store.store import Store

POOLED = 4


def use_all(engine: Engine) -> None:
    """Have so many idle connections in the pool."""
    together = threading.Barrier(POOLED)

    def use() -> None:
        with without_transaction(engine):
            together.wait(60)

    threads = [threading.Thread(target=use) for _ in range(POOLED)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def end_all(url: str) -> int:
    """End the connections of all others, as a restart of the server does."""
    own = make_url(url).set(drivername="postgresql+psycopg")
    admin = create_engine(own, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        ended = connection.exec_driver_sql(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND datname = current_database()"
        ).scalar_one()
    admin.dispose()
    return int(ended)


@pytest.mark.parametrize("opened", [reading, writing, without_transaction])
@pytest.mark.parametrize("by_the_driver", [True, False])
def test_lost_connections_are_found_at_once(
    postgres_store_url: str,
    opened: Callable[[Engine], AbstractContextManager[Connection]],
    by_the_driver: bool,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with Store(postgres_store_url) as store:

        def ask() -> str:
            try:
                with opened(store.engine) as connection:
                    if by_the_driver:
                        connection.connection.cursor().execute("SELECT 1")
                    else:
                        connection.exec_driver_sql("SELECT 1")
            except StoreError as error:
                return str(error)
            return ""

        use_all(store.engine)
        assert end_all(postgres_store_url) == POOLED
        first, *others = [ask() for _ in range(POOLED + 1)]
    assert "terminating connection" in first
    assert others == [""] * POOLED
    assert caplog.records == []  # the pool has nothing to roll back


def test_a_connection_that_is_lost_between_two_statements(postgres_store_url: str) -> None:
    with Store(postgres_store_url) as store:
        use_all(store.engine)

        def lose() -> None:
            with reading(store.engine) as connection:
                end_all(postgres_store_url)
                connection.connection.cursor().execute("SELECT 1")

        with pytest.raises(StoreError):
            lose()
        with reading(store.engine) as connection:
            assert connection.exec_driver_sql("SELECT 1").scalar() == 1

import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from sqlalchemy.engine import Connection

from airflow_colgraph.store.store import Store
from tests.spark.postgres import started
from tests.store.packaged_server import ANY_STATEMENT, packaged_server


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A real PostgreSQL server on a Unix socket, for this session only.

    Its files are not below pytest's folder, of which other sessions delete what is old.
    """
    with started() as server:
        _wait_for(server.get_uri())
        yield server.get_uri()


@pytest.fixture(scope="session")
def packaged_postgres_url() -> Iterator[str]:
    """A distribution's PostgreSQL, which compiles every statement that does not exclude it."""
    with packaged_server(ANY_STATEMENT) as url:
        yield url


def _wait_for(url: str) -> None:
    """On a busy machine the server is there before it answers."""
    import psycopg

    deadline = time.monotonic() + 60
    while True:
        try:
            psycopg.connect(url, connect_timeout=10).close()
            return
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with tables, to be copied: migrating takes longer than most tests."""
    file = tmp_path_factory.mktemp("sqlite") / "migrated.db"
    Store.open(f"sqlite:///{file}").close()
    return file


@pytest.fixture(scope="session")
def migrated_postgres(postgres_url: str) -> str:
    """The same in PostgreSQL: the name of a database."""
    return migrated_database(postgres_url)


def migrated_database(server: str) -> str:
    """The name of a new database with tables, a template of others."""
    with _admin(server) as connection:
        connection.exec_driver_sql("CREATE DATABASE colgraph_migrated")
        url = connection.engine.url.set(database="colgraph_migrated")
    Store.open(url.render_as_string(hide_password=False)).close()
    return "colgraph_migrated"


@contextmanager
def _admin(url: str) -> Iterator[Connection]:
    base = url.replace("postgresql://", "postgresql+psycopg://", 1)
    admin = create_engine(base, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        yield connection
    admin.dispose()


@contextmanager
def new_database(url: str, template: str) -> Iterator[str]:
    """The URL of a database of its own on the server, until the block is left."""
    name = f"colgraph_{uuid.uuid4().hex[:12]}"
    with _admin(url) as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name} TEMPLATE {template}")
        own = connection.engine.url.set(database=name)
    yield own.render_as_string(hide_password=False)
    with _admin(url) as connection:
        connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def postgres_store_url(postgres_url: str) -> Iterator[str]:
    """An empty database on the server."""
    with new_database(postgres_url, "template0") as url:
        yield url


DATABASES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]


@pytest.fixture(params=DATABASES)
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a store that does not exist yet, in each database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/store/colgraph.db"
    url: str = request.getfixturevalue("postgres_store_url")
    return url


@pytest.fixture(params=DATABASES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store with tables, in each database."""
    with ExitStack() as stack:
        if request.param == "sqlite":
            file = tmp_path / "colgraph.db"
            shutil.copy(request.getfixturevalue("migrated_sqlite"), file)
            url = f"sqlite:///{file}"
        else:
            template = request.getfixturevalue("migrated_postgres")
            server = request.getfixturevalue("postgres_url")
            url = stack.enter_context(new_database(server, template))
        with Store(url) as store:
            yield store

"""Alembic's revisions of the tables; a store that is up to date does not import Alembic."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import inspect
from sqlalchemy.engine import Connection, Engine

from airflow_colgraph.store.db import engine as engines
from airflow_colgraph.store.db.tables import metadata as metadata
from airflow_colgraph.store.errors import StoreError

if TYPE_CHECKING:
    from alembic.config import Config

VERSION_TABLE = "colgraph_version"
HEAD = "0020"


def current(connection: Connection) -> str | None:
    """The store's revision; None if it has no tables."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    version = connection.exec_driver_sql(f"SELECT version_num FROM {VERSION_TABLE}").scalar()
    return str(version) if version else None


@contextmanager
def engine_at(url: str) -> Iterator[Engine]:
    """An engine for the database at the URL, within the block."""
    engine = engines.connect(url)
    try:
        yield engine
    finally:
        engine.dispose()


def revision_of(engine: Engine) -> str | None:
    """The store's revision; None if it has no tables."""
    with engines.reading(engine) as connection:
        return current(connection)


def upgrade(engine: Engine, revision: str = "head", *, create: bool = True) -> None:
    """Upgrade the tables to a revision; several processes may do so at once.

    Raises:
        NoStore: There are no tables, and `create` is false.
    """
    if create:
        engines.create_file(engine)
    if revision == "head":
        before = revision_of(engine)
        if before == HEAD:
            return
        if before is None and not create:
            raise engines.no_store(engine, "has no tables")
        if before and before > HEAD:
            raise StoreError(f"The store {engines.shown(engine)} {mismatch(before, HEAD)}")
    if engine.dialect.name == "sqlite":
        engines.use_wal(engine)
    move(engine, "upgrade", revision)


def mismatch(revision: str | None, head: str) -> str:
    """What is wrong with a store of this revision for a version that needs `head`.

    >>> mismatch("0021", "0020")
    'has the tables of revision 0021, of a newer version; this one can use 0020. Upgrade this one.'
    """
    if revision is None:
        return f"has no tables; this version needs {head}. Run colgraph db migrate."
    there = f"has the tables of revision {revision}"
    if revision > head:
        return f"{there}, of a newer version; this one can use {head}. Upgrade this one."
    return f"{there}; this version needs {head}. Run colgraph db migrate."


def prepare(engine: Engine, *, create: bool = False) -> None:
    """Upgrade the tables of a SQLite file, or with `create` make those that are not there.

    Those of PostgreSQL are upgraded by `colgraph db migrate` only: it may take long, and other
    programs use them meanwhile. StoreError if they need to be; NoStore if there are none.
    """
    if create:
        engines.create_file(engine)
    revision = revision_of(engine)
    if revision not in (None, HEAD) and engine.dialect.name != "sqlite":
        raise StoreError(f"The store {engines.shown(engine)} {mismatch(revision, HEAD)}")
    if revision != HEAD:
        upgrade(engine, create=create)


def downgrade(engine: Engine, revision: str) -> None:
    """Downgrade the tables to an earlier revision (`base`: none)."""
    move(engine, "downgrade", revision)


def move(engine: Engine, direction: str, revision: str) -> None:
    """`upgrade` or `downgrade` to the revision, as the only writer."""
    with engines.writing(engine) as connection:
        run(connection, direction, revision)


def run(connection: Connection, direction: str, revision: str) -> None:
    """The same in the connection's own transaction."""
    from alembic import command
    from alembic.util import CommandError

    settings = config()
    settings.attributes["connection"] = connection
    try:
        getattr(command, direction)(settings, revision)
    except CommandError as error:
        raise StoreError(
            f"The store is at revision {current(connection)}, which this version does not know "
            f"({error}). If a newer airflow_colgraph wrote it, use that one; if an older one did, "
            "export it there (colgraph db export) and import the file into a new store."
        ) from None


def config() -> Config:
    """Alembic's settings: where the revisions are."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    return config

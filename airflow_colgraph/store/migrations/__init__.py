"""The tables' history. Alembic runs it; a store that is up to date needs no Alembic."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import inspect
from sqlalchemy.engine import Connection, Engine

from airflow_colgraph.store import engine as engines
from airflow_colgraph.store.errors import StoreError

VERSION_TABLE = "colgraph_version"
HEAD = "0004"


def current(connection: Connection) -> str | None:
    """The revision that the store is at; None if it has no tables."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    found = connection.exec_driver_sql(f"SELECT version_num FROM {VERSION_TABLE}").scalar()
    return str(found) if found else None


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Bring the tables to a revision; several processes may try at once."""
    if revision == "head":
        with engines.reading(engine) as connection:
            if current(connection) == HEAD:
                return
    if engine.dialect.name == "sqlite":
        engines.use_wal(engine)
    _run(engine, "upgrade", revision)


def downgrade(engine: Engine, revision: str) -> None:
    """Take the tables back to an earlier revision (`base`: none)."""
    _run(engine, "downgrade", revision)


def _run(engine: Engine, direction: str, revision: str) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    with engines.writing(engine) as connection:
        config.attributes["connection"] = connection
        try:
            getattr(command, direction)(config, revision)
        except CommandError as error:
            raise StoreError(
                f"The store is at revision {current(connection)}, which this version does not know "
                f"({error}). Use a newer airflow_colgraph."
            ) from None

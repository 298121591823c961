"""The store inside Airflow's own database: `airflow db migrate` makes and upgrades its tables.

Only where `[colgraph] airflow_database` says so: not every Airflow that has us installed wants its
lineage there.
"""

from __future__ import annotations

from pathlib import Path

from airflow import settings
from airflow.utils.db_manager import BaseDBManager
from alembic.config import Config
from sqlalchemy.engine import Connection, make_url

from airflow_colgraph import __version__, conf
from airflow_colgraph.store import migrations

BACKENDS = ("sqlite", "postgresql")


class ColgraphDBManager(BaseDBManager):  # type: ignore[misc]
    """Airflow's commands for databases, applied to the store's tables.

    They are made by the store's own migrations, under a version table of their own, so a store
    that is there already is left as it is. In a database of another kind nothing is done, nor
    without the option: a store that happens to be in this database is then left alone.
    """

    metadata = migrations.metadata
    migration_dir = str(Path(migrations.__file__).parent)
    alembic_file = str(Path(migrations.__file__).parent / "alembic.ini")  # need not exist
    version_table_name = migrations.VERSION_TABLE
    supports_table_dropping = True
    revision_heads_map = {__version__: migrations.HEAD}  # noqa: RUF012 (as in the base class)

    def get_alembic_config(self) -> Config:
        """Where the migrations are."""
        return migrations.config()

    def check_migration(self) -> bool:
        """Whether the tables are those of this version, or were never made."""
        if not _is_ours():
            return True
        with migrations.engine_at(settings.SQL_ALCHEMY_CONN) as engine:
            return migrations.revision_of(engine) in (None, migrations.HEAD)

    def create_db_from_orm(self) -> None:
        """Make the tables."""
        self.upgradedb()

    def initdb(self, use_migration_files: bool = False) -> None:
        """Make the tables, or bring them to this version."""
        self.upgradedb()

    def upgradedb(
        self,
        to_revision: str | None = None,
        from_revision: str | None = None,
        show_sql_only: bool = False,
        use_migration_files: bool = False,
    ) -> None:
        """Bring the tables to a revision; None: to this version's."""
        self._change("upgrade", to_revision or "head", show_sql_only)

    def downgrade(
        self, to_revision: str, from_revision: str | None = None, show_sql_only: bool = False
    ) -> None:
        """Take the tables back to an earlier revision (`base`: none)."""
        self._change("downgrade", to_revision, show_sql_only)

    def drop_tables(self, connection: Connection) -> None:
        """Drop the tables and all that is in them."""
        if _is_ours() and migrations.current(connection):
            migrations.run(connection, "downgrade", "base")
            connection.exec_driver_sql(f"DROP TABLE {migrations.VERSION_TABLE}")

    def _change(self, direction: str, revision: str, show_sql_only: bool) -> None:
        if show_sql_only:
            raise SystemExit("The store's migrations are not printed as SQL.")
        if not conf.airflow_database():
            self.log.info(
                "[colgraph] airflow_database is not set: the lineage store is not in this database."
            )
            return
        if not _is_ours():
            self.log.warning("The lineage store cannot be in this database: no tables are created.")
            return
        with migrations.engine_at(settings.SQL_ALCHEMY_CONN) as engine:
            migrations.move(engine, direction, revision)


def _is_ours() -> bool:
    """Whether the store is to be in this database, and knows its kind."""
    kind = make_url(settings.SQL_ALCHEMY_CONN).get_backend_name()
    return conf.airflow_database() and kind in BACKENDS

"""`airflow db migrate` keeps the store's tables inside Airflow's own database, by option."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from airflow_colgraph.store import migrations
from airflow_colgraph.store.db.tables import metadata
from airflow_colgraph.store.query.graph import upstream
from airflow_colgraph.store.store import Store
from tests.store.samples import copy_event, short_edges

pytestmark = [pytest.mark.airflow, pytest.mark.xdist_group("airflow")]
PATH = "airflow_colgraph.db_manager.ColgraphDBManager"


DONE = "-- done --"
LOOP = f"""
import sys
from airflow.__main__ import main
for line in sys.stdin:
    sys.argv[1:] = line.split()
    main()
    print({DONE!r}, flush=True)
"""


class Commands:
    """Runs `airflow` commands in one process, which spares all but the first the imports."""

    def __init__(self, home: Path, *, ours: bool) -> None:
        environment = {
            **os.environ,
            "AIRFLOW_HOME": str(home),
            "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home}/airflow.db",
            "AIRFLOW__DATABASE__EXTERNAL_DB_MANAGERS": PATH,
            "AIRFLOW__COLGRAPH__AIRFLOW_DATABASE": str(ours),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-c", LOOP],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def __call__(self, *commands: str) -> None:
        """Run commands, one after the other."""
        for command in commands:
            print(command, file=self.process.stdin, flush=True)
            messages: list[str] = []
            assert self.process.stdout is not None
            for line in self.process.stdout:
                messages.append(line)
                if line.strip() == DONE:
                    break
            assert messages[-1:] == [f"{DONE}\n"], "".join(messages)

    def __enter__(self) -> "Commands":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()


def ours(home: Path) -> set[str]:
    with sqlite3.connect(home / "airflow.db") as connection:
        rows = connection.execute(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name LIKE 'colg%'"
        ).fetchall()
    return {name for (name,) in rows}


def version(home: Path, table: str) -> str:
    with sqlite3.connect(home / "airflow.db") as connection:
        ((found,),) = connection.execute(f"SELECT version_num FROM {table}").fetchall()
    return str(found)


def test_airflows_commands_look_after_the_store_where_they_are_to(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/airflow.db"
    check = "db check-migrations --migration-wait-timeout 1"
    with Commands(tmp_path, ours=False) as stock, Commands(tmp_path, ours=True) as airflow:
        stock("db migrate")
        assert ours(tmp_path) == set()
        airflow("db migrate")
        views = {"colgraph_column_lineage", "colgraph_occurrence"}
        tables = {*metadata.tables, *views, migrations.VERSION_TABLE}
        assert ours(tmp_path) == tables
        assert version(tmp_path, migrations.VERSION_TABLE) == migrations.HEAD
        assert version(tmp_path, "alembic_version") != migrations.HEAD

        with Store.open(url) as store:
            store.add(copy_event("load", 1, "raw", {"x": "csv.a"}))
            store.close()
            airflow("db migrate", check, f"db-manager migrate {PATH}")
            assert ours(tmp_path) == tables
            store = Store(url)
            assert short_edges(upstream(store, "n", "raw", "x")) == {
                ("csv.a", "raw.x", "DIRECT:IDENTITY")
            }

        stock("db reset --yes --skip-init")
        assert ours(tmp_path) == tables
        airflow(f"db-manager downgrade {PATH} --to-revision base --yes")
        assert ours(tmp_path) == {migrations.VERSION_TABLE}
        stock("db migrate")
        assert ours(tmp_path) == {migrations.VERSION_TABLE}
        airflow("db migrate", "db reset --yes --skip-init")
        assert ours(tmp_path) == set()

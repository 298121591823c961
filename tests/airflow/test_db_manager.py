"""`airflow db migrate` keeps the store's tables inside Airflow's own database."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from airflow_colgraph.store import migrations
from airflow_colgraph.store.store import Store
from airflow_colgraph.store.tables import metadata
from tests.store.samples import copy, edges

pytestmark = [pytest.mark.airflow, pytest.mark.xdist_group("airflow")]
PATH = "airflow_colgraph.db_manager.ColgraphDBManager"


def airflow(home: Path, *command: str) -> str:
    environment = {
        **os.environ,
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home}/airflow.db",
        "AIRFLOW__DATABASE__EXTERNAL_DB_MANAGERS": PATH,
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
    }
    done = subprocess.run(
        [sys.executable, "-m", "airflow", *command],
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


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


def test_airflows_commands_look_after_the_store(tmp_path: Path) -> None:
    airflow(tmp_path, "db", "migrate")
    tables = {*metadata.tables, "colgraph_column_lineage", migrations.VERSION_TABLE}
    assert ours(tmp_path) == tables
    assert version(tmp_path, migrations.VERSION_TABLE) == migrations.HEAD
    assert version(tmp_path, "alembic_version") != migrations.HEAD

    store = Store.open(f"sqlite:///{tmp_path}/airflow.db")
    store.add(copy("load", 1, "raw", {"x": "csv.a"}))
    airflow(tmp_path, "db", "migrate")
    airflow(tmp_path, "db", "check-migrations", "--migration-wait-timeout", "1")
    from airflow_colgraph.store.graph import upstream

    expected = {("csv.a", "raw.x", "DIRECT:IDENTITY")}
    assert edges(upstream(store, "n", "raw", "x")) == expected
    store.close()

    airflow(tmp_path, "db-manager", "downgrade", PATH, "--to-revision", "0001", "--yes")
    assert version(tmp_path, migrations.VERSION_TABLE) == "0001"
    airflow(tmp_path, "db-manager", "migrate", PATH)
    assert ours(tmp_path) == tables
    assert edges(upstream(Store(f"sqlite:///{tmp_path}/airflow.db"), "n", "raw", "x")) == expected
    airflow(tmp_path, "db", "reset", "--yes", "--skip-init")
    assert ours(tmp_path) == set()

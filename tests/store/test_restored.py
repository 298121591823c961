"""A backup that is restored while a process uses the store, in each way that people restore one."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from airflow_colgraph.store.admin.transfer import export, load
from airflow_colgraph.store.query.graph import upstream
from airflow_colgraph.store.store import Store
from tests.store.samples import copy_event, table_rows


def by_sqlites_backup(backup: Path, file: Path) -> None:
    """What `.restore` of SQLite's shell does: the rows are replaced in place."""
    source, target = sqlite3.connect(backup), sqlite3.connect(file)
    source.backup(target)
    source.close()
    target.close()


def by_another_file(backup: Path, file: Path) -> None:
    """A file is put in the place of the store's."""
    copy = file.with_suffix(".copy")
    shutil.copy(backup, copy)
    for name in ("-wal", "-shm"):
        Path(f"{file}{name}").unlink(missing_ok=True)
    os.replace(copy, file)


@pytest.mark.parametrize("restore", [by_sqlites_backup, by_another_file])
def test_a_restored_backup(
    migrated_sqlite: Path, tmp_path: Path, restore: Callable[[Path, Path], None]
) -> None:
    """No earlier test changed the store behind a process that had written names to it."""
    file, backup = tmp_path / "store.db", tmp_path / "backup.db"
    shutil.copy(migrated_sqlite, file)
    shutil.copy(migrated_sqlite, backup)
    store, other = Store(f"sqlite:///{file}"), Store(f"sqlite:///{tmp_path}/other.db")
    other.migrate()
    events = [copy_event("load", 1, f"d{number}", {"x": "source.a"}) for number in range(20)]
    started = {**events[0], "eventType": "START", "outputs": []}
    for event in [started, *events]:
        store.add(event)
    assert len(upstream(store, "n", "d3", "x").edges) == 1
    restore(backup, file)
    for event in events:
        store.add(event)
        other.add(event)
    assert table_rows(store) == table_rows(other)
    assert len(upstream(store, "n", "d3", "x").edges) == 1
    store.close()


def test_a_replaced_database(store: Store) -> None:
    """The rows of all tables go back to an earlier state, as `pg_restore --clean` does."""
    first, second = (copy_event("load", 1, name, {"x": "source.a"}) for name in ("d1", "d2"))
    store.add(first)
    lines = [*export(store)]
    store.add(second)
    with Store(store.url) as other:
        with other.engine.begin() as connection:
            before = connection.exec_driver_sql("SELECT edges FROM colgraph_change").scalar_one()
        _empty(other)
        load(other, lines)
        with other.engine.begin() as connection:
            connection.exec_driver_sql(f"UPDATE colgraph_change SET edges = {before - 1}")
        store.add(second)
        assert len(upstream(store, "n", "d2", "x").edges) == 1


def _empty(store: Store) -> None:
    from airflow_colgraph.store.db.engine import writing
    from airflow_colgraph.store.db.tables import change, metadata

    with writing(store.engine) as connection:
        for table in metadata.sorted_tables:
            if table is not change:
                connection.execute(table.delete())

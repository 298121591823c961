"""A backup of a store in either database is a store, and restores all rows into the other."""

import sqlite3
import threading
from pathlib import Path

import pytest
from sqlalchemy import select

from airflow_colgraph.store.admin import api_keys
from airflow_colgraph.store.admin.backup import back_up, restore
from airflow_colgraph.store.db.tables import job
from airflow_colgraph.store.errors import StoreError
from airflow_colgraph.store.query.graph import upstream
from airflow_colgraph.store.store import Store
from tests.store.samples import copy_event, event, memory_store, output, table_rows
from tests.store.test_transfer import LOG

ODD = 'a\tb\n"c"\\N \\x41'  # what COPY would read otherwise


def filled(store: Store) -> Store:
    store.keep_events()
    store.add(LOG)
    store.add(event("odd", 4, [output(ODD, {"": "csv.b", "\\N": "csv.b"})]))
    api_keys.add(store, "people", ["read"])
    return store


def test_every_row_of_every_table_is_in_the_backup_and_restored(
    store: Store, tmp_path: Path
) -> None:
    source, file = filled(memory_store()), tmp_path / "backup.db"
    seen: list[tuple[int, int]] = []
    rows = back_up(source, file, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (rows, rows)
    assert [path.name for path in tmp_path.glob("*backup*")] == [file.name]
    backup = Store(f"sqlite:///{file}")
    assert table_rows(backup) == table_rows(source)
    assert sum(map(len, table_rows(backup).values())) >= rows > 50
    assert restore(store, file) == rows
    assert table_rows(store) == table_rows(source)
    assert upstream(store, "n", ODD, "\\N").edges == upstream(source, "n", ODD, "\\N").edges
    again = tmp_path / "again.db"
    assert back_up(store, again) == rows
    assert table_rows(Store(f"sqlite:///{again}")) == table_rows(source)


@pytest.mark.parametrize(
    ("part", "emptied"),
    [("keys", {"colgraph_api_key"}), ("events", {"colgraph_event", "colgraph_template"})],
)
def test_what_is_left_out(tmp_path: Path, part: str, emptied: set[str]) -> None:
    source = filled(memory_store())
    back_up(source, tmp_path / "backup.db", [part])
    rows, whole = table_rows(Store(f"sqlite:///{tmp_path}/backup.db")), table_rows(source)
    assert {name for name in whole if rows[name] != whole[name]} == emptied
    assert not any(rows[name] for name in emptied)


def test_a_store_that_is_not_empty_is_replaced_only_if_it_is_said(
    store: Store, tmp_path: Path
) -> None:
    file = tmp_path / "backup.db"
    source = filled(memory_store())
    back_up(source, file)
    store.add(copy_event("other", 1, "theirs", {"x": "source.a"}))
    before = table_rows(store)
    with pytest.raises(StoreError, match=r"has rows in .* with --replace"):
        restore(store, file)
    assert table_rows(store) == before
    restore(store, file, replace=True)
    assert table_rows(store) == table_rows(source)
    store.add(copy_event("other", 5, "theirs", {"x": "source.a"}))
    assert len(upstream(store, "n", "theirs", "x").edges) == 1, "the server's names are not stale"


def test_servers_write_while_a_backup_is_made(store: Store, tmp_path: Path) -> None:
    """Each event writes several tables: a copy that is not of one moment would be torn."""
    filled(store)
    stopped = threading.Event()
    count = 0

    def write() -> None:
        nonlocal count
        while not stopped.is_set():
            store.add(copy_event(f"j{count}", 6, f"d{count}", {"x": f"source.a{count}"}))
            count += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        while count < 5:
            pass
        back_up(store, tmp_path / "backup.db")
        during = count
    finally:
        stopped.set()
        writer.join()
    backup = Store(f"sqlite:///{tmp_path}/backup.db")
    with backup.connection() as connection:
        names = set(connection.execute(select(job.c.name)).scalars())
    numbers = [number for number in range(count) if f"j{number}" in names]
    assert 5 <= len(numbers) <= during
    for number in numbers:
        assert len(upstream(backup, "n", f"d{number}", "x").edges) == 1


def test_what_is_no_backup(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "other.db"
    sqlite3.connect(file).execute("CREATE TABLE t (x)").connection.close()
    with pytest.raises(StoreError, match="is no backup of a store"):
        restore(store, file)
    with pytest.raises(StoreError, match="exists already"):
        back_up(store, file)
    with pytest.raises(StoreError, match="There is no folder"):
        back_up(store, tmp_path / "nosuch" / "backup.db")

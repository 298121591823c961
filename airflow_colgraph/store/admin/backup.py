"""Back a store up into a SQLite file, which is itself a store, and restore it.

Unlike `transfer`, which has the facts only and merges them, a backup has all rows: what is derived,
API keys and the audit log too.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.engine import Connection
from sqlalchemy.schema import Table

from airflow_colgraph.store.db import engine, state, tables
from airflow_colgraph.store.db.bulk import count_rows, insert_rows
from airflow_colgraph.store.db.engine import Database
from airflow_colgraph.store.errors import StoreError
from airflow_colgraph.store.migrations import HEAD, engine_at, revision_of, upgrade

BATCH = 5_000  # rows
# What may be left out, and the tables that have it.
PARTS = {"keys": (tables.api_key, tables.session), "events": (tables.event, tables.template)}
Progress = Callable[[int, int], None]


def no_progress(done: int, total: int) -> None:
    """Show nothing."""


def back_up(
    store: Database, file: Path, without: Collection[str] = (), progress: Progress = no_progress
) -> int:
    """Write a copy of the store, as it is at one moment, to a new SQLite file.

    Servers and tasks go on meanwhile. The file appears when it is whole.

    Args:
        store: The store, in either database.
        file: The file to make.
        without: Keys of PARTS to leave out.
        progress: Called with the rows that are done, and with how many there are.

    Raises:
        StoreError: The file is there already, has no folder or cannot be written, or the database
            failed.

    Returns:
        The number of rows.
    """
    if file.exists():
        raise StoreError(f"{file} exists already. Choose another name or remove it.")
    if not file.parent.is_dir():
        raise StoreError(f"There is no folder {file.parent}.")
    part = file.with_name(f".{file.name}.part-{os.getpid()}")
    try:
        with engine_at(f"sqlite:///{part}") as target, engine.reading(store.engine) as source:
            upgrade(target)
            with engine.writing(target) as connection:
                rows = _copy(source, connection, _copied(without), progress)
        _is_one_file(part)
        os.replace(part, file)
    finally:
        for suffix in ("", "-wal", "-shm"):
            Path(f"{part}{suffix}").unlink(missing_ok=True)
    return rows


@contextmanager
def working_copy(store: Database) -> Iterator[Path]:
    """A copy of the store in a temporary file, for trials: the store's writers do not wait for it.

    Of a SQLite file the pages are copied, of another database the rows without whole events.

    Raises:
        StoreError: The database failed, or the folder of temporary files has no room.
    """
    with tempfile.TemporaryDirectory(prefix="colgraph-trial-") as folder:
        file = Path(folder) / "store.db"
        if store.engine.dialect.name == "sqlite":
            with engine.store_errors(store.engine), engine.reading(store.engine) as connection:
                source: Any = connection.connection.driver_connection
                with closing(sqlite3.connect(file)) as target:
                    source.backup(target)
        else:
            back_up(store, file, PARTS)
        yield file


def restore(
    store: Database,
    file: Path,
    without: Collection[str] = (),
    *,
    replace: bool = False,
    progress: Progress = no_progress,
) -> int:
    """Fill a store with the rows of a backup, in one transaction; other writers wait meanwhile.

    Args:
        store: The store, with tables.
        file: The backup, of this or an earlier version; it is not changed.
        without: Keys of PARTS to leave out: what the store has of them stays.
        replace: Whether all that is in the store is deleted first.
        progress: Called with the rows that are done, and with how many there are.

    Raises:
        StoreError: The file is no backup, the store is not empty, or the database failed.

    Returns:
        The number of rows.
    """
    copied = _copied(without)
    with (
        _upgraded(file) as url,
        engine_at(url) as backup,
        engine.reading(backup) as source,
        engine.writing(store.engine) as connection,
    ):
        for table in copied if replace else ():
            connection.execute(delete(table))
        full = next((table for table in copied if count_rows(connection, table)), None)
        if full is not None:
            raise StoreError(
                f"The store {engine.shown(store.engine)} has rows in {full.name}, so nothing is"
                " restored. Restore into an empty store, or replace this one with --replace."
            )
        rows = _copy(source, connection, copied, progress)
        state.mark(connection)
    return rows


def _copied(without: Collection[str]) -> list[Table]:
    """The tables that are copied row by row; the one row of `change` is in every store."""
    excluded = {tables.change, *(table for part in without for table in PARTS[part])}
    return [table for table in tables.metadata.sorted_tables if table not in excluded]


def _copy(
    source: Connection, target: Connection, chosen: Collection[Table], progress: Progress
) -> int:
    """Copy the rows of the tables; returns how many."""
    total = sum(count_rows(source, table) for table in chosen)
    done = 0
    for table in chosen:
        rows = source.execution_options(yield_per=BATCH).execute(select(table))
        for batch in rows.partitions(BATCH):
            insert_rows(target, table, batch)
            done += len(batch)
            progress(done, total)
    keeps_events = source.execute(select(tables.change.c.events)).scalar_one()
    target.execute(update(tables.change).values(events=keeps_events))
    return done


def _is_one_file(file: Path) -> None:
    """Move what SQLite's write-ahead log has into the file."""
    with engine_at(f"sqlite:///{file}") as target, target.connect() as connection:
        cursor: Any = connection.connection.cursor()
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def _upgraded(file: Path) -> Iterator[str]:
    """The URL of the backup, or of a copy with tables of this version."""
    url = f"sqlite:///{file}"
    with engine_at(url) as backup:
        revision = revision_of(backup) if file.is_file() else None
    if revision is None:
        raise StoreError(f"{file} is no backup of a store. `colgraph db backup` makes one.")
    if revision == HEAD:
        yield url
        return
    with tempfile.TemporaryDirectory(prefix="colgraph-restore-") as folder:
        copy = shutil.copy(file, folder)
        with engine_at(f"sqlite:///{copy}") as backup:
            upgrade(backup)
        yield f"sqlite:///{copy}"

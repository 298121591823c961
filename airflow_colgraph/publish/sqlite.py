"""Into SQLite: a new file beside the store's, whose rows then replace the store's.

Readers of the file are in WAL mode, so they see its old state until the transaction commits.
"""

from __future__ import annotations

import fcntl
import io
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from sqlalchemy import Table
from sqlalchemy.engine import make_url

from airflow_colgraph.publish.target import (
    CHANGES,
    NAMES,
    NEWER,
    SWAPPED,
    missing_names,
    refuse_if_newer,
)
from airflow_colgraph.store.db import engine as engines
from airflow_colgraph.store.errors import BadStoreUrl, StoreError
from airflow_colgraph.store.store import Store

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame


class SqliteTarget:
    """Tables in a file of their own, `FILE.publish`."""

    def __init__(self, store: Store, replace: bool) -> None:
        """`replace`: also a store that knows what the warehouse does not know."""
        self._store, self._replace = store, replace
        database = make_url(store.url).database
        if database in (None, "", ":memory:") or str(database).startswith("file:"):
            raise BadStoreUrl("A warehouse is published into a file: sqlite:////path/colgraph.db.")
        self._file = Path(f"{database}.publish").absolute()

    def __enter__(self) -> SqliteTarget:
        """Make the file, and keep other commands out as long as this one lives."""
        with ExitStack() as stack:
            stack.enter_context(engines.store_errors(self._store.engine))
            folder = os.open(self._file.parent, os.O_RDONLY)  # a lock file would be left behind
            stack.callback(os.close, folder)
            self._prepare(folder)
            self._stack = stack.pop_all()
        return self

    def _prepare(self, folder: int) -> None:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise StoreError(
                f"Another command publishes into a store in {self._file.parent}. Wait for its end."
            ) from None
        self._remove()  # of a command that was killed
        Store.open(f"sqlite:///{self._file}").close()
        self._new = sqlite3.connect(self._file, isolation_level=None)
        self._new.execute("PRAGMA journal_mode=OFF")  # a file that is not whole is made anew
        self._new.execute("PRAGMA synchronous=OFF")
        indexes = self._new.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        ).fetchall()
        self._indexes = [sql for _, sql in indexes]
        for name, _ in indexes:
            self._new.execute(f'DROP INDEX "{name}"')

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the file; the database's errors become ours."""
        with self._stack:
            self._new.close()
            self._remove()
            if error is not None:
                raise error

    def _remove(self) -> None:
        for ending in ("", "-wal", "-shm", "-journal"):
            Path(f"{self._file}{ending}").unlink(missing_ok=True)

    def load(self, table: Table, rows: DataFrame) -> int:
        """Insert the rows; this process has some batches of a partition at a time."""
        import pyarrow

        names = ", ".join(f'"{name}"' for name in rows.columns)
        marks = ", ".join("?" for _ in rows.columns)
        sql = f"INSERT INTO {table.name} ({names}) VALUES ({marks})"
        count = 0
        self._new.execute("BEGIN")
        for row in rows.mapInArrow(_as_streams, "stream binary").toLocalIterator():
            for batch in pyarrow.ipc.open_stream(row.stream):
                columns = (column.to_pylist() for column in batch.columns)
                self._new.executemany(sql, zip(*columns, strict=True))
                count += batch.num_rows
        self._new.execute("COMMIT")
        return count

    def index(self) -> None:
        """The indexes that the store's revisions made."""
        for sql in self._indexes:
            self._new.execute(sql)
        self._new.close()

    def swap(self) -> None:
        """Replace the store's rows in one transaction."""
        engine = self._store.engine
        with engines.without_transaction(engine) as connection:
            cursor: Any = connection.connection.cursor()
            cursor.execute("ATTACH ? AS new", (str(self._file),))
            try:
                cursor.execute("BEGIN IMMEDIATE")
                try:
                    self._replace_rows(cursor)
                    cursor.execute("COMMIT")
                except BaseException:
                    cursor.execute("ROLLBACK")
                    raise
            finally:
                cursor.execute("DETACH new")

    def _replace_rows(self, cursor: Any) -> None:
        if not self._replace:
            newer = cursor.execute(NEWER.format(old="main", new="new")).fetchone()
            refuse_if_newer(newer, engines.shown(self._store.engine))
        for table in NAMES:
            cursor.execute(missing_names(table, "main", "new"))
        for table in SWAPPED:
            cursor.execute(f"DELETE FROM main.{table.name}")
            orders = [_columns(cursor, schema, table) for schema in ("main", "new")]
            if orders[0] == orders[1]:  # then SQLite copies whole trees, with their indexes
                cursor.execute(f"INSERT INTO main.{table.name} SELECT * FROM new.{table.name}")
                continue
            names = ", ".join(f'"{name}"' for name in orders[0])
            cursor.execute(
                f"INSERT INTO main.{table.name} ({names}) SELECT {names} FROM new.{table.name}"
            )
        cursor.execute(f"UPDATE main.colgraph_change SET edges = edges + {CHANGES}")


def _columns(cursor: Any, schema: str, table: Table) -> list[str]:
    return [row[1] for row in cursor.execute(f"PRAGMA {schema}.table_info({table.name})")]


def _as_streams(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Each batch as one value, which is much quicker to fetch than its rows."""
    import pyarrow

    for batch in batches:
        stream = io.BytesIO()
        with pyarrow.ipc.new_stream(stream, batch.schema) as writer:
            writer.write_batch(batch)
        column = pyarrow.array([stream.getvalue()], pyarrow.binary())
        yield pyarrow.RecordBatch.from_arrays([column], ["stream"])

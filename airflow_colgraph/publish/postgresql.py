"""Into PostgreSQL: Spark's tasks COPY into tables of a schema of their own, which then move.

All that a reader may see is committed before the tables move, and they move in one transaction
that holds every table of the store. So a reader that began before keeps the old tables until it
ends, and one that waits has the new ones, with the new count of changes that caches compare.
"""

from __future__ import annotations

import io
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import MetaData, Table
from sqlalchemy.engine import Connection
from sqlalchemy.schema import AddConstraint, CreateIndex

from airflow_colgraph.publish.dependents import dependents
from airflow_colgraph.publish.target import (
    CHANGES,
    NAMES,
    NEWER,
    SWAPPED,
    missing_names,
    refuse_if_newer,
)
from airflow_colgraph.store.db import engine as engines
from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.bulk import copy_in
from airflow_colgraph.store.errors import StoreError
from airflow_colgraph.store.store import Store

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

NEW = "colgraph_publish"  # the schema of the new tables
_LOCK = int.from_bytes(b"publish!", "big")  # held while one command publishes
LOCK_SECONDS = 0.5  # for all tables at once; shorter than the time after which a deadlock is found
PATIENCE_SECONDS = 120  # in which readers must have let go of the tables once
_MOVED = (*SWAPPED, tables.change)
_HOME = """
SELECT quote_ident(n.nspname) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.oid = to_regclass('colgraph_edge')
"""


class PostgresqlTarget:
    """Tables in the schema NEW of the store's database."""

    def __init__(self, store: Store, replace: bool) -> None:
        """`replace`: also a store that knows what the warehouse does not know."""
        self._url, self._engine, self._replace = store.url, store.engine, replace
        self._home = ""

    def __enter__(self) -> PostgresqlTarget:
        """Make the tables, and keep other commands out as long as the connection lives."""
        with ExitStack() as stack:
            stack.enter_context(engines.store_errors(self._engine))
            self._held = stack.enter_context(engines.without_transaction(self._engine))
            self._prepare(self._held)
            self._stack = stack.pop_all()
        return self

    def _prepare(self, connection: Connection) -> None:
        if not _value(connection, f"SELECT pg_try_advisory_lock({_LOCK})"):
            shown = engines.shown(self._engine)
            raise StoreError(f"Another command publishes into the store {shown}. Wait for its end.")
        self._home = _value(connection, _HOME)
        _run(connection, f"DROP SCHEMA IF EXISTS {NEW} CASCADE")  # of a command that was killed
        _run(connection, f"CREATE SCHEMA {NEW}")
        for table in _MOVED:
            like = f"LIKE {self._home}.{table.name} INCLUDING DEFAULTS INCLUDING STORAGE"
            _run(connection, f"CREATE TABLE {NEW}.{table.name} ({like})")
        loaded = "name text, part int, rows bigint, PRIMARY KEY (name, part)"
        _run(connection, f"CREATE TABLE {NEW}.loaded ({loaded})")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the schema, with whatever is left in it; the database's errors become ours."""
        with self._stack:
            if not self._held.invalidated:
                _run(self._held, f"DROP SCHEMA IF EXISTS {NEW} CASCADE")
                _run(self._held, f"SELECT pg_advisory_unlock({_LOCK})")
            if error is not None:
                raise error

    def load(self, table: Table, rows: DataFrame) -> int:
        """COPY each partition in a transaction of its own, once however often its task runs."""
        copied = rows.selectExpr(*(_as_text(*column) for column in rows.dtypes))
        copying = Copying(self._url, table.name, tuple(rows.columns))
        copied.mapInArrow(copying, "rows bigint").collect()
        sql = f"SELECT coalesce(sum(rows), 0) FROM {NEW}.loaded WHERE name = '{table.name}'"
        return int(_value(self._held, sql))

    def index(self) -> None:
        """Keys and indexes as the store defines them; statistics and visibility; names."""
        for table in _MOVED:
            own = table.to_metadata(MetaData(), schema=NEW)
            _run(self._held, self._text(AddConstraint(own.primary_key)))
            for index in sorted(own.indexes, key=lambda each: str(each.name)):
                _run(self._held, self._text(CreateIndex(index)))
        for table in NAMES:
            _run(self._held, missing_names(table, self._home, NEW))
        change = f"SELECT id, edges + {CHANGES}, events FROM {self._home}.colgraph_change"
        _run(self._held, f"INSERT INTO {NEW}.colgraph_change (id, edges, events) {change}")
        for table in _MOVED:
            _run(self._held, f"VACUUM (ANALYZE) {NEW}.{table.name}")

    def _text(self, ddl: Any) -> str:
        return str(ddl.compile(dialect=self._engine.dialect))

    def swap(self) -> None:
        """Move the tables, between two readers."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not self._swapped():
            if time.monotonic() > deadline:
                raise StoreError(
                    f"Readers of the store {engines.shown(self._engine)} held its tables for "
                    f"{PATIENCE_SECONDS} s. Publish again when they have finished."
                )
            time.sleep(LOCK_SECONDS)

    def _swapped(self) -> bool:
        """Whether the tables could be locked; if so, they have moved."""
        driver: Any = self._engine.dialect.dbapi
        try:
            with engines.writing(self._engine) as connection:
                self._move(connection)
        except StoreError as error:
            cause = getattr(error.__cause__, "orig", error.__cause__)
            if isinstance(cause, driver.OperationalError) and _state(cause) == "55P03":
                return False  # lock_not_available
            raise
        return True

    def _move(self, connection: Connection) -> None:
        """Nobody else writes, as this transaction is a writing one."""
        if not self._replace:
            newer = _row(connection, NEWER.format(old=self._home, new=NEW))
            refuse_if_newer(newer, engines.shown(self._engine))
        for table in NAMES:
            _run(connection, missing_names(table, self._home, NEW))
        _run(
            connection,
            f"UPDATE {NEW}.colgraph_change AS n SET events = o.events "
            f"FROM {self._home}.colgraph_change AS o WHERE n.events <> o.events",
        )
        names = [table.name for table in tables.metadata.sorted_tables]
        _run(connection, f"SET LOCAL lock_timeout = '{int(LOCK_SECONDS * 1000)}ms'")
        every = ", ".join(f"{self._home}.{name}" for name in names)
        _run(connection, f"LOCK TABLE {every} IN ACCESS EXCLUSIVE MODE")
        moved = [table.name for table in _MOVED]
        dependent = dependents(
            lambda sql, values: _rows(connection, sql, values),
            [f"{self._home}.{name}" for name in moved],
        )
        for sql in dependent.drop:
            _run(connection, sql)
        for name in moved:
            _run(connection, f"DROP TABLE {self._home}.{name}")
            _run(connection, f"ALTER TABLE {NEW}.{name} SET SCHEMA {self._home}")
        for sql in dependent.restore:
            _run(connection, sql)


def _as_text(name: str, type: str) -> str:
    """The column as CSV holds it: bytes in PostgreSQL's form, texts without NUL."""
    if type == "binary":
        return f"concat('\\\\x', hex(`{name}`)) AS `{name}`"
    if type == "string":
        return f"replace(`{name}`, char(0), '\ufffd') AS `{name}`"
    return f"`{name}`"


class Copying(NamedTuple):
    """A function for `DataFrame.mapInArrow`: the rows of a task into a table."""

    url: str
    table: str
    columns: tuple[str, ...]

    def __call__(self, batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        """Write the batches in one transaction, unless a try before has committed them."""
        import pyarrow
        from pyspark import TaskContext

        context = TaskContext.get()
        part = context.partitionId() if context else 0
        engine = engines.connect(self.url)
        try:
            with engines.reading(engine) as connection:  # of one state; writers do not wait for it
                done = (
                    f"SELECT rows FROM {NEW}.loaded WHERE name = '{self.table}' AND part = {part}"
                )
                if not _rows(connection, done):
                    rows = sum(self._copy(connection, batch) for batch in batches)
                    _run(
                        connection,
                        f"INSERT INTO {NEW}.loaded VALUES ('{self.table}', {part}, {rows})",
                    )
        finally:
            engine.dispose()
        yield pyarrow.RecordBatch.from_pydict({"rows": pyarrow.array([0], pyarrow.int64())})

    def _copy(self, connection: Connection, batch: pyarrow.RecordBatch) -> int:
        from pyarrow import csv

        text = io.BytesIO()
        csv.write_csv(batch, text, csv.WriteOptions(include_header=False))
        columns = ", ".join(f'"{name}"' for name in self.columns)
        sql = f"COPY {NEW}.{self.table} ({columns}) FROM STDIN WITH (FORMAT csv)"
        copy_in(connection, sql, text.getvalue())
        return int(batch.num_rows)


def _run(connection: Connection, sql: str) -> None:
    """A statement by the driver's own cursor: in a transaction if one has begun."""
    connection.connection.cursor().execute(sql)


def _rows(connection: Connection, sql: str, values: Any = None) -> list[Any]:
    cursor = connection.connection.cursor()
    cursor.execute(sql, values) if values else cursor.execute(sql)
    return list(cursor.fetchall())


def _row(connection: Connection, sql: str) -> Any:
    return _rows(connection, sql)[0]


def _value(connection: Connection, sql: str) -> Any:
    return _row(connection, sql)[0]


def _state(error: Any) -> str | None:
    """The SQLSTATE, in psycopg and in psycopg2."""
    return getattr(error, "sqlstate", None) or getattr(error, "pgcode", None)

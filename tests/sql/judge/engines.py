"""The databases that run made statements, each with the tables of `dialects`."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

from tests.sql.judge.dialects import DIALECTS, KEYED, Columns, Dialect

Row = tuple[Any, ...]
SECONDS = 2  # that a statement may take


class Ran(NamedTuple):
    """What a table had before statements were run and has afterwards; its columns."""

    before: list[Row]
    after: list[Row]
    columns: list[str]


class Engine:
    """A database in whose tables rows are put, and statements are tried and undone."""

    errors: tuple[type[Exception], ...] = ()
    number, text = "BIGINT", "TEXT"
    array = "{}[]"
    suffix = ""  # of CREATE TABLE
    catalog = ""  # in which temporary tables are not
    begin, undo = "BEGIN", "ROLLBACK"

    def __init__(self, dialect: Dialect) -> None:
        """The connection is made by the subclass, before."""
        self.dialect = dialect
        self.error = ""
        self.loaded: dict[str, object] = {}
        for key, columns in dialect.tables.items():
            self.execute(self.create(key, columns))

    def execute(self, text: str) -> list[Row]:
        """The rows of a statement."""
        raise NotImplementedError

    def columns(self, table: str) -> list[str]:
        """The columns of a table as the database calls them."""
        raise NotImplementedError

    def version(self) -> str:
        """The database's own version."""
        raise NotImplementedError

    def named(self, key: str) -> str:
        """A table's name in SQL."""
        quote, schema = self.dialect.quote, self.dialect.place.schema or "main"
        parts = key.split(".") if "." in key else [schema, key]
        parts = [self.catalog, *parts] if self.catalog else parts
        return ".".join(f"{quote}{part}{quote}" for part in parts)

    def kind(self, kind: Any) -> str:
        """A type of `data` as this database writes it."""
        if isinstance(kind, list):
            return self.array.format(self.kind(kind[0]))
        return self.number if kind == "bigint" else self.text

    def create(self, key: str, columns: Columns) -> str:
        """The statement that makes a table."""
        quote = self.dialect.quote
        primary = {"id": " PRIMARY KEY"} if key == KEYED and self.suffix == "" else {}
        made = (
            f"{quote}{name}{quote} {self.kind(kind)}{primary.get(name, '')}"
            for name, kind in columns.items()
        )
        return f"CREATE TABLE {self.named(key)} ({', '.join(made)}){self.suffix}"

    def literal(self, value: Any) -> str:
        """A value in SQL."""
        if value is None:
            return "NULL"
        if isinstance(value, list):
            return f"[{', '.join(map(self.literal, value))}]"
        return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)

    def load(self, key: str, rows: Sequence[dict[str, Any]]) -> None:
        """Put these rows into a table, instead of those that it has."""
        if self.loaded.get(key) is rows:
            return
        if key == KEYED:
            unique = {row["id"]: row for row in rows if row["id"] is not None}
            rows, given = list(unique.values()), rows
        else:
            given = rows
        self.fill(key, [tuple(row.values()) for row in rows])
        self.loaded[key] = given

    def fill(self, key: str, rows: Sequence[Row]) -> None:
        """The rows of a table, anew."""
        self.execute(f"DELETE FROM {self.named(key)}")
        lines = ", ".join(f"({', '.join(map(self.literal, row))})" for row in rows)
        if lines:
            self.execute(f"INSERT INTO {self.named(key)} VALUES {lines}")

    def run(self, statements: Sequence[str], tables: Sequence[str]) -> dict[str, Ran] | None:
        """What tables had and have when statements were run, which are undone; None on an error."""
        try:
            self.execute(self.begin)
            before = {key: self.rows(key) for key in tables if key in self.dialect.tables}
            for statement in statements:
                self.execute(statement)
            return {
                key: Ran(before.get(key, []), self.rows(key), self.columns(key)) for key in tables
            }
        except self.errors as error:
            self.error = str(error).strip().partition("\n")[0]
            return None
        finally:
            self.reset()

    def reset(self) -> None:
        """Undo what statements did."""
        self.execute(self.undo)

    def rows(self, table: str) -> list[Row]:
        """All rows of a table."""
        return self.execute(f"SELECT * FROM {self.named(table)}")


class SQLite(Engine):
    """The standard library's."""

    errors = (sqlite3.Error,)
    number, text = "BIGINT", "TEXT"

    def __init__(self) -> None:
        """In memory."""
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.execute("ATTACH ':memory:' AS prev")
        self.execute("ATTACH ':memory:' AS curr")
        self.connection.create_function("concat", -1, lambda *texts: "".join(map(str, texts)))
        super().__init__(DIALECTS["sqlite"])

    def execute(self, text: str) -> list[Row]:
        steps = iter(range(30))  # of 100,000 operations each
        self.connection.set_progress_handler(lambda: next(steps, None) is None, 100_000)
        return self.connection.execute(text).fetchall()

    def columns(self, table: str) -> list[str]:
        description = self.connection.execute(f"SELECT * FROM {self.named(table)}").description
        return [column[0] for column in description]

    def reset(self) -> None:
        if self.connection.in_transaction:  # what takes too long ends it
            super().reset()

    def version(self) -> str:
        return f"SQLite {sqlite3.sqlite_version}"


class DuckDB(Engine):
    """PyPI's."""

    number, text = "BIGINT", "VARCHAR"
    catalog = "memory"

    def __init__(self) -> None:
        """In memory, with one thread: rows come in one order."""
        import duckdb

        self.errors = (duckdb.Error,)
        self.connection = duckdb.connect(config={"threads": 1})
        for schema in ("prev", "curr"):
            self.execute(f"CREATE SCHEMA {schema}")
        super().__init__(DIALECTS["duckdb"])

    def execute(self, text: str) -> list[Row]:
        timer = threading.Timer(5 * SECONDS, self.connection.interrupt)
        timer.start()
        try:
            return list(self.connection.execute(text).fetchall())
        finally:
            timer.cancel()

    def columns(self, table: str) -> list[str]:
        description = self.connection.execute(f"SELECT * FROM {self.named(table)}").description
        return [column[0] for column in description]

    def version(self) -> str:
        import duckdb

        return f"DuckDB {duckdb.__version__}"


class PostgreSQL(Engine):
    """A server of its own, as other tests start one."""

    number, text = "BIGINT", "TEXT"

    def __init__(self, url: str) -> None:
        """At the URL of a server."""
        import psycopg

        self.errors = (psycopg.Error,)
        address = url.replace("postgresql+psycopg", "postgresql")
        self.connection: Any = psycopg.connect(address, autocommit=True, prepare_threshold=None)
        self.execute(f"SET statement_timeout = '{SECONDS}s'")
        for schema in ("prev", "curr"):
            self.execute(f"CREATE SCHEMA {schema}")
        super().__init__(DIALECTS["postgres"])

    def execute(self, text: str) -> list[Row]:
        cursor = self.connection.execute(text)
        return list(cursor.fetchall()) if cursor.description else []

    def columns(self, table: str) -> list[str]:
        cursor = self.connection.execute(f"SELECT * FROM {self.named(table)} LIMIT 0")
        return [column.name for column in cursor.description]

    def version(self) -> str:
        return f"PostgreSQL {self.execute('SHOW server_version')[0][0]}"

    def literal(self, value: Any) -> str:
        if isinstance(value, list):
            return f"ARRAY[{', '.join(map(self.literal, value))}]::{self._array(value)}"
        return super().literal(value)

    @staticmethod
    def _array(value: list[Any]) -> str:
        return "text[]" if any(isinstance(item, str) for item in value) else "bigint[]"


@contextmanager
def engine(name: str) -> Iterator[Engine]:
    """The database of a dialect."""
    from tests.spark.postgres import server
    from tests.sql.judge import servers, spark  # imported late: they import what others do not need

    with ExitStack() as stack:
        if name == "postgres":
            yield PostgreSQL(stack.enter_context(server()))
        elif name == "mysql":
            yield stack.enter_context(servers.mariadb())
        elif name == "spark":
            yield stack.enter_context(spark.spark())
        else:
            yield {"sqlite": SQLite, "duckdb": DuckDB, "clickhouse": servers.ClickHouse}[name]()

"""The databases that need a package or a server of their own, for the command only."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.sql.judge.dialects import DIALECTS
from tests.sql.judge.engines import SECONDS, Engine, Row


class MariaDB(Engine):
    """A server of its own. What statements make is dropped, what they change is put back."""

    number, text = "BIGINT", "VARCHAR(200)"
    has_temporary = False

    def __init__(self, socket: str) -> None:
        """At a Unix socket."""
        import pymysql

        self.errors = (pymysql.MySQLError,)
        settings = {"unix_socket": socket, "user": "root", "autocommit": True, "ssl_disabled": True}
        self.connect = lambda: pymysql.connect(**settings)
        self.connection: Any = self.connect()
        for schema in ("shop", "prev", "curr"):
            self.execute(f"CREATE DATABASE {schema} COLLATE utf8mb4_bin")
        self.opened()
        super().__init__(DIALECTS["mysql"])

    def opened(self) -> None:
        """Set what a new connection needs."""
        self.execute("USE shop")
        self.execute(f"SET max_statement_time = {SECONDS}, sql_mode = 'STRICT_TRANS_TABLES'")

    def execute(self, text: str) -> list[Row]:
        self.has_temporary |= " TEMPORARY " in text.upper()
        with self.connection.cursor() as cursor:
            cursor.execute(text)
            return list(cursor.fetchall())

    def columns(self, table: str) -> list[str]:
        return [row[0] for row in self.execute(f"SHOW COLUMNS FROM {self.named(table)}")]

    def version(self) -> str:
        return f"MariaDB {self.execute('SELECT version()')[0][0].partition('-')[0]}"

    def reset(self) -> None:
        self.execute("ROLLBACK")
        if self.has_temporary:
            self.connection.close()  # its temporary tables go with it
            self.connection, self.has_temporary = self.connect(), False
        self.opened()
        for name, kind in self.execute("SHOW FULL TABLES"):
            if name not in self.dialect.tables:
                self.execute(f"DROP {'VIEW' if kind == 'VIEW' else 'TABLE'} {name}")


@contextmanager
def mariadb() -> Iterator[MariaDB]:
    """A new server, on a Unix socket in a folder that goes with it."""
    from dev.waiting import wait_for

    server = shutil.which("mariadbd") or shutil.which("mariadbd", path="/usr/sbin")
    if server is None:
        raise SystemExit("There is no mariadbd: install Debian's package mariadb-server.")
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="colgraph-maria-", dir=memory) as folder:
        data, socket = f"{folder}/data", f"{folder}/socket"
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        made = ["mariadb-install-db", "--no-defaults", f"--datadir={data}", "--user=root"]
        subprocess.run([*made, "--auth-root-authentication-method=normal"], check=True, **quiet)
        where = [f"--datadir={data}", f"--socket={socket}", "--skip-networking", "--user=root"]
        where += ["--innodb-flush-log-at-trx-commit=0", "--innodb-doublewrite=0"]
        process = subprocess.Popen([server, "--no-defaults", *where], **quiet)
        try:
            wait_for(lambda: "" if Path(socket).exists() else "MariaDB to listen")
            yield MariaDB(socket)
        finally:
            process.terminate()
            process.wait()


class ClickHouse(Engine):
    """PyPI's chdb, in the process. It has no transactions: rows that were inserted are removed."""

    number, text, array = "Nullable(Int64)", "Nullable(String)", "Array({})"
    suffix = " ENGINE = Memory"
    begin = "SELECT 1"

    def __init__(self) -> None:
        """In memory, with one thread: rows come in one order."""
        from chdb import ChdbError, session

        self.errors = (ChdbError, RuntimeError)
        self.session = session.Session()
        self.filled: dict[str, Sequence[Row]] = {}
        for setting in ("join_use_nulls = 1", "output_format_json_quote_64bit_integers = 0",
                        "max_threads = 1", f"max_execution_time = {10 * SECONDS}"):  # fmt: skip
            self.execute(f"SET {setting}")
        for schema in ("shop", "prev", "curr"):
            self.execute(f"CREATE DATABASE {schema}")
        self.execute("USE shop")
        super().__init__(DIALECTS["clickhouse"])

    def execute(self, text: str) -> list[Row]:
        lines = str(self.session.query(text, "JSONCompactEachRow")).splitlines()
        return [tuple(json.loads(line)) for line in lines if line]

    def literal(self, value: Any) -> str:
        return super().literal(value).replace("\\", "\\\\")

    def fill(self, key: str, rows: Sequence[Row]) -> None:
        self.filled[key] = rows
        self.execute(f"TRUNCATE TABLE {self.named(key)}")
        lines = ", ".join(f"({', '.join(map(self.literal, row))})" for row in rows)
        if lines:
            self.execute(f"INSERT INTO {self.named(key)} VALUES {lines}")

    def columns(self, table: str) -> list[str]:
        return [row[0] for row in self.execute(f"DESCRIBE TABLE {self.named(table)}")]

    def version(self) -> str:
        return f"ClickHouse {self.execute('SELECT version()')[0][0]}"

    def reset(self) -> None:
        for (name,) in self.execute("SHOW TABLES FROM shop"):
            if name not in self.dialect.tables:
                self.execute(f"DROP TABLE shop.`{name}`")
        for key, rows in self.filled.items():
            if self.execute(f"SELECT count() FROM {self.named(key)}") != [(len(rows),)]:
                self.fill(key, rows)

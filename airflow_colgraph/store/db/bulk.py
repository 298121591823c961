"""Many rows at once, in the fastest way that each database has."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.engine import Connection
from sqlalchemy.schema import Table

_ESCAPED = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})


def count_rows(connection: Connection, table: Table) -> int:
    """How many rows a table has."""
    return int(connection.execute(select(func.count()).select_from(table)).scalar_one())


def insert_rows(connection: Connection, table: Table, rows: Sequence[Sequence[Any]]) -> None:
    """Insert rows that have all columns of the table, in its order; none is there already."""
    if connection.dialect.name == "postgresql":
        columns = ", ".join(f'"{column.name}"' for column in table.c)
        copy_in(connection, f"COPY {table.name} ({columns}) FROM STDIN", copy_text(rows))
    elif rows:
        names = [column.key for column in table.c]
        named = [dict(zip(names, row, strict=True)) for row in rows]
        connection.execute(insert(table), named)


def copy_in(connection: Connection, sql: str, data: bytes) -> None:
    """Execute PostgreSQL's COPY .. FROM STDIN with the data, by psycopg or psycopg2."""
    cursor: Any = connection.connection.cursor()
    if hasattr(cursor, "copy"):
        with cursor.copy(sql) as copy:
            copy.write(data)
    else:  # psycopg2, with Airflow 2
        cursor.copy_expert(sql, io.BytesIO(data))


def copy_text(rows: Iterable[Sequence[Any]]) -> bytes:
    r"""The rows in the text format of PostgreSQL's COPY.

    >>> copy_text([(1, "a\tb", None, b"\x00\xff", True)])
    b'1\ta\\tb\t\\N\t\\\\x00ff\tt\n'
    """
    return "".join("\t".join(map(_copy_value, row)) + "\n" for row in rows).encode()


def _copy_value(value: Any) -> str:
    if value is None:
        return r"\N"
    if isinstance(value, bytes | memoryview):
        return rf"\\x{value.hex()}"
    if isinstance(value, bool):
        return "t" if value else "f"
    return str(value).translate(_ESCAPED)

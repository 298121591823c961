"""Statements with a list of ids, executed by the driver's cursor: SQLAlchemy is much slower.

`{ids}` in a statement stands for the list as a table `n` with the column `value`. In SQLite, CROSS
JOIN fixes the order of the loops, so that no statistics can make the planner scan a table (it would
build a Bloom filter over all of it).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, TypeVar

import orjson
from sqlalchemy.engine import Connection
from sqlalchemy.sql import Select

T = TypeVar("T")

_LIST = {
    "sqlite": "json_each(:ids) AS n CROSS JOIN",
    "postgresql": "unnest(CAST(%(ids)s AS bigint[])) AS n(value) JOIN",
}


def statement(sql: str, dialect: str) -> str:
    """The statement in the database's dialect."""
    return sql.format(ids=_LIST[dialect])


def rows(connection: Connection, sql: str, ids: Collection[int]) -> list[tuple[Any, ...]]:
    """The rows that the statement returns for the ids."""
    dialect = connection.dialect.name
    listed = list(ids)
    parameter: Any = orjson.dumps(listed).decode() if dialect == "sqlite" else listed
    cursor = connection.connection.cursor()
    cursor.execute(statement(sql, dialect), {"ids": parameter})
    return cursor.fetchall()  # type: ignore[return-value]


def rows_in(
    connection: Connection, query: Select[Any], column: Any, ids: Iterable[Any] | None
) -> Iterator[Any]:
    """The rows of a query whose column has one of the ids; None: all rows."""
    if ids is None:
        yield from connection.execute(query)
        return
    for batch in batches(sorted(set(ids))):
        yield from connection.execute(query.where(column.in_(batch)))


def batches(ids: Iterable[T], size: int = 5_000) -> Iterable[list[T]]:
    """The ids in lists that are short enough to be parameters."""
    ids = list(ids)
    return (ids[i : i + size] for i in range(0, len(ids), size))

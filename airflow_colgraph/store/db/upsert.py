"""INSERT for both databases: existing rows stay, or are merged column by column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from sqlalchemy import case, func
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection
from sqlalchemy.schema import Table

# How a new value is merged with the existing one: (table column, new value, dialect) -> expression.
Merge = Callable[[Any, Any, str], Any]
COUNTED = 1000  # rows up to which every driver counts those that it inserts


def least(old: Any, new: Any, dialect: str) -> Any:
    """The smaller of both; the one that is not null."""
    smaller = func.min(old, new) if dialect == "sqlite" else func.least(old, new)
    return case((old.is_(None), new), (new.is_(None), old), else_=smaller)


def greatest(old: Any, new: Any, dialect: str) -> Any:
    """The greater of both; the one that is not null."""
    greater = func.max(old, new) if dialect == "sqlite" else func.greatest(old, new)
    return case((old.is_(None), new), (new.is_(None), old), else_=greater)


def upsert(
    connection: Connection,
    table: Table,
    rows: Iterable[Mapping[str, Any]],
    merges: Mapping[str, Merge] | None = None,
) -> bool:
    """Insert the rows; an existing row stays as it is, except for the merged columns.

    Returns False if it is certain that no row has changed.
    """
    rows = [dict(row) for row in rows]
    if not rows:
        return False
    pairs = tuple((merges or {}).items())
    statement = _statement(table, pairs, connection.dialect.name)
    result = connection.execute(statement, rows)
    return len(rows) > COUNTED or result.rowcount != 0


@cache
def _statement(table: Table, merges: tuple[tuple[str, Merge], ...], dialect: str) -> Any:
    """The statement, built once: building takes longer than running it."""
    statement: Any = (sqlite if dialect == "sqlite" else postgresql).insert(table)
    statement = statement.execution_options(preserve_rowcount=True)
    if not merges:
        return statement.on_conflict_do_nothing()
    return statement.on_conflict_do_update(
        index_elements=list(table.primary_key.columns),
        set_={
            name: merge(table.c[name], statement.excluded[name], dialect) for name, merge in merges
        },
    )

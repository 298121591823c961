"""Pages of lists, and text search in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import func, tuple_

MOST = 1000  # rows of one page
Key = Sequence[Any]  # what rows are in the order of; of one row: where the next page begins


def page(query: Any, order: Key, limit: int, offset: int, after: Key | None) -> Any:
    """The page after a row's key, which is stable when rows are added, or after an offset."""
    if after is not None:
        query = query.where(tuple_(*order) > tuple_(*after))
    return query.order_by(*order).limit(min(limit, MOST)).offset(offset)


def named(query: Any, table: Any, text: str, namespace: str) -> Any:
    """The rows of a table whose name contains the text, in the namespace; either may be empty."""
    if text:
        query = query.where(contains(table.c.name, text))
    if namespace:
        query = query.where(table.c.namespace == namespace)
    return query


def contains(column: Any, text: str) -> Any:
    """That the column contains the text, in whichever case."""
    escaped = (
        text.replace("\0", "\ufffd")
        .lower()
        .replace("\\", "\\\\")
        .replace("%", "\\%")
        .replace("_", "\\_")
    )
    return func.lower(column).like(f"%{escaped}%", escape="\\")

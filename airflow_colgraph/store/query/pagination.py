"""Pages of lists, and text search in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sqlalchemy import and_, func, tuple_
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import Boolean, Integer

MOST = 1000  # rows of one page
SHORT = 1000  # characters of a text that LIKE looks for
Key = Sequence[Any]  # what rows are in the order of; of one row: where the next page begins


def page(query: Any, order: Key, limit: int, offset: int, after: Key | None) -> Any:
    """The page after a row's key, which is stable when rows are added, or after an offset."""
    if after is not None:
        query = query.where(tuple_(*order) > tuple_(*after))
    return query.order_by(*order).limit(min(limit, MOST)).offset(offset)


def named(query: Any, table: Any, text: str, namespace: str) -> Any:
    """The rows of a table whose name contains each word, in the namespace; either may be empty."""
    if text:
        query = query.where(mentions(table.c.name, text))
    if namespace:
        query = query.where(table.c.namespace == namespace)
    return query


def words(text: str) -> list[str]:
    """The words of what is searched for, in whichever order names have them.

    >>> words(" plane  age"), words(" ")
    (['plane', 'age'], [' '])
    """
    return text.split() or [text]


def mentions(column: Any, text: str) -> Any:
    """That the column contains each word of the text."""
    return and_(*(contains(column, word) for word in words(text)))


def contains(column: Any, text: str) -> Any:
    """That the column contains the text, in whichever case and however long it is.

    SQLite refuses a pattern of LIKE that is longer than 50,000 bytes; names may be 1 MB long.
    """
    text = text.replace("\0", "\ufffd")
    if len(text) > SHORT or not text.isascii():
        return Position(func.lower(column), func.lower(text)) > 0
    pattern = re.sub("([!%_])", r"!\1", text)
    return Contains(column, text.lower(), f"%{pattern}%")


class Position(FunctionElement[int]):
    """Where a text begins in another, from 1 on; 0 if it is not there."""

    type = Integer()
    name = "strpos"
    inherit_cache = True


@compiles(Position, "sqlite")
def _position_in_sqlite(element: Any, compiler: Any, **options: Any) -> str:
    return f"instr({compiler.process(element.clauses, **options)})"


@compiles(Position, "postgresql")
def _position_in_postgresql(element: Any, compiler: Any, **options: Any) -> str:
    return f"strpos({compiler.process(element.clauses, **options)})"


class Contains(FunctionElement[bool]):
    """Whether a column contains an ASCII text, given in lower case and as a pattern of LIKE.

    It is evaluated for every name of the store: each database's fastest way counts.
    """

    type = Boolean()
    name = "contains"
    inherit_cache = True


@compiles(Contains, "sqlite")
def _contains_in_sqlite(element: Any, compiler: Any, **options: Any) -> str:
    column, _, pattern = (compiler.process(clause, **options) for clause in element.clauses)
    return f"({column} LIKE {pattern} ESCAPE '!')"


@compiles(Contains, "postgresql")
def _contains_in_postgresql(element: Any, compiler: Any, **options: Any) -> str:
    column, text, _ = (compiler.process(clause, **options) for clause in element.clauses)
    return f"""(strpos(lower({column} COLLATE "C"), {text}) > 0)"""

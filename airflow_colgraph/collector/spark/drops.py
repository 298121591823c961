"""What a session's DROPs remove: afterwards nothing tells whether it was there, and where. Pure.

The same holds for CREATE TABLE IF NOT EXISTS: whether it has made the table. PySpark's SQL texts
are looked at before they run. Of a DROP that only the JVM knows of, such as a jar's, the table is
known if the session has read or written it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from airflow_colgraph.collector.model import NamedDataset
from airflow_colgraph.collector.naming.catalogs import SESSION_CATALOG

Key = tuple[str, ...]  # a table's catalog, namespaces and name
BEFORE = r"(?:\s|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*"  # comments
DROP = re.compile(rf"{BEFORE}DROP\s+(?:TABLE|VIEW)\b", re.IGNORECASE)
CREATION = re.compile(rf"{BEFORE}CREATE\s+TABLE\s+IF\s+NOT\s+EXISTS\b", re.IGNORECASE)
T = TypeVar("T")


def is_drop(text: str) -> bool:
    """Whether a SQL text drops a table or a view.

    >>> is_drop("-- old\\n drop table if exists t"), is_drop("EXPLAIN DROP TABLE t")
    (True, False)
    """
    return DROP.match(text) is not None


def is_creation(text: str) -> bool:
    """Whether a SQL text makes a table unless it exists.

    >>> is_creation("create table if not exists t (a INT)"), is_creation("CREATE TABLE t (a INT)")
    (True, False)
    """
    return CREATION.match(text) is not None


class Expected(Generic[T]):
    """What texts are about to do to tables, by the tables' names, until Spark reports it."""

    def __init__(self) -> None:
        """Nothing is expected."""
        self._awaited: dict[Key, list[T]] = {}

    def expect(self, catalog: str, parts: Iterable[str], change: T) -> Callable[[], None]:
        """Remember a change; returns how to forget it where the text fails."""
        awaited = self._awaited.setdefault(_key(catalog, parts), [])
        awaited.append(change)
        return lambda: awaited.remove(change) if change in awaited else None

    def take(self, catalog: str, parts: Iterable[str]) -> T | None:
        """The first change of a table, once; None where none is expected."""
        awaited = self._awaited.get(_key(catalog, parts))
        return awaited.pop(0) if awaited else None


@dataclass(eq=False)
class Drop:
    """What one DROP removes; None if no such table is there, or if its files stay."""

    named: NamedDataset | None


class Drops:
    """The tables that a session has seen, and the DROPs that it is about to run."""

    def __init__(self) -> None:
        """Nothing was seen."""
        self._seen: dict[Key, Drop] = {}
        self._expected: Expected[Drop] = Expected()

    def saw(self, catalog: str, parts: Iterable[str], named: NamedDataset | None) -> None:
        """Remember what the DROP of a table that exists removes; None if its files stay."""
        self._seen[_key(catalog, parts)] = Drop(named)

    def of_existing(self, catalog: str, parts: Iterable[str], named: NamedDataset | None) -> Drop:
        """What the DROP of a table removes that was looked up as `named` just now."""
        return self._seen.get(_key(catalog, parts)) or Drop(named)

    def expect(self, catalog: str, parts: Iterable[str], drop: Drop) -> Callable[[], None]:
        """Remember what a DROP will remove; returns how to forget it where the DROP fails."""
        return self._expected.expect(catalog, parts, drop)

    def take(self, catalog: str, parts: Iterable[str]) -> Drop | None:
        """What a DROP has removed, once; None where nothing tells."""
        parts = list(parts)
        seen = self._seen.pop(_key(catalog, parts), None)
        return self._expected.take(catalog, parts) or seen


def _key(catalog: str, parts: Iterable[str]) -> Key:
    """Spark's session catalog has each name in lower case."""
    key = (catalog, *parts)
    return tuple(part.lower() for part in key) if catalog == SESSION_CATALOG else key

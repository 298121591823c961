"""What a session's DROPs remove: afterwards nothing tells whether it was there, and where. Pure.

PySpark's SQL texts are looked at before they run. Of a DROP that only the JVM knows of, such as a
jar's, the table is known if the session has read or written it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from airflow_colgraph.collector.model import NamedDataset
from airflow_colgraph.collector.naming.catalogs import SESSION_CATALOG

Key = tuple[str, ...]  # a table's catalog, namespaces and name
DROP = re.compile(
    r"(?:\s|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*DROP\s+(?:TABLE|VIEW)\b", re.IGNORECASE
)


def is_drop(text: str) -> bool:
    """Whether a SQL text drops a table or a view.

    >>> is_drop("-- old\\n drop table if exists t"), is_drop("EXPLAIN DROP TABLE t")
    (True, False)
    """
    return DROP.match(text) is not None


@dataclass(eq=False)
class Drop:
    """What one DROP removes; None if there is nothing of that name."""

    named: NamedDataset | None


class Drops:
    """The tables that a session has seen, and the DROPs that it is about to run."""

    def __init__(self) -> None:
        """Nothing was seen."""
        self._seen: dict[Key, NamedDataset] = {}
        self._awaited: dict[Key, list[Drop]] = {}

    def saw(self, catalog: str, parts: Iterable[str], named: NamedDataset) -> None:
        """Remember a table that exists."""
        self._seen[_key(catalog, parts)] = named

    def expect(self, catalog: str, parts: Iterable[str], drop: Drop) -> Callable[[], None]:
        """Remember what a DROP will remove; returns how to forget it where the DROP fails."""
        awaited = self._awaited.setdefault(_key(catalog, parts), [])
        awaited.append(drop)
        return lambda: awaited.remove(drop) if drop in awaited else None

    def take(self, catalog: str, parts: Iterable[str]) -> Drop | None:
        """What a DROP has removed, once; None where nothing tells."""
        key = _key(catalog, parts)
        seen, awaited = self._seen.pop(key, None), self._awaited.get(key)
        if awaited:
            return awaited.pop(0)
        return Drop(seen) if seen else None


def _key(catalog: str, parts: Iterable[str]) -> Key:
    """Spark's session catalog has each name in lower case."""
    key = (catalog, *parts)
    return tuple(part.lower() for part in key) if catalog == SESSION_CATALOG else key

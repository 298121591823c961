"""What a DROP has removed: afterwards nothing tells whether it was there, and where.

A text that PySpark is about to run is looked at before. What only the JVM hears of, such as a
jar's, is where the session has seen it, else where it would have been. With IF EXISTS, what was
not seen may never have been: then it is None.
"""

from __future__ import annotations

from collections import deque

from airflow_colgraph.collector.model import NamedDataset
from airflow_colgraph.collector.naming.catalogs import SESSION_CATALOG
from airflow_colgraph.collector.spark.catalog import Catalog, identifier_parts
from airflow_colgraph.collector.spark.jvm import Java, option, short_class_name

Key = tuple[str, ...]  # a table's catalog, namespaces and name


def dropped_table(
    catalog: Catalog, plugin: Java, identifier: Java, if_exists: bool
) -> NamedDataset | None:
    """A table or view of a catalog that is gone."""
    name, parts = str(plugin.name()), identifier_parts(identifier)
    named = _before_drop(catalog, (name, *parts))
    return named if named or if_exists else catalog.by_name(name, parts)


def dropped_in_session(catalog: Catalog, identifier: Java, if_exists: bool) -> NamedDataset | None:
    """The same of a table or view in Spark's own session catalog."""
    named = _before_drop(catalog, _key(identifier))
    return named if named or if_exists else catalog.created_table(identifier)


def _before_drop(catalog: Catalog, key: Key) -> NamedDataset | None:
    expected = catalog.expected_drops.get(key)
    return expected.popleft() if expected else catalog.seen.pop(key, None)


def expect_drop(catalog: Catalog, text: str) -> None:
    """Look at what a DROP is about to remove."""
    command = catalog.session.sessionState().analyzer().execute(catalog.parsed(text))
    key, named = _about_to_drop(catalog, short_class_name(command), command)
    if key and (named or command.ifExists()):  # else it fails
        catalog.seen.pop(key, None)
        catalog.expected_drops.setdefault(key, deque()).append(named)


def _about_to_drop(catalog: Catalog, kind: str, command: Java) -> tuple[Key, NamedDataset | None]:
    """The key of what a command drops, and what it is if it exists."""
    if kind == "DropTableCommand":
        identifier = command.tableName()
        exists = catalog.session.sessionState().catalog().tableExists(identifier)
        return _key(identifier), catalog.created_table(identifier) if exists else None
    if kind not in ("DropTable", "DropIcebergView"):
        return (), None
    plugin, identifier = command.child().catalog(), command.child().identifier()
    key = (str(plugin.name()), *identifier_parts(identifier))
    if kind == "DropTable":
        exists, load = plugin.tableExists(identifier), catalog.loaded_table
    else:
        exists, load = plugin.viewExists(identifier), catalog.loaded_view
    return key, load(plugin, identifier) if exists else None


def _key(identifier: Java) -> Key:
    """The key of a TableIdentifier."""
    database = option(identifier.database())
    return (SESSION_CATALOG, *([str(database)] if database else []), str(identifier.table()))

"""Commands that change what there is without writing rows: drop, truncate, rename, load.

A DROP of an external table is none of its dataset: the files stay. Where a DROP has no counterpart
in `Catalog.drops`, the table is where it would have been, and an output without a name where its
catalog does not tell; with IF EXISTS it may never have existed, and nothing is reported.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from airflow_colgraph.collector.model import NamedDataset, Read, Write
from airflow_colgraph.collector.naming.catalogs import SESSION_CATALOG
from airflow_colgraph.collector.registry import register
from airflow_colgraph.collector.spark.catalog import (
    Catalog,
    identifier_parts,
    is_external,
    table_parts,
)
from airflow_colgraph.collector.spark.drops import Drop
from airflow_colgraph.collector.spark.jvm import Java, option, short_class_name, thrown
from airflow_colgraph.collector.spark.partial_overwrites import lifecycle_of
from airflow_colgraph.collector.spark.schema_changes import v1_change
from airflow_colgraph.collector.spark.writes import WRITES, Target

log = logging.getLogger(__name__)


@register(WRITES, "DropTableCommand", "DropTable", "DropIcebergView")
def _drop(command: Java, kind: str, catalog: Catalog) -> Target | None:
    name, parts = _dropped(command, kind)
    drop = catalog.drops.take(name, parts)
    if drop is None and not command.ifExists():
        place = catalog.by_name(name, parts)
        drop = catalog.drops.of_existing(name, parts, place)
        if place is None and drop.named is None:
            return Target(None, sink=kind)
    return Target(Write(drop.named, (), "DROP")) if drop and drop.named else None


def _dropped(command: Java, kind: str) -> tuple[str, list[str]]:
    """The catalog and the name of what a command drops."""
    if kind == "DropTableCommand":
        return SESSION_CATALOG, table_parts(command.tableName())
    child = command.child()
    return str(child.catalog().name()), identifier_parts(child.identifier())


def expect_drop(catalog: Catalog, text: str) -> Callable[[], None] | None:
    """Look at what a DROP, as text, is about to remove; returns how to forget it if it fails."""
    try:
        command = catalog.session.sessionState().analyzer().execute(catalog.parsed(text))
        kind = short_class_name(command)
        if WRITES.get(kind) is not _drop:  # that of a temporary view, which is no dataset
            return None
        drop = _before_drop(command, kind, catalog)
        if drop is not None or command.ifExists():  # else it fails
            return catalog.drops.expect(*_dropped(command, kind), drop or Drop(None))
    except thrown():  # such as a text with parameters, whose values are not in it
        log.debug("what is dropped was not looked at", exc_info=True)
    return None


def _before_drop(command: Java, kind: str, catalog: Catalog) -> Drop | None:
    """What a command will remove; None if there is nothing of its name."""
    if not _exists(command, kind, catalog):
        return None
    if kind == "DropTableCommand":
        named: NamedDataset | None = catalog.created_table(command.tableName())
    else:
        load = catalog.loaded_view if kind == "DropIcebergView" else catalog.loaded_table
        named = load(command.child().catalog(), command.child().identifier())
    return catalog.drops.of_existing(*_dropped(command, kind), named)


def _exists(command: Java, kind: str, catalog: Catalog) -> bool:
    if kind == "DropTableCommand":
        return bool(catalog.session.sessionState().catalog().tableExists(command.tableName()))
    plugin, identifier = command.child().catalog(), command.child().identifier()
    is_view = kind == "DropIcebergView"
    return bool((plugin.viewExists if is_view else plugin.tableExists)(identifier))


@register(WRITES, "TruncateTableCommand")
def _truncate(command: Java, kind: str, catalog: Catalog) -> Target:
    return Target(Write(catalog.created_table(command.tableName()), (), "TRUNCATE"))


@register(WRITES, "TruncateTable")
def _v2_truncate(command: Java, kind: str, catalog: Catalog) -> Target:
    child = command.table()
    named = catalog.loaded_table(child.catalog(), child.identifier())
    return Target(Write(named, (), "TRUNCATE") if named else None)


@register(WRITES, "AlterTableRenameCommand")
def _rename(command: Java, kind: str, catalog: Catalog) -> Target:
    old, new = command.oldName(), command.newName()
    database = option(new.database())
    if database is None and option(old.database()) is not None:
        new = new.copy(new.table(), old.database(), old.catalog())
    table, before = catalog.metadata(new), catalog.default_table(old)
    if table is None:
        return Target(Write(catalog.default_table(new), (), "RENAME", previous=before.dataset))
    if is_external(table):  # it keeps its place
        return v1_change(table, "ALTER", catalog)
    return v1_change(table, "RENAME", catalog, before)


@register(WRITES, "LoadDataCommand")
def _load(command: Java, kind: str, catalog: Catalog) -> Target:
    """Files moved into a table as they are: where they came from is known, no columns are."""
    path = str(command.path())
    files = catalog.places([f"file:{path}" if command.isLocal() and path.startswith("/") else path])
    is_partial = option(command.partition()) is not None
    lifecycle = lifecycle_of(is_partial) if command.isOverwrite() else ""
    write = Write(catalog.created_table(command.table()), (), lifecycle, "hive")
    return Target(write, copied=Read(files, ()))

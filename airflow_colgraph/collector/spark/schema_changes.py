"""Commands that make a table or change its columns, without a query: CREATE, REPLACE, ALTER TABLE.

The columns are those that the table has afterwards, by its catalog. Of IF NOT EXISTS only a table
that was made is reported: the session's catalog has the time at which it was made, of any other
PySpark's SQL texts are looked at before they run.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from airflow_colgraph.collector.model import Columns, NamedDataset, Read, Write
from airflow_colgraph.collector.naming.catalogs import SESSION_CATALOG
from airflow_colgraph.collector.registry import register
from airflow_colgraph.collector.spark.catalog import (
    DECLARED,
    Catalog,
    identifier_parts,
    is_external,
    provider_of,
)
from airflow_colgraph.collector.spark.jvm import Java, seq, short_class_name, thrown
from airflow_colgraph.collector.spark.schemas import schema_columns
from airflow_colgraph.collector.spark.writes import WRITES, Target

log = logging.getLogger(__name__)

NOTHING = Target(None)


# The session's catalog ------------------------------------------------------------------------


@register(WRITES, "CreateDataSourceTableCommand", "CreateTableCommand")
def _create(command: Java, kind: str, catalog: Catalog) -> Target:
    table = catalog.metadata(command.table().identifier())
    if table is None or (command.ignoreIfExists() and not _is_of(command.table(), table)):
        return NOTHING
    if is_external(table):  # the files are there, or come with a write
        return NOTHING
    return v1_change(table, "CREATE", catalog)


@register(WRITES, "CreateTableLikeCommand")
def _create_like(command: Java, kind: str, catalog: Catalog) -> Target:
    table = None if command.ifNotExists() else catalog.metadata(command.targetTable())
    return v1_change(table, "CREATE", catalog)


@register(WRITES, "AlterTableAddColumnsCommand", "AlterTableChangeColumnCommand")
def _alter(command: Java, kind: str, catalog: Catalog) -> Target:
    identifier = command.table() if "Add" in kind else command.tableName()
    return v1_change(catalog.metadata(identifier), "ALTER", catalog)


def v1_change(
    table: Java | None, lifecycle: str, catalog: Catalog, before: NamedDataset | None = None
) -> Target:
    """What became of a table of the session's catalog; `before` is what it was renamed from."""
    provider = provider_of(table) if table is not None else ""
    if provider in DECLARED:
        catalog.table(table)  # for when it is dropped
    if table is None or provider in DECLARED:
        return NOTHING
    columns = schema_columns(table.schema()) if provider != "delta" else ()  # they are in its log
    return _changed(catalog.table(table), columns, lifecycle, provider, before)


def _is_of(planned: Java, table: Java) -> bool:
    """Whether a table is the one that a command has made.

    Spark's own catalog keeps the command's time, Hive's has its own, in whole seconds.
    """
    time, made_at = planned.createTime(), table.createTime()
    return bool(made_at == time if made_at % 1000 else made_at >= time - time % 1000)


def _changed(
    named: NamedDataset,
    columns: Columns,
    lifecycle: str,
    provider: str,
    before: NamedDataset | None = None,
) -> Target:
    previous = before.dataset if before is not None else None
    return Target(Write(named, columns, lifecycle, provider, has_rows=False, previous=previous))


# Other catalogs -------------------------------------------------------------------------------


@register(WRITES, "CreateTable")
def _v2_create(command: Java, kind: str, catalog: Catalog) -> Target:
    created = command.name()
    if command.ignoreIfExists():
        key = str(created.catalog().name()), identifier_parts(created.identifier())
        if catalog.creations.take(*key) is not True:
            return NOTHING
    return _v2_change(created, "CREATE", catalog)


@register(WRITES, "ReplaceTable")
def _v2_replace(command: Java, kind: str, catalog: Catalog) -> Target:
    """Its rows are gone: its columns come from nothing."""
    target = _v2_change(command.name(), "OVERWRITE", catalog)
    columns = target.write.columns if target.write is not None else None
    return target._replace(copied=Read((), columns)) if columns else target


@register(WRITES, "AddColumns", "AlterColumn", "AlterColumns", "DropColumns", "ReplaceColumns")
def _v2_alter(command: Java, kind: str, catalog: Catalog) -> Target:
    return _v2_change(command.table(), "ALTER", catalog)


@register(WRITES, "RenameColumn")
def _v2_rename_column(command: Java, kind: str, catalog: Catalog) -> Target:
    """The column has the values of the one that it was."""
    table = command.table()
    target = _v2_change(table, "ALTER", catalog)
    old, *members = (str(part) for part in seq(command.column().name()))
    if target.write is None or members:
        return target
    before = schema_columns(table.schema())
    new = str(command.newName())
    after = tuple((new if name == old else name, type_) for name, type_ in before)
    write = target.write._replace(columns=after)
    return Target(write, copied=Read((write.named,), before, format=write.format))


@register(WRITES, "RenameTable")
def _v2_rename(command: Java, kind: str, catalog: Catalog) -> Target:
    """A table of Spark's session moves with its name; what others have keeps its place."""
    child = command.child()
    if short_class_name(child) != "ResolvedTable":  # a view
        return NOTHING
    name, parts = str(child.catalog().name()), identifier_parts(child.identifier())
    new = [str(part) for part in seq(command.newName())]
    new = new if new[1:] else [*parts[:-1], *new]
    before = catalog.named(child.table(), name, parts)
    is_moved = name == SESSION_CATALOG
    after = catalog.by_name(name, new) if is_moved else catalog.named(child.table(), name, new)
    if before is None or after is None:
        return NOTHING
    if before.dataset == after.dataset:
        return _v2_changed(child.table(), after, "ALTER")
    return _v2_changed(child.table(), after, "RENAME", before)


def _v2_change(resolved: Java, lifecycle: str, catalog: Catalog) -> Target:
    """What became of a table of a catalog, as a ResolvedTable or ResolvedIdentifier names it."""
    plugin, identifier = resolved.catalog(), resolved.identifier()
    try:
        table = plugin.loadTable(identifier)
    except thrown():  # it was dropped meanwhile
        log.debug("a table is gone", exc_info=True)
        return NOTHING
    named = catalog.named(table, str(plugin.name()), identifier_parts(identifier))
    if named is None:
        return NOTHING
    return _v2_changed(table, named, lifecycle)


def _v2_changed(
    table: Java, named: NamedDataset, lifecycle: str, before: NamedDataset | None = None
) -> Target:
    provider = str(table.properties().get("provider") or "").lower()
    return _changed(named, schema_columns(table.schema()), lifecycle, provider, before)


def expect_creation(catalog: Catalog, text: str) -> Callable[[], None] | None:
    """Look whether a CREATE TABLE IF NOT EXISTS will make a table of a catalog.

    Returns how to forget it if the text fails.
    """
    try:
        command = catalog.parsed(text)
        if short_class_name(command) != "CreateTable":  # one with a query, which has an event
            return None
        command = catalog.session.sessionState().analyzer().execute(command)
        if short_class_name(command) != "CreateTable":  # one of the session's catalog
            return None
        plugin, identifier = command.name().catalog(), command.name().identifier()
        is_new = not plugin.tableExists(identifier)
        return catalog.creations.expect(str(plugin.name()), identifier_parts(identifier), is_new)
    except thrown():  # such as a text with parameters, whose values are not in it
        log.debug("what is created was not looked at", exc_info=True)
    return None

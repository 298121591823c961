"""Commands that change what there is without writing rows: drop, truncate, rename, load."""

from __future__ import annotations

from airflow_colgraph.collector.model import Read, Write
from airflow_colgraph.collector.registry import register
from airflow_colgraph.collector.spark.catalog import Catalog
from airflow_colgraph.collector.spark.jvm import Java, option
from airflow_colgraph.collector.spark.writes import WRITES, Target


@register(WRITES, "DropTableCommand")
def _drop(command: Java, kind: str, catalog: Catalog) -> Target:
    return Target(Write(catalog.created_table(command.tableName()), (), "DROP"))


@register(WRITES, "DropTable")
def _v2_drop(command: Java, kind: str, catalog: Catalog) -> Target | None:
    child = command.child()
    named = catalog.dropped_table(child.catalog(), child.identifier())
    return Target(Write(named, (), "DROP") if named else None)


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
    before = catalog.default_table(old)
    named = catalog.created_table(new)
    return Target(Write(named, (), "RENAME", previous=before.dataset))


@register(WRITES, "LoadDataCommand")
def _load(command: Java, kind: str, catalog: Catalog) -> Target:
    """Files moved into a table as they are: where they came from is known, no columns are."""
    path = str(command.path())
    files = catalog.places([f"file:{path}" if command.isLocal() and path.startswith("/") else path])
    lifecycle = "OVERWRITE" if command.isOverwrite() else ""
    write = Write(catalog.created_table(command.table()), (), lifecycle, "hive")
    return Target(write, copied=Read(files, ()))

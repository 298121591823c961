"""Commands that change rows of a table: MERGE, UPDATE and DELETE, of Delta and of Spark itself.

Delta's commands have no children: source, target and clauses stand in the command's own JSON row.
Spark's (Iceberg and others) come as the query that rewrites the table. Both are resolved by
`lineage.rules.row_level`.
"""

from __future__ import annotations

from airflow_colgraph.collector.model import NamedDataset, Read, Write
from airflow_colgraph.collector.registry import register
from airflow_colgraph.collector.spark.catalog import Catalog, paths_named
from airflow_colgraph.collector.spark.jvm import Java, option, seq, short_class_name
from airflow_colgraph.collector.spark.schemas import schema_columns
from airflow_colgraph.collector.spark.writes import LIFECYCLE, WRITES, Target


def target_of(plan: Java, catalog: Catalog) -> NamedDataset | None:
    """The table that a plan of aliases over one relation names."""
    leaf = plan.collectLeaves().apply(0)
    if short_class_name(leaf) == "DataSourceV2Relation":
        named = catalog.v2_table(leaf)
        return named[0] if named else None
    table = option(leaf.catalogTable())
    if table is not None:
        return catalog.table(table)
    paths = [str(path.toString()) for path in seq(leaf.relation().location().rootPaths())]
    return paths_named(paths)[0]


@register(WRITES, "MergeIntoCommand")
def _delta_merge(command: Java, kind: str, catalog: Catalog) -> Target:
    named = target_of(command.target(), catalog)
    evolved = option(command.migratedSchema())
    columns = schema_columns(evolved if evolved is not None else command.target().schema())
    write = Write(named, columns, format="delta") if named else None
    return Target(write, command, ("source", "target"))


@register(WRITES, "UpdateCommand", "DeleteCommand")
def _delta_change(command: Java, kind: str, catalog: Catalog) -> Target:
    named = target_of(command.target(), catalog)
    columns = schema_columns(command.target().schema())
    write = Write(named, columns, format="delta") if named else None
    return Target(write, command, ("target",))


@register(WRITES, "CreateDeltaTableCommand")
def _delta_clone(command: Java, kind: str, catalog: Catalog) -> Target:
    """A clone has each column of its source; CREATE TABLE .. LIKE makes a table without rows.

    What else the command makes has been reported.
    """
    query = option(command.query())
    if query is None and str(command.mode().toString()) == "ErrorIfExists":
        table = command.table()
        columns = schema_columns(table.schema())
        named = catalog.created_table(table.identifier())
        return Target(Write(named, columns, "CREATE", "delta", has_rows=False))
    if query is None or short_class_name(query) != "CloneTableCommand":
        return Target(None)
    source = query.sourceTable()
    origin = _delta_table(source, source.dataPath(), catalog)
    if short_class_name(source) == "CloneDeltaSource":
        snapshot = option(source.snapshot())
        origin = origin._replace(version="" if snapshot is None else str(snapshot.version()))
    columns = schema_columns(source.schema())
    named = catalog.created_table(command.table().identifier())
    lifecycle = LIFECYCLE.get(str(command.mode().toString()), "")
    return Target(Write(named, columns, lifecycle, "delta"), copied=Read((origin,), columns))


@register(WRITES, "RestoreTableCommand")
def _delta_restore(command: Java, kind: str, catalog: Catalog) -> Target:
    """The table has the columns of one of its former versions again."""
    source = command.sourceTable()
    named = _delta_table(source, source.path(), catalog)
    columns = schema_columns(source.schema())
    former = named._replace(version=str(source.initialSnapshot().version()))
    return Target(Write(named, columns, format="delta"), copied=Read((former,), columns))


def _delta_table(table: Java, path: Java, catalog: Catalog) -> NamedDataset:
    """What Delta itself has for a table: one of the catalog, or a path."""
    entry = option(table.catalogTable())
    return paths_named([str(path.toString())])[0] if entry is None else catalog.table(entry)


@register(WRITES, "ReplaceData", "WriteDelta", "DeleteFromTable")
def _rewritten_table(command: Java, kind: str, catalog: Catalog) -> Target:
    table = command.table() if kind == "DeleteFromTable" else command.originalTable()
    named = target_of(table, catalog)
    return Target(Write(named, schema_columns(table.schema())) if named else None, command)

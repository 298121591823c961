"""What a command writes, and which query it writes there: the table WRITES."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from airflow_colgraph.collector.model import SOME_ROWS, Columns, NamedDataset, Read, Write
from airflow_colgraph.collector.naming.datasets import jdbc_dataset
from airflow_colgraph.collector.naming.options import lowered
from airflow_colgraph.collector.registry import Registry, register
from airflow_colgraph.collector.spark.catalog import Catalog, identifier_parts, paths_named
from airflow_colgraph.collector.spark.jvm import (
    Java,
    class_name,
    option,
    scala_map,
    seq,
    short_class_name,
)
from airflow_colgraph.collector.spark.partial_overwrites import (
    is_of_source,
    is_of_table,
    lifecycle_of,
)
from airflow_colgraph.collector.spark.schemas import schema_columns


class Target(NamedTuple):
    """What a rule of WRITES answers: the write, and the query that is written, if there is one.

    `write` is None where nothing is kept, or where it has no name: then `sink` is the class that
    wrote it. `parts` names plans inside the query's own JSON row, for commands that have no
    children. `copied` is written as it is, without a query.
    """

    write: Write | None
    query: Java | None = None
    parts: tuple[str, ...] = ()
    copied: Read | None = None
    sink: str = ""


KEEPS_NOTHING = {"ConsoleTable", "NoopTable"}


def nameless(sink: Java, query: Java) -> Target:
    """A query's write to what no rule has a name for; what was read is reported all the same."""
    kind = short_class_name(sink)
    return Target(None, query, sink="" if kind in KEEPS_NOTHING else kind)


WriteRule = Callable[[Java, str, Catalog], "Target | None"]

WRITES: Registry[WriteRule] = Registry()

LIFECYCLE = {"Overwrite": "OVERWRITE", "ErrorIfExists": "CREATE", "Ignore": "CREATE"}


# Files and the session's tables ---------------------------------------------------------------


@register(WRITES, "InsertIntoHadoopFsRelationCommand")
def _insert_into_files(command: Java, kind: str, catalog: Catalog) -> Target:
    path = str(command.outputPath().toString())
    table = option(command.catalogTable())
    named = catalog.table(table) if table is not None else paths_named([path])[0]
    lifecycle = LIFECYCLE.get(str(command.mode().toString()), "")
    if lifecycle == "OVERWRITE":
        lifecycle = lifecycle_of(not command.staticPartitions().isEmpty())
    form = str(command.fileFormat().toString()).lower()
    columns = None
    if form == "text" and table is None:
        partitions = {str(column.name()) for column in seq(command.partitionColumns())}
        columns = lines_of(command.query(), partitions)
    return Target(Write(named, columns, lifecycle, form, table is not None), command.query())


def lines_of(query: Java, partitions: set[str]) -> Columns:
    """The columns of text files: whatever a query calls its line, it is read back as `value`."""
    columns = schema_columns(query.schema())
    return tuple((name if name in partitions else "value", kind) for name, kind in columns)


@register(WRITES, "InsertIntoDataSourceDirCommand", "InsertIntoHiveDirCommand")
def _insert_overwrite_directory(command: Java, kind: str, catalog: Catalog) -> Target | None:
    location = option(command.storage().locationUri())
    if location is None:
        return None
    named = catalog.places([str(location.toString())])[0]
    inner = "Hive" not in kind  # the same write is reported by the command that it ran
    form = "hive" if "Hive" in kind else str(command.provider())
    return Target(Write(named, None, "OVERWRITE", form, is_duplicate=inner), command.query())


@register(WRITES, "CreateDataSourceTableAsSelectCommand", "CreateHiveTableAsSelectCommand")
def _create_table_as_select(command: Java, kind: str, catalog: Catalog) -> Target:
    table = command.tableDesc() if "Hive" in kind else command.table()
    named = catalog.created_table(table.identifier())
    provider = option(table.provider()) or ""
    mode = str(command.mode().toString())
    write = Write(named, None, LIFECYCLE.get(mode, ""), str(provider), is_duplicate=True)
    return Target(write._replace(unless_exists=mode == "Ignore"), command.query())


@register(WRITES, "SaveAsV1TableCommand")
def _save_as_table(command: Java, kind: str, catalog: Catalog) -> Target | None:
    """`saveAsTable` from Spark 4.1 on: the command that it ran has reported the write."""
    return Target(None)


@register(WRITES, "InsertIntoHiveTable")
def _insert_into_hive(command: Java, kind: str, catalog: Catalog) -> Target:
    partition = command.partition()  # Hive replaces those that are named, or have rows
    lifecycle = lifecycle_of(not partition.isEmpty()) if command.overwrite() else ""
    named = catalog.table(command.table())
    static = {str(pair._1()) for pair in seq(partition.toSeq()) if option(pair._2())}
    partitions = schema_columns(command.table().partitionSchema()) if static else ()
    constants = tuple((name, type_) for name, type_ in partitions if name in static)
    write = Write(named, None, lifecycle, "hive", casts_to_table=True, constants=constants)
    return Target(write, command.query())


# Views ----------------------------------------------------------------------------------------


@register(WRITES, "CreateViewCommand", "AlterViewAsCommand")
def _view(command: Java, kind: str, catalog: Catalog) -> Target:
    """A permanent view is a dataset whose columns come from the tables' below it.

    Queries that read the view are reported against those tables too. A temporary view is only a
    name for a query: nothing is read or kept.
    """
    created = kind == "CreateViewCommand"
    if created and "Persisted" not in str(command.viewType().toString()):
        return Target(None)
    plan = command.plan() if created else command.query()
    columns = None
    if created:
        columns = _renamed(plan, [str(pair._1()) for pair in seq(command.userSpecifiedColumns())])
    lifecycle = "CREATE" if created and not command.replace() else "ALTER"
    return Target(Write(catalog.created_table(command.name()), columns, lifecycle, "view"), plan)


@register(WRITES, "CreateIcebergView")
def _iceberg_view(command: Java, kind: str, catalog: Catalog) -> Target:
    """The same in a catalog of Iceberg's."""
    child, plan = command.child(), command.query()
    plugin, identifier = child.catalog(), child.identifier()
    if plugin.viewExists(identifier):
        named = catalog.loaded_view(plugin, identifier)
    else:  # it is dropped again, or only planned
        named = catalog.by_name(str(plugin.name()), identifier_parts(identifier))
    if named is None:
        return Target(None, plan)
    columns = _renamed(plan, [str(name) for name in seq(command.columnAliases())])
    lifecycle = "ALTER" if command.replace() else "CREATE"
    return Target(Write(named, columns, lifecycle, "view"), plan)


def _renamed(plan: Java, names: list[str]) -> Columns | None:
    """The columns of a view that names them itself; None where they are those of its query."""
    if not names:
        return None
    return tuple((name, type_) for name, (_, type_) in zip(names, schema_columns(plan.schema())))


# Sources by their own class -------------------------------------------------------------------


@register(WRITES, "SaveIntoDataSourceCommand")
def _save_into_source(command: Java, kind: str, catalog: Catalog) -> Target:
    options = lowered(scala_map(command.options()))
    if options.get("path"):
        options = {**options, "path": catalog.absolute(options["path"])}
    source = class_name(command.dataSource())
    if source not in SINKS:
        source = short_class_name(command.dataSource())
    named = SINKS.get(source, _by_path)(options)
    if named is None:
        return nameless(command.dataSource(), command.query())
    lifecycle = LIFECYCLE.get(str(command.mode().toString()), "")
    form = FORMATS.get(source, source)
    if lifecycle == "OVERWRITE":
        is_partial = is_of_source(source, options, named.dataset, catalog.session)
        lifecycle = lifecycle_of(is_partial)
    return Target(Write(named, None, lifecycle, form), command.query())


Sink = Callable[[dict[str, str]], "NamedDataset | None"]


def _by_path(options: dict[str, str]) -> NamedDataset | None:
    return paths_named([options["path"]])[0] if options.get("path") else None


def _by_jdbc_url(options: dict[str, str]) -> NamedDataset | None:
    if not options.get("url") or not options.get("dbtable"):
        return None
    return NamedDataset(jdbc_dataset(options["url"], options["dbtable"]))


SINKS: Registry[Sink] = Registry(JdbcRelationProvider=_by_jdbc_url)  # more in connectors
FORMATS = {"JdbcRelationProvider": "jdbc", "DeltaDataSource": "delta"}


@register(WRITES, "InsertIntoDataSourceCommand")
def _insert_into_source(command: Java, kind: str, catalog: Catalog) -> Target | None:
    relation = command.logicalRelation().relation()
    if short_class_name(relation) != "JDBCRelation":
        return nameless(relation, command.query())
    options = relation.jdbcOptions()
    named = NamedDataset(jdbc_dataset(str(options.url()), str(options.tableOrQuery())))
    lifecycle = "OVERWRITE" if command.overwrite() else ""
    write = Write(named, None, lifecycle, "jdbc", casts_to_table=True, supersedes=True)
    return Target(write, command.query())


# Tables of other catalogs ---------------------------------------------------------------------

COMPACTED = "rewritten-file-scan-task-set-id"  # an option of Iceberg's before 1.11


def is_compaction(command: Java) -> bool:
    """Whether Iceberg writes the rows of a table again, as they are."""
    table = command.table().table()
    return short_class_name(table) == "SparkRewriteTable" or COMPACTED in scala_map(
        command.writeOptions()
    )


@register(WRITES, "AppendData", "OverwriteByExpression", "OverwritePartitionsDynamic")
def _v2_write(command: Java, kind: str, catalog: Catalog) -> Target:
    if is_compaction(command):
        return Target(None)
    named = catalog.v2_table(command.table(), "write")
    if not named:
        return nameless(command.table().table(), command.query())
    lifecycle = ""
    if kind != "AppendData":
        lifecycle = lifecycle_of(is_of_table(command, lowered(scala_map(command.writeOptions()))))
    return Target(Write(named[0], None, lifecycle, casts_to_table=True), command.query())


@register(WRITES, "DeltaDynamicPartitionOverwriteCommand")
def _delta_partitions(command: Java, kind: str, catalog: Catalog) -> Target | None:
    named = catalog.v2_table(command.table())
    return Target(Write(named[0], None, SOME_ROWS, "delta", casts_to_table=True), command.query())


@register(WRITES, "CreateTableAsSelect", "ReplaceTableAsSelect")
def _v2_create_as_select(command: Java, kind: str, catalog: Catalog) -> Target | None:
    """Reported after the append or overwrite that it ran, which has the table and the query."""
    created = command.name()
    named = catalog.loaded_table(created.catalog(), created.identifier())
    if named is None:
        return Target(None, command.query())
    is_new = kind == "CreateTableAsSelect"
    lifecycle = "CREATE" if is_new else "OVERWRITE"
    provider = str(option(command.tableSpec().provider()) or "")
    write = Write(named, None, lifecycle, provider, is_duplicate=True)
    unless_exists = is_new and bool(command.ignoreIfExists())
    return Target(write._replace(unless_exists=unless_exists), command.query())

"""What keeps a dry run harmless in the JVM: Java classes, compiled by Spark's own Janino.

`OverlayFileSystem` is the file system of every scheme: it reads what is there and keeps changes in
a scratch folder. `DryRunStrategy` is the first strategy of each session's planner: through it each
query goes after it was analyzed, so the collector sees the query that the user wrote.
`VirtualCatalog` stands in for a catalog that is no folder's: it is read, and keeps changes itself.
`DryRunRules` are rules before those of Spark's that already change something.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from typing import Any

from airflow_colgraph.collector.spark.jvm import Java, class_name, private, seq, short_class_name

OVERLAY = "colgraph.OverlayFileSystem"
EXTENSION = "colgraph.DryRunRules$Extension"
SOURCES = (  # each may use those before it
    *("AbsentFileSystem.java", "OverlayFileSystem.java", "Reflection.java", "LakeTables.java"),
    *("SampleRows.java", "VirtualTable.java", "VirtualCatalog.java", "LoadedCatalogs.java"),
    *("SqlFiles.java", "DryRunStrategy.java", "DryRunRules.java", "PlannedCatalog.java"),
    "StreamedBatch.java",
)

LEAVES = {  # that read nothing: their rows are the program's own, or were planned before
    *("CommandResult", "EmptyRelation", "InMemoryRelation", "LocalRelation", "LogicalQueryStage"),
    *("ExternalRDD", "LogicalRDD", "OneRowRelation", "Range"),
}
CATALOGS = {  # in memory: of a script's variables, of the session's variables and tables
    *("FakeLocalCatalog", "FakeSystemCatalog", "V2SessionCatalog"),
}
TABLES = {  # of the second API that write by the file system, or nothing
    *("CSVTable", "JsonTable", "NoopTable", "OrcTable", "ParquetTable", "TextTable"),
}
WRITERS = {  # commands that have a query
    *("AppendData", "InsertIntoHadoopFsRelationCommand", "OverwriteByExpression"),
    *("OverwritePartitionsDynamic", "SaveIntoDataSourceCommand"),
}
ROWS = {  # commands that change rows only: there are none
    *("DeleteCommand", "DeleteFromTable", "DeleteFromTableWithFilters", "MergeIntoCommand"),
    *("ReplaceData", "UpdateCommand", "WriteDelta"),
}
OF_TABLES = {  # commands that change a loaded table, or a view, and not by its catalog
    *("AddPartitions", "DropPartitions", "DropView", "RenamePartitions", "TruncatePartition"),
    "TruncateTable",
    # of Iceberg
    *("AddPartitionField", "CreateIcebergView", "CreateOrReplaceBranch", "CreateOrReplaceTag"),
    *("DropBranch", "DropIcebergView", "DropIdentifierFields", "DropPartitionField", "DropTag"),
    *("ReplacePartitionField", "SetIdentifierFields", "SetWriteDistributionAndOrdering"),
}
OF_CATALOGS = {  # commands of the second API, where the catalog is in memory, has files only, or is
    *OF_TABLES,  # stood in for: then only those that the catalog itself is asked to do
    *("AddColumns", "AlterColumns", "CreateNamespace", "CreateTable", "CreateTableAsSelect"),
    *("DropColumns", "DropNamespace", "DropTable", "RenameColumn", "RenameTable"),
    *("ReplaceColumns", "ReplaceTable", "ReplaceTableAsSelect", "SetNamespaceLocation"),
    *("SetNamespaceProperties", "SetTableLocation", "SetTableProperties", "UnsetTableProperties"),
}
COMMANDS = {
    *(WRITERS | OF_CATALOGS),
    # of files, which the overlay keeps
    "InsertIntoDataSourceDirCommand",
    *("CreateDataSourceTableAsSelectCommand", "SaveAsV1TableCommand"),
    # of the catalog, which is in memory and the job's own
    *("AlterDatabasePropertiesCommand", "AlterDatabaseSetLocationCommand"),
    *(
        "AlterTableAddColumnsCommand",
        "AlterTableAddPartitionCommand",
        "AlterTableChangeColumnCommand",
    ),
    *("AlterTableDropPartitionCommand", "AlterTableRenameCommand", "AlterTableSetLocationCommand"),
    *("AlterTableRenamePartitionCommand", "AlterTableSetPropertiesCommand"),
    *("AlterTableUnsetPropertiesCommand", "AlterViewAsCommand", "CommentOnNamespaceCommand"),
    *("CreateDataSourceTableCommand", "CreateDatabaseCommand", "CreateTableCommand"),
    *("CreateTableLikeCommand", "CreateViewCommand", "DropDatabaseCommand", "DropTableCommand"),
    *("DropTempViewCommand", "RepairTableCommand"),
    *("TruncateTableCommand", "TruncatePartitionCommand"),
    # of tables of Delta, which the overlay keeps
    *("CreateDeltaTableCommand", "DescribeDeltaDetailCommand", "DescribeDeltaHistoryCommand"),
    # of the session
    *(
        "CacheTable",
        "CacheTableAsSelect",
        "ClearCacheCommand",
        "UncacheTable",
        "UncacheTableCommand",
    ),
    *("CreateFunctionCommand", "CreateSQLFunctionCommand", "CreateUserDefinedFunctionCommand"),
    *(
        "CreateTempViewUsing",
        "CreateVariable",
        "DropVariable",
        "SetVariable",
        "DropFunctionCommand",
    ),
    *("RefreshFunctionCommand", "RefreshResource", "RefreshTable", "RefreshTableCommand"),
    *("ResetCommand", "SetCatalogAndNamespace", "SetCatalogCommand", "SetCommand"),
    *("SetNamespaceCommand",),
    # that only show
    *("DescribeColumn", "DescribeColumnCommand", "DescribeDatabaseCommand"),
    *("DescribeFunctionCommand", "DescribeNamespace", "DescribeQueryCommand", "DescribeRelation"),
    *("DescribeTableCommand", "ExplainCommand", "ShowCatalogsCommand", "ShowColumns"),
    *("ShowColumnsCommand", "ShowCreateTable", "ShowCreateTableCommand", "ShowCurrentNamespace"),
    *("ShowCurrentNamespaceCommand", "ShowFunctionsCommand", "ShowNamespaces"),
    *("ShowNamespacesCommand", "ShowPartitions", "ShowPartitionsCommand", "ShowTableProperties"),
    *("ShowTablePropertiesCommand", "ShowTables", "ShowTablesCommand", "ShowViews"),
    "ShowViewsCommand",
}


class GuardError(Exception):
    """The guards cannot be set up: nothing of the application may run."""


def install(context: Any, scratch: str) -> None:
    """Put the guards into the JVM of a SparkContext, before it has read or written anything.

    Raises:
        GuardError: If the driver is not alone, or its file system cannot be replaced.
    """
    if not context.master.startswith("local"):
        raise GuardError(f"the master is {context.master}, and not local")
    jvm, java = context._jvm, context._jsc.sc()
    if isinstance(jvm.colgraph.OverlayFileSystem, type(jvm.colgraph)):  # a package: no such class
        define(jvm, java)
    overlay, strategy = jvm.colgraph.OverlayFileSystem, jvm.colgraph.DryRunStrategy
    hadoop, files = java.hadoopConfiguration(), jvm.org.apache.hadoop.fs.FileSystem
    overlay.configure(scratch)
    for scheme, implementation in known_schemes(files, hadoop):
        overlay.serve(scheme, implementation)
    for kind, names in (
        ("leaf", LEAVES),
        ("command", COMMANDS),
        ("writer", WRITERS),
        ("table", TABLES),
        ("catalog", CATALOGS),
        ("rows", ROWS),
        ("of catalogs", OF_CATALOGS),
        ("of tables", OF_TABLES),
    ):
        for name in names:
            strategy.allow(kind, name)
    strategy.watch(hadoop)
    strategy.restore()
    files.closeAll()
    if class_name(files.get(hadoop)) != OVERLAY:
        raise GuardError("the file system cannot be replaced")


def define(jvm: Any, context: Java) -> None:
    """Compile the classes, and define them beside Spark's own."""
    loader = context.getClass().getClassLoader()
    base = loader.loadClass("org.apache.spark.sql.catalyst.planning.GenericStrategy")
    applies = next(method for method in base.getMethods() if method.getName() == "apply")
    sequence = str(applies.getReturnType().getName())  # Scala 2.12 and 2.13 have different ones
    define_class = next(
        method
        for method in loader.loadClass("java.lang.ClassLoader").getDeclaredMethods()
        if method.getName() == "defineClass"
        and method.getParameterCount() == PARAMETERS
        and method.getParameterTypes()[0].getName() == "java.lang.String"
        and method.getParameterTypes()[1].isArray()
    )
    define_class.setAccessible(True)
    for source in SOURCES:
        text = (pkgutil.get_data(__package__, source) or b"").decode()
        compiler = jvm.org.codehaus.janino.SimpleCompiler()
        compiler.setParentClassLoader(loader)
        compiler.cook(text.replace("SEQ", sequence))
        codes = compiler.getBytecodes()
        for name in sorted(codes.keySet(), key=len):
            code = codes.get(name)
            arguments = context_array(jvm, "java.lang.Object", [name, code, 0, len(code)])
            define_class.invoke(loader, arguments)


PARAMETERS = 4


def context_array(jvm: Any, kind: str, values: list[Any]) -> Java:
    """A Java array."""
    items = jvm.java.util.ArrayList()
    for value in values:
        items.add(value)
    return items.toArray()


def known_schemes(files: Any, hadoop: Java) -> Iterator[tuple[str, Java]]:
    """The schemes that Hadoop has a file system for, without a setting."""
    kind = files.getFileSystemClass("file", hadoop)
    while str(kind.getName()) != "org.apache.hadoop.fs.FileSystem":
        kind = kind.getSuperclass()
    field = kind.getDeclaredField("SERVICE_FILE_SYSTEMS")
    field.setAccessible(True)
    classes = field.get(None)
    for scheme in list(classes.keySet()):
        yield str(scheme), classes.get(scheme)


def guard_session(session: Java, jvm: Any) -> None:
    """Let the queries of a session, and of those that begin beside it, go through the strategy.

    Raises:
        GuardError: If the session has not begun with `EXTENSION`.
    """
    rules = seq(session.extensions().buildOptimizerRules(session))
    if not any(short_class_name(rule) == "BeforeWrites" for rule in rules):
        raise GuardError("Spark's rules cannot be extended")
    jvm.colgraph.LoadedCatalogs.attach(session)
    methods = session.experimental()
    if not any(
        short_class_name(strategy) == "DryRunStrategy"
        for strategy in seq(methods.extraStrategies())
    ):
        others = list(seq(methods.extraStrategies()))
        first = [jvm.colgraph.DryRunStrategy(session), *others]
        getattr(methods, "extraStrategies_$eq")(jvm.PythonUtils.toSeq(first))
    session.extensions().injectPlannerStrategy(jvm.colgraph.DryRunStrategy.Builder())


def run_unseen(session: Any, statement: str) -> None:
    """Run a command of the plan's own without telling listeners: the job does not write it."""
    state = session._jsparkSession.sessionState()
    skip = session._jvm.org.apache.spark.sql.execution.CommandExecutionMode.SKIP()
    command = state.sqlParser().parsePlan(statement)
    state.executePlan(command, skip).executedPlan().executeCollect()


def unguarded(jvm: Any) -> list[str]:
    """The file systems that were opened beside the overlay: there must be none."""
    files = jvm.org.apache.hadoop.fs.FileSystem
    kind = files.get(jvm.org.apache.hadoop.conf.Configuration()).getClass()
    while str(kind.getName()) != "org.apache.hadoop.fs.FileSystem":
        kind = kind.getSuperclass()
    field = kind.getDeclaredField("CACHE")
    field.setAccessible(True)
    opened = list(private(field.get(None), "map").values())
    return sorted({class_name(file_system) for file_system in opened} - {OVERLAY})

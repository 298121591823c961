"""The identity of tables and paths: OpenLineage datasets with their symlinks.

The names are those of OpenLineage's naming rules (`naming.datasets`, `naming.catalogs`). This file
asks Spark for the locations and settings that they come from.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable

from airflow_colgraph.collector.model import CatalogName, Dataset, NamedDataset
from airflow_colgraph.collector.naming import catalogs
from airflow_colgraph.collector.naming import datasets as naming
from airflow_colgraph.collector.naming.catalogs import SESSION_CATALOG
from airflow_colgraph.collector.naming.datasets import file_dataset
from airflow_colgraph.collector.naming.options import lowered
from airflow_colgraph.collector.registry import Registry
from airflow_colgraph.collector.spark.drops import Drops, Expected
from airflow_colgraph.collector.spark.jvm import Java, option, scala_map, seq, short_class_name
from airflow_colgraph.collector.spark.leaf_cache import LeafCache
from airflow_colgraph.collector.spark.plan_memory import PlanMemory

MOST_PATHS = 20
PURGED = "external.table.purge"  # Hive's property of external tables whose files go with them

Setting = Callable[[str], str]
"""A reader's, writer's or session's option by its name; an empty text without."""
ConnectedTable = Callable[[Java, Setting, str], "NamedDataset | None"]
CONNECTED: Registry[ConnectedTable] = Registry()
"""By their classes, tables of connectors that no catalog has: see `connectors`."""


def paths_named(paths: list[str]) -> tuple[NamedDataset, ...]:
    """The datasets behind the paths of one read: one for all files of a folder.

    Several files beside each other are the folder's; partitions fall together by OpenLineage's
    trimming. More than MOST_PATHS places are taken as the folder that holds them all.
    """
    if len(paths) > 1:
        paths = [path.rsplit("/", 1)[0] if _is_file(path) else path for path in paths]
    datasets = list(dict.fromkeys(file_dataset(path) for path in paths))
    if len(datasets) > MOST_PATHS:
        datasets = [_common_folder(datasets)]
    return tuple(NamedDataset(dataset) for dataset in datasets)


def _is_file(path: str) -> bool:
    return "." in path.rsplit("/", 1)[-1].strip(".")


def _common_folder(datasets: list[Dataset]) -> Dataset:
    parts = [dataset.name.split("/") for dataset in datasets]
    common = []
    for column in zip(*parts):
        if len(set(column)) > 1:
            break
        common.append(column[0])
    return Dataset(datasets[0].namespace, "/".join(common) or "/")


class Catalog:
    """What a session knows of its tables. Made once for a session, asked for each query."""

    def __init__(self, session: Java, jvm: Java, plans: PlanMemory | None = None) -> None:
        """For a SparkSession of the JVM; `plans` are the last ones of all sessions."""
        self.session = session
        self._jvm = jvm
        self._working = ""
        self.drops = Drops()
        self.creations: Expected[bool] = Expected()  # by IF NOT EXISTS: whether there was none
        self._catalogs: dict[str, tuple[str, dict[str, str]]] = {}
        self.leaves = LeafCache()  # what `reads.read_of` has found
        self.tables: dict[Dataset, Java] = {}  # of the query that is read now: those with versions
        self.plans = plans if plans is not None else PlanMemory()
        hadoop = session.sparkContext().hadoopConfiguration()
        implementation = str(session.conf().get(catalogs.IMPLEMENTATION, "in-memory"))
        self._session_catalog = catalogs.session_catalog(
            {
                **_found(self._setting, catalogs.SPARK_OPTIONS),
                catalogs.IMPLEMENTATION: implementation,
            },
            _found(lambda name: str(hadoop.get(name) or ""), catalogs.HADOOP_OPTIONS),
            os.environ,
        )

    def _setting(self, name: str) -> str:
        return str(self.session.conf().get(name, ""))

    def absolute(self, location: str) -> str:
        """A location with its file system: Spark keeps some as the user wrote them."""
        if not self._working and naming.absolute(location, "?") != location:
            configuration = self.session.sparkContext().hadoopConfiguration()
            files = self._jvm.org.apache.hadoop.fs.FileSystem.get(configuration)
            self._working = str(files.getWorkingDirectory().toString())
        return naming.absolute(location, self._working)

    def parsed(self, text: str) -> Java:
        """The plan of a SQL text, names not resolved."""
        return self.session.sessionState().sqlParser().parsePlan(text)

    def places(self, paths: Iterable[str]) -> tuple[NamedDataset, ...]:
        """The datasets behind the paths of one read or write, as the user wrote them."""
        return paths_named([self.absolute(path) for path in paths])

    def table(self, table: Java) -> NamedDataset:
        """A table of the session catalog: its location, and its name as a symlink."""
        location = option(table.storage().locationUri())
        if location is None:
            return self.created_table(table.identifier())
        return self._present(str(location.toString()), table, table.identifier())

    def created_table(self, identifier: Java) -> NamedDataset:
        """A table by its name: its location in the catalog, or the one that it would get."""
        table = self.metadata(identifier)
        if table is None:
            return self.default_table(identifier)
        location = option(table.storage().locationUri())
        if location is None:
            location = self.session.sessionState().catalog().defaultTablePath(identifier)
        return self._present(str(location.toString()), table, identifier)

    def metadata(self, identifier: Java) -> Java | None:
        """A table as the session's catalog has it; None if it is not there."""
        tables = self.session.sessionState().catalog()
        return tables.getTableMetadata(identifier) if tables.tableExists(identifier) else None

    def _present(self, location: str, table: Java, identifier: Java) -> NamedDataset:
        name, parts = _catalog_of(identifier), table_parts(identifier)
        database = _declared_table(table)
        if database is not None:  # a DROP leaves the database's own
            self.drops.saw(name, parts, None)
            return database
        return self._located(location, name, parts, keeps_files=_keeps_files(table))

    def _catalog_table(
        self, location: str, catalog: str, parts: list[str], about: str = ""
    ) -> NamedDataset:
        implementation, properties = self._properties_of(catalog)
        return catalogs.catalog_table(
            self._session_catalog,
            implementation,
            properties,
            catalog,
            parts,
            self.absolute(location) if location else "",
            about,
        )

    def default_table(self, identifier: Java) -> NamedDataset:
        """A table by its name, where it is unless someone has put it elsewhere."""
        location = self.session.sessionState().catalog().defaultTablePath(identifier)
        parts = table_parts(identifier)
        return self._catalog_table(str(location.toString()), _catalog_of(identifier), parts)

    def connected(self, table: Java, options: Java, purpose: str) -> NamedDataset | None:
        """A table of a connector, by its options and the session's; to `read` or to `write`."""
        rule = CONNECTED.get(short_class_name(table))
        if rule is None:
            return None
        return rule(table, lambda name: str(options.get(name) or self._setting(name)), purpose)

    def v2_table(self, relation: Java, purpose: str = "read") -> tuple[NamedDataset, ...]:
        """The datasets behind a DataSourceV2Relation; none where the table has no place."""
        table = relation.table()
        kind = short_class_name(table)
        if kind == "RowLevelOperationTable":  # the table that a MERGE, UPDATE or DELETE scans
            table = table.table()
        if kind in FILE_TABLES:
            return paths_named(
                [str(path.toString()) for path in seq(table.fileIndex().rootPaths())]
            )
        catalog, identifier = option(relation.catalog()), option(relation.identifier())
        if kind == "JDBCTable":
            return (self._jdbc_table(table, catalog, identifier),)
        if kind in CONNECTED:
            connected = self.connected(table, relation.options(), purpose)
            return (connected,) if connected else ()
        location = table.properties().get("location")
        if identifier is None or catalog is None:
            about = about_itself(table) if kind == "SparkTable" else ""
            return () if location is None else self.places([f"{location}{about}"])
        name, parts = str(catalog.name()), identifier_parts(identifier)
        if kind == "SparkChangelogTable":  # Iceberg's: `t.changes` are the rows of `t`
            named = self.loaded_table(catalog, self._above(identifier))
            return (named,) if named else ()
        parts, about = behind(table, parts) if kind == "SparkTable" else (parts, "")
        if location is not None:
            named = self._located(
                str(location), name, parts, about, keeps_files=_v2_keeps_files(table)
            )
        else:  # a table that is being created has no place yet
            named = self.by_name(name, parts)
        if named is not None:
            self.tables.setdefault(named.dataset, table)
        return (named,) if named else ()

    def _above(self, identifier: Java) -> Java:
        """The table below whose name there is a further one."""
        *above, name = identifier.namespace()
        identifiers = self._jvm.org.apache.spark.sql.connector.catalog.Identifier
        return identifiers.of(identifier.namespace()[: len(above)], name)

    def _jdbc_table(
        self, table: Java, catalog: Java | None, identifier: Java | None
    ) -> NamedDataset:
        options = table.jdbcOptions()
        parts = identifier_parts(identifier) if identifier is not None else []
        name: str | list[str] = parts or str(options.tableOrQuery())
        dataset = naming.jdbc_dataset(str(options.url()), name)
        configured = self._named_catalog(str(catalog.name())) if catalog is not None else None
        return NamedDataset(dataset, catalog=configured)

    def _named_catalog(self, name: str) -> CatalogName | None:
        return catalogs.catalog_of(self._session_catalog, *self._properties_of(name), name)

    def _located(
        self, location: str, catalog: str, parts: list[str], about: str = "", *, keeps_files: bool
    ) -> NamedDataset:
        """A table of any catalog, remembered for when it is dropped; `about` ends its name."""
        named = self._catalog_table(location, catalog, parts, about)
        self.drops.saw(catalog, parts, None if keeps_files else named)
        return named

    def _properties_of(self, catalog: str) -> tuple[str, dict[str, str]]:
        """A catalog's class, and those of its options that its tables' names come from."""
        if catalog not in self._catalogs:
            name = f"spark.sql.catalog.{catalog}"
            options = _found(lambda key: self._setting(f"{name}.{key}"), catalogs.CATALOG_OPTIONS)
            self._catalogs[catalog] = self._setting(name), options
        return self._catalogs[catalog]

    def loaded_table(self, catalog: Java, identifier: Java) -> NamedDataset | None:
        """A table that exists, by its name in a catalog."""
        return self._loaded(catalog.loadTable(identifier), catalog, identifier)

    def loaded_view(self, catalog: Java, identifier: Java) -> NamedDataset | None:
        """A view that exists, by its name in a catalog."""
        return self._loaded(catalog.loadView(identifier), catalog, identifier)

    def _loaded(self, table: Java, catalog: Java, identifier: Java) -> NamedDataset | None:
        return self.named(table, str(catalog.name()), identifier_parts(identifier))

    def named(self, table: Java, name: str, parts: list[str]) -> NamedDataset | None:
        """A loaded table by its place, else by its name in a catalog."""
        if short_class_name(table) == "V1Table" and _declared_table(table.v1Table()) is not None:
            return self._present("", table.v1Table(), table.v1Table().identifier())
        location = table.properties().get("location")
        if location is None:
            return self.by_name(name, parts)
        named = self._located(str(location), name, parts, keeps_files=_v2_keeps_files(table))
        self.tables.setdefault(named.dataset, table)
        return named

    def planned_table(self, identifier: Java) -> NamedDataset:
        """A table that may not exist yet, by its full name: where it is, or would be made."""
        name = _catalog_of(identifier)
        if not catalogs.is_separate(name, *self._properties_of(name)):
            return self.created_table(identifier)
        parts = table_parts(identifier)
        quoted = _quoted([name, *parts])
        if self.session.catalog().tableExists(quoted):
            leaves = self.session.table(quoted).queryExecution().analyzed().collectLeaves()
            datasets = self.v2_table(leaves.apply(0))
            if datasets:
                return datasets[0]
        return self.by_name(name, parts) or self._catalog_table("", name, parts)

    def by_name(self, catalog: str, parts: list[str]) -> NamedDataset | None:
        """A table that need not exist: where it would be; None where nothing tells."""
        implementation, properties = self._properties_of(catalog)
        if not catalogs.is_separate(catalog, implementation, properties):
            parser = self.session.sessionState().sqlParser()
            return self.created_table(parser.parseTableIdentifier(_quoted(parts)))
        if catalogs.has_own_identities(properties):
            return self._catalog_table("", catalog, parts)
        if implementation == catalogs.JDBC:
            dataset = naming.jdbc_dataset(properties.get("url", ""), parts)
            return NamedDataset(dataset, catalog=self._named_catalog(catalog))
        place = catalogs.default_location(properties, parts)
        return self._catalog_table(place, catalog, parts) if place else None


DECLARED = {"jdbc", "org.apache.spark.sql.jdbc"}  # providers whose tables are in a database


def provider_of(table: Java) -> str:
    """The provider of a table of the session catalog, in lower case."""
    return str(option(table.provider()) or "").lower()


def _declared_table(table: Java) -> NamedDataset | None:
    """The table of a database that one of the session catalog stands for; None of any other."""
    if provider_of(table) not in DECLARED:
        return None
    options = lowered(scala_map(table.storage().properties()))
    if not options.get("url") or not options.get("dbtable"):
        return None
    return NamedDataset(naming.jdbc_dataset(options["url"], options["dbtable"]))


FILE_TABLES = {"ParquetTable", "OrcTable", "CSVTable", "JsonTable", "TextTable", "AvroTable"}
METADATA_TABLES = {
    *("entries", "files", "data_files", "delete_files", "history", "metadata_log_entries"),
    *("snapshots", "refs", "manifests", "partitions", "position_deletes"),
    *("all_data_files", "all_delete_files", "all_files", "all_manifests", "all_entries"),
}
SELECTED = re.compile(r"(branch|tag)_.+|(snapshot_id|at_timestamp)_\d+", re.IGNORECASE)


def behind(table: Java, parts: list[str]) -> tuple[list[str], str]:
    """The name of a table of Iceberg's, and what sets a table about it apart from the table itself.

    Below a table's name stand its branches, tags and times, which are the table, and tables about
    it, e.g. `t.snapshots`: those are other datasets, as `#snapshots` behind a path says too.
    """
    last = parts[-1].rpartition("#")[2].lower()
    if last in METADATA_TABLES and short_class_name(table.table()) != "BaseTable":
        return parts, f"#{last}"
    if SELECTED.fullmatch(last) and not str(table.name()).lower().endswith(f".{last}"):
        return parts[:-1], ""
    return parts, ""


def about_itself(table: Java) -> str:
    """What a table of Iceberg's that has no name in a catalog tells about another one."""
    last = re.split("[.#]", str(table.name()))[-1].lower()
    is_about = last in METADATA_TABLES and short_class_name(table.table()) != "BaseTable"
    return f"#{last}" if is_about else ""


def _found(setting: Setting, names: Iterable[str]) -> dict[str, str]:
    return {name: value for name in names if (value := setting(name))}


def is_external(table: Java) -> bool:
    """Whether the files of a table of the session catalog do not belong to it."""
    return str(table.tableType().name()) == "EXTERNAL"


def _keeps_files(table: Java) -> bool:
    """Whether a DROP of a table of the session catalog leaves its files; Hive 3 can remove them."""
    return is_external(table) and not _is_true(option(table.properties().get(PURGED)))


def _v2_keeps_files(table: Java) -> bool:
    """The same of a table of any catalog: Spark's and Delta's tables have a property."""
    properties = table.properties()
    return _is_true(properties.get("external")) and not _is_true(properties.get(PURGED))


def _is_true(setting: Java | None) -> bool:
    return str(setting).lower() == "true"


def _quoted(parts: Iterable[str]) -> str:
    return ".".join("`" + part.replace("`", "``") + "`" for part in parts)


def _catalog_of(identifier: Java) -> str:
    """The catalog of a TableIdentifier; before Spark 3.4 there is only the session's."""
    catalog = option(identifier.catalog()) if identifier.productArity() > 2 else None
    return str(catalog) if catalog else SESSION_CATALOG


def table_parts(identifier: Java) -> list[str]:
    """The database, if there is one, and the name of a TableIdentifier."""
    database = option(identifier.database())
    return [*([str(database)] if database else []), str(identifier.table())]


def identifier_parts(identifier: Java) -> list[str]:
    """The namespace and name of a table in a catalog."""
    return [*(str(part) for part in identifier.namespace()), str(identifier.name())]

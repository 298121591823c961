"""Which datasets a leaf of a plan reads: the tables READS (plan nodes) and RELATIONS.

The JVM is asked only for what a leaf's JSON lacks: its paths, its table's location, its URL.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator

from airflow_colgraph.collector.model import Columns, Dataset, NamedDataset, Read
from airflow_colgraph.collector.naming.datasets import jdbc_dataset
from airflow_colgraph.collector.plan import Node, Row, expr_id, output_of
from airflow_colgraph.collector.registry import Registry, register
from airflow_colgraph.collector.spark.catalog import DECLARED, Catalog, about_itself, paths_named
from airflow_colgraph.collector.spark.jvm import Java, option, seq, short_class_name
from airflow_colgraph.collector.spark.table_versions import selected_version
from airflow_colgraph.openlineage.redaction import in_text, without_credentials

ReadRule = Callable[[Java, Row, Catalog], "Read | None"]

READS: Registry[ReadRule] = Registry()
RELATIONS: Registry[ReadRule] = Registry()


CONSTANT = Read((), (), {}, "constant")  # what an RDD of the program's own data reads


def attributes_of(row: Row) -> Columns:
    """The columns of a leaf: (name, type) of its output."""
    return tuple((attribute["name"], attribute["dataType"]) for attribute in output_of(row))


def table_columns(row: Row, names: Callable[[], Collection[str]]) -> Columns:
    """The columns of a leaf without those that are Spark's or the table format's own: `_file`.

    Their names begin with an underscore; only where there are such columns, `names` is asked for
    those of the table.
    """
    columns = attributes_of(row)
    if not any(may_be_metadata(name) for name, _ in columns):
        return columns
    own = names()
    return tuple((name, kind) for name, kind in columns if not may_be_metadata(name) or name in own)


def may_be_metadata(name: str) -> bool:
    """Whether a column may be no column of the table, by its name."""
    return name.startswith("_")


def metadata_columns(node: Node, read: Read) -> Iterator[int]:
    """The attributes of a leaf that are no columns of what it reads."""
    if node.kind in LASTING and read.columns:
        own = {name for name, _ in read.columns}
        for row in node.output():
            if may_be_metadata(row["name"]) and row["name"] not in own:
                yield expr_id(row)


FEEDS = {"DeltaCDFRelation", "SparkChangelogTable"}  # a table's rows with what became of each
OF_FEEDS = {
    *("_change_type", "_commit_version", "_commit_timestamp"),  # Delta's
    *("_change_ordinal", "_commit_snapshot_id"),  # Iceberg's, and the first
}


def own_columns(relation: Java, names: Iterable[str]) -> list[str]:
    """The names of a relation's columns that are the table's own."""
    others = OF_FEEDS if short_class_name(relation) in FEEDS else ()
    return [name for name in names if name not in others]


LASTING = {"LogicalRelation", "DataSourceV2Relation"}  # the same ids are the same relation
MOST_ALIKE = 3  # leaves of one plan with the same columns that a further one is compared with


class Leaves:
    """The leaves of one plan in the JVM, from left to right."""

    def __init__(self, plan: Java) -> None:
        """Nothing is asked for yet."""
        self._plan = plan
        self._leaves: Java | None = None
        self._relations: dict[int, Java] = {}
        self._alike: dict[str, list[tuple[int, Read | None]]] = {}

    def at(self, index: int) -> Java:
        """The leaf at a place."""
        if self._leaves is None:
            self._leaves = self._plan.collectLeaves()
        return self._leaves.apply(index)

    def found_before(self, index: int, row: Row) -> tuple[Read | None] | None:
        """What another leaf with the same relation reads, if any: Spark compares the two."""
        for other, read in self._alike.get(appearance(row), ()):
            if self._relation(index).equals(self._relation(other)):
                return (read,)
        return None

    def remember(self, index: int, row: Row, read: Read | None) -> None:
        """Compare later leaves that look the same with this one, too."""
        alike = self._alike.setdefault(appearance(row), [])
        alike.append((index, read))
        del alike[:-MOST_ALIKE]

    def _relation(self, index: int) -> Java:
        if index not in self._relations:
            self._relations[index] = self.at(index).relation()
        return self._relations[index]


def appearance(row: Row) -> str:
    """What one sees of a relation in its JSON: its columns and its table."""
    return json.dumps([attributes_of(row), row.get("catalogTable")])


def read_of(node: Node, leaves: Leaves, index: int, catalog: Catalog) -> Read | None:
    """What the leaf at `index` reads; the JVM is asked once, however many plans have it.

    Spark gives a relation new ids when it meets it a second time beside the first. So a union of
    300 parts of one frame has 300 leaves that are compared, and one that is asked for; a loop that
    joins a frame to itself has one new leaf a turn.
    """
    rule = READS[node.kind]
    if node.kind not in LASTING:
        return rule(leaves.at(index), node.row, catalog)
    key = (node.kind, tuple((expr_id(row), row["name"]) for row in node.output()))
    answer = catalog.leaves.get(key)
    if answer is None:
        if node.kind == "LogicalRelation":
            answer = leaves.found_before(index, node.row)
        answer = answer or (rule(leaves.at(index), node.row, catalog),)
        catalog.leaves.keep(key, *answer)
    (read,) = answer
    if node.kind == "LogicalRelation":
        leaves.remember(index, node.row, read)
    return read


@register(READS, "LogicalRelation")
def _logical_relation(leaf: Java, row: Row, catalog: Catalog) -> Read | None:
    table = row.get("catalogTable")
    provider = str(table.get("provider") or "") if table else ""
    if table and provider.lower() not in DECLARED:
        relation = leaf.relation()
        columns = table_columns(row, lambda: own_columns(relation, relation.schema().fieldNames()))
        named = catalog.table(option(leaf.catalogTable()))
        if provider.lower() == "delta" and is_of_files(relation):
            return Read(at_version([named], relation.location()), columns, {}, provider)
        return Read((named,), columns, {}, provider)
    if table:
        catalog.table(option(leaf.catalogTable()))  # for when it is dropped
    relation = leaf.relation()
    rule = RELATIONS.get(short_class_name(relation)) or RELATIONS.get(base_class_name(relation))
    return rule(relation, row, catalog) if rule else None


FILES = "HadoopFsRelation"


def is_of_files(relation: Java) -> bool:
    """Whether a relation lists files: Delta's own class extends Spark's."""
    return FILES in (short_class_name(relation), base_class_name(relation))


def at_version(datasets: Iterable[NamedDataset], table: Java) -> tuple[NamedDataset, ...]:
    """The datasets of a table, with the version that the plan names."""
    version = selected_version(table)
    return tuple(named._replace(version=version) for named in datasets)


def base_class_name(relation: Java) -> str:
    """The class that a relation extends: Delta's are files with something added, without a name."""
    return str(relation.getClass().getSuperclass().getSimpleName())


@register(RELATIONS, "HadoopFsRelation")
def _files(relation: Java, row: Row, catalog: Catalog) -> Read | None:
    columns = table_columns(row, lambda: list(relation.schema().fieldNames()))
    location = relation.location()
    paths = [str(path.toString()) for path in seq(location.rootPaths())]
    is_own = any("/_delta_log" in path for path in paths) and is_delta_index(location)
    form = DELTA_LOG if is_own else form_of(relation, location)
    datasets = paths_named(paths)
    if form == "delta":
        datasets = at_version(datasets, location)
    return Read(datasets, columns, {}, form)


def form_of(relation: Java, location: Java) -> str:
    """The format of files; those of a Delta table are Parquet, which Delta lists itself."""
    is_delta = short_class_name(location).startswith("Tahoe")
    return "delta" if is_delta else str(relation.toString()).lower()


DELTA_LOG = "delta log"  # the format of what Delta itself reads to find a table's files
ICEBERG_OWN = "iceberg metadata"  # and of what Iceberg's procedures do


def is_delta_index(location: Java) -> bool:
    """Whether Delta lists the files of its log; a query that reads a log lists them as others."""
    return short_class_name(location) == "DeltaLogFileIndex"


@register(RELATIONS, "DeltaCDFRelation")
def _delta_changes(relation: Java, row: Row, catalog: Catalog) -> Read | None:
    columns = table_columns(row, lambda: own_columns(relation, relation.schema().fieldNames()))
    path = relation.snapshotWithSchemaMode().snapshot().deltaLog().dataPath()
    return Read(paths_named([str(path.toString())]), columns, {}, "delta")


@register(READS, "HiveTableRelation")
def _hive_table(leaf: Java, row: Row, catalog: Catalog) -> Read | None:
    return Read((catalog.table(leaf.tableMeta()),), attributes_of(row), {}, "hive")


@register(READS, "DataSourceV2Relation")
def _v2_relation(leaf: Java, row: Row, catalog: Catalog) -> Read | None:
    named = catalog.v2_table(leaf)
    table = leaf.table()
    is_own = option(leaf.identifier()) is None and short_class_name(table) == "SparkTable"
    form = ICEBERG_OWN if is_own and about_itself(table) else ""
    columns = table_columns(
        row, lambda: own_columns(table, (str(column.name()) for column in table.columns()))
    )
    if not named:
        return None
    return Read(at_version(named, table), columns, {}, form)


# Databases ------------------------------------------------------------------------------------


@register(RELATIONS, "JDBCRelation")
def _jdbc(relation: Java, row: Row, catalog: Catalog) -> Read | None:
    options = relation.jdbcOptions()
    named, properties = jdbc_source(str(options.url()), str(options.tableOrQuery()))
    return Read((named,), attributes_of(row), properties, "jdbc")


def jdbc_source(url: str, source: str) -> tuple[NamedDataset, dict[str, str]]:
    """What a JDBC relation reads: a table by its name, or the text of a query.

    A query's tables are found where there is a SQL parser (`airflow_colgraph.sql`); until then the
    query itself stands for them, under a name built from its text.
    """
    properties = {"url": without_credentials(url)}
    if is_table(source):
        return NamedDataset(jdbc_dataset(url, source)), {**properties, "dbtable": source}
    namespace, name = jdbc_dataset(url, "query")
    database = name.rpartition("query")[0].rstrip(".")
    named, query = query_source(namespace, query_text(source))
    return named, {**properties, "database": database, **query}


def query_source(namespace: str, text: str) -> tuple[NamedDataset, dict[str, str]]:
    """A query that stands for the tables that it reads, and its text."""
    shown = in_text(text, quoted_only=True)
    digest = hashlib.sha256(shown.encode()).hexdigest()[:12]
    return NamedDataset(Dataset(namespace, f"query:{digest}")), {"query": shown}


def is_table(source: str) -> bool:
    """Whether `dbtable` is a name: quotes may hold anything, else there is no space or bracket."""
    plain = "".join(source.split('"')[::2])
    return not any(letter in plain for letter in " \t\n(),")


def query_text(source: str) -> str:
    """The query in `(SELECT ...) alias`, or a query that reads what `source` joins or aliases."""
    text = source.strip()
    if text.startswith("(") and ")" in text:
        return text[1 : text.rindex(")")].strip()
    return f"SELECT * FROM {text}"

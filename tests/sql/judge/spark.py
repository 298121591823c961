"""Spark SQL as a database: a session of its own, which has no collector.

Its tables are in the catalog in memory with which Spark tests its own UPDATE, DELETE and MERGE.
Their rows are put there without a job; what CREATE TABLE AS makes is the result of its query.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tests.sql.judge.dialects import DIALECTS, KEYED, Columns
from tests.sql.judge.engines import Engine, Ran, Row
from tests.sql.judge.statements import TARGETS

CATALOG, DEFAULT = "mem", "default"
IN_MEMORY = "org.apache.spark.sql.connector.catalog.InMemoryRowLevelOperationTableCatalog"
BY_PARTITIONS = "org.apache.spark.sql.execution.datasources.v2.OptimizeMetadataOnlyDeleteFromTable"
WRITTEN = {*TARGETS, KEYED}
KEPT = 2000  # tables' rows as Spark has them


class Spark(Engine):
    """A session with the catalog in memory."""

    number, text, array = "INT", "STRING", "ARRAY<{}>"  # as the type of literals

    def __init__(self, spark: Any) -> None:
        """With the session, which has the catalog."""
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        self.errors = (PySparkException, Py4JError)
        self.spark, self.jvm = spark, spark._jvm
        self.connector = self.jvm.org.apache.spark.sql.connector.catalog
        self.results: dict[str, Any] = {}  # of CREATE TABLE AS, by name
        self.rows_of: dict[str, list[Row]] = {}  # what tables have
        self.converted: dict[str, Any] = {}  # rows as Spark has them, by the query that makes them
        for schema in (DEFAULT, "prev", "curr"):
            self.execute(f"CREATE SCHEMA IF NOT EXISTS {CATALOG}.{schema}")
        self.execute(f"USE {CATALOG}.{DEFAULT}")
        super().__init__(DIALECTS["spark"])
        self.stored = {key: self.table(key) for key in self.dialect.tables}

    def create(self, key: str, columns: Columns) -> str:
        return super().create(key, columns).replace(" PRIMARY KEY", " NOT NULL")

    def execute(self, text: str) -> list[Row]:
        head, _, query = text.partition(" AS ")
        if not head.startswith("CREATE TABLE ") or "(" in head:
            return [tuple(row) for row in self.spark.sql(text).collect()]
        name = head.split()[-1]
        self.results[name] = self.spark.sql(query)
        self.results[name].createOrReplaceTempView(name)
        return []

    def literal(self, value: Any) -> str:
        if isinstance(value, list):
            return f"array({', '.join(map(self.literal, value))})"
        return super().literal(value).replace("\\", "\\\\")

    def new_array(self, kind: Any, item: Any) -> Any:
        """A Java array of one item."""
        array = self.spark.sparkContext._gateway.new_array(kind, 1)
        array[0] = item
        return array

    def table(self, key: str) -> Any:
        """Spark's own object of a table."""
        schema, _, name = key.rpartition(".")
        catalog = self.spark._jsparkSession.sessionState().catalogManager().catalog(CATALOG)
        namespace = self.new_array(self.jvm.java.lang.String, schema or DEFAULT)
        return catalog.loadTable(self.connector.Identifier.of(namespace, name))

    def fill(self, key: str, rows: Sequence[Row]) -> None:
        self.rows_of[key] = list(rows)
        kinds = self.dialect.tables[key]
        lines = ", ".join(f"({', '.join(map(self.literal, row))})" for row in rows)
        values = ", ".join(f"CAST(`{n}` AS {self.kind(k)}) AS `{n}`" for n, k in kinds.items())
        query = f"SELECT {values} FROM VALUES {lines} AS t(`{'`, `'.join(kinds)}`)"
        if len(self.converted) > KEPT:
            self.converted.clear()
        if query not in self.converted:
            self.converted[query] = self.buffered(query)
        self.stored[key].dataMap().clear()
        self.stored[key].withData(self.converted[query])

    def buffered(self, query: str) -> Any:
        """The rows of VALUES as Spark has them, which needs no job."""
        frame = self.spark.sql(query)._jdf
        nothing = self.jvm.org.apache.spark.api.python.PythonUtils.toSeq([])
        rows = self.connector.BufferedRows(nothing, frame.schema())
        for row in frame.queryExecution().executedPlan().executeCollect():
            rows.withRow(row.copy())
        return self.new_array(self.connector.BufferedRows, rows)

    def run(self, statements: Sequence[str], tables: Sequence[str]) -> dict[str, Ran] | None:
        text = " ".join(statements).lower()
        is_query = all(statement.startswith("CREATE ") for statement in statements)
        named = {key for key in WRITTEN if key.split(".")[-1].lower() in text}
        written = set() if is_query else named
        try:
            for statement in statements:
                self.execute(statement)
            return {key: self.ran(key, key in written) for key in tables}
        except self.errors as error:
            self.error = str(error).strip().partition("\n")[0]
            return None
        finally:
            for key in written:
                self.loaded.pop(key, None)
            self.reset()

    def ran(self, key: str, is_written: bool) -> Ran:
        """What a table had and has: other rows only if a statement may have written it."""
        if key in self.results:
            frame = self.results[key]
            return Ran([], [tuple(row) for row in frame.collect()], frame.columns)
        before = self.rows_of[key]
        after = self.rows(key) if is_written else before
        return Ran(before, after, list(self.dialect.tables[key]))

    def version(self) -> str:
        return f"Spark SQL {self.spark.version}"

    def reset(self) -> None:
        for name in (*self.results, "view_1"):
            self.spark.catalog.dropTempView(name)
        self.results.clear()


@contextmanager
def spark() -> Iterator[Spark]:
    """A session in a JVM of its own, which ends."""
    import pyspark
    from pyspark.sql import SparkSession

    from tests.spark.golden.suite import jar
    from tests.spark.perturb.session import SETTINGS
    from tests.spark.session import end_jvm

    with tempfile.TemporaryDirectory(prefix="colgraph-judge-") as folder:
        end_jvm()
        settings = {
            **SETTINGS,
            "spark.driver.extraJavaOptions": "-XX:ReservedCodeCacheSize=240m",
            "spark.jars": str(jar(pyspark.__version__, module="spark-catalyst")),
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "1",
            "spark.sql.warehouse.dir": folder,
            "spark.sql.catalogImplementation": "in-memory",
            "spark.sql.optimizer.excludedRules": BY_PARTITIONS,
            f"spark.sql.catalog.{CATALOG}": IN_MEMORY,
        }
        builder = SparkSession.builder.master("local[1]")
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        try:
            yield Spark(session)
        finally:
            session.stop()
            end_jvm()

"""The formats of a version's tables: Parquet files, or tables of Iceberg or Delta at a path.

Each table of a version is written once, in one commit of its own format, and never changed, so
that the warehouse's own commit decides which version is current in each format.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from airflow_colgraph.warehouse.errors import WarehouseError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PARQUET = "parquet"
# Of Iceberg's catalog in which a version is a namespace; only in the sessions that we make.
CATALOG = "colgraph_warehouse"
Write = Callable[["DataFrame", str, Sequence[str]], None]


class Format(NamedTuple):
    """How tables are written, and what it needs.

    Attributes:
        write: Writes the rows as a new table at a path, partitioned by columns.
        settings: Runtime settings of the session.
        options: Options of a read.
        source: The class that Spark finds where the format's jar is.
        package: The Maven artifact that has it, with the versions of Spark and Scala left open.
    """

    write: Write
    settings: dict[str, str]
    options: dict[str, str]
    source: str
    package: str


def _save(format: str) -> Write:
    def write(frame: DataFrame, path: str, partitions: Sequence[str]) -> None:
        frame.write.format(format).partitionBy(*partitions).save(path)

    return write


def _create(frame: DataFrame, path: str, partitions: Sequence[str]) -> None:
    """A table of Iceberg's Hadoop catalog: it is at the path, without a metastore."""
    from pyspark.sql import functions as F

    warehouse, namespace, name = path.rsplit("/", 2)
    frame.sparkSession.conf.set(f"spark.sql.catalog.{CATALOG}.warehouse", warehouse)
    # `writeTo` takes the plan as it was parsed, in which frames of `sql` are views that are gone.
    writer = frame.select("*").writeTo(f"{CATALOG}.`{namespace}`.`{name}`")
    if partitions:
        writer = writer.partitionedBy(*(F.col(name) for name in partitions))
    # Rows stay in the tasks that made them, where Iceberg would bring a partition's into one.
    writer = writer.tableProperty("write.distribution-mode", "none")
    writer.tableProperty("write.spark.fanout.enabled", "true").create()


FORMATS = {
    PARQUET: Format(_save(PARQUET), {}, {}, "", ""),
    "iceberg": Format(
        _create,
        {
            f"spark.sql.catalog.{CATALOG}": "org.apache.iceberg.spark.SparkCatalog",
            f"spark.sql.catalog.{CATALOG}.type": "hadoop",
        },
        # Spark 4.1 loads a table of a catalog again, under other attribute ids, for each use of a
        # frame in SQL (SPARK-53924), and then cannot resolve queries that use a frame twice. It
        # leaves tables with a version as they are.
        {"versionAsOf": "main"},
        "org.apache.iceberg.spark.SparkCatalog",
        "org.apache.iceberg:iceberg-spark-runtime-SPARK_SCALA",
    ),
    "delta": Format(
        _save("delta"),
        {
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
            # A table has one commit, so its list of files is short.
            "spark.databricks.delta.snapshotPartitions": "1",
        },
        {},
        "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "io.delta:delta-spark_SPARK_SCALA",
    ),
}


def read(spark: SparkSession, format: str, path: str, schema: str | None = None) -> DataFrame:
    """The table at a path; WarehouseError if the format's jar is missing.

    The schema is for Parquet: a partitioned table without rows has no file that states one.
    """
    _prepare(spark, format)
    reader = spark.read.format(format).options(**FORMATS[format].options)
    if schema and format == PARQUET:
        reader = reader.schema(schema)
    return reader.load(path)


def write(frame: DataFrame, format: str, path: str, partitions: Sequence[str] = ()) -> None:
    """Write a new table at a path; WarehouseError if the format's jar is missing."""
    _prepare(frame.sparkSession, format)
    FORMATS[format].write(frame, path, partitions)


def _prepare(spark: SparkSession, format: str) -> None:
    wanted = FORMATS[format]
    if not wanted.source:
        return
    loader = spark._jvm.java.lang.Thread.currentThread().getContextClassLoader()
    if not loader.getResource(f"{wanted.source.replace('.', '/')}.class"):
        raise WarehouseError(
            f"Spark has no jar for tables of the format {format}. Name it: "
            f"--conf spark.jars.packages={wanted.package}:VERSION"
        )
    for name, value in wanted.settings.items():
        spark.conf.set(name, value)

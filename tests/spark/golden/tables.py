"""What the suite registers before a file is run: its test tables and its functions."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.functions import pandas_udf

from oracles.tpc import spark_tables
from tests.spark.golden.suite import TPC, File, Suite

NUMBERS = (
    "unique1 unique2 two four ten twenty hundred thousand twothousand fivethous tenthous odd even"
)
WIDE = ", ".join(
    [*(f"{n} int" for n in NUMBERS.split()), "stringu1 string, stringu2 string, string4 string"]
)
DATA = {"aggtest": ("agg", "a int, b float"), "onek": ("onek", WIDE), "tenk1": ("tenk", WIDE)}
MADE = {
    "testdata": "SELECT CAST(id AS INT) AS key, CAST(id AS STRING) AS value FROM range(1, 101)",
    "arraydata": "SELECT * FROM VALUES (array(1, 2, 3), array(array(1, 2, 3))), "
    "(array(2, 3, 4), array(array(2, 3, 4))) AS t(arraycol, nestedarraycol)",
    "mapdata": "SELECT map_from_entries(transform(sequence(1, 6 - n), "
    "i -> struct(i, char(96 + i) || n))) AS mapcol FROM VALUES (1), (2), (3), (4), (5) AS t(n)",
}
TABLES = (*MADE, *DATA)


def create_tables(spark: SparkSession, suite: Suite, folder: Path, suites: set[str]) -> None:
    """The test tables; those of TPC-DS and TPC-H, without rows, where their suites are wanted."""
    for name, query in MADE.items():
        spark.sql(query).repartition(1).write.saveAsTable(name)
    for name, (file, columns) in DATA.items():
        path = suite.data(f"{file}.data", folder)
        frame = spark.read.csv(str(path), schema=columns, sep="\t")
        frame.repartition(1).write.saveAsTable(name)
    for database, made in spark_tables(suite.path).items() if suites & set(TPC) else ():
        spark.sql(f"CREATE DATABASE {database}")
        for name, columns in made.items():
            spark.sql(f"CREATE TABLE {database}.{name} ({columns}) USING parquet")


def prepare(spark: SparkSession, file: File, version: tuple[int, int]) -> None:
    """A session as the suite prepares one for a file: its functions and settings."""
    spark.udf.register("udf", lambda value: None if value is None else str(value), "string")
    if file.suite == "udaf":
        by_series = pandas_udf(lambda v: v.mean(), "double")  # type: ignore[call-overload]
        spark.udf.register("udaf", by_series)
    if "postgreSQL" in file.suite:
        spark.udf.register("booleq", lambda a, b: a == b, "boolean")
        spark.udf.register("boolne", lambda a, b: a != b, "boolean")
        spark.udf.register("vol", lambda s: s, "string")
        spark.conf.set("spark.sql.legacy.interval.enabled", "true")
    if "timestampNTZ" in file.suite:
        spark.conf.set("spark.sql.timestampType", "TIMESTAMP_NTZ")
    spark.conf.set("spark.sql.ansi.enabled", str(is_ansi(file, version)).lower())
    if file.suite in TPC:
        spark.sql(f"USE {'tpch' if file.suite == 'tpch' else 'tpcds'}")


def is_ansi(file: File, version: tuple[int, int]) -> bool:
    """Whether the suite runs a file in ANSI mode: from Spark 4.0 on all but a few."""
    if version < (4, 0):
        return file.suite.startswith(("ansi", "postgreSQL", "udf/postgreSQL"))
    return file.suite != "nonansi"


def clean(spark: SparkSession) -> None:
    """Drop what a file has left behind."""
    spark.sql("USE default")
    for (name,) in spark.sql("SHOW DATABASES").collect():
        if name not in ("default", "tpch", "tpcds"):
            spark.sql(f"DROP DATABASE IF EXISTS `{name}` CASCADE")
    views = {row.viewName for row in spark.sql("SHOW VIEWS IN default").collect()}
    for row in spark.sql("SHOW TABLES IN default").collect():
        if row.tableName not in TABLES and not row.isTemporary:
            kind = "VIEW" if row.tableName in views else "TABLE"
            spark.sql(f"DROP {kind} IF EXISTS default.`{row.tableName}`")
    for row in spark.sql("SHOW VIEWS IN global_temp").collect():
        if row.namespace == "global_temp":
            spark.catalog.dropGlobalTempView(row.viewName)

"""Tables that the job itself writes by JDBC: writes are skipped, later reads know the columns.

A table that is overwritten has the columns that were written. Any other write adds rows to a table
that the database may have, so that the database is asked first. A table that the user has described
has those columns, and no database is asked.
"""

from __future__ import annotations

from functools import partial
from inspect import signature
from typing import Any, NamedTuple

from airflow_colgraph.collector.dry_run.python_api import frame_class, replace
from airflow_colgraph.collector.dry_run.schemas import reader_options, scala_options
from airflow_colgraph.collector.naming.options import lowered
from airflow_colgraph.collector.spark.jvm import loaded_class, private_of

RELATION = "org.apache.spark.sql.execution.datasources.jdbc.JDBCRelation"
PARAMETERS_WITH_METRICS = 5  # of its constructor, since Spark 4.1
NO_DRIVER = "java.lang.Object"  # JDBCOptions loads the class that it names, and nothing connects
Key = tuple[str, str]


class Target(NamedTuple):
    """What the job has written into a table, and whether it has replaced the table."""

    schema: Any
    is_replaced: bool


class Databases:
    """The targets of the job, by URL and table."""

    def __init__(self, described: dict[str, str]) -> None:
        """Nothing is written yet; `described` are the user's columns, as DDL, by table."""
        self._described = {name.lower(): ddl for name, ddl in described.items()}
        self._targets: dict[Key, Target] = {}

    def attach(self) -> None:
        """Replace the methods for this process."""
        from pyspark.sql import DataFrameReader, DataFrameWriter

        for name in ("jdbc", "save"):
            replace(DataFrameWriter, name, self._writing)
        for name in ("jdbc", "load"):
            replace(DataFrameReader, name, partial(self._reading, name))

    def _writing(self, original: Any) -> Any:
        def write(writer: Any, *arguments: Any, **options: Any) -> Any:
            returned = original(writer, *arguments, **options)
            java = writer._jwrite
            settings = {**scala_options(private_of(java, "extraOptions")), **lowered(options)}
            if is_jdbc(private_of(java, "source")):
                mode = str(private_of(java, "mode").toString()).lower()
                keeps = str(settings.get("truncate", "")).lower() == "true"
                target = Target(writer._df.schema, mode == "overwrite" and not keeps)
                self._targets[key_of(settings)] = target
            return returned

        return write

    def _reading(self, name: str, original: Any) -> Any:
        from py4j.protocol import Py4JJavaError
        from pyspark.sql.types import _parse_datatype_string
        from pyspark.sql.utils import AnalysisException

        def read(reader: Any, *arguments: Any, **options: Any) -> Any:
            settings = settings_of(name, original, reader, arguments, options)
            if not settings:
                return original(reader, *arguments, **options)
            key = key_of(settings)
            target, ddl = self._targets.get(key), self._described.get(key[1])
            if target is None and ddl is not None:
                return frame_of(reader._spark, _parse_datatype_string(ddl), settings)
            if target is None:
                return original(reader, *arguments, **options)
            if target.is_replaced:
                return frame_of(reader._spark, target.schema, settings)
            try:
                return original(reader, *arguments, **options)
            except (AnalysisException, Py4JJavaError):  # no such table, or no such database here
                return frame_of(reader._spark, target.schema, settings)

        return read


def is_jdbc(source: Any) -> bool:
    """Whether a format is Spark's JDBC."""
    return str(source).lower() in ("jdbc", "org.apache.spark.sql.execution.datasources.jdbc")


def key_of(settings: dict[str, Any]) -> Key:
    """What tells a table from others."""
    return str(settings.get("url")), str(settings.get("dbtable")).lower()


def settings_of(
    name: str, original: Any, reader: Any, arguments: Any, options: dict[str, Any]
) -> dict[str, Any]:
    """The options with which a table is read by JDBC; empty for any other read."""
    bound = signature(original).bind(reader, *arguments, **options).arguments
    settings = reader_options(reader)
    if name == "jdbc":
        return {**settings, "url": bound["url"], "dbtable": bound["table"]}
    source = bound.get("format") or private_of(reader._jreader, "source")
    return {**settings, **lowered(bound.get("options", {}))} if is_jdbc(source) else {}


def frame_of(spark: Any, schema: Any, settings: dict[str, Any]) -> Any:
    """A frame of a table with this schema, for which no database is asked."""
    jvm, session = spark._jvm, spark._jsparkSession
    package = jvm.org.apache.spark.sql.execution.datasources.jdbc
    names = {**settings, "driver": NO_DRIVER}
    options = package.JDBCOptions(jvm.PythonUtils.toScalaMap(names))
    partitions = spark.sparkContext._gateway.new_array(jvm.org.apache.spark.Partition, 0)
    java_schema = jvm.org.apache.spark.sql.types.DataType.fromJson(schema.json())
    values = [java_schema, partitions, options]
    constructor = loaded_class(session, RELATION).getConstructors()[0]
    if constructor.getParameterCount() == PARAMETERS_WITH_METRICS:
        values.append(jvm.PythonUtils.toScalaMap({}))
    relation = package.JDBCRelation(*values, session)
    return frame_class()(session.baseRelationToDataFrame(relation), spark)

"""Answers about a whole version as tables: each question is computed once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from airflow_colgraph.warehouse.closure import current
from airflow_colgraph.warehouse.folder import Folder, Version
from airflow_colgraph.warehouse.session import own

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Tables:
    """The tables of a version, and queries over them."""

    def __init__(self, spark: SparkSession, version: Version) -> None:
        """Nothing is read yet."""
        self._spark, self._version = spark, version

    def table(self, name: str) -> DataFrame:
        """A table of the version."""
        return self._version.table(self._spark, name)

    def sql(self, text: str, **frames: DataFrame) -> DataFrame:
        """The rows of a query; in it `{name}` is a frame, or a table of the version."""
        names = [name for name in TABLES if f"{{{name}}}" in text and name not in frames]
        return self._spark.sql(text, **frames, **{name: self.table(name) for name in names})


TABLES = (
    "bodies",
    "datasets",
    "edges",
    "fields",
    "incomplete",
    "jobs",
    "occurrences",
    "readings",
    "schemas",
    "transformations",
)


def answered(
    spark: SparkSession,
    warehouse: str,
    kind: str,
    asked: list[Any],
    answer: Callable[[Tables], DataFrame],
) -> str:
    """Write the answer to a question about the current version; returns the table's path."""
    session = own(spark)
    folder = Folder(session, warehouse)
    version = current(folder)
    name = f"{version.answer(kind, asked)}/answer"
    if not folder.exists(f"{name}/_SUCCESS"):
        rows = answer(Tables(session, version))
        rows.write.mode("overwrite").parquet(f"{folder.path}/{name}")
    return f"{folder.path}/{name}"


def millis(at: int) -> str:
    """The time as an SQL expression."""
    return f"timestamp_millis({at})"

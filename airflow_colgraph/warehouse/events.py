"""Event logs: which files are new, and their lines as rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from airflow_colgraph.warehouse.errors import WarehouseError
from airflow_colgraph.warehouse.event_rows import parse
from airflow_colgraph.warehouse.row_schema import ROW, ddl

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

GLOB = re.compile(r"([{}\[\]*?\\])")
FILES = "file string, bytes bigint, modified timestamp"


def listed(spark: SparkSession, paths: Sequence[str]) -> DataFrame:
    """Every file at or below the paths: `path` to read it by, and columns as in FILES.

    Names that begin with `_` or `.` are left out, as everywhere in Spark.
    """
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions as F

    if not paths:
        return spark.createDataFrame([], f"path string, {FILES}")
    try:
        files = (
            spark.read.format("binaryFile")  # lists; the content, which is not selected, stays
            .option("recursiveFileLookup", "true")
            .load([GLOB.sub(r"\\\1", path) for path in paths])
        )
    except AnalysisException as error:
        if "PATH_NOT_FOUND" not in str(error):
            raise
        raise WarehouseError(f"There are no events at {' or '.join(paths)}.") from None
    return files.select(
        "path",
        F.col("_metadata.file_path").alias("file"),
        F.col("_metadata.file_size").alias("bytes"),
        F.col("_metadata.file_modification_time").alias("modified"),
    ).dropDuplicates(["file"])


def unread(files: DataFrame, manifest: DataFrame | None) -> DataFrame:
    """The files that are not in the manifest as they are now: new ones, and ones that grew."""
    if manifest is None:
        return files
    return files.join(manifest, ["file", "bytes", "modified"], "left_anti")


def lines(spark: SparkSession, paths: Sequence[str]) -> DataFrame:
    """The lines of the files, with the columns `file` and `line` (bytes)."""
    from pyspark.sql import functions as F

    texts = (
        spark.read.option("lineSep", "\n")
        .option("ignoreMissingFiles", "true")
        .text([GLOB.sub(r"\\\1", path) for path in paths])
    )
    return texts.select(
        F.col("_metadata.file_path").alias("file"), F.col("value").cast("binary").alias("line")
    )


def rows(lines: Sequence[DataFrame]) -> DataFrame:
    """The rows of all lines, as in `row_schema.ROW`."""
    every = lines[0]
    for other in lines[1:]:
        every = every.union(other)
    return every.mapInArrow(parse, ddl(ROW))

"""Spark sessions of the warehouse."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from airflow_colgraph.warehouse.errors import WarehouseError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Of the session only: a session that is passed in keeps its own.
SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.files.maxPartitionBytes": "32m",  # a partition of events takes seconds to read
    "spark.sql.execution.arrow.maxRecordsPerBatch": "200",  # an event may have many MB
    "spark.sql.sources.partitionOverwriteMode": "static",
}


def is_running() -> bool:
    """Whether this process has a session already."""
    if "pyspark" not in sys.modules:
        return False
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession() is not None


def start(conf: Mapping[str, str]) -> SparkSession:
    """Start Spark, or take the running one; WarehouseError if it is not installed."""
    try:
        import numpy as numpy
        import pyarrow as pyarrow
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise WarehouseError(
            f"{error.name} is not installed. Run: pip install 'colgraph[warehouse]'"
        ) from None
    if conf.get("spark.master", "local").startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else `python3` of PATH
    builder = SparkSession.builder.appName("colgraph warehouse")
    for name, value in {"spark.ui.showConsoleProgress": "false", **conf}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def own(spark: SparkSession) -> SparkSession:
    """A session of the same application with the warehouse's settings."""
    session = spark.newSession()
    for name, value in SETTINGS.items():
        session.conf.set(name, value)
    return session

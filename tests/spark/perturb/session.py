"""A session for many small queries: no compiling of them, and plans that stay as they are."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.functions import pandas_udf

from tests.spark.perturb.tables import statements
from tests.spark.session import Session

SETTINGS = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.ansi.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.ui.retainedExecutions": "10",  # whose plans fill the memory
    "spark.sql.runSQLOnFiles": "false",  # else each analysis looks for a format of the name `p`
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m",
}

FUNCTIONS: dict[str, tuple[Callable[..., object], str]] = {
    "py_int": (lambda u, v: (u or 0) * 3 + len(v or ""), "int"),
    "py_text": (lambda v, u: f"{v}{u}", "string"),
    "py_item": (lambda v, u: (v, u), "struct<sku: string, n: int>"),
}


def session_of(root: Path) -> Session:
    """A session with the tables of the made queries, and the functions that they call."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # the one that has pandas
    session = Session(root, SETTINGS, statements=statements())
    with_functions(session.spark)
    return session


def with_functions(spark: SparkSession) -> SparkSession:
    """A session with the functions that the made queries call."""
    by_series = pandas_udf(lambda u: u.fillna(0) * 2 + 1, "int")  # type: ignore[call-overload]
    spark.udf.register("pd_int", by_series)
    for name, (function, kind) in FUNCTIONS.items():
        spark.udf.register(name, function, kind)
    return spark

"""Runs the suite's files, with the collector or without it, and keeps what came out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyspark
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from airflow_colgraph.collector.driver import listener
from tests.spark.golden.suite import File, Settings
from tests.spark.golden.tables import clean, prepare
from tests.spark.session import Session

VERSION = tuple(map(int, pyspark.__version__.split(".")[:2]))
ZONE = "America/Los_Angeles"
SPARK = {
    "spark.driver.extraJavaOptions": f"-Duser.timezone={ZONE} -XX:TieredStopAtLevel=1 "
    "-XX:ReservedCodeCacheSize=240m",  # C1 alone reserves 48 MB, full after a minute of queries
    "spark.sql.session.timeZone": ZONE,
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.datetime.java8API.enabled": "true",
    "spark.sql.codegen.wholeStage": "false",  # it changes no plan, and compiling takes long
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.ui.retainedExecutions": "10",
    "spark.ui.showConsoleProgress": "false",
}
COMMANDS = {"CommandResult", "MultiResult"}
VARYING = [  # what differs from run to run, or from machine to machine
    (re.compile(r"#\d+"), "#x"),
    (re.compile(r"plan_id=\d+"), "plan_id=x"),
    (re.compile(r"(Created By|Created Time|Last Access|Owner).*"), r"\1"),
    (re.compile(r"(Location|file:)\s*\S*"), r"\1"),
    (re.compile(r"(Partition Statistics\s+)\d+"), r"\1"),
    (re.compile(r"(CTERelation(?:Def|Ref)|UnionLoop(?:Ref)?|Loop id:) \d+", re.I), r"\1"),
    (re.compile(r"@\w*,"), "@,"),
    (re.compile(r"\*\(\d+\) "), "*"),
    (re.compile(r'"(location|created_by|created_time|last_access|owner)":"[^"]*"'), r'"\1"'),
    (re.compile(r"transient_lastDdlTime\W+\d+"), "transient_lastDdlTime"),
]


class Outcome(NamedTuple):
    """What a statement gave: rows, or an error's class and message."""

    schema: str
    lines: tuple[str, ...]
    frame: Any = None  # Java's, where it is a query
    is_error: bool = False

    @property
    def comparable(self) -> tuple[str, tuple[str, ...]]:
        """The outcome without what varies, and without an order."""
        return self.schema, comparable(self.lines)


def comparable(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Lines without what varies, and without an order."""
    text = "\n".join(lines)
    for pattern, replacement in VARYING:
        text = pattern.sub(replacement, text)
    return tuple(sorted(line.rstrip() for line in text.split("\n")))


def execute(spark: SparkSession, statement: str) -> Outcome:
    """Run a statement and take its rows, as Spark's SQL shell prints them."""
    try:
        frame = spark._jsparkSession.sql(statement)
        schema = str(frame.schema().catalogString())
        name = str(frame.queryExecution().analyzed().getClass().getSimpleName())
        if name in COMMANDS:
            return Outcome(schema, printed(spark, frame))
        rows = frame.collectAsList()
        return Outcome(schema, printed(spark, again(spark, rows, frame)), frame)
    except (PySparkException, Py4JJavaError) as error:
        return Outcome("struct<>", failure(spark, error), is_error=True)


def again(spark: SparkSession, rows: Any, frame: Any) -> Any:
    """Rows that have been collected, as a frame: printing them runs no query."""
    return spark._jsparkSession.createDataFrame(rows, frame.schema())


def printed(spark: SparkSession, frame: Any) -> tuple[str, ...]:
    """The lines of a frame."""
    result = spark._jvm.org.apache.spark.sql.execution.HiveResult
    found = result.hiveResultString(frame.queryExecution().executedPlan())
    return tuple(str(found.mkString("\n")).split("\n"))


def failure(spark: SparkSession, error: Any) -> tuple[str, ...]:
    """An error's class and message, as the suite writes them."""
    java = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    if java is None:
        return (type(error).__name__, str(error))
    name = str(java.getClass().getName())
    if name == "org.apache.spark.SparkException" and java.getCause() is not None:
        java = java.getCause()
        name = str(java.getClass().getName())
    jvm: Any = spark._jvm
    try:
        minimal = jvm.org.apache.spark.ErrorMessageFormat.MINIMAL()
        text = jvm.org.apache.spark.SparkThrowableHelper.getMessage(java, minimal)
    except Exception:  # noqa: BLE001 - it has no condition: the message is what there is
        text = java.getMessage()
    return (name, *str(text).split("\n"))


def plain_session(root: Path, settings: dict[str, str]) -> SparkSession:
    """A session without the collector, with as many threads as the other has.

    Else sums of doubles have other last digits, and another row is the first to fail.
    """
    builder = SparkSession.builder.master("local[1]").appName("golden")
    given = {
        "spark.ui.enabled": "false",
        "spark.sql.warehouse.dir": str(root / "warehouse"),
        "spark.sql.catalogImplementation": "in-memory",
        **settings,
    }
    for name, value in given.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def begin(spark: SparkSession, file: File, variant: Settings) -> SparkSession:
    """A session of its own for a file."""
    own = spark.newSession()
    jvm: Any = own._jvm
    jvm.SparkSession.setActiveSession(own._jsparkSession)  # whose settings rows are printed with
    prepare(own, file, VERSION)  # type: ignore[arg-type]
    for name, value in variant:
        own.sql(f"SET {name}={value}")
    return own


def outcomes(spark: SparkSession, file: File, variant: Settings) -> list[Outcome]:
    """What the statements of a file give without the collector."""
    own = begin(spark, file, variant)
    found = [execute(own, statement)._replace(frame=None) for statement in file.statements]
    clean(own)
    return found


def observed(
    session: Session, file: File, variant: Settings
) -> Iterator[tuple[Outcome, list[Any], list[Any] | None]]:
    """What each statement gives with the collector, its events, and those of it as a write."""
    own = begin(session.spark, file, variant)
    listener.install(own)
    session.events()
    for statement in file.statements:
        outcome = execute(own, statement)
        events = session.events()
        as_write = None
        if outcome.frame is not None and written(own, outcome.frame, f"{session.root}/out"):
            as_write = session.events()
        yield outcome._replace(frame=None), events, as_write
    clean(own)
    session.events()


def written(spark: SparkSession, frame: Any, path: str) -> bool:
    """Write a query's rows, under names that are each there once; whether that was possible."""
    names = [f"c{place}" for place in range(len(frame.columns()))]
    try:
        DataFrame(frame, spark).toDF(*names).write.mode("overwrite").parquet(path)
    except (PySparkException, Py4JJavaError):
        return False
    return True

"""Judges the lineage of the suite's queries by what other values in their tables change.

Most files read views of rows in their own text, which have no lineage. So such a view is made a
view of a table with the same rows. A query is judged with temporary views in place of all tables
that it reads.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from types import SimpleNamespace
from typing import Any, NamedTuple

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from airflow_colgraph.collector.spark.catalog import Catalog
from airflow_colgraph.collector.spark.translate import read
from tests.spark.golden.runs import COMMANDS, begin
from tests.spark.golden.suite import File, Settings
from tests.spark.golden.tables import clean
from tests.spark.perturb.carried import NOTHING, Carried, carried
from tests.spark.perturb.data import SIMPLE, Rows, Type, ddl
from tests.spark.perturb.judge import Judge, Verdict
from tests.spark.perturb.programs import Program
from tests.spark.perturb.written import named_in
from tests.spark.session import Session

OWN = "golden"  # the database of the tables that come from views
ROWS = 15  # of a table, at most
COUNTS = (10, 40)  # rows that are made where the table's own let none through
QUERY = re.compile(r"[\s(]*(select|with|from|values|table|map|reduce)\b", re.I)
VIEW = re.compile(
    r"\s*create\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+)?view\s+(?:if\s+not\s+exists\s+)?"
    r"`?(\w+)`?",
    re.I,
)
NAMES = {"integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint"}
ERRORS = (PySparkException, Py4JJavaError, ValueError, OverflowError)


class Unfit(Exception):
    """A table that cannot have other values."""


class Finding(NamedTuple):
    """What came out of one query."""

    file: str
    statement: str
    verdict: Verdict
    shown: Carried
    diagnostics: Mapping[str, Any]


class Query(Program):
    """A query of the suite, over views in place of its tables."""

    def __init__(self, text: str, spark: SparkSession, tables: tuple[str, ...]) -> None:
        """`tables` are those that it reads."""
        super().__init__(text, spark)
        self.tables = tables

    def over(self, name: Callable[[str], str]) -> DataFrame:
        """The query, its tables replaced."""
        for table in self.tables:
            show(self.spark, table, name(table))
        return self.spark.sql(self.text)


def show(spark: SparkSession, name: str, table: str) -> None:
    """A temporary view of a table."""
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW `{name}` AS SELECT * FROM {table}")


class ViewJudge(Judge):
    """A judge of queries that name their tables: its frames are shown by those names."""

    def run(self, program: Program, tables: dict[str, DataFrame]) -> list[Any] | None:
        """The rows of a query over other tables; None where it fails on them."""
        self.runs += 1
        for table, frame in tables.items():
            if self.shown.get(table) is not frame:
                frame.createOrReplaceTempView(table)
                self.shown[table] = frame
        try:
            return self.spark.sql(program.text).collect()
        except ERRORS:
            return None

    def reported(self, program: Program) -> dict[str, Any] | None:
        """The columnLineage facet of a query over the tables that have no rows."""
        self.shown.clear()
        return super().reported(program)


class Judging:
    """One file's session, and the tables that its queries read."""

    def __init__(self, session: Session, file: File, variant: Settings) -> None:
        """Nothing has been run."""
        self.file = file
        off = ("spark.sql.ansi.enabled", "false")  # other values would be errors too often
        self.spark = begin(session.spark, file, (*variant, off))
        self.spark.sql(f"CREATE DATABASE IF NOT EXISTS {OWN}")
        self.session: Any = SimpleNamespace(spark=self.spark, worker=session.worker)
        self.catalog = Catalog(self.spark._jsparkSession, self.spark._jvm)
        self.made: set[str] = set()  # views that are of tables now

    def findings(self, seen: set[Any], every: int) -> Iterator[Finding]:
        """What came out of each query that reads a table and was not there before."""
        for number, statement in enumerate(self.file.statements):
            try:
                frame = self.spark.sql(statement)
                name = frame._jdf.queryExecution().analyzed().getClass().getSimpleName()
                if str(name) in COMMANDS or not QUERY.match(statement):
                    self.note(statement)
                    continue
                tables = self.tables_of(frame)
            except ERRORS:
                continue
            except Unfit as error:
                yield self.unjudged(statement, str(error))
                continue
            if not tables or number % every:
                continue
            key = (statement, tuple(sorted((name, str(k)) for name, k in tables.items())))
            if key in seen:
                continue
            seen.add(key)
            yield self.finding(statement, tables)
        clean(self.spark)

    def unjudged(self, statement: str, why: str) -> Finding:
        """A query that cannot be judged."""
        return Finding(self.file.name, statement, Verdict(why_not=why), NOTHING, {})

    def note(self, statement: str) -> None:
        """Make a new view of constants a view of a table."""
        found = VIEW.match(statement)
        if not found:
            return
        name = found[1].lower()
        self.made.discard(name)
        frame = self.spark.table(name)
        if self.read(frame) is not None:
            return
        try:
            columns = types_of(frame)
        except Unfit:
            return
        self.create(name, columns)
        frame.limit(ROWS).write.insertInto(f"{OWN}.{name}", overwrite=True)
        show(self.spark, name, f"{OWN}.{name}")
        self.made.add(name)

    def create(self, name: str, columns: dict[str, Type]) -> None:
        """A table of the judge's own, without rows."""
        self.spark.sql(f"DROP TABLE IF EXISTS {OWN}.{name}")
        parts = ", ".join(f"`{column}` {ddl(kind)}" for column, kind in columns.items())
        self.spark.sql(f"CREATE TABLE {OWN}.{name} ({parts}) USING parquet")

    def read(self, frame: DataFrame) -> Any:
        """What a frame reads, as the collector sees it; None where it reads no dataset."""
        return read("collect", frame._jdf.queryExecution().analyzed(), self.catalog)

    def tables_of(self, frame: DataFrame) -> dict[str, dict[str, Type]]:
        """The tables that a query reads."""
        query = self.read(frame)
        if query is None:
            return {}
        names = {named.dataset.name for found in query.reads.values() for named in found.datasets}
        if not names or query.rdds:
            return {}
        return {name: types_of(self.spark.table(name)) for name in sorted(map(last, names))}

    def finding(self, statement: str, tables: dict[str, dict[str, Type]]) -> Finding:
        """What came out of a query over these tables."""
        program = Query(statement, self.spark, tuple(tables))
        views = [name for name in tables if name not in self.made]
        verdict, shown, judge = Verdict(why_not="fails"), NOTHING, None
        try:
            for judge in self.judges_of(statement, tables, views):
                verdict = judge.judge(program, 1)
                if verdict.why_not != "no rows":
                    break
            if verdict.claims is not None and not verdict.why_not:
                shown = carried(judge, program, verdict) if judge else NOTHING
        except KeyError as error:  # a dataset that is none of the views
            verdict = Verdict(why_not=f"reads {error} behind a view")
        except ERRORS as error:
            verdict = Verdict(why_not=str(error).splitlines()[0])
        finally:
            for name in views:
                self.spark.catalog.dropTempView(name)
            for name in set(tables) & self.made:
                show(self.spark, name, f"{OWN}.{name}")
        reported = judge.diagnostics if judge else {}
        return Finding(self.file.name, statement, verdict, shown, reported)

    def judges_of(
        self, statement: str, tables: dict[str, dict[str, Type]], views: list[str]
    ) -> Iterator[Judge]:
        """A judge with the tables' own rows, then some with made ones."""
        own = {name: rows_in(self.spark.table(name), kinds) for name, kinds in tables.items()}
        for name in views:
            self.create(name, tables[name])
        columns = [name for kinds in tables.values() for name in kinds]
        known = named_in(statement, columns)
        if all(own.values()):
            yield ViewJudge(self.session, OWN, tables, 1, rows=own)
        for count in COUNTS:
            yield ViewJudge(self.session, OWN, tables, 1, known, count)


def last(name: str) -> str:
    """The table's name at the end of its path."""
    return name.rsplit("/", 1)[-1]


def types_of(frame: DataFrame) -> dict[str, Type]:
    """The types of a table's columns, as the oracle writes them."""
    fields = frame.schema.jsonValue()["fields"]
    names = [field["name"] for field in fields]
    if len({name.lower() for name in names}) < len(names) or any("." in n for n in names):
        raise Unfit("columns of one name")
    return {field["name"]: kind_of(field["type"]) for field in fields}


def kind_of(found: Any) -> Type:
    """A Spark type as JSON, as the oracle writes it."""
    if isinstance(found, str):
        name = NAMES.get(found, found)
        if name.partition("(")[0] not in SIMPLE:
            raise Unfit(f"has {name}")
        return name
    if found["type"] == "struct":
        return {part["name"]: kind_of(part["type"]) for part in found["fields"]}
    if found["type"] == "array":
        return [kind_of(found["elementType"])]
    if found["type"] != "map" or found["keyType"] != "string":
        raise Unfit(f"has {found['type']}")
    return (kind_of(found["valueType"]),)


def rows_in(frame: DataFrame, kinds: dict[str, Type]) -> Rows:
    """A table's own rows."""
    return [plain(row.asDict(recursive=True)) for row in frame.limit(ROWS).collect()]


def plain(value: Any) -> Any:
    """A value as the oracle writes values."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, (bytes, bytearray)):
        return value.decode("latin-1")
    if isinstance(value, Decimal) and not value.is_finite():
        return None
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=None)
    return value

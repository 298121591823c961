"""Hive's tests of its lineage logger, `lineage2.q` and `lineage3.q`, by our lineage of SQL text.

Hive logs the lineage of each statement as JSON: the columns that an output column is computed from
(PROJECTION), and those that decide which rows there are (PREDICATE). Its optimizer has rewritten
the statement before, so its edges are an upper bound of what the text says: a predicate that it
infers is no fault of ours, and has a reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from airflow_colgraph.sql.database import Database, Place
from airflow_colgraph.sql.parse import statements as parsed
from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.script import run
from airflow_colgraph.sql.session import Session
from airflow_colgraph.sql.transformations import Inputs
from airflow_colgraph.sql.writes import Write
from oracles.conformance.edges import Edges, Verdict, row
from oracles.conformance.table import Row

QUERIES = "ql/src/test/queries/clientpositive"
RESULTS = "ql/src/test/results/clientpositive"
SHARED = "data/files/datasets/{}/load.hive.sql"  # tables of all tests
TABLES = ("src", "src1", "alltypesorc")
FILES = ("lineage2.q", "lineage3.q")
PLACE = Place("hive", "", "default", 2)
QUERY = r"(select|with|from(?!.*\binsert\b))\b"
ROWS = "*"  # stands for all columns: the conditions on rows
DECIDING = {"FILTER", "JOIN"}


REASONS = (
    (
        r"\bover ?\(",
        r"missing .*[^*] <- .*",
        "Hive counts all columns of the rows that a window is computed over",
    ),
    (
        r"from dest_v\d",
        r"extra .* <- dest_v\d\.\w+|missing .* <- alltypesorc\.\w+",
        "a view is a dataset of its own, and its query an edge to its tables",
    ),
    (
        r"length\(c\.cstring2\)",
        r"extra \* <- alltypesorc\.cstring2",
        "Hive loses a condition on the tables of both sides of a join",
    ),
    (
        r"csmallint=11",
        r"extra dest_v3\.a1 <- alltypesorc\.csmallint",
        "Hive has a constant instead of a column that a condition sets equal to it",
    ),
)


def rows(checkout: Path) -> Iterator[Row]:
    """The row of the table for both files."""
    judged = [verdict for name in FILES for verdict in verdicts(checkout, name)]
    yield row("Hive's lineage2.q and lineage3.q", judged, REASONS)


def verdicts(checkout: Path, name: str) -> Iterator[Verdict]:
    """Each statement of a file whose lineage Hive has logged, in one session of ours."""
    session = Session(Database(PLACE))
    for table in TABLES:
        run_all((checkout / SHARED.format(table)).read_text(), session)
    logged = logged_by_hive(next((checkout / RESULTS).rglob(f"{name}.out")).read_text())
    awaited = next(logged, None)
    for number, statement in enumerate(statements((checkout / QUERIES / name).read_text())):
        is_query = re.match(QUERY, statement, re.IGNORECASE | re.DOTALL) is not None
        text = f"CREATE TABLE result_{number} AS {statement}" if is_query else statement
        writes = run_all(text, session)
        if awaited is not None and statement == awaited["queryText"].strip():
            expected = of_hive(awaited, is_query)
            yield Verdict(statement, statement, expected, *of_writes(writes, is_query))
            awaited = next(logged, None)
    if awaited is not None:
        raise ValueError(f"{name} has no statement {awaited['queryText']!r}")


def run_all(text: str, session: Session) -> list[Write]:
    """What statements write, after those that the session has run."""
    earlier = len(session.writes)
    for node in parsed(text, PLACE.dialect):
        run(node, session)
    return session.writes[earlier:]


def statements(text: str) -> list[str]:
    """The statements of one of Hive's files, without comments."""
    code = re.sub(r"^--.*$", "", text, flags=re.MULTILINE)
    parts = (part.strip() for part in re.split(r";[ \t]*$", code, flags=re.MULTILINE))
    return [part for part in parts if part]


def logged_by_hive(output: str) -> Iterator[Any]:
    """The JSON lines of what Hive has printed."""
    return (json.loads(line) for line in output.splitlines() if line.startswith('{"version"'))


def of_hive(logged: Any, is_query: bool) -> Edges:
    """The edges that Hive has logged, a query's columns by their numbers.

    Where a source is a whole table, as of `count(*)`, there is no edge.
    """
    names = {each["id"]: each["vertexId"].removeprefix("default.") for each in logged["vertices"]}
    columns = {each["id"] for each in logged["vertices"] if each["vertexType"] == "COLUMN"}
    edges = set()
    for edge in logged["edges"]:
        for number in edge["targets"]:
            target = str(number) if is_query else names[number]
            if edge["edgeType"] == "PREDICATE":
                target = ROWS if is_query else f"{target.rsplit('.', 1)[0]}.{ROWS}"
            edges |= {(target, names[source]) for source in columns & set(edge["sources"])}
    return frozenset(edges)


def of_writes(writes: Iterable[Write], is_query: bool) -> tuple[Edges, Edges]:
    """Our edges in the same form: those that are direct or affect rows, and all."""
    steps = {
        (target, f"{source.table[-1]}.{source.column}", step)
        for write in writes
        for target, inputs in targets(write, is_query)
        for source, step in inputs
    }
    sure = {
        (target, source)
        for target, source, step in steps
        if step.type == "DIRECT" or (target.endswith(ROWS) and step.subtype in DECIDING)
    }
    return frozenset(sure), frozenset((target, source) for target, source, _ in steps)


def targets(write: Write, is_query: bool) -> Iterator[tuple[str, Inputs]]:
    """The columns of a write with their inputs, and the conditions on its rows."""
    relation = write.relation or Relation()
    prefix = "" if is_query else f"{write.table[-1]}."
    for number, (name, inputs) in enumerate(relation.columns):
        yield str(number) if is_query else f"{prefix}{name}", inputs
    yield f"{prefix}{ROWS}", relation.rows

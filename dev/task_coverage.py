"""The part of docs/coverage.md about kinds of tasks and SQL: `python -m dev.coverage` writes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from oracles import sql_results
from tests.sql.texts import by_dialect


class Kind(NamedTuple):
    """A kind of task, and how its lineage is known."""

    task: str
    exact: str
    conservative: str
    reported: str  # opaque or unresolved
    shown: tuple[str, ...]


KINDS = (
    Kind(
        "PySpark, Spark SQL and jars by spark-submit, Livy and the services' operators",
        "what has a rule above",
        "functions over whole rows, RDDs",
        "unknown sources and classes",
        ("tests/spark/test_cases.py", "tests/airflow/test_demo.py"),
    ),
    Kind(
        "declarative pipelines (`spark-pipelines`)",
        "each flow",
        "as above",
        "as above",
        ("tests/airflow/test_pipelines.py",),
    ),
    Kind(
        "PySpark on a Connect server of `colgraph connect-server`",
        "as above",
        "as above",
        "as above; of another server nothing, which the log says",
        ("tests/airflow/test_connect.py",),
    ),
    Kind(
        "`SparkJDBCOperator`",
        "as above: it is a PySpark script of the provider's",
        "",
        "",
        ("tests/operators/test_spark_jdbc.py",),
    ),
    Kind(
        "SQL operators",
        "statements whose tables have known columns",
        "functions of users over columns, functions over whole tables",
        "procedures, dynamic SQL, text that does not parse, unknown columns",
        ("tests/sql/test_dialects.py", "tests/airflow/test_sql_tasks.py"),
    ),
    Kind(
        "Python tasks: statements of their hooks",
        "as SQL operators",
        "as SQL operators",
        "as SQL operators; what Airflow did not collect",
        ("tests/airflow/test_python_tasks.py",),
    ),
    Kind(
        "Python tasks: statements that they emit (`emit_query_lineage`)",
        "statements that name columns with their tables, or whose event has schemas",
        "as SQL operators",
        "as SQL operators; columns of several tables without schemas",
        ("tests/sql/test_statement_events.py", "tests/airflow/test_sql_tasks.py"),
    ),
    Kind(
        "Python tasks: stated lineage",
        "what the author states",
        "",
        "nothing else is known",
        ("tests/airflow/test_python_tasks.py",),
    ),
    Kind(
        "dbt, also through Cosmos",
        "models of compiled SQL, as SQL operators",
        "as SQL operators",
        "Python models",
        ("tests/dbt/test_neighbours.py",),
    ),
    Kind(
        "Flink, Trino, Snowflake and other producers",
        "as their events have it",
        "",
        "",
        ("tests/store/test_other_producers.py",),
    ),
    Kind(
        "Databricks, from Unity Catalog's system tables",
        "as Databricks has it",
        "",
        "",
        ("tests/exports/test_unity_catalog.py",),
    ),
)
TPC = """\
The queries of TPC-DS and TPC-H as tasks in a real Airflow against a PostgreSQL, with unqualified
columns, judged by moving the values of made rows: a query is fully right if no column that carries
values is lost, and each DIRECT edge is shown by some rows. Of the SQL provider's lineage, which has
no types, all edges are taken. `python -m bench.sql --record` has made this table.
"""
CASES = """\
The statements in `tests/sql/cases/`, each with its whole lineage, by dialect, and how many of them
have something that is reported as opaque or unresolved:
"""


def section() -> str:
    """The whole section."""
    return "\n".join([*_kinds(), "", *_sql()])


def _kinds() -> Iterator[str]:
    yield "## Tasks\n"
    yield "| task | exact | conservative | opaque or unresolved | shown by |"
    yield "| --- | --- | --- | --- | --- |"
    for kind in KINDS:
        yield f"| {' | '.join([*kind[:4], ', '.join(kind.shown)])} |"


def _sql() -> Iterator[str]:
    yield "## SQL tasks\n"
    results = sql_results.recorded()
    if results is not None:
        yield TPC
        yield from sql_results.table(results)
        yield ""
    yield CASES
    yield "| dialect | statements | with a report |"
    yield "| --- | ---: | ---: |"
    for dialect, cases in by_dialect().items():
        marked = sum("opaque: " in lineage or "unresolved: " in lineage for _, lineage in cases)
        yield f"| {dialect} | {len(cases)} | {marked} |"

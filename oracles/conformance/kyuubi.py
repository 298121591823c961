"""Kyuubi's tests of Spark SQL lineage, run with our collector beside the session.

Each statement of its suites runs in a real session, a query by its analyzed plan only, and the
direct inputs of each column are compared with those that the suite asserts. Iceberg's catalog
stands in for the one of Spark's test classes, which no package has.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pyspark.errors import PySparkException

from airflow_colgraph.testing.observed import of_frame
from oracles.conformance.edges import NONE, Edges, Verdict, row
from oracles.conformance.scala_tests import Step, UnreadError, bodies, steps
from oracles.conformance.table import Row
from tests.spark.jars import jars
from tests.spark.session import Session

SUITES = "extensions/spark/kyuubi-spark-lineage/src/test/scala"
DEFAULT = "spark_catalog"
CATALOG = "spark.sql.catalog.v2_catalog"
QUERY = ("select", "with", "(")
SETTINGS = {
    "spark.sql.catalogImplementation": "hive",
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    CATALOG: "org.apache.iceberg.spark.SparkCatalog",
    f"{CATALOG}.type": "hadoop",
}
NAMESPACES = ("test_db", "test_db0", "v2_catalog.db", "v2_catalog.test_db_v2")
# As the suite's own beforeAll makes them.
TABLES = [
    *(f"CREATE NAMESPACE {name}" for name in NAMESPACES),
    "CREATE TABLE test_db0.test_table0 (key INT, value STRING) USING parquet",
    "CREATE TABLE test_db0.test_table_part0 (key INT, value STRING, pid STRING) USING parquet "
    "PARTITIONED BY (pid)",
    "CREATE TABLE test_db0.test_table1 (key INT, value STRING) USING parquet",
    "CREATE TABLE test_db.test_table_from_dir (a0 STRING, b0 STRING) USING parquet",
]


def verdicts(checkout: Path) -> Iterator[Verdict]:
    """Each statement of the suites with an asserted lineage, in turn."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        settings = {
            **SETTINGS,
            f"{CATALOG}.warehouse": str(root / "ice"),
            "spark.hadoop.javax.jdo.option.ConnectionURL": (
                f"jdbc:derby:;databaseName={root}/metastore;create=true"
            ),
        }
        session = Session(root, settings, jars("iceberg-spark-runtime-4.1_2.13"), TABLES)
        constants = {"DEFAULT_CATALOG": DEFAULT, "directory.path": str(root / "directory")}
        try:
            for suite in sorted((checkout / SUITES).rglob("*ParserHelperSuite.scala")) + sorted(
                (checkout / SUITES).rglob("*CatalogLineageParserSuite.scala")
            ):
                for name, body in bodies(suite.read_text()):
                    yield from of_test(session, f"{suite.stem}: {name}", body, constants)
                    clean(session)
        finally:
            session.stop()


def of_test(session: Session, name: str, body: str, constants: dict[str, str]) -> Iterator[Verdict]:
    """The verdicts of one test; a value that is no literal ends it."""
    try:
        for step in steps(body, constants):
            yield from verdict(session, name, step)
    except (UnreadError, PySparkException) as error:
        text = str(error).splitlines()[0] if str(error) else type(error).__name__
        yield Verdict(name, "", NONE, NONE, NONE, text)


def verdict(session: Session, name: str, step: Step) -> Iterator[Verdict]:
    """Run a statement; what its lineage is where one is asserted."""
    if step.expected is None:
        session.spark.sql(step.statement)
        return
    session.events()
    if step.statement.strip().lower().startswith(QUERY):
        events = of_frame(session.spark.sql(step.statement))
    else:
        session.spark.sql(step.statement)
        events = session.events()
    yield Verdict(name, step.statement, asserted(step.expected), *reported(events))


def asserted(lineage: tuple[Any, ...]) -> Edges:
    """The edges of the suite's value, by the last names of table and column."""
    return frozenset(
        (output.rsplit(".", 1)[-1].strip("`"), ".".join(source.split(".")[-2:]))
        for output, sources in lineage[2]
        for source in sources
    )


def reported(events: list[Any]) -> tuple[Edges, Edges]:
    """Our events' direct edges in the same form, and all that affect single columns."""
    edges = [
        (column, f"{table_of(events, item)}.{item['field']}", is_direct(item))
        for event in events
        for output in event.get("outputs", ())
        for column, entry in output["facets"].get("columnLineage", {}).get("fields", {}).items()
        for item in entry["inputFields"]
    ]
    direct = frozenset((column, source) for column, source, is_direct in edges if is_direct)
    return direct, frozenset((column, source) for column, source, _ in edges)


def is_direct(item: Any) -> bool:
    """Whether one of an input's transformations is direct."""
    return any(how["type"] == "DIRECT" for how in item["transformations"])


def table_of(events: list[Any], item: Any) -> str:
    """The last part of a table's name: a symlink's, else that of its path."""
    for event in events:
        for dataset in event.get("inputs", ()):
            if (dataset["namespace"], dataset["name"]) == (item["namespace"], item["name"]):
                links = dataset["facets"].get("symlinks", {}).get("identifiers", ())
                return str(next((link["name"] for link in links), dataset["name"])).split(".")[-1]
    return str(item["name"]).rsplit("/", 1)[-1]


def clean(session: Session) -> None:
    """Drop what a test has made in the catalogs that all share."""
    session.spark.catalog.clearCache()
    for place in ("spark_catalog.default", *NAMESPACES):
        for listed in session.spark.sql(f"SHOW TABLES IN {place}").collect():
            table = f"{place}.{listed.tableName}"
            if listed.namespace and not any(f" {table} (" in statement for statement in TABLES):
                drop(session, table)
    session.events()


def drop(session: Session, table: str) -> None:
    """Drop a table or a view."""
    if session.spark.catalog.getTable(table).tableType == "VIEW":
        session.spark.sql(f"DROP VIEW {table}")
    else:
        session.spark.sql(f"DROP TABLE {table}")


REASONS = (
    (
        "",
        r"missing \w+ <- \w+\.__count__",
        "`count(*)` has the pseudo-column `__count__` in Kyuubi; here it has no input",
    ),
    (
        "",
        r"(missing|extra) sum\(\(hash\(.*\)\)\) <- tb\.col1",
        "the name of a column that shows the arguments of a hash is redacted",
    ),
    (
        "data source V2 sql",
        r"missing col2 <- tb\.col1",
        "Spark refuses to write two columns of one name",
    ),
    (
        "skip parsing permanent view",
        r"missing (k <- t2\.a|b <- t2\.b)|extra (k <- t1\.a|b <- t1\.b)",
        "a view is followed to its tables, and no option ends there",
    ),
    (
        "ReplaceData",
        r"missing \w+ <- target_t\.\w+",
        "Kyuubi counts rows that Spark copies, or their condition, as sources",
    ),
    (
        "MergeIntoTable",
        r"extra (\w+) <- target_t\.\1",
        "a column that no matched clause sets keeps its own value",
    ),
)


def rows(checkout: Path) -> Iterator[Row]:
    """A row of the table for the suites, and what differs without a reason."""
    yield row("Kyuubi's Spark SQL lineage tests", list(verdicts(checkout)), REASONS)

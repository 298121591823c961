"""Reading from and writing to a real PostgreSQL by JDBC."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame

from airflow_colgraph.sql import jdbc_queries as sql
from tests.collector.cases.loader import lineage_of
from tests.spark.jars import jars
from tests.spark.lake import whole
from tests.spark.postgres import postgres
from tests.spark.session import Session

pytestmark = [
    pytest.mark.spark,
    pytest.mark.jars,
    pytest.mark.postgres,
    pytest.mark.xdist_group("spark-jdbc"),
]
PASSWORD = "canary-7c1f"
TABLES = (
    "CREATE SCHEMA shop",
    "CREATE TABLE shop.authors (id INT, name TEXT, born INT)",
    "CREATE TABLE shop.books (id INT, author INT, title TEXT, price INT)",
    "CREATE TABLE public.target (id INT, name TEXT)",
    "INSERT INTO shop.authors VALUES (1, 'Ann', 1950)",
    "INSERT INTO shop.books VALUES (1, 1, 'A book', 7)",
)


class Database:
    """The session and the server."""

    def __init__(self, session: Session, port: int) -> None:
        self.session = session
        self.url = f"jdbc:postgresql://127.0.0.1:{port}/postgres?user=postgres&password={PASSWORD}"
        self.space = f"postgres://127.0.0.1:{port}"

    def read(self, **options: str) -> DataFrame:
        reader = self.session.spark.read.format("jdbc").option("url", self.url)
        return reader.options(driver="org.postgresql.Driver", **options).load()

    def events(self) -> list[dict[str, Any]]:
        """What the collector reported since the last call, its queries resolved."""
        events = self.session.events()
        assert PASSWORD not in json.dumps(events)
        return [sql.resolved(event) for event in events]

    def lineage(self, job: Callable[[], None]) -> tuple[set[tuple[str, str]], frozenset[str]]:
        """What a job that writes once read, and its lineage."""
        self.events()
        job()
        (event,) = self.events()
        read = {(item["namespace"], item["name"]) for item in event["inputs"]}
        return read, lineage_of([event], "")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    root = Path(tmp_path_factory.mktemp("jdbc"))
    catalog = {
        "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.ice.type": "hadoop",
        "spark.sql.catalog.ice.warehouse": f"{root}/ice",
    }
    statements = [
        "CREATE NAMESPACE ice.db",
        "CREATE TABLE ice.db.one (id INT, a STRING) USING iceberg",
        "CREATE TABLE ice.db.two (id INT, b STRING) USING iceberg",
    ]
    connectors = jars("postgresql", "iceberg-spark-runtime-4.1_2.13")
    session = Session(root, catalog, connectors, statements)
    with postgres(*TABLES) as port:
        yield Database(session, port)
        session.stop()


SAME = """
    id   <- postgres.shop.authors.id   DIRECT:IDENTITY
    name <- postgres.shop.authors.name DIRECT:IDENTITY
"""
FROM_QUERY = {
    "all columns of a table (E3)": ("SELECT * FROM shop.authors", "authors", SAME),
    "a list of columns (E3)": ("SELECT id, name FROM shop.authors", "authors", SAME),
    "a join with a filter (E1)": (
        "SELECT a.id, concat(a.name, b.title) AS name FROM shop.authors a "
        "JOIN shop.books b ON b.author = a.id WHERE b.price > 3",
        "authors books",
        """
        id   <- postgres.shop.authors.id    DIRECT:IDENTITY
        name <- postgres.shop.authors.name  DIRECT:TRANSFORMATION
        name <- postgres.shop.books.title   DIRECT:TRANSFORMATION
        *    <- postgres.shop.authors.id    INDIRECT:JOIN
        *    <- postgres.shop.books.author  INDIRECT:JOIN
        *    <- postgres.shop.books.price   INDIRECT:FILTER
        """,
    ),
    "groups": (
        "SELECT author AS id, max(title) AS name FROM shop.books GROUP BY author",
        "books",
        """
        id   <- postgres.shop.books.author DIRECT:IDENTITY
        name <- postgres.shop.books.title  DIRECT:AGGREGATION
        *    <- postgres.shop.books.author INDIRECT:GROUP_BY
        """,
    ),
}


@pytest.mark.parametrize("option", ["query", "dbtable"])
@pytest.mark.parametrize("name", FROM_QUERY)
def test_a_query_is_resolved_to_the_tables_columns(
    database: Database, name: str, option: str
) -> None:
    text, tables, lineage = FROM_QUERY[name]
    given = text if option == "query" else f"({text}) AS q"
    path = f"{database.session.root}/{option}"
    frame = database.read(**{option: given})

    def job() -> None:
        frame.select("id", "name").write.mode("overwrite").parquet(path)

    read = {(database.space, f"postgres.shop.{table}") for table in tables.split()}
    assert database.lineage(job) == (read, whole(lineage))


def test_a_table_to_a_table(database: Database) -> None:
    """E2: identity columns from one table to another, and both under the server's name."""
    frame = database.read(dbtable="shop.authors")
    writer = frame.where("born > 1900").select("id", "name").write.format("jdbc").mode("append")
    writer.options(url=database.url, dbtable="public.target", driver="org.postgresql.Driver")
    lineage = SAME + "* <- postgres.shop.authors.born INDIRECT:FILTER"
    read = {(database.space, "postgres.shop.authors")}
    assert database.lineage(writer.save) == (read, whole(lineage))
    writer.save()
    (event,) = database.events()
    (output,) = event["outputs"]
    assert (output["namespace"], output["name"]) == (database.space, "postgres.public.target")
    (source,) = event["inputs"]
    options = source["facets"]["colgraph_properties"]["options"]
    assert {pair["name"]: pair["value"] for pair in options} == {
        "url": database.url.replace(PASSWORD, "***").replace("user=postgres", "user=***"),
        "dbtable": "shop.authors",
    }


def test_a_databases_join_with_tables_of_a_lake(database: Database) -> None:
    """E1: a database's query joined with two Iceberg tables, written to the database."""
    query = (
        "SELECT a.id, concat(a.name, b.title) AS j FROM shop.authors a "
        "JOIN shop.books b ON b.author = a.id"
    )
    spark = database.session.spark
    frame = database.read(query=query).join(spark.table("ice.db.one"), "id")
    frame = frame.join(spark.table("ice.db.two"), "id").selectExpr("id", "concat(a, b, j) AS name")
    writer = frame.write.format("jdbc").mode("append").option("url", database.url)
    writer.options(dbtable="public.target", driver="org.postgresql.Driver")
    read, lineage = database.lineage(writer.save)
    assert {name.removeprefix(str(database.session.root)) for _, name in read} == {
        "postgres.shop.authors",
        "postgres.shop.books",
        "/ice/db/one",
        "/ice/db/two",
    }
    assert {line.replace(str(database.session.root), "") for line in lineage} == whole(
        """
        id   <- postgres.shop.authors.id   DIRECT:IDENTITY
        name <- postgres.shop.authors.name DIRECT:TRANSFORMATION
        name <- postgres.shop.books.title  DIRECT:TRANSFORMATION
        name <- db.one.a                   DIRECT:TRANSFORMATION
        name <- db.two.b                   DIRECT:TRANSFORMATION
        *    <- postgres.shop.authors.id   INDIRECT:JOIN
        *    <- postgres.shop.books.author INDIRECT:JOIN
        *    <- db.one.id                  INDIRECT:JOIN
        *    <- db.two.id                  INDIRECT:JOIN
        """
    )


def test_an_rdd_of_a_table_is_made_of_all_that_was_read(database: Database) -> None:
    rows = database.read(dbtable="shop.authors").select("id", "name").rdd
    frame = database.session.spark.createDataFrame(rows, "x int, y string")
    path = f"{database.session.root}/rdd"
    read, lineage = database.lineage(lambda: frame.select("x").write.parquet(path))
    assert read == {(database.space, "postgres.shop.authors")}
    assert lineage == whole(
        "x <- postgres.shop.authors.id DIRECT:TRANSFORMATION\n"
        "x <- postgres.shop.authors.name DIRECT:TRANSFORMATION\n"
        "* <- postgres.shop.authors.id INDIRECT:FILTER\n"
        "* <- postgres.shop.authors.name INDIRECT:FILTER"
    )


def test_a_table_of_sparks_catalog_is_the_databases(database: Database) -> None:
    spark = database.session.spark
    for name, table in (("authors", "shop.authors"), ("target", "public.target")):
        options = f"url '{database.url}', dbtable '{table}', driver 'org.postgresql.Driver'"
        database.session.events()
        spark.sql(f"CREATE TABLE {name} USING jdbc OPTIONS ({options})")
        assert database.session.events() == []  # it makes none
    statement = "INSERT INTO target SELECT id, name FROM authors"
    found = database.lineage(lambda: spark.sql(statement) and None)
    assert found == ({(database.space, "postgres.shop.authors")}, whole(SAME))

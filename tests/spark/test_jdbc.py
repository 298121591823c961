"""Reading from and writing to a real PostgreSQL by JDBC."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from time import sleep
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


def rows_of(event: dict[str, Any]) -> int | None:
    """The rows that an event says were written."""
    (output,) = event["outputs"]
    counts = output.get("outputFacets", {}).get("outputStatistics", {})
    assert counts.keys() <= {"_producer", "_schemaURL", "rowCount"}
    return counts.get("rowCount")


def test_rows_that_are_written_are_counted(database: Database) -> None:
    """`SaveIntoDataSourceCommand` has no metrics: Spark's status store has the stages' counts."""
    spark = database.session.spark
    frame = spark.range(10).selectExpr("cast(id AS int) AS id", "'x' AS name").repartition(3)

    def write(frame: DataFrame, mode: str = "append", **options: str) -> None:
        writer = frame.write.format("jdbc").mode(mode).option("url", database.url)
        writer.options(dbtable="counted", driver="org.postgresql.Driver", **options).save()

    def rows(*jobs: Callable[[], object]) -> list[int | None]:
        """What the events of jobs say that run at the same time."""
        database.events()
        with ThreadPoolExecutor(len(jobs)) as pool:
            for job in [pool.submit(job) for job in jobs]:
                job.result()
        return [rows_of(event) for event in database.events() if event["outputs"]]

    assert rows(lambda: write(frame, "overwrite")) == [10]
    assert rows(lambda: write(frame.limit(3), "overwrite", truncate="true")) == [3]
    assert rows(lambda: write(frame.where("id < 0"))) == [0]
    assert rows(lambda: write(frame.limit(0), numPartitions="1")) == [0]
    jobs = [partial(write, frame.where(f"id < {number}")) for number in range(1, 8)]
    assert sorted(filter(None, rows(*jobs))) == list(range(1, 8))
    assert rows(lambda: write(database.read(dbtable="counted"))) == [31]
    assert database.read(dbtable="counted").count() == 62
    options = f"url '{database.url}', dbtable 'counted', driver 'org.postgresql.Driver'"
    spark.sql(f"CREATE TABLE counted USING jdbc OPTIONS ({options})")
    assert rows(lambda: spark.sql("INSERT INTO counted SELECT id, name FROM counted")) == [62]
    database.events()
    spark.sql("DROP TABLE counted")
    assert database.events() == []  # the database's own stays


def test_rows_of_which_spark_keeps_nothing_are_not_counted(database: Database) -> None:
    """A batch may write several times, and an execution may be forgotten; never others' rows."""
    spark, root = database.session.spark, database.session.root
    frame = spark.range(4).selectExpr("cast(id AS int) AS id", "'x' AS name")
    frame.write.parquet(f"{root}/batches")

    def write(frame: DataFrame, _: int = 0) -> None:
        frame.write.mode("append").jdbc(
            database.url, "public.target", properties={"driver": "org.postgresql.Driver"}
        )

    def twice(frame: DataFrame, number: int) -> None:
        write(frame)
        write(frame.limit(1))

    database.events()
    stream = spark.readStream.schema(frame.schema).parquet(f"{root}/batches").writeStream
    stream = stream.option("checkpointLocation", f"{root}/checkpoint").trigger(availableNow=True)
    stream.foreachBatch(twice).start().awaitTermination()
    events = [event for event in database.events() if event["outputs"]]
    assert events
    assert {rows_of(event) for event in events} == {None}


def test_a_write_that_ignores_an_existing_table_has_no_event(database: Database) -> None:
    """It was reported as one that had created the table."""
    frame = database.session.spark.range(3).selectExpr("cast(id AS int) AS id", "'x' AS name")

    def rows(*frames: DataFrame) -> list[int | None]:
        database.events()
        for each in frames:
            writer = each.write.format("jdbc").mode("ignore").option("url", database.url)
            writer.options(dbtable="ignored", driver="org.postgresql.Driver").save()
        return [rows_of(event) for event in database.events()]

    assert rows(frame.limit(0)) == [0]
    assert rows(frame, frame.limit(0)) == []
    assert database.read(dbtable="ignored").count() == 0


def test_a_save_that_ends_while_an_insert_runs_is_reported(database: Database) -> None:
    """The INSERT took it for its own save, so that its lineage was missing."""
    spark, root = database.session.spark, database.session.root
    options = f"url '{database.url}', dbtable 'beside', driver 'org.postgresql.Driver'"
    for name in ("slow", "quick"):
        spark.range(4).selectExpr("cast(id AS int) AS id", "'x' AS name").write.parquet(
            f"{root}/{name}"
        )
        spark.read.parquet(f"{root}/{name}").createOrReplaceTempView(name)
    spark.udf.register("wait", lambda number: sleep(0.5) or number, "int")
    writer = spark.table("slow").limit(0).write.format("jdbc").option("url", database.url)
    writer.options(dbtable="beside", driver="org.postgresql.Driver").save()
    spark.sql(f"CREATE TABLE beside USING jdbc OPTIONS ({options})")
    quick = spark.table("quick").limit(0)  # which needs no task, and the only core is taken
    write = quick.write.mode("append").format("jdbc").options(url=database.url, dbtable="beside")
    database.events()
    with ThreadPoolExecutor() as pool:
        job = pool.submit(spark.sql, "INSERT INTO beside SELECT wait(id), name FROM slow")
        sleep(0.5)
        write.option("driver", "org.postgresql.Driver").save()
        assert not job.done()
    events = database.events()
    spark.sql("DROP TABLE beside")
    read = [[Path(each["name"]).name for each in event["inputs"]] for event in events]
    assert (read, [rows_of(event) for event in events]) == ([["quick"], ["slow"]], [0, 4])
    (slow,) = events[1]["inputs"]
    assert slow["inputFacets"]["inputStatistics"]["rowCount"] == 4


def test_the_column_by_which_a_read_is_split_selects_no_rows(database: Database) -> None:
    bounds = {"lowerBound": "1", "upperBound": "2", "numPartitions": "2"}
    frame = database.read(dbtable="shop.authors", partitionColumn="born", **bounds)
    path = f"{database.session.root}/split"
    _, lineage = database.lineage(lambda: frame.select("id", "name").write.parquet(path))
    assert lineage == whole(SAME)


def test_tables_that_spark_makes_in_a_database_are_the_databases(database: Database) -> None:
    spark = database.session.spark
    frame = spark.range(2).selectExpr("cast(id AS int) AS id", "'x' AS name")
    options = {"url": database.url, "driver": "org.postgresql.Driver"}
    database.events()
    frame.write.format("jdbc").options(dbtable="made_by_frame", **options).saveAsTable("made")
    text = f"url '{database.url}', dbtable 'made_by_text', driver 'org.postgresql.Driver'"
    spark.sql(f"CREATE TABLE made_too USING jdbc OPTIONS ({text}) AS SELECT 1 AS id")
    frame.write.format("jdbc").mode("append").options(
        dbtable="made_by_frame", **options
    ).saveAsTable("made")
    events = [event for event in database.events() if event["outputs"]]
    assert sorted(
        (item["namespace"], item["name"], "lifecycleStateChange" in item["facets"])
        for event in events
        for item in event["outputs"]
    ) == [
        (database.space, "postgres.made_by_frame", False),
        (database.space, "postgres.made_by_frame", True),
        (database.space, "postgres.made_by_text", True),
    ]
    for table in ("made", "made_too"):
        spark.sql(f"DROP TABLE {table}")
    assert database.events() == []


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

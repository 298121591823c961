"""Sessions with Hive support: an embedded metastore, tables in Hive's own formats."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.spark.lake import MADE, dropped, made, summary, table_change, whole
from tests.spark.session import Session, end_jvm

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark-hive")]

SAME = whole("a <- t.a DIRECT:IDENTITY\n b <- t.b DIRECT:IDENTITY")
ASKS = {
    "create as select (H1)": (
        "CREATE TABLE h1 STORED AS textfile AS SELECT a, b FROM t",
        (1, SAME, "t"),
    ),
    "create as select in a format of Spark's own": (
        "CREATE TABLE h2 STORED AS parquet AS SELECT a, b FROM t",
        (1, SAME, "t"),
    ),
    "insert as select (H2)": ("INSERT INTO out SELECT a, b FROM t", (1, SAME, "t")),
    "overwrite with an aggregate and a join (E4)": (
        "INSERT OVERWRITE TABLE out SELECT t.a, sum(u.b) FROM t JOIN u ON t.a = u.a "
        "WHERE u.b > 1 GROUP BY t.a",
        (
            1,
            whole(
                """
                a <- t.a DIRECT:IDENTITY
                b <- u.b DIRECT:AGGREGATION
                * <- t.a INDIRECT:GROUP_BY, INDIRECT:JOIN
                * <- u.a INDIRECT:JOIN
                * <- u.b INDIRECT:FILTER
                """
            ),
            "t u",
        ),
    ),
    "insert overwrite directory": (
        "INSERT OVERWRITE DIRECTORY '{root}/dir' STORED AS textfile SELECT a, b FROM t",
        (1, SAME, "t"),
    ),
    "dynamic partitions": (
        "INSERT INTO parts PARTITION (p) SELECT a, b FROM t",
        (1, whole("a <- t.a DIRECT:IDENTITY\n p <- t.b DIRECT:IDENTITY"), "t"),
    ),
    "a static partition": (
        "INSERT INTO parts PARTITION (p = 'x') SELECT a FROM t",
        (1, whole("a <- t.a DIRECT:IDENTITY\n p <-"), "t"),
    ),
    "a static and a dynamic partition": (
        "INSERT OVERWRITE TABLE two_parts PARTITION (p = 'x', q) SELECT a, b FROM t",
        (
            1,
            whole("a <- t.a DIRECT:IDENTITY\n p <-\n q <- t.b DIRECT:IDENTITY"),
            "t",
        ),
    ),
}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    root = Path(tmp_path_factory.mktemp("hive"))
    end_jvm()  # Derby's folder is the JVM's for as long as it runs
    settings = {
        "spark.driver.extraJavaOptions": f"-Dderby.stream.error.file={root}/derby.log",
        "spark.sql.catalogImplementation": "hive",
        "spark.hadoop.hive.exec.dynamic.partition.mode": "nonstrict",
        "spark.hadoop.javax.jdo.option.ConnectionURL": (
            f"jdbc:derby:;databaseName={root}/metastore;create=true"
        ),
    }
    tables = [line.replace("USING hive", "STORED AS textfile") for line in made("", "hive")]
    tables.append("CREATE TABLE parts (a INT) PARTITIONED BY (p STRING) STORED AS textfile")
    tables.append(
        "CREATE TABLE two_parts (a INT) PARTITIONED BY (p STRING, q INT) STORED AS textfile"
    )
    found = Session(root, settings, statements=tables)
    yield found
    found.stop()
    end_jvm()


@pytest.mark.parametrize("name", ASKS)
def test_a_command_is_reported_once_with_its_whole_lineage(session: Session, name: str) -> None:
    statement, expected = ASKS[name]
    assert summary(session, statement.format(root=session.root), "default.") == expected


def test_a_load_says_which_files_replace_the_table(session: Session) -> None:
    session.events()
    path = session.root / "other.txt"
    path.write_text("1\n")
    session.spark.sql(
        f"LOAD DATA LOCAL INPATH '{path}' OVERWRITE INTO TABLE parts PARTITION (p = 'z')"
    )
    (event,) = session.events()
    (output,), (read,) = event["outputs"], event["inputs"]
    assert output["name"] == f"{session.root}/warehouse/parts"
    assert read["name"] == str(path)
    assert "lifecycleStateChange" not in output["facets"]  # other partitions are left
    assert "columnLineage" not in output["facets"]


def test_tables_are_made_and_altered(session: Session) -> None:
    changes = {
        **MADE,
        "CREATE TABLE likewise LIKE new": ("likewise", "CREATE", "a b"),
        "ALTER TABLE new ADD COLUMNS (c INT)": ("new", "ALTER", "a b c"),
        "ALTER TABLE new CHANGE COLUMN c c INT COMMENT 'x'": ("new", "ALTER", "a b c"),
    }
    for statement, change in changes.items():
        statement = statement.format(p="", using="hive")
        time.sleep(1)  # Hive keeps the second in which a table was made
        assert table_change(session, statement) == change


@pytest.mark.parametrize(("purges", "expected"), [("false", []), ("true", ["away"])])
def test_the_files_of_an_external_table_outlive_it(
    session: Session, purges: str, expected: list[str]
) -> None:
    """But for a metastore of Hive 3 that is told to remove them."""
    session.spark.sql(
        f"CREATE EXTERNAL TABLE away (a INT) STORED AS textfile LOCATION '{session.root}/away' "
        f"TBLPROPERTIES ('external.table.purge' = '{purges}')"
    )
    assert dropped(session, session.spark.sql, "DROP TABLE away") == expected

"""`colgraph plan` of a job that changes tables of a catalog that is a database's.

No earlier test had a catalog outside the files that a plan covers, nor looked into one afterwards.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from subprocess import CompletedProcess
from typing import NamedTuple

import psycopg
import pytest

from bench.plan import colgraph, tree
from tests.spark.jars import jars
from tests.spark.postgres import postgres

pytestmark = [
    pytest.mark.long,
    pytest.mark.spark,
    pytest.mark.jars,
    pytest.mark.xdist_group("plan"),
]

MAKE = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
spark.sql("CREATE NAMESPACE shop.db")
spark.sql("CREATE TABLE shop.db.orders (id INT, amount INT) USING iceberg")
spark.sql("CREATE TABLE shop.db.people (id INT, name STRING) USING iceberg")
spark.sql("CREATE TABLE shop.db.wide (id INT) USING iceberg "
          "TBLPROPERTIES ('write.spark.accept-any-schema' = 'true')")
"""
STATEMENTS = """
MERGE WITH SCHEMA EVOLUTION INTO shop.db.orders AS t USING more AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

EXECUTE IMMEDIATE 'MERGE WITH SCHEMA EVOLUTION INTO shop.db.orders t USING more s ON t.id = s.id
WHEN NOT MATCHED THEN INSERT *'

BEGIN MERGE WITH SCHEMA EVOLUTION INTO shop.db.orders t USING more s ON t.id = s.id
WHEN NOT MATCHED THEN INSERT *; END

INSERT INTO shop.db.orders (id, amount) SELECT id, amount FROM more

UPDATE shop.db.orders SET amount = 0

DELETE FROM shop.db.orders WHERE id > 0

DELETE FROM shop.db.people

INSERT OVERWRITE shop.db.orders (id, amount) SELECT id, amount FROM more

TRUNCATE TABLE shop.db.orders

ALTER TABLE shop.db.orders ADD COLUMN note STRING

ALTER TABLE shop.db.orders RENAME COLUMN amount TO total

ALTER TABLE shop.db.orders SET TBLPROPERTIES ('comment' = 'plan')

ALTER TABLE shop.db.orders ADD PARTITION FIELD bucket(4, id)

ALTER TABLE shop.db.orders WRITE ORDERED BY id

ALTER TABLE shop.db.orders CREATE BRANCH planned

CREATE VIEW shop.db.seen AS SELECT id FROM shop.db.orders

CREATE TABLE shop.db.planned USING iceberg AS SELECT id FROM shop.db.orders

CREATE OR REPLACE TABLE shop.db.wide USING iceberg
TBLPROPERTIES ('write.spark.accept-any-schema' = 'true') AS SELECT id FROM shop.db.people

CALL shop.system.expire_snapshots('db.orders')

CREATE NAMESPACE shop.other
"""
PLANNED = """
import sys
from pyspark.sql import SparkSession
from pyspark.sql.functions import expr
spark = SparkSession.builder.getOrCreate()
spark.sql("SELECT 1 AS id, 5 AS amount, 9 AS extra").createOrReplaceTempView("more")
statements = sys.argv[1].strip().split("\\n\\n")
for statement in statements:
    spark.sql(statement)
orders = spark.table("shop.db.orders").selectExpr("*", "string(id) AS name")
merge = orders.mergeInto("shop.db.people", expr("people.id = orders.id"))
merge.whenNotMatched().insertAll().withSchemaEvolution().merge()
more = orders.selectExpr("id", "'x' AS why").writeTo("shop.db.wide")
more.option("mergeSchema", "true").append()
other = spark.newSession()
other.sql("USE shop.db")
other.sql("MERGE WITH SCHEMA EVOLUTION INTO orders t "
          "USING (SELECT 1 AS id, 2 AS amount, 3 AS more) s ON t.id = s.id "
          "WHEN NOT MATCHED THEN INSERT *")
spark.sql("DROP TABLE shop.db.people PURGE")
spark.sql("ALTER TABLE shop.db.orders RENAME TO db.moved")
spark.sql("DROP NAMESPACE shop.db CASCADE")
"""


def conf(home: Path, port: int, database: str = "postgres") -> list[str]:
    """The options of spark-submit, with a catalog whose tables a database names."""
    catalog = "spark.sql.catalog.shop"
    properties = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        catalog: "org.apache.iceberg.spark.SparkCatalog",
        f"{catalog}.catalog-impl": "org.apache.iceberg.jdbc.JdbcCatalog",
        f"{catalog}.uri": f"jdbc:postgresql://127.0.0.1:{port}/{database}",
        f"{catalog}.jdbc.user": "postgres",
        f"{catalog}.jdbc.schema-version": "V1",
        f"{catalog}.warehouse": f"{home}/warehouse",
    }
    named = jars("iceberg-spark-runtime-4.1_2.13", "postgresql")
    flags = [f"--conf={name}={value}" for name, value in properties.items()]
    return ["--master", "local[1]", "--jars", ",".join(named), *flags]


def content(port: int, database: str = "postgres") -> list[tuple[object, ...]]:
    """What the catalog's database has."""
    with psycopg.connect(f"postgresql://postgres@127.0.0.1:{port}/{database}") as connection:
        tables = connection.execute("SELECT * FROM iceberg_tables ORDER BY 1, 2, 3").fetchall()
        spaces = connection.execute("SELECT * FROM iceberg_namespace_properties ORDER BY 1, 2")
        return [*tables, *spaces.fetchall()]


class Planned(NamedTuple):
    """A plan, and the catalog and its files before and afterwards."""

    done: CompletedProcess[str]
    before: tuple[object, ...]
    after: tuple[object, ...]


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Planned:
    home = tmp_path_factory.mktemp("home").resolve()
    here = tmp_path_factory.mktemp("here")
    for name, text in (("make.py", MAKE), ("planned.py", PLANNED)):
        (here / name).write_text(text)
    with postgres() as port:
        submit = Path(sys.executable).with_name("spark-submit")
        command = [submit, *conf(home, port), here / "make.py"]
        subprocess.run(command, check=True, capture_output=True, cwd=here)
        before = (content(port), tree(home))
        options = (*conf(home, port), str(here / "planned.py"), STATEMENTS)
        done = colgraph("plan", "--output", "events.jsonl", "--", *options, cwd=here)
        after = (content(port), tree(home))
    return Planned(done, before, after)


def test_the_catalog_and_its_files_are_as_they_were(planned: Planned) -> None:
    assert [row[2] for row in planned.before[0][:3]] == ["orders", "people", "wide"]
    assert planned.after == planned.before


SKIPPED = """
AddPartitionField
SetWriteDistributionAndOrdering
CreateOrReplaceBranch
CreateIcebergView
CALL shop.system.expire_snapshots
"""


def test_what_is_skipped_is_named(planned: Planned) -> None:
    assert planned.done.returncode == 0, planned.done.stderr[-3000:]
    skipped = re.findall("^colgraph: skipped: (.*)$", planned.done.stderr, re.MULTILINE)
    assert skipped == SKIPPED.strip().splitlines()

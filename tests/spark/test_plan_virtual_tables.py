"""`colgraph plan` of a job that makes, alters and drops tables of a catalog, beside its run.

No earlier test compared a plan with a run where the catalog is a database's: what the plan's own
statements had changed there was not there for the later ones.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from subprocess import CompletedProcess
from typing import NamedTuple

import pytest

from airflow_colgraph.testing.text import Lineage, of_events
from bench.plan import colgraph, tree
from tests.spark.postgres import postgres
from tests.spark.test_plan_catalogs import MAKE, conf, content

pytestmark = [
    pytest.mark.long,
    pytest.mark.spark,
    pytest.mark.jars,
    pytest.mark.xdist_group("plan"),
]

STATEMENTS = """
CREATE TABLE shop.db.big USING iceberg PARTITIONED BY (bucket(4, id))
AS SELECT o.id, amount * 2 AS twice, name FROM shop.db.orders o JOIN shop.db.people p ON o.id = p.id

MERGE INTO shop.db.big t USING shop.db.orders s ON t.id = s.id
WHEN MATCHED AND s.amount > 1 THEN UPDATE SET twice = s.amount
WHEN NOT MATCHED THEN INSERT (id, twice) VALUES (s.id, s.amount)

UPDATE shop.db.big SET name = upper(name) WHERE twice > 1

DELETE FROM shop.db.big WHERE twice IS NULL

ALTER TABLE shop.db.big ADD COLUMN note STRING

ALTER TABLE shop.db.big RENAME COLUMN twice TO double

INSERT INTO shop.db.big SELECT id, amount, 'x', string(amount) FROM shop.db.orders

ALTER TABLE shop.db.orders ADD COLUMN extra INT

INSERT OVERWRITE shop.db.orders SELECT id, id + 1, id FROM shop.db.people

CREATE OR REPLACE TABLE shop.db.orders USING iceberg
AS SELECT double AS total, note FROM shop.db.big

ALTER TABLE shop.db.big RENAME TO db.large

ALTER TABLE shop.db.large CREATE TAG before

CREATE TABLE shop.db.tagged USING iceberg
AS SELECT id, note FROM shop.db.large VERSION AS OF 'before'

ALTER TABLE shop.db.orders CREATE TAG before

INSERT INTO shop.db.tagged SELECT int(total), note FROM shop.db.orders VERSION AS OF 'before'

INSERT INTO shop.db.tagged
SELECT id, name FROM shop.db.large TIMESTAMP AS OF current_timestamp()

CREATE NAMESPACE shop.other

DROP TABLE shop.db.people PURGE

CREATE TABLE shop.db.people (id INT, age BIGINT) USING iceberg

INSERT INTO shop.db.people SELECT id, total FROM shop.db.large, shop.db.orders

UPDATE shop.db.people SET age = age + 1

MERGE WITH SCHEMA EVOLUTION INTO shop.db.people t
USING (SELECT id, bigint(double) AS age, double + 1 AS older FROM shop.db.large) s
ON t.id = s.id WHEN NOT MATCHED THEN INSERT *

CREATE TABLE IF NOT EXISTS shop.db.people (other INT) USING iceberg

TRUNCATE TABLE shop.db.wide

USE shop.other

CREATE TABLE mine USING iceberg AS SELECT older FROM shop.db.people

DELETE FROM mine

ALTER TABLE mine ALTER COLUMN older COMMENT 'years'

ALTER TABLE mine SET TBLPROPERTIES ('format-version' = '2')
"""
JOB = """
import sys
from pyspark.sql import SparkSession
home, statements = sys.argv[1:]
spark = SparkSession.builder.getOrCreate()
for statement in statements.strip().split("\\n\\n"):
    spark.sql(statement)
large = spark.table("shop.db.large")
large.writeTo("shop.other.kept").using("iceberg").partitionedBy("id").create()
kept = spark.table("kept").select("id", "note").writeTo("shop.other.kept")
kept.using("iceberg").createOrReplace()
large.select("id", "double").write.saveAsTable("saved")
large.selectExpr("id", "double + 1 AS double").write.mode("append").saveAsTable("saved")
large.select("id", "double").write.mode("overwrite").insertInto("saved")
large.select("id", "double").writeTo("saved").overwritePartitions()
large.select("id", "name").write.mode("overwrite").saveAsTable("saved")
spark.read.format("iceberg").load("shop.other.kept").write.parquet(f"{home}/kept")
wide = large.selectExpr("id", "note AS why").writeTo("shop.db.wide")
wide.option("mergeSchema", "true").append()
spark.table("shop.db.wide").write.parquet(f"{home}/wide")
spark.table("saved").rdd.map(lambda row: row.id).toDF("int").write.parquet(f"{home}/rdd")
"""


class Result(NamedTuple):
    """What `submit` or `plan` of the job has printed and reported, and the catalog around it."""

    done: CompletedProcess[str]
    lineage: Lineage
    before: tuple[object, ...]
    after: tuple[object, ...]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    here = tmp_path_factory.mktemp("here").resolve()
    for name, text in (("make.py", MAKE), ("job.py", JOB)):
        (here / name).write_text(text)
    with postgres("CREATE DATABASE submit", "CREATE DATABASE plan") as port:
        return {command: result_of(command, here, port) for command in ("submit", "plan")}


def result_of(command: str, here: Path, port: int) -> Result:
    """Let one of our commands take the job, on a catalog and a warehouse of its own."""
    home = here / command
    home.mkdir()
    options = conf(home, port, database=command)
    spark_submit = Path(sys.executable).with_name("spark-submit")
    make = [spark_submit, *options, here / "make.py"]
    subprocess.run(make, check=True, capture_output=True, cwd=here)
    before = (content(port, command), tree(home))
    events = here / f"{command}.jsonl"
    words = (command, "--output", str(events), "--", *options)
    done = colgraph(*words, str(here / "job.py"), str(home), STATEMENTS, cwd=here)
    assert done.returncode == 0, done.stderr[-3000:]
    lineage = of_events(map(json.loads, events.read_text().splitlines()), str(home))
    return Result(done, lineage, before, (content(port, command), tree(home)))


def test_the_catalog_and_its_files_are_as_they_were(results: dict[str, Result]) -> None:
    assert results["plan"].after == results["plan"].before
    assert results["submit"].after != results["submit"].before


def test_what_is_skipped_is_named(results: dict[str, Result]) -> None:
    said = results["plan"].done.stderr.splitlines()
    skipped = [line for line in said if line.startswith("colgraph: skipped")]
    assert skipped == ["colgraph: skipped: CreateOrReplaceTag"]


def test_the_lineage_is_that_of_the_run(results: dict[str, Result]) -> None:
    run, plan = results["submit"].lineage, results["plan"].lineage
    assert ("id", "/warehouse/db/big.id", "DIRECT:IDENTITY") in run["/warehouse/other/saved"]
    assert plan == run

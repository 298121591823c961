"""`colgraph plan` of tasks that create the tables that they use, and of streaming queries."""

from __future__ import annotations

import json
import os
from pathlib import Path
from subprocess import CompletedProcess
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_colgraph.testing.text import Lineage, of_events, parse
from bench.plan import colgraph, tree
from tests.spark.jars import jars

pytestmark = [pytest.mark.spark, pytest.mark.jars, pytest.mark.xdist_group("plan")]

BEGIN = """
import sys
from pyspark.sql import SparkSession
home = sys.argv[1]
spark = SparkSession.builder.getOrCreate()
raw = spark.read.parquet(f"{home}/raw")
"""
TABLES = """
raw.createOrReplaceTempView("raw")

# Delta: by name, and by path
spark.sql("CREATE TABLE bronze (id BIGINT, customer BIGINT, amount DOUBLE) USING delta")
spark.sql("INSERT INTO bronze SELECT id, customer, amount FROM raw")
spark.sql("CREATE TABLE silver USING delta AS SELECT id, amount * 2 AS amount FROM bronze")
spark.sql('''MERGE INTO silver t USING (SELECT max(id) AS id, sum(amount) AS amount FROM bronze) s
    ON t.id = s.id WHEN MATCHED THEN UPDATE SET amount = s.amount WHEN NOT MATCHED THEN INSERT *''')
spark.sql("UPDATE silver SET amount = amount + 1 WHERE id > 1")
spark.sql("DELETE FROM silver WHERE amount IS NULL")
raw.select("id", "day").write.format("delta").save(f"{home}/lake/orders")
evolving = raw.select("id", "amount").write.format("delta").mode("append")
evolving.option("mergeSchema", "true").save(f"{home}/lake/orders")
first = spark.read.format("delta").option("versionAsOf", 0).load(f"{home}/lake/orders")
first.writeTo("gold").using("delta").createOrReplace()
spark.sql("DROP TABLE gold")
spark.sql("CREATE TABLE gold USING delta AS SELECT count(*) AS n FROM silver")
evolution = "spark.databricks.delta.schema.autoMerge.enabled"
spark.conf.set(evolution, "true")
spark.sql('''MERGE INTO gold t USING (SELECT n, 'x' AS why FROM gold) s
    ON t.n = s.n WHEN NOT MATCHED THEN INSERT *''')
spark.conf.unset(evolution)

# a table of Delta's that is the user's, with rows
customers = spark.read.format("delta").load(f"{home}/lake/customers")
spark.sql(f"UPDATE delta.`{home}/lake/customers` SET name = upper(name)")
changed = raw.selectExpr("string(customer) AS customer", "day AS name").write.format("delta")
changed.mode("overwrite").save(f"{home}/lake/customers")
plain = raw.select("id", "day").write.format("parquet").partitionBy("day")
plain.mode("append").saveAsTable("plain")

# Iceberg
raw.writeTo("ice.db.orders").using("iceberg").create()
spark.sql("ALTER TABLE ice.db.orders CREATE TAG before")
spark.sql("ALTER TABLE ice.db.orders ADD COLUMN note STRING")
spark.sql("ALTER TABLE ice.db.orders RENAME COLUMN day TO date")
"""
LATER = """
# what the task before has left
spark.sql("CREATE TABLE later USING parquet AS SELECT n, why, id FROM gold, plain")
spark.read.format("delta").load(f"{home}/lake/orders").write.json(f"{home}/json")
spark.sql('''MERGE INTO ice.db.orders t USING raw s ON t.id = s.id
    WHEN MATCHED THEN UPDATE SET note = s.day'''.replace("raw", f"parquet.`{home}/raw`"))
spark.sql("CREATE TABLE ice.db.tagged USING iceberg AS "
          "SELECT id, day FROM ice.db.orders VERSION AS OF 'before'")
spark.sql("DROP TABLE ice.db.tagged")
spark.sql("CREATE TABLE ice.db.tagged USING iceberg AS SELECT note FROM ice.db.orders")
spark.sql(f'''MERGE WITH SCHEMA EVOLUTION INTO ice.db.tagged t
    USING (SELECT day AS note, amount AS paid FROM parquet.`{home}/raw`) s
    ON t.note = s.note WHEN NOT MATCHED THEN INSERT *''')
spark.sql("CREATE TABLE ice.db.paid USING iceberg AS SELECT paid FROM ice.db.tagged")

# streams
def upsert(batch, number):
    if batch.isEmpty():
        return
    batch.createOrReplaceTempView("updates")
    spark.sql('''MERGE INTO bronze t USING updates s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET amount = s.amount''')

def stream(frame):
    return frame.writeStream.trigger(availableNow=True).option("checkpointLocation", f"{home}/at")

files = spark.readStream.schema(raw.schema).parquet(f"{home}/raw")
stream(files.where("amount > 0")).foreachBatch(upsert).start().awaitTermination()
orders = spark.readStream.format("delta").load(f"{home}/lake/orders")
stream(orders.selectExpr("id", "day AS at")).format("delta").start(f"{home}/lake/streamed")
spark.streams.awaitAnyTermination()
spark.read.format("delta").load(f"{home}/lake/streamed").write.parquet(f"{home}/again")
"""
EXTENSIONS = (
    "io.delta.sql.DeltaSparkSessionExtension",
    "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
)
DAG = """
from datetime import datetime
from airflow.sdk import DAG
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

def task(name):
    return SparkSubmitOperator(task_id=name, application="{home}/jobs/" + name + ".py",
                               application_args=["{home}"], conf={conf}, jars="{jars}")

with DAG("lake", schedule=None, start_date=datetime(2026, 1, 1)):
    task("tables") >> task("later")
"""


def conf(home: Path) -> dict[str, str]:
    """Spark's properties with Delta and Iceberg, and all warehouses in the user's folder."""
    return {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.sql.warehouse.dir": f"{home}/warehouse",
        "spark.sql.extensions": ",".join(EXTENSIONS),
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.ice.type": "hadoop",
        "spark.sql.catalog.ice.warehouse": f"{home}/ice",
        "spark.delta.logStore.file.impl": "io.delta.storage.HDFSLogStore",
    }


def delta_table(folder: Path, table: pa.Table) -> None:
    """A table of Delta's with rows, as another job has left it."""
    fields = [{"name": name, "type": "string", "nullable": True} for name in table.column_names]
    schema = {"type": "struct", "fields": [{**field, "metadata": {}} for field in fields]}
    form = {"provider": "parquet", "options": {}}
    (folder / "_delta_log").mkdir(parents=True)
    pq.write_table(table, folder / "part.parquet")
    add = {"path": "part.parquet", "partitionValues": {}, "dataChange": True, "modificationTime": 0}
    size = (folder / "part.parquet").stat().st_size
    names = {"partitionColumns": [], "configuration": {}, "schemaString": json.dumps(schema)}
    actions = [
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
        {"metaData": {"id": "a", "format": form, **names}},
        {"add": {**add, "size": size}},
    ]
    log = "".join(json.dumps(action) + "\n" for action in actions)
    (folder / "_delta_log" / "00000000000000000000.json").write_text(log)


class Planned(NamedTuple):
    """A plan, what the user's folder was before, and the lineage in the plan's events."""

    home: Path
    done: CompletedProcess[str]
    events: str
    lineage: Lineage
    before: dict[str, str]


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Planned:
    home = tmp_path_factory.mktemp("home").resolve()
    here = tmp_path_factory.mktemp("here")
    ids, text = pa.array([1, 2], pa.int64()), pa.array(["x", "y"])
    rows = {"id": ids, "customer": ids, "day": text, "amount": pa.array([2.5, 3.0])}
    (home / "raw").mkdir()
    pq.write_table(pa.table(rows), home / "raw" / "part.parquet")
    delta_table(home / "lake" / "customers", pa.table({"customer": text, "name": text}))
    for folder in ("jobs", "dags"):
        (home / folder).mkdir()
    (home / "jobs" / "tables.py").write_text(BEGIN + TABLES)
    (home / "jobs" / "later.py").write_text(BEGIN + LATER)
    named = jars("delta-spark_4.1_2.13", "delta-storage", "iceberg-spark-runtime-4.1_2.13")
    dag = DAG.format(home=home, jars=",".join(named), conf=repr(conf(home)))
    (home / "dags" / "lake.py").write_text(dag)
    before = tree(home)
    done = colgraph(
        *("plan", "--dag", "lake", "--dags-folder", str(home / "dags"), "--output", "events.jsonl"),
        cwd=here,
        environment={
            **os.environ,
            "AIRFLOW_HOME": str(here),
            "PYTHONDONTWRITEBYTECODE": "1",  # beside the DAG
            "AIRFLOW_CONN_SPARK_DEFAULT": "spark://nowhere",
        },
    )
    events = (here / "events.jsonl").read_text()
    lineage = of_events(map(json.loads, events.splitlines()), str(home))
    return Planned(home, done, events, lineage, before)


def test_the_users_tables_and_folders_are_as_they_were(planned: Planned) -> None:
    assert planned.done.returncode == 0, planned.done.stderr[-3000:]
    assert planned.done.stderr.count("colgraph: Spark has read and written 0 rows") == 2
    assert tree(planned.home) == planned.before


def test_no_rows_are_counted(planned: Planned) -> None:
    assert "Statistics" not in planned.events


def test_no_statement_is_skipped(planned: Planned) -> None:
    assert "colgraph: skipped" not in planned.done.stderr


EXPECTED = """
/lake/orders
  id       <- /raw.id                 DIRECT:IDENTITY
  day      <- /raw.day                DIRECT:IDENTITY
  day      <-
  amount   <- /raw.amount             DIRECT:IDENTITY
default.silver
  id       <- default.bronze.id       DIRECT:AGGREGATION
  id       <- default.bronze.id       DIRECT:IDENTITY
  id       <- default.silver.id       DIRECT:IDENTITY
  amount   <- default.bronze.amount   DIRECT:AGGREGATION
  amount   <- default.bronze.amount   DIRECT:TRANSFORMATION
  amount   <- default.silver.amount   DIRECT:IDENTITY
  amount   <- default.silver.amount   DIRECT:TRANSFORMATION
  *        <- default.bronze.id       INDIRECT:JOIN
  *        <- default.silver.id       INDIRECT:JOIN
  *        <- default.silver.id       INDIRECT:FILTER
  *        <- default.silver.amount   INDIRECT:FILTER
/lake/customers
  customer <- /raw.customer           DIRECT:TRANSFORMATION
  customer <- /lake/customers.customer DIRECT:IDENTITY
  name     <- /raw.day                DIRECT:IDENTITY
  name     <- /lake/customers.name    DIRECT:TRANSFORMATION
/json
  id       <- /lake/orders.id         DIRECT:IDENTITY
  day      <- /lake/orders.day        DIRECT:IDENTITY
  amount   <- /lake/orders.amount     DIRECT:IDENTITY
default.later
  n        <- default.gold.n          DIRECT:IDENTITY
  why      <- default.gold.why        DIRECT:IDENTITY
  id       <- default.plain.id        DIRECT:IDENTITY
db.orders
  id       <- /raw.id                 DIRECT:IDENTITY
  customer <- /raw.customer           DIRECT:IDENTITY
  day      <- /raw.day                DIRECT:IDENTITY
  amount   <- /raw.amount             DIRECT:IDENTITY
  id       <- db.orders.id            DIRECT:IDENTITY
  customer <- db.orders.customer      DIRECT:IDENTITY
  date     <- db.orders.day           DIRECT:IDENTITY
  date     <- db.orders.date          DIRECT:IDENTITY
  amount   <- db.orders.amount        DIRECT:IDENTITY
  note     <- db.orders.note          DIRECT:IDENTITY
  note     <- /raw.day                DIRECT:IDENTITY
  *        <- db.orders.id            INDIRECT:JOIN
  *        <- /raw.id                 INDIRECT:JOIN
db.tagged
  id       <- db.orders.id            DIRECT:IDENTITY
  day      <- db.orders.day           DIRECT:IDENTITY
  note     <- db.orders.note          DIRECT:IDENTITY
  note     <- /raw.day                DIRECT:IDENTITY
  paid     <- /raw.amount             DIRECT:IDENTITY
  *        <- db.tagged.note          INDIRECT:JOIN
  *        <- /raw.day                INDIRECT:JOIN
db.paid
  paid     <- db.tagged.paid          DIRECT:IDENTITY
default.bronze
  id       <- /raw.id                 DIRECT:IDENTITY
  customer <- /raw.customer           DIRECT:IDENTITY
  amount   <- /raw.amount             DIRECT:IDENTITY
  id       <- default.bronze.id       DIRECT:IDENTITY
  customer <- default.bronze.customer DIRECT:IDENTITY
  *        <- default.bronze.id       INDIRECT:JOIN
  *        <- /raw.id                 INDIRECT:JOIN
  *        <- /raw.amount             INDIRECT:FILTER
/lake/streamed
  id       <- /lake/orders.id         DIRECT:IDENTITY
  at       <- /lake/orders.day        DIRECT:IDENTITY
/again
  id       <- /lake/streamed.id       DIRECT:IDENTITY
  at       <- /lake/streamed.at       DIRECT:IDENTITY
"""


@pytest.mark.parametrize("dataset", parse(EXPECTED))
def test_the_lineage_is_that_of_the_run(planned: Planned, dataset: str) -> None:
    assert planned.lineage.get(dataset) == parse(EXPECTED)[dataset]

"""`colgraph plan`: the lineage of a real application, and that nothing of it has happened."""

from __future__ import annotations

import json
from pathlib import Path
from subprocess import CompletedProcess
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_colgraph.store.store import Store
from airflow_colgraph.testing.text import Lineage, of_events, parse
from bench.plan import colgraph, tree

pytestmark = [
    pytest.mark.spark,
    pytest.mark.versions,  # a minute and more: in make versions
    pytest.mark.xdist_group("plan"),
]

JOB = """
import sys
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

home, columns = sys.argv[1:]
spark = SparkSession.builder.master("local[4]").enableHiveSupport().getOrCreate()
orders = spark.read.csv(f"{home}/orders.csv", header=True, inferSchema=True)
customers = spark.read.parquet(f"{home}/customers")
if orders.count() > 1:
    raise SystemExit("rows were read")

# files, this job's own targets, and a source that is written again
joined = orders.join(customers, "customer").select("customer", "day", "amount", "name")
joined.write.partitionBy("day").parquet(f"{home}/joined")
again = spark.read.parquet(f"{home}/joined").selectExpr(*columns.split(","))
again.write.mode("overwrite").parquet(f"{home}/customers")
spark.read.parquet(f"{home}/customers").write.csv(f"{home}/out.csv", header=True)
spark.read.option("header", "true").csv(f"{home}/out.csv").write.json(f"{home}/out.json")

# a loop of checkpoints, each of a job with several stages
kept = joined.select("customer", "amount")
for number in range(3):
    other = kept.where(f"amount > {number}").select("customer", F.col("amount").alias("more"))
    both = kept.join(other.repartition("customer"), "customer")
    kept = both.selectExpr("customer", "amount + more AS amount").localCheckpoint()
kept.write.parquet(f"{home}/loop")

# tables, and statements
spark.sql(f"CREATE TABLE kept USING parquet LOCATION '{home}/customers'")
spark.sql("CREATE TABLE made AS SELECT name FROM kept")
spark.sql("INSERT INTO kept SELECT * FROM kept")
spark.sql("DROP TABLE kept")
spark.sql("DROP TABLE made")

# what could leave Spark
def harm(*found):
    with open(f"{home}/HARM", "a") as file:
        file.write("harm")

orders.write.format("jdbc").options(url="jdbc:postgresql://nowhere/db", dbtable="t").save()
orders.foreach(harm)
orders.rdd.foreachPartition(harm)
spark.sparkContext.parallelize([1]).saveAsTextFile(f"{home}/saved")
try:
    spark.sparkContext.textFile(f"{home}/orders.csv").map(harm).collect()
    harm()
except Exception as error:
    assert "colgraph plan" in str(error)
spark.range(3).select(F.udf(harm)("id")).collect()
spark.range(3).agg(F.udf(harm)(F.count("id"))).write.mode("overwrite").parquet(f"{home}/udf")
def kept(batch, number):
    if not batch.isEmpty():
        batch.write.mode("append").parquet(f"{home}/streamed")
stream = spark.readStream.schema("customer int, name string").parquet(f"{home}/customers")
query = stream.writeStream.foreachBatch(kept).option("checkpointLocation", f"{home}/c").start()
query.awaitTermination()
stream.writeStream.partitionBy("name").start(f"{home}/parts", outputMode="append")
stream.writeStream.toTable("streams", format="parquet")
spark.table("streams").write.parquet(f"{home}/streams")
stream.writeStream.foreachBatch(lambda batch, number: 1 / 0).start()
spark.streams.resetTerminated()
hadoop = spark.sparkContext._jsc.hadoopConfiguration()
hadoop.set("fs.file.impl", "org.apache.hadoop.fs.LocalFileSystem")
path = spark._jvm.org.apache.hadoop.fs.Path(f"{home}/customers")
assert path.getFileSystem(hadoop).delete(path, True)
assert not path.getFileSystem(hadoop).exists(path)
"""


class Planned(NamedTuple):
    """A plan: what it printed, and the lineage in its events."""

    home: Path
    done: CompletedProcess[str]
    events: Path
    before: dict[str, str]

    def lineage(self) -> Lineage:
        lines = self.events.read_text().splitlines()
        return of_events(map(json.loads, lines), str(self.home))


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Planned:
    home = tmp_path_factory.mktemp("home")
    (home / "orders.csv").write_text("customer,day,amount\n1,2024-01-01,2.5\n2,2024-01-01,3\n")
    (home / "customers").mkdir()
    table = pa.table({"customer": pa.array([1], pa.int32()), "name": ["Ann"]})
    pq.write_table(table, home / "customers" / "part.parquet")
    return plan_of(home, tmp_path_factory.mktemp("job"), "customer,amount,name")


def plan_of(home: Path, folder: Path, columns: str) -> Planned:
    (folder / "job.py").write_text(JOB)
    before, events = tree(home), folder / "events.jsonl"
    conf = ["--conf", "spark.ui.enabled=false", "--conf", f"spark.sql.warehouse.dir={home}/wh"]
    job = ["--master", "yarn", *conf, str(folder / "job.py"), str(home), columns]
    done = colgraph("plan", "--output", str(events), "--", *job, cwd=folder)
    return Planned(home, done, events, before)


def test_nothing_is_read_written_or_sent(planned: Planned) -> None:
    assert planned.done.returncode == 0, planned.done.stdout[-3000:]
    assert "colgraph: Spark has read and written 0 rows" in planned.done.stderr
    assert tree(planned.home) == planned.before
    assert not (planned.home / "HARM").exists()
    assert "DIRECT:IDENTITY" in planned.done.stdout
    assert "DIRECT:IDENTITY" not in planned.done.stderr
    assert "colgraph:" not in planned.done.stdout


def test_the_lineage_is_that_of_the_run(planned: Planned) -> None:
    found = planned.lineage()
    assert (
        found["/joined"]
        == parse(
            """
        customer <- /orders.csv.customer DIRECT:IDENTITY
        day      <- /orders.csv.day      DIRECT:IDENTITY
        amount   <- /orders.csv.amount   DIRECT:IDENTITY
        name     <- /customers.name      DIRECT:IDENTITY
        *        <- /customers.customer  INDIRECT:JOIN
        *        <- /orders.csv.customer INDIRECT:JOIN
        """
        )[""]
    )
    assert (
        found["/loop"]
        == parse(
            """
        customer <- /orders.csv.customer DIRECT:IDENTITY
        amount   <- /orders.csv.amount   DIRECT:TRANSFORMATION
        *        <- /customers.customer  INDIRECT:JOIN
        *        <- /orders.csv.customer INDIRECT:JOIN
        *        <- /orders.csv.amount   INDIRECT:FILTER
        """
        )[""]
    )
    assert ("amount", "/joined.amount", "DIRECT:IDENTITY") in found["/customers"]
    assert ("amount", "/out.csv.amount", "DIRECT:IDENTITY") in found["/out.json"]
    assert ("name", "/customers.name", "DIRECT:IDENTITY") in found["default.made"]
    assert ("amount", "/orders.csv.amount", "DIRECT:IDENTITY") in found["db.t"]
    for target in ("/streamed", "/parts", "default.streams"):
        assert ("name", "/customers.name", "DIRECT:IDENTITY") in found[target]
    assert ("name", "default.streams.name", "DIRECT:IDENTITY") in found["/streams"]


def test_what_is_skipped_or_empty_is_named(planned: Planned) -> None:
    printed = planned.done.stderr
    for text in (
        "skipped: SaveIntoDataSourceCommand",
        "skipped: DataFrame.foreach (open at job.py:",
        "skipped: RDD.foreachPartition (open at job.py:",
        "skipped: RDD.saveAsTextFile at job.py:",
        "skipped: DataStreamWriter.start (ZeroDivisionError: division by zero) at job.py:",
        "DataFrame.count at job.py:10 had no rows to return",
    ):
        assert text in printed


def test_the_store_refuses_what_was_only_planned(planned: Planned, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/colgraph.db"
    done = colgraph("--store", store, "ingest", str(planned.events), cwd=tmp_path)
    assert done.returncode == 1
    assert "The event is of `colgraph plan`: no such data was written." in done.stderr
    lines = planned.events.read_text().splitlines()
    assert done.stdout == f"0 events added, {len(lines)} lines skipped\n"


def test_a_change_that_drops_a_column_is_caught_without_running(
    planned: Planned, tmp_path: Path
) -> None:
    changed = plan_of(planned.home, tmp_path, "customer,name")
    base = ["--base", str(planned.events), str(changed.events)]
    done = colgraph("check", *base, "--format", "json", cwd=tmp_path)
    found = {
        (one["kind"], one["name"].rpartition("/")[2], one["column"])
        for one in json.loads(done.stdout)["changes"]
    }
    assert ("changed-together", "out.csv", "amount") in found, "customers and what reads it"
    assert tree(planned.home) == planned.before


STORE_JOB = """
import sys
from pyspark.sql import SparkSession

home = sys.argv[1]
spark = SparkSession.builder.getOrCreate()
orders = spark.read.parquet(f"{home}/lake/orders").where("day > '2026-01-01'")
customers = spark.table("raw.customers")
joined = orders.join(customers, "customer")
joined.selectExpr("id", "upper(who.mail) AS mail").write.parquet(f"{home}/lake/mart")
spark.sql("CREATE TABLE made AS SELECT c.customer, n.note FROM raw.customers c, raw.notes n")
spark.read.csv(f"{home}/lake/text", header=True).write.json(f"{home}/lake/json")
try:
    spark.read.parquet(f"{home}/lake/odd")
except Exception as error:
    print("refused", type(error).__name__)
own = spark.read.schema("day date, total double").parquet(f"{home}/lake/own", f"{home}/lake/more")
own.selectExpr("total * 2 AS twice").write.parquet(f"{home}/lake/twice")
rows = spark.readStream.schema("note string").json(f"{home}/lake/rows")
query = rows.writeStream.option("checkpointLocation", f"{home}/at").format("parquet")
query.start(f"{home}/lake/streamed").awaitTermination()
spark.read.parquet(f"{home}/lake/none")
"""


def described(namespace: str, name: str, **columns: str) -> dict[str, object]:
    """An event that describes a dataset."""
    fields = [{"name": name, "type": kind} for name, kind in columns.items()]
    dataset = {"namespace": namespace, "name": name, "facets": {"schema": {"fields": fields}}}
    return {"eventTime": "2026-11-20T12:00:00Z", "dataset": dataset}


def test_columns_of_sources_that_are_not_there_come_from_the_store(tmp_path: Path) -> None:
    home, store = tmp_path / "home", f"sqlite:///{tmp_path}/lineage.db"
    home.mkdir()
    opened = Store.open(store)
    opened.add(
        [
            described("file", f"{home}/lake/orders", id="long", customer="integer", day="date"),
            described("hive", "raw.customers", customer="integer", who="struct<mail:string>"),
            described("hive", "raw.notes", note="string", at="timestamp"),
            described("hive", "raw.unused", note="string"),
            described("file", f"{home}/lake/mart", id="long", mail="string"),
            described("hive", "default.made", customer="integer"),
            described("file", f"{home}/lake/text", a="string", b="integer"),
            described("file", f"{home}/lake/odd", a="serial"),
        ]
    )
    opened.close()
    (tmp_path / "job.py").write_text(STORE_JOB)
    (tmp_path / "schemas.json").write_text('{"raw.notes": "note string, more int"}')
    words = ["--store", store, "--schemas", "schemas.json", "--output", "events.jsonl"]
    conf = ["--conf", "spark.ui.enabled=false", "--conf", f"spark.sql.warehouse.dir={home}/wh"]
    job = [*conf, str(tmp_path / "job.py"), str(home)]
    done = colgraph("plan", *words, "--", *job, cwd=tmp_path)
    assert done.returncode == 1, done.stderr[-3000:]
    assert "refused AnalysisException" in done.stderr
    assert "lake/none is not there; --schemas can name its columns" in done.stderr
    for name in ("own", "more", "rows"):
        line = f"file:{home}/lake/{name} is not there; its columns are those that the program names"
        assert line in done.stderr
    assert f"colgraph: the store knows no types of {home}/lake/odd" in done.stderr
    assert "colgraph: Spark has read and written 0 rows" in done.stderr
    assert list(home.iterdir()) == []
    lines = (tmp_path / "events.jsonl").read_text().splitlines()
    found = of_events(map(json.loads, lines), str(home))
    assert (
        found["/lake/mart"]
        == parse(
            """
        id   <- /lake/orders.id        DIRECT:IDENTITY
        mail <- raw.customers.who      DIRECT:TRANSFORMATION
        *    <- /lake/orders.customer  INDIRECT:JOIN
        *    <- /lake/orders.day       INDIRECT:FILTER
        *    <- raw.customers.customer INDIRECT:JOIN
        """
        )[""]
    )
    assert ("note", "raw.notes.note", "DIRECT:IDENTITY") in found["default.made"]
    assert ("b", "/lake/text.b", "DIRECT:IDENTITY") in found["/lake/json"]
    assert ("twice", "/lake/own.total", "DIRECT:TRANSFORMATION") in found["/lake/twice"]
    assert ("note", "/lake/rows.note", "DIRECT:IDENTITY") in found["/lake/streamed"]

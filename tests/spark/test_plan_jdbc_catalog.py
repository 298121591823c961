"""`colgraph plan` of a job on a database as Spark's own JDBC catalog, beside its run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_colgraph.collector.events.render import Line
from airflow_colgraph.testing.text import of_events
from bench.plan import colgraph
from tests.spark.jars import jars
from tests.spark.postgres import postgres

pytestmark = [
    pytest.mark.spark,
    pytest.mark.jars,
    pytest.mark.xdist_group("plan"),
    pytest.mark.long,
]

JOB = """
import sys
from pyspark.sql import SparkSession
home, out = sys.argv[1:]
spark = SparkSession.builder.getOrCreate()
spark.read.parquet(f"{home}/raw").createOrReplaceTempView("raw")
spark.sql("CREATE TABLE pg.public.made AS SELECT id, id * 2 AS twice FROM raw")
spark.sql("INSERT INTO pg.public.made SELECT id, id FROM raw")
spark.sql("INSERT INTO pg.public.old SELECT id FROM raw")
spark.sql("ALTER TABLE pg.public.old ADD COLUMN more BIGINT")
spark.sql("INSERT INTO pg.public.old SELECT id, twice FROM pg.public.made")
spark.sql("ALTER TABLE pg.public.made RENAME TO public.last")
spark.table("pg.public.last").write.parquet(f"{home}/{out}/last")
spark.sql("DROP TABLE pg.public.old")
"""
COLUMNS = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = %s"


class Result(NamedTuple):
    """The lineage of a run or a plan, and the database's columns afterwards."""

    edges: set[tuple[str, Line]]
    columns: list[tuple[str, str]]


def result_of(command: str, home: Path, port: int) -> Result:
    """Let one of our commands take the job, on a database of its own."""
    address = f"127.0.0.1:{port}/{command}"
    catalog = "--conf=spark.sql.catalog.pg"
    conf = (
        f"{catalog}=org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog",
        f"{catalog}.url=jdbc:postgresql://{address}?user=postgres",
        f"{catalog}.driver=org.postgresql.Driver",
        "--conf=spark.ui.enabled=false",
    )
    with psycopg.connect(f"postgresql://postgres@{address}", autocommit=True) as connection:
        connection.execute("CREATE TABLE old (id BIGINT)")
        words = (command, "--output", "events.jsonl", "--", "--jars", *jars("postgresql"), *conf)
        (home / command).mkdir()
        job = (str(home / "job.py"), str(home), command)
        done = colgraph(*words, *job, cwd=home / command)
        assert done.returncode == 0, done.stderr[-3000:]
        columns = connection.execute(COLUMNS, ["public"]).fetchall()
    text = (home / command / "events.jsonl").read_text()
    events = map(json.loads, text.replace(address, "db").replace(f"{command}.", "db.").splitlines())
    lineage = of_events(events, f"{home}/{command}")
    return Result({(name, line) for name, lines in lineage.items() for line in lines}, columns)


def test_the_lineage_is_that_of_the_run_and_the_database_is_only_read(tmp_path: Path) -> None:
    home = tmp_path.resolve()
    (home / "job.py").write_text(JOB)
    (home / "raw").mkdir()
    pq.write_table(pa.table({"id": [1, 2]}), home / "raw" / "part.parquet")
    with postgres("CREATE DATABASE submit", "CREATE DATABASE plan") as port:
        run, plan = (result_of(command, home, port) for command in ("submit", "plan"))
    assert run.columns == [("last", "id"), ("last", "twice")]
    assert plan.columns == [("old", "id")]
    assert ("db.public.old", ("more", "db.public.made.twice", "DIRECT:IDENTITY")) in run.edges
    assert plan.edges == run.edges

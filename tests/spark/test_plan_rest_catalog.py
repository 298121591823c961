"""`colgraph plan --dag` of tasks whose tables are those of an Iceberg REST catalog."""

from __future__ import annotations

import json
import os
from pathlib import Path
from subprocess import CompletedProcess
from typing import NamedTuple

import pytest

from airflow_colgraph.testing.text import Lineage, of_events, parse
from bench.plan import colgraph, tree
from tests.spark.iceberg_rest import rest_catalog
from tests.spark.jars import jars

pytestmark = [
    pytest.mark.long,
    pytest.mark.spark,
    pytest.mark.jars,
    pytest.mark.xdist_group("plan"),
]

FIRST = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
spark.sql("CREATE TABLE rest.db.daily USING iceberg PARTITIONED BY (bucket(4, id)) "
          "AS SELECT id, amount * 2 AS twice FROM rest.db.orders")
spark.sql("ALTER TABLE rest.db.orders ADD COLUMN note STRING")
spark.sql("DROP TABLE rest.db.old")
spark.sql("CREATE NAMESPACE rest.made")
"""
SECOND = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
spark.sql("MERGE INTO rest.db.daily t USING rest.db.orders s ON t.id = s.id "
          "WHEN MATCHED THEN UPDATE SET twice = s.amount")
spark.sql("INSERT INTO rest.db.orders (id, note) SELECT id, string(twice) FROM rest.db.daily")
tables = sorted(row.tableName for row in spark.sql("SHOW TABLES IN rest.db").collect())
spaces = sorted(row.namespace for row in spark.sql("SHOW NAMESPACES IN rest").collect())
assert (tables, spaces) == (["daily", "orders"], ["db", "made"]), (tables, spaces)
assert not spark.catalog.tableExists("rest.db.old")
"""
DAG = """
from datetime import datetime
from airflow.sdk import DAG
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

def task(name):
    return SparkSubmitOperator(task_id=name, application="{home}/jobs/" + name + ".py",
                               conf={conf}, jars="{jars}")

with DAG("lake", schedule=None, start_date=datetime(2026, 1, 1)):
    task("first") >> task("second")
"""


def conf(uri: str) -> dict[str, str]:
    """Spark's properties with a REST catalog that knows its warehouse by a name only."""
    return {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.catalog.rest": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.rest.type": "rest",
        "spark.sql.catalog.rest.uri": uri,
        "spark.sql.catalog.rest.warehouse": "production",
    }


class Planned(NamedTuple):
    """A planned DAG, what it would have changed, and its lineage."""

    done: CompletedProcess[str]
    changes: list[str]
    lineage: Lineage
    outputs: set[str]
    is_unchanged: bool


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Planned:
    home = tmp_path_factory.mktemp("home").resolve()
    here = tmp_path_factory.mktemp("here")
    for folder in ("jobs", "dags"):
        (home / folder).mkdir()
    (home / "jobs" / "first.py").write_text(FIRST)
    (home / "jobs" / "second.py").write_text(SECOND)
    orders = {"id": "int", "amount": "double"}
    with rest_catalog(f"{home}/lake/db", {"orders": orders, "old": orders}) as rest:
        named = ",".join(jars("iceberg-spark-runtime-4.1_2.13"))
        dag = DAG.format(home=home, jars=named, conf=repr(conf(rest.uri)))
        (home / "dags" / "lake.py").write_text(dag)
        before = tree(home)
        done = colgraph(*planning(home / "dags"), cwd=here, environment=environment(here))
    events = [json.loads(line) for line in (here / "events.jsonl").read_text().splitlines()]
    outputs = {output["name"] for event in events for output in event["outputs"]}
    below = {name.replace(str(home), "") for name in outputs}
    return Planned(done, rest.changes, of_events(events), below, tree(home) == before)


def planning(dags: Path) -> tuple[str, ...]:
    """The words after `colgraph`."""
    return ("plan", "--dag", "lake", "--dags-folder", str(dags), "--output", "events.jsonl")


def environment(here: Path) -> dict[str, str]:
    """Airflow's, without a database."""
    return {
        **os.environ,
        "AIRFLOW_HOME": str(here),
        "PYTHONDONTWRITEBYTECODE": "1",  # beside the DAG
        "AIRFLOW_CONN_SPARK_DEFAULT": "spark://nowhere",
    }


def test_the_server_is_only_read(planned: Planned) -> None:
    assert planned.done.returncode == 0, planned.done.stderr[-3000:]
    assert planned.changes == []
    assert planned.is_unchanged


def test_a_task_sees_what_the_one_before_it_would_have_changed(planned: Planned) -> None:
    assert planned.lineage == parse(
        """
db.daily
  id    <- db.orders.id      DIRECT:IDENTITY
  twice <- db.orders.amount  DIRECT:TRANSFORMATION
  id    <- db.daily.id       DIRECT:IDENTITY
  twice <- db.orders.amount  DIRECT:IDENTITY
  *     <- db.daily.id       INDIRECT:JOIN
  *     <- db.orders.id      INDIRECT:JOIN
db.orders
  id    <- db.daily.id       DIRECT:IDENTITY
  note  <- db.daily.twice    DIRECT:TRANSFORMATION
  amount <-
db.old
        """
    )


def test_the_location_of_a_table_is_beside_those_of_its_namespace(planned: Planned) -> None:
    assert planned.outputs == {"/lake/db/daily", "/lake/db/orders", "/lake/db/old"}

"""`colgraph plan --dag`: a DAG of Spark and SQL tasks, planned in the order of its dependencies."""

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

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("plan")]

CHECKS = Path(__file__).parents[2] / "docs" / "check.md"
DAG = """
from datetime import datetime
from airflow.sdk import DAG, task
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow_colgraph.operators.spark_submit import ColgraphSparkSubmitOperator

HOME = "{home}"
CONF = {{"spark.ui.enabled": "false", "spark.sql.warehouse.dir": f"{{HOME}}/wh"}}

with DAG("shop", schedule=None, start_date=datetime(2026, 1, 1), params={{"least": 3}}):

    @task
    def land():
        raise SystemExit("a Python task was run")

    clean = ColgraphSparkSubmitOperator(
        task_id="clean",
        application=f"{{HOME}}/jobs/clean.py",
        application_args=[f"{{HOME}}/raw", "{{{{ ds }}}}", "{{{{ params.least }}}}"],
        conf=CONF,
    )
    daily = SparkSubmitOperator(task_id="daily", application=f"{{HOME}}/jobs/daily.py",
                                application_args=[HOME], conf=CONF)
    summed = SQLExecuteQueryOperator(
        task_id="summed", conn_id="mart",
        sql="CREATE TABLE sums AS SELECT day, sum(amount) AS total FROM orders GROUP BY day",
    )
    report = SQLExecuteQueryOperator(
        task_id="report", conn_id="mart", sql="CREATE TABLE report AS SELECT * FROM sums",
    )
    later = SparkSubmitOperator(task_id="later", application="{{{{ ti.xcom_pull('land') }}}}")
    land() >> clean >> daily >> summed >> report >> later
"""
CLEAN = """
import sys
from pyspark.sql import SparkSession
raw, day, least = sys.argv[1:]
assert (day, least) == ("2026-01-31", "3")
spark = SparkSession.builder.getOrCreate()
orders = spark.read.parquet(raw).where(f"amount > {least}")
orders.selectExpr("id", "amount AS price", "day").write.mode("overwrite").parquet(f"{raw}/../clean")
orders.selectExpr("id", "day").write.saveAsTable("kept")
"""
DAILY = """
import sys
from pyspark.sql import SparkSession
home = sys.argv[1]
spark = SparkSession.builder.getOrCreate()
clean = spark.read.parquet(f"{home}/clean")
joined = clean.join(spark.table("kept").select("id"), "id")
joined.groupBy("day").agg({"price": "sum"}).write.parquet(f"{home}/daily")
"""


class Planned(NamedTuple):
    """A planned DAG."""

    home: Path
    done: CompletedProcess[str]
    events: Path
    before: dict[str, str]

    def lineage(self) -> Lineage:
        return of_events(map(json.loads, self.events.read_text().splitlines()), str(self.home))


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Planned:
    """Its `clean` is there from before, with other columns; the store and its tables are not."""
    home = tmp_path_factory.mktemp("home").resolve()
    raw = pa.table({"id": [1], "amount": [2.5], "day": ["2026-01-31"]})
    for folder, table in {"raw": raw, "clean": pa.table({"before": [1]})}.items():
        (home / folder).mkdir()
        pq.write_table(table, home / folder / "part.parquet")
    for name, text in {"jobs/clean.py": CLEAN, "jobs/daily.py": DAILY}.items():
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text(text)
    (home / "dags").mkdir()
    (home / "dags" / "shop.py").write_text(DAG.format(home=home))
    (home / "schemas.json").write_text('{"orders": "day STRING, amount DOUBLE"}')
    folder, before = tmp_path_factory.mktemp("here"), tree(home)
    return Planned(home, plan_of(home / "dags", folder), folder / "events.jsonl", before)


def plan_of(dags: Path, folder: Path) -> CompletedProcess[str]:
    """A plan of the DAG in a folder, from another one that has the events."""
    words = ["--dag", "shop", "--dags-folder", str(dags), "--logical-date", "2026-01-31"]
    words += ["--output", "events.jsonl", "--schemas", str(dags.parent / "schemas.json")]
    environment = {
        **os.environ,
        "AIRFLOW_HOME": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",  # beside the DAG, as whatever imports a file
        "AIRFLOW_CONN_SPARK_DEFAULT": "spark://nowhere?deploy-mode=cluster",
        "AIRFLOW_CONN_MART": "sqlite:////srv/mart.db",
    }
    return colgraph("plan", *words, cwd=folder, environment=environment)


def test_nothing_is_changed_and_no_task_is_run(planned: Planned) -> None:
    assert planned.done.returncode == 0, planned.done.stderr[-3000:]
    assert planned.done.stderr.count("colgraph: Spark has read and written 0 rows") == 2
    assert tree(planned.home) == planned.before


def test_a_task_reads_what_those_before_it_would_have_written(planned: Planned) -> None:
    found = planned.lineage()
    assert (
        found["/daily"]
        == parse(
            """
        day        <- /clean.day        DIRECT:IDENTITY
        sum(price) <- /clean.price      DIRECT:AGGREGATION
        *          <- /clean.day        INDIRECT:GROUP_BY
        *          <- /clean.id         INDIRECT:JOIN
        *          <- default.kept.id   INDIRECT:JOIN
        """
        )[""]
    )
    assert ("price", "/raw.amount", "DIRECT:IDENTITY") in found["/clean"]
    assert ("total", "orders.amount", "DIRECT:AGGREGATION") in found["sums"]
    assert ("total", "sums.total", "DIRECT:IDENTITY") in found["report"]


def test_events_are_of_the_tasks_jobs(planned: Planned) -> None:
    events = [json.loads(line) for line in planned.events.read_text().splitlines()]
    jobs = dict.fromkeys((event["job"]["namespace"], event["job"]["name"]) for event in events)
    writers = [name for _, name in jobs]
    assert writers == ["shop.clean", "shop.daily", "shop.summed", "shop.report"]
    assert {namespace for namespace, _ in jobs} == {"default"}
    assert all("colgraph_plan" in event["run"]["facets"] for event in events)


def test_what_is_not_planned_is_named_with_its_reason(planned: Planned) -> None:
    lines = planned.done.stderr.splitlines()
    (land,) = [line for line in lines if "shop.land is not planned" in line]
    assert land.endswith("is neither a spark-submit nor a SQL task")
    (later,) = [line for line in lines if "shop.later is not planned" in line]
    assert "its templates cannot be rendered: UndefinedError" in later
    assert "colgraph: 4 tasks of shop are planned, 2 not" in lines
    assert "Traceback" not in planned.done.stderr


@pytest.mark.long
def test_the_lesson_of_a_pull_request_that_breaks_a_dashboard(
    planned: Planned, tmp_path: Path
) -> None:
    """As docs/check.md prints it."""
    page = CHECKS.read_text().partition("## Lesson")[2]
    _, _, lesson = page.partition("$ colgraph check --base main.jsonl change.jsonl\n")
    exports = page.partition("```toml\n")[2].partition("```")[0]
    (tmp_path / "colgraph.toml").write_text(exports)
    assert "AS total FROM" in DAG
    dags = planned.home / "changed"
    dags.mkdir()
    (dags / "shop.py").write_text(DAG.format(home=planned.home).replace("AS total", "AS revenue"))
    done = plan_of(dags, tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    checked = colgraph("check", "--base", str(planned.events), "events.jsonl", cwd=tmp_path)
    assert checked.returncode == 1
    assert checked.stdout == lesson.partition("```")[0]

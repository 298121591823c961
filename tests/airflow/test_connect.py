"""PySpark tasks on a remote Spark Connect server, by a real scheduler: each has its own lineage."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dev.demo_airflow import Airflow
from tests.airflow.ran import Run, outputs, store_url, transport, wait_for_end
from tests.spark.connect_server import serving

pytestmark = [pytest.mark.airflow, pytest.mark.neighbours, pytest.mark.xdist_group("airflow")]

DAGS = Path(__file__).with_name("connect_dags")
ENDS = {"one": "success", "two": "success", "joined": "success", "fails": "failed"}
SOURCE = """
import sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.remote(sys.argv[1]).create()
made = spark.range(3).selectExpr("id AS a", "id * 2 AS b", "id * 3 AS c")
made.write.parquet(f"{sys.argv[2]}/source")
"""
ANSWER = """\
file joined: total
├─ file one0: value  DIRECT TRANSFORMATION  <remote.joined>
│  └─ file source: b  DIRECT IDENTITY  <remote.one>
└─ file two0: value  DIRECT TRANSFORMATION  <remote.joined>
   └─ file source: c  DIRECT IDENTITY  <remote.two>
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The DAG has run; its last task fails."""
    home = tmp_path_factory.mktemp("remote")
    with serving(tmp_path_factory.mktemp("connect")) as server:
        # In a process of its own: a client leaves variables that others would inherit.
        subprocess.run(
            [sys.executable, "-c", SOURCE, f"sc://127.0.0.1:{server.port}", str(home)], check=True
        )
        connection = {"conn_type": "spark_connect", "host": "127.0.0.1", "port": server.port}
        variables = {
            "REMOTE_LAKE": str(home),
            "AIRFLOW_CONN_CONNECT": json.dumps(connection),
            "AIRFLOW__COLGRAPH__WRAP_SPARK_SUBMIT": "True",
            "AIRFLOW__OPENLINEAGE__NAMESPACE": "tests",
            "AIRFLOW__OPENLINEAGE__TRANSPORT": json.dumps(transport(home)),
            "COLGRAPH_STORE": store_url(home),
            "PYSPARK_PYTHON": sys.executable,
        }
        with Airflow(home / "airflow", DAGS, variables) as airflow:
            airflow.start()
            run = airflow.trigger("remote")
            states = airflow.wait("remote", run, seconds=600)
            log = "\n".join(line for name in ENDS for line in airflow.log_of("remote", run, name))
            wait_for_end(home, {**{f"remote.{name}": 1 for name in ENDS}, "remote": 1})
    assert {name: states[name] for name in ENDS} == ENDS, log[-6_000:]
    return Run(home, "remote", log)


@pytest.mark.parametrize(("name", "column"), [("one", "b"), ("two", "c")])
def test_tasks_at_the_same_time_do_not_mix(ran: Run, name: str, column: str) -> None:
    (event,) = ran.of(name, "COMPLETE")
    assert [one["name"].rpartition("/")[2] for one in event["inputs"]] == ["source"]
    assert ran.text(event) == "\n\n".join(
        f"{name}{number}  (file {name}{number})\n"
        "  key   <- source.a  DIRECT:IDENTITY\n"
        f"  value <- source.{column}  DIRECT:IDENTITY"
        for number in range(3)
    )


def test_one_answer_crosses_the_sessions(ran: Run) -> None:
    assert ran.upstream(f"{ran.home}/joined", "total") == ANSWER


def test_a_task_that_fails_has_what_it_wrote(ran: Run) -> None:
    (event,) = ran.of("fails", "FAIL")
    assert outputs(event) == [f"{ran.home}/left"]

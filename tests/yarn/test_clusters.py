"""A job on a real YARN, in cluster mode with the sink on HDFS, and on a cluster of Spark's own."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from airflow_colgraph.collector.text import render
from dev.demo_airflow import environment, run_airflow
from tests.yarn.cluster import QUICK, SPARK, hadoop, standalone

pytestmark = [
    pytest.mark.airflow,
    pytest.mark.jars,
    pytest.mark.yarn,
    pytest.mark.xdist_group("yarn"),
]

HERE = Path(__file__).parent
ORDERS = '{"id": 1, "customer": "a", "amount": 2.5}\n{"id": 2, "customer": "b", "amount": -1}\n'
LINEAGE = """\
staging  (NAMESPACE staging)
  amount   <- orders.json.amount    DIRECT:IDENTITY
  customer <- orders.json.customer  DIRECT:TRANSFORMATION masking
  id       <- orders.json.id        DIRECT:IDENTITY
  *        <- orders.json.amount    INDIRECT:FILTER

mart  (NAMESPACE mart)
  customer <- staging.customer  DIRECT:IDENTITY
  n        <-
  total    <- staging.amount    DIRECT:AGGREGATION
  *        <- staging.customer  INDIRECT:GROUP_BY"""


class Ran(NamedTuple):
    """What came of the run."""

    home: Path
    log: str
    hdfs: str
    sink: list[str]
    events: list[dict[str, Any]]

    def complete(self, task: str) -> dict[str, Any]:
        """The task's COMPLETE event."""
        ends = [e for e in self.events if e["job"]["name"] == f"clusters.{task}"]
        assert [e["eventType"] for e in ends] == ["START", "COMPLETE"], self.log[-5_000:]
        return ends[-1]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """`airflow dags test clusters`, with the clusters there."""
    home = tmp_path_factory.mktemp("clusters")
    (home / "data").mkdir()
    (home / "data" / "orders.json").write_text(ORDERS)
    with hadoop(home) as cluster, standalone(home) as master:
        cluster.put("/data/orders.json", ORDERS)
        log = run(home, cluster.conf, cluster.hdfs, master)
        sink = cluster.files("/colgraph")
    file = home / "events.jsonl"
    lines = file.read_text().splitlines() if file.exists() else []
    return Ran(home, log, cluster.hdfs, sink, [json.loads(line) for line in lines])


def run(home: Path, conf: Path, hdfs: str, master: str) -> str:
    """What the DAG's run prints."""
    yarn = {"deploy-mode": "cluster"}
    transport = {"type": "file", "log_file_path": str(home / "events.jsonl"), "append": True}
    variables = environment(
        home / "airflow",
        HERE / "dags",
        CASES_HOME=str(home),
        CASES_HDFS=hdfs,
        CASES_JARS=f"local:{SPARK}/jars/*",
        HADOOP_CONF_DIR=str(conf),
        JAVA_TOOL_OPTIONS=QUICK,
        AIRFLOW__COLGRAPH__SINK=f"{hdfs}/colgraph",
        AIRFLOW__OPENLINEAGE__NAMESPACE="tests",
        AIRFLOW__OPENLINEAGE__TRANSPORT=json.dumps(transport),
        AIRFLOW_CONN_YARN=json.dumps({"conn_type": "spark", "host": "yarn", "extra": yarn}),
        AIRFLOW_CONN_STANDALONE=json.dumps({"conn_type": "spark", "host": master}),
    )
    run_airflow(variables, "db", "migrate")
    done = subprocess.run(
        [sys.executable, "-m", "airflow", "dags", "test", "clusters"],
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=900,
        check=False,
    )
    return done.stdout


def test_yarn_in_cluster_mode_with_the_sink_on_hdfs(ran: Ran) -> None:
    event = ran.complete("yarn")
    text = render([event]).replace(f"{ran.hdfs}/data/", "").replace("/data/", "")
    assert text == LINEAGE.replace("NAMESPACE", ran.hdfs)
    (application,) = event["run"]["facets"]["colgraph_spark"]["applications"]
    assert application["applicationId"].startswith("application_")
    assert f"Identified spark application id: {application['applicationId']}" in ran.log


def test_its_events_are_part_files_beneath_the_sink(ran: Ran) -> None:
    names = [os.path.basename(name) for name in ran.sink]
    assert names == [f"part-{number:05}" for number in range(4)]
    assert {name.rpartition("/yarn/")[2].partition("/")[0] for name in ran.sink} == {"task.ndjson"}


def test_a_cluster_of_sparks_own_in_client_mode(ran: Ran) -> None:
    event = ran.complete("standalone")
    text = render([event]).replace(f"{ran.home}/data/", "")
    assert text == LINEAGE.replace("NAMESPACE", "file")
    (application,) = event["run"]["facets"]["colgraph_spark"]["applications"]
    assert application["applicationId"].startswith("app-")

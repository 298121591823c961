"""A job on a real YARN, in cluster mode with the sink on HDFS, and on a cluster of Spark's own."""

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.collector.events.render import render
from dev.demo_airflow import Airflow
from tests.airflow.ran import LINEAGE, ORDERS, Run, furnished, outputs, wait_for_end
from tests.airflow.resource_manager import rest
from tests.yarn.cluster import QUICK, SPARK, Hadoop, hadoop, standalone

pytestmark = [
    pytest.mark.airflow,
    pytest.mark.jars,
    pytest.mark.yarn,
    pytest.mark.xdist_group("yarn"),
]

DAGS = Path(__file__).parent / "dags"


@dataclass(frozen=True)
class Ran(Run):
    """What came of the run."""

    states: dict[str, str]
    hdfs: str
    sink: list[str]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """The DAG clusters has run, with the clusters there."""
    home = tmp_path_factory.mktemp("clusters")
    (home / "data").mkdir()
    (home / "data" / "orders.json").write_text(ORDERS)
    with (
        hadoop(home, Hadoop) as cluster,
        rest(cluster.state) as manager,
        standalone(home) as master,
    ):
        cluster.put("/data/orders.json", ORDERS)
        log, states = run(home, cluster, manager, master)
        sink = cluster.files("/colgraph")
    return Ran(home, "clusters", log, states, cluster.hdfs, sink)


def run(home: Path, cluster: Hadoop, manager: str, master: str) -> tuple[str, dict[str, str]]:
    """Start Airflow, run the DAG, stop it: the YARN task's logs, and the states."""
    extra = {"deploy-mode": "cluster", "yarn_resourcemanager_webapp_address": manager}
    variables = {
        **furnished(home),
        "CASES_HDFS": cluster.hdfs,
        "CASES_JARS": f"local:{SPARK}/jars/*",
        "HADOOP_CONF_DIR": str(cluster.conf),
        "JAVA_TOOL_OPTIONS": QUICK,
        "AIRFLOW__COLGRAPH__SINK": f"{cluster.hdfs}/colgraph",
        "AIRFLOW_CONN_YARN": json.dumps({"conn_type": "spark", "host": "yarn", "extra": extra}),
        "AIRFLOW_CONN_STANDALONE": json.dumps({"conn_type": "spark", "host": master}),
    }
    with Airflow(home / "airflow", DAGS, variables) as airflow:
        airflow.start()
        run_id = airflow.trigger("clusters")
        states = airflow.wait("clusters", run_id, seconds=900)
        wait_for_end(home, {"clusters.yarn": 2, "clusters.standalone": 1})
        return "\n".join(airflow.log_of("clusters", run_id, "yarn")), states


def test_both_tasks_end_well(ran: Ran) -> None:
    assert ran.states == {"": "success", "yarn": "success", "standalone": "success"}, ran.log


def test_a_retry_finds_the_job_on_yarn_whose_worker_was_killed(ran: Ran) -> None:
    """The driver waits for the second try, so it does live when that asks YARN for it."""
    start, fail, again, complete = ran.of("yarn")
    kinds = [event["eventType"] for event in (start, fail, again, complete)]
    assert kinds == ["START", "FAIL", "START", "COMPLETE"]
    assert start["run"] != again["run"]
    assert outputs(fail) == []
    assert len(complete["run"]["facets"]["colgraph_spark"]["applications"]) == 1
    assert "Reconnecting to existing job" in ran.log
    assert "Spark-Submit cmd" not in ran.log


def test_yarn_in_cluster_mode_with_the_sink_on_hdfs(ran: Ran) -> None:
    (event,) = ran.of("yarn", "COMPLETE")
    text = render([event]).replace(f"{ran.hdfs}/data/", "").replace("/data/", "")
    assert text == LINEAGE.replace("NAMESPACE", ran.hdfs)
    (application,) = event["run"]["facets"]["colgraph_spark"]["applications"]
    assert application["applicationId"].startswith("application_")
    assert application["applicationId"] in ran.log


def test_its_events_are_part_files_beneath_the_sink(ran: Ran) -> None:
    names = [os.path.basename(name) for name in ran.sink]
    assert names == [f"part-{number:05}" for number in range(4)]
    (file,) = {name.rpartition("/yarn/")[2].partition("/")[0] for name in ran.sink}
    assert re.fullmatch(r"task-[0-9a-f-]{36}\.ndjson", file)


# The task on Spark's own cluster asks for the other two forms of its lineage.
PER_FIELD = """\
staging  (file staging)
  amount   <- orders.json.amount    DIRECT:IDENTITY, INDIRECT:FILTER
  customer <- orders.json.amount    INDIRECT:FILTER
  customer <- orders.json.customer  DIRECT:TRANSFORMATION masking
  id       <- orders.json.amount    INDIRECT:FILTER
  id       <- orders.json.id        DIRECT:IDENTITY

mart  (file mart)
  customer <- staging.customer  DIRECT:IDENTITY, INDIRECT:GROUP_BY
  n        <- staging.customer  INDIRECT:GROUP_BY
  total    <- staging.amount    DIRECT:AGGREGATION
  total    <- staging.customer  INDIRECT:GROUP_BY"""


def test_on_sparks_own_cluster_by_option_each_field_has_what_decides_on_its_rows(ran: Ran) -> None:
    (event,) = ran.of("standalone", "COMPLETE")
    assert ran.text(event).replace("data/", "") == PER_FIELD
    assert [o["facets"]["columnLineage"].get("dataset") for o in event["outputs"]] == [[], []]
    (application,) = event["run"]["facets"]["colgraph_spark"]["applications"]
    assert application["applicationId"].startswith("app-")


def summary(field: dict[str, Any], inputs: str) -> list[Any]:
    """The input fields that a facet names, without their `type` in the job's."""
    return [{key: of for key, of in each.items() if key != "type"} for each in field[inputs]]


def test_by_option_the_lineage_job_facet_has_the_same_edges(ran: Ran) -> None:
    (event,) = ran.of("standalone", "COMPLETE")
    entries = event["job"]["facets"]["lineage"]["entries"]
    assert [(entry["name"], entry["type"], entry["inputs"]) for entry in entries] == [
        (output["name"], "DATASET", []) for output in event["outputs"]
    ]
    for entry, output in zip(entries, event["outputs"], strict=True):
        columns = output["facets"]["columnLineage"]["fields"]
        assert {name: summary(field, "inputs") for name, field in entry["fields"].items()} == {
            name: summary(field, "inputFields") for name, field in columns.items()
        }

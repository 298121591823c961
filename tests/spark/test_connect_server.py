"""`colgraph connect-server`: each remote client gets the lineage of its own session."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.collector.driver.session_listeners import MOST_CATALOGS
from airflow_colgraph.collector.sinks import sink
from tests.collector.cases.loader import lineage_in, lineage_of
from tests.spark.connect_server import SECONDS, Server, serving
from tests.spark.jars import jars

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("submit")]

ROOT = Path(__file__).parents[2]
HELD = ("SparkSession", "ExecutionListenerBus", "StreamingQueryListenerBus")  # of each client
# Two clients whose queries and variables of one name alternate, and one that asks for nothing.
CLIENTS = """
import json, sys
from pyspark.sql import SparkSession
from airflow_colgraph.collector.connect_client import ConnectClient

url, folder = sys.argv[1:]
def session(name):
    builder = SparkSession.builder.remote(url).config("spark.colgraph.jobName", name)
    return builder.create()

plain = session("plain")
plain.range(3).selectExpr("id AS a", "id * 2 AS b").write.parquet(f"{folder}/source")
sessions = {name: session(name) for name in ("one", "two")}
clients = {name: ConnectClient(spark) for name, spark in sessions.items()}
for name, spark in sessions.items():
    spark.read.parquet(f"{folder}/source").createOrReplaceTempView("source")
    spark.sql("DECLARE v = 0L")
sessions["one"].sql("SET VAR v = (SELECT max(a) FROM source)")
sessions["two"].sql("SET VAR v = (SELECT min(b) FROM source)")
for number in range(2):
    for name, spark in sessions.items():
        spark.sql("SELECT a, v AS k FROM source").write.parquet(f"{folder}/{name}{number}")
print(json.dumps({name: client.end(name == "two", 60) for name, client in clients.items()}))
"""
OPERATOR = """
import json, sys
from airflow_colgraph.operators.spark_pyspark import ColgraphPySparkOperator
from tests.operators.test_inject import context

folder = sys.argv[1]
def job(spark):
    spark.read.parquet(f"{folder}/source").select("b").write.parquet(f"{folder}/task")
    return spark.range(3).count()

task = ColgraphPySparkOperator(task_id="load", python_callable=job, conn_id="connect")
result, lineage = task.execute(context()), task.colgraph_lineage
print(json.dumps([result, sorted(one["name"] for one in lineage.inputs),
    {one["name"]: one["facets"]["columnLineage"] for one in lineage.outputs}]))
"""
MANY = """
import sys
from pyspark.sql import SparkSession
from airflow_colgraph.collector.connect_client import ConnectClient

url, folder, number = sys.argv[1:]
for each in range(int(number)):
    spark = SparkSession.builder.remote(url).create()
    client = ConnectClient(spark)
    spark.range(3).selectExpr("id").write.mode("overwrite").parquet(f"{folder}/many")
    assert client.end(False, 60)[-1]["eventType"] == "COMPLETE"
    spark.stop()
"""
# A server that comes to the query only once the client has ended its task.
LATE = """
import json, os, signal, sys, threading, time
from pyspark.sql import SparkSession
from airflow_colgraph.collector.connect_client import ConnectClient

url, folder, collector = sys.argv[1:]
spark = SparkSession.builder.remote(url).create()
client = ConnectClient(spark)
time.sleep(2)  # the server follows the session
os.kill(int(collector), signal.SIGSTOP)
spark.range(3).selectExpr("id AS a").write.parquet(f"{folder}/late")
threading.Timer(3, os.kill, (int(collector), signal.SIGCONT)).start()
print(json.dumps(client.end(False, 60)))
"""
# Only a procedure, while another client is there, and before a third one.
CALLS = """
import json, sys
from pyspark.sql import SparkSession
from airflow_colgraph.collector.connect_client import ConnectClient

url, folder = sys.argv[1:]
begin = SparkSession.builder.remote(url).create
plain, caller, other = begin(), begin(), begin()
plain.sql("SELECT 1 AS a").write.parquet(f"{folder}/files")
plain.sql("CREATE TABLE ice.db.t USING iceberg AS SELECT 1 AS a").collect()
clients = [ConnectClient(caller), ConnectClient(other)]
source = f"'`parquet`.`{folder}/files`'"
caller.sql(f"CALL ice.system.add_files(table => 'db.t', source_table => {source})")
ends = [client.end(False, 60)[-1] for client in clients]
later = begin()
clients = [ConnectClient(caller), ConnectClient(later)]
ends += [client.end(False, 60)[-1] for client in clients]
print(json.dumps(ends))
for spark in (plain, caller, other, later):
    spark.stop()
"""
LOST = """
import json, os, sys, time
from pyspark.sql import SparkSession
from airflow_colgraph.collector.connect_client import ConnectClient

url, pid = sys.argv[1:]
client = ConnectClient(SparkSession.builder.remote(url).create())
os.kill(int(pid), 9)
begun = time.monotonic()
try:
    client.end(False, 5)
except Exception as error:
    print(json.dumps([type(error).__name__, time.monotonic() - begun]), flush=True)
os._exit(0)  # PySpark itself tries for minutes to end its session
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("connect")
    catalog = "org.apache.iceberg.spark.SparkCatalog"
    conf = {"": catalog, ".type": "hadoop", ".warehouse": f"{folder}/ice"}
    options = [f"--conf=spark.sql.catalog.ice{name}={value}" for name, value in conf.items()]
    iceberg = ["--jars", *jars("iceberg-spark-runtime-4.1_2.13")] if shutil.which("mvn") else []
    with serving(folder, *options, *iceberg) as server:
        yield server


def run(script: str, *arguments: str, **environment: str) -> Any:
    """Run a script that prints JSON lines; what it printed."""
    ran = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    return [json.loads(line) for line in ran.stdout.splitlines() if line[:1] in {"[", "{"}]


def test_each_client_gets_its_own_events(server: Server) -> None:
    (found,) = run(CLIENTS, f"sc://127.0.0.1:{server.port}", str(server.folder))
    for name, made_of, end in (("one", "a", "COMPLETE"), ("two", "b", "FAIL")):
        events = found[name]
        assert [events[0]["eventType"], events[-1]["eventType"]] == ["START", end]
        assert {event["job"]["name"] for event in events} == {name}
        written = [event for event in events if event["outputs"]]
        names = [event["outputs"][0]["name"] for event in written]
        assert names == [f"{server.folder}/{name}{number}" for number in range(2)]
        for event in written:
            expected = lineage_in(f"""
                a <- /source.a DIRECT:IDENTITY
                k <- /source.{made_of} DIRECT:AGGREGATION
            """)
            assert lineage_of([event], str(server.folder)) == expected
    kept = sink.read(str(server.folder / "events.ndjson")).events
    assert [one["name"] for event in kept for one in event["outputs"]] == [
        f"{server.folder}/source"
    ]
    assert {event["run"]["runId"] for event in kept}.isdisjoint(
        event["run"]["runId"] for events in found.values() for event in events
    )


def test_a_task_has_the_lineage_of_its_session(server: Server, tmp_path: Path) -> None:
    connection = {"conn_type": "spark_connect", "host": "127.0.0.1", "port": server.port}
    ((result, inputs, outputs),) = run(
        OPERATOR,
        str(server.folder),
        AIRFLOW_CONN_CONNECT=json.dumps(connection),
        AIRFLOW__COLGRAPH__SINK=str(tmp_path / "sink"),
    )
    source, written = f"{server.folder}/source", f"{server.folder}/task"
    assert (result, inputs, [*outputs]) == (3, [source], [written])
    (given,) = outputs[written]["fields"]["b"]["inputFields"]
    assert (given["name"], given["field"]) == (source, "b")


def test_a_query_that_the_server_comes_to_late_is_the_clients(server: Server) -> None:
    collector = process_of(server.pid, "python")
    (events,) = run(LATE, f"sc://127.0.0.1:{server.port}", str(server.folder), str(collector))
    assert [event["eventType"] for event in events] == ["START", "RUNNING", "COMPLETE"]
    assert [one["name"] for one in events[1]["outputs"]] == [f"{server.folder}/late"]


@pytest.mark.long
def test_the_sessions_of_clients_that_have_gone_are_not_held(server: Server) -> None:
    clients = 5 * MOST_CATALOGS
    run(MANY, f"sc://127.0.0.1:{server.port}", str(server.folder), str(clients))
    deadline, most = time.monotonic() + SECONDS, 3 * MOST_CATALOGS
    while any(
        (alive := held_in(process_of(server.pid, "java"), HELD))[name] > most for name in HELD
    ):
        assert time.monotonic() < deadline, f"{alive} of {clients} clients"
        time.sleep(1)


def held_in(jvm: int, classes: Sequence[str]) -> dict[str, int]:
    """How many objects of some classes a JVM has after a garbage collection."""
    command = ["jcmd", str(jvm), "GC.class_histogram"]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in found.splitlines() if line.count(":") == 1]
    counts = {row[3].rpartition(".")[2]: int(row[1]) for row in rows if len(row) > 3}
    return {name: counts.get(name, 0) for name in classes}


@pytest.mark.jars
def test_a_commit_by_no_query_is_reported_to_each_client_that_may_have_made_it(
    server: Server,
) -> None:
    (ends,) = run(CALLS, f"sc://127.0.0.1:{server.port}", str(server.folder))
    reported = [end["run"]["facets"].get("colgraph_diagnostics", {}) for end in ends]
    commit = {"class": "output to Iceberg table ice.db.t outside of any query", "count": 1}
    assert [one.get("unresolved", []) for one in reported] == [[commit], [commit], [], []]


def test_a_server_that_has_gone_costs_a_client_its_timeout(server: Server) -> None:
    url = f"sc://127.0.0.1:{server.port}"
    ((error, seconds),) = run(LOST, url, str(process_of(server.pid, "java")))
    assert error
    assert seconds < 15


def process_of(group: int, program: str) -> int:
    """The process id of the server's JVM (`java`), or of its collector (`python`)."""
    found = subprocess.run(
        ["pgrep", "-s", str(group), program], check=True, capture_output=True, text=True
    )
    return int(found.stdout.split()[0])

"""Rough jobs and bad sinks by the real spark-submit: result, output and exit code stay the same."""

import json
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from airflow_colgraph.collector.sinks import sink as sinks
from airflow_colgraph.operators import collector_archive
from tests.spark.test_submit import Jobs

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("submit")]

RUN_MODULE = "import runpy\nrunpy.run_module('job', run_name='__main__', alter_sys=True)\n"
JOB = """
import contextlib, multiprocessing, os, socket, sys, threading
from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import SparkSession

out, how = sys.argv[1:3]
spark = SparkSession.builder.getOrCreate()


class Own:
    heard = 0

    def onSuccess(self, function, execution, nanoseconds):
        Own.heard += 1

    def onFailure(self, function, execution, error):
        pass

    class Java:
        implements = ["org.apache.spark.sql.util.QueryExecutionListener"]


def work(number):
    frame = spark.range(3).selectExpr("id", f"id + {number} AS x")
    frame.write.mode("overwrite").parquet(f"{out}/in{number}")
    frame = spark.read.parquet(f"{out}/in{number}").selectExpr("x")
    frame.write.mode("overwrite").parquet(f"{out}/out{number}")


ensure_callback_server_started(spark.sparkContext._gateway)
spark._jsparkSession.listenerManager().register(Own())
if how == "connection":
    work(0)
    gateway = spark.sparkContext._gateway
    for connection in [*gateway._gateway_client.deque, *gateway._callback_server.connections]:
        with contextlib.suppress(OSError, AttributeError):  # a thread that ended closed its own
            connection.socket.shutdown(socket.SHUT_RDWR)  # py4j's own waits for one that is read
    gateway.shutdown()
    print("gone", flush=True)
    sys.exit(4)
child = os.fork()
if child == 0:
    os._exit(7)
print("child", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
with multiprocessing.get_context("fork").Pool(1) as pool:
    print("pool", pool.map(abs, [-1]))
threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
print("heard", Own.heard, sys.stdout.encoding, os.getcwd(), sys.argv[0].rpartition("/")[2])
spark.stop()
sys.stdout.flush()
os._exit(5)
"""
ROUGH = {  # a locale that can not say ü, a folder that nobody can write to
    "cwd": "/proc",
    "environment": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}


class Server(ThreadingHTTPServer):
    """Refuses what is posted to /refuse, and answers nothing else before it is closed."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.closing = threading.Event()
        self.asked: list[str] = []
        self.bodies: list[bytes] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.closing.set()
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        self.server.asked.append(self.path)
        if self.path == "/refuse":
            self.send_error(403)
        elif self.path == "/slow":
            self.answer_the_second_time()
        else:
            self.server.closing.wait()

    def answer_the_second_time(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        is_known = body in self.server.bodies
        self.server.bodies.append(body)
        self.send_response(201 if is_known else 503)
        self.end_headers()

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    found = Server()
    yield found
    found.close()


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory, server: Server) -> Iterator[Jobs]:
    folder = tmp_path_factory.mktemp("faults")
    jobs = Jobs(folder)
    (folder / "rough.py").write_text(RUN_MODULE)
    with zipfile.ZipFile(folder / "own.zip", "a") as archive:
        archive.writestr("job/__init__.py", "")
        archive.writestr("job/__main__.py", JOB)
    for how in ("leave", "connection"):
        jobs.start(f"{how} without", how, ours=False, app="rough.py", **ROUGH)
        jobs.start(how, how, app="rough.py", **ROUGH)
    archive = collector_archive.source_archive(folder / "cache")
    address = f"http://127.0.0.1:{server.server_port}"
    limit = ("spark.colgraph.exitTimeoutSeconds=1",)
    jobs.start("hangs", "ok", archive=archive, sink=f"{address}/hang", conf=limit)
    jobs.start("refuses", "ok", archive=archive, sink=f"{address}/refuse")
    jobs.start("is slow", "ok", archive=archive, sink=f"{address}/slow")
    jobs.start("is full", "ok", archive=archive, sink="/dev/full")
    yield jobs
    jobs.close()


def test_threads_forks_a_listener_a_module_and_a_hard_exit(jobs: Jobs) -> None:
    ran, without = jobs["leave"], jobs["leave without"]
    assert without.code == 5
    assert b"heard 6 " in without.out
    assert b"child 7\npool [1]\n" in without.out
    assert (ran.code, ran.out) == (without.code, without.out)
    assert ran.warnings() == []
    assert ran.kinds() == ["START", *["RUNNING"] * 6, "FAIL"]  # the last by colgraph submit
    written = ran.written()
    for number in range(3):
        assert written[f"in{number}"] == ["id <-", "x <-"]
        assert written[f"out{number}"] == [f"x <- in{number}.x DIRECT:IDENTITY"]


def test_a_connection_to_the_jvm_that_dies(jobs: Jobs) -> None:
    """What the collector had heard is written, and how the process ended."""
    ran, without = jobs["connection"], jobs["connection without"]
    assert (ran.code, ran.out) == (without.code, without.out)
    assert without.code == 4
    first, *between, last = ran.kinds()
    assert (first, set(between) <= {"RUNNING"}, last) == ("START", True, "FAIL")


@pytest.mark.parametrize("name", ["hangs", "refuses", "is slow", "is full"])
def test_a_bad_sink_costs_at_most_a_line(jobs: Jobs, name: str) -> None:
    ran = jobs[name]
    assert ran.code == 0
    assert ran.out == b"argv ['ok'] site theirs\n"
    assert (ran.folder / "second" / "_SUCCESS").exists()
    assert len(ran.warnings()) <= 1
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("name", ["hangs", "refuses"])
def test_what_a_server_does_not_take_is_beside_the_job(jobs: Jobs, name: str) -> None:
    """The first refusal ended the lineage, and a server that hangs had all of its events."""
    (line,) = jobs[name].warnings()
    folder = line.rpartition("deliver it with: colgraph deliver ")[2].partition(" ")[0]
    assert folder.startswith(f"{jobs[name].folder}/colgraph-spool/")
    events = sinks.read(folder).events
    assert events[0]["eventType"] == "START"
    assert {event["run"]["runId"] for event in events} == {folder.rpartition("/")[2]}


def test_a_slow_server_gets_all_events_in_order(jobs: Jobs, server: Server) -> None:
    assert jobs["is slow"].warnings() == []
    events = [json.loads(body) for body in server.bodies[1::2]]
    assert server.bodies[::2] == server.bodies[1::2]  # each is sent until it is taken
    kinds = [event["eventType"] for event in events]
    assert (kinds[0], set(kinds[1:-1]), kinds[-1]) == ("START", {"RUNNING"}, "COMPLETE")


def test_a_bad_sink_is_named_and_one_that_hangs_left_alone(jobs: Jobs, server: Server) -> None:
    assert jobs["hangs"].code == 0
    assert "/hang" in server.asked
    (line,) = jobs["refuses"].warnings()
    assert "/refuse answered 403. It is kept in " in line
    (line,) = jobs["is full"].warnings()
    assert "No space left on device" in line

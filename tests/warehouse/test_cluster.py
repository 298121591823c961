"""A standalone cluster of two workers gives the tables of one process, whatever of it is killed."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil
import pyspark
import pytest
from pyspark.sql import SparkSession

from airflow_colgraph.store.store import Store
from airflow_colgraph.warehouse.build import TABLES
from airflow_colgraph.warehouse.closure import FOLLOWING, closure
from airflow_colgraph.warehouse.folder import Folder
from airflow_colgraph.warehouse.impact import impact
from airflow_colgraph.warehouse.question import Question
from airflow_colgraph.warehouse.starts import named
from tests.warehouse.random_events import random_events
from tests.warehouse.tables import different, store_tables, warehouse_tables, write_lines

pytestmark = [
    pytest.mark.spark,
    pytest.mark.slow,
    pytest.mark.warehouse,
    pytest.mark.xdist_group("warehouse"),
]

HOME = Path(pyspark.__file__).parent
EVENTS = random_events(1, 150)


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a cluster whose two workers have a core each."""
    folder = tmp_path_factory.mktemp("cluster")
    with ExitStack() as stack:

        def start(name: str, what: str, *words: str) -> Path:
            log = folder / f"{name}.log"
            command = [HOME / "bin" / "spark-class", f"org.apache.spark.deploy.{what}", *words]
            options = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": "256m"}
            process = subprocess.Popen(
                command, stdout=log.open("w"), stderr=subprocess.STDOUT, env=options, cwd=folder
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
            return log

        ports = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        url = _found(start("master", "master.Master", *ports), r"spark://127\.0\.0\.1:\d+")
        for number in (1, 2):
            size = ("--cores", "1", "--memory", "1g", "--work-dir", str(folder / f"work{number}"))
            log = start(f"worker{number}", "worker.Worker", *ports, *size, url)
            _found(log, "Successfully registered with master")
        yield url


def _found(log: Path, pattern: str) -> str:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        match = re.search(pattern, log.read_text())
        if match:
            return match.group()
        time.sleep(0.2)
    raise AssertionError(log.read_text())


def executors(of: int) -> list[psutil.Process]:
    """The running executors of an application, by its driver's process."""
    marks = {f":{one.laddr.port}" for one in psutil.Process(of).net_connections() if one.laddr}
    for child in psutil.Process(of).children(recursive=True):
        marks |= {f":{one.laddr.port}" for one in child.net_connections() if one.laddr}
    found = []
    for process in psutil.process_iter(["cmdline"]):
        words = " ".join(process.info["cmdline"] or ())
        if "CoarseGrainedExecutorBackend" in words and any(
            re.search(rf"CoarseGrainedScheduler@127\.0\.0\.1{mark}\b", words) for mark in marks
        ):
            found.append(process)
    return found


def run(master: str, events: Path, to: str, at: Callable[[str, int], Any]) -> tuple[int, list[str]]:
    """Run the job; `at` is called with each line that it prints and its process id."""
    words = [sys.executable, "-m", "tests.warehouse.cluster_job", master, str(events), to]
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}
    lines = []
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as job:
        assert job.stdout is not None
        for line in job.stdout:
            lines.append(line.strip())
            at(lines[-1], job.pid)
    return job.returncode, lines


def check(spark: SparkSession, to: str, closed: str, counted: str) -> None:
    """The tables are the store's, and the answers are those of one process."""
    with Store.open("sqlite://") as store:
        store.add(EVENTS)
        path = Folder(spark, to).current().path
        assert different(warehouse_tables(spark, path), store_tables(store)) == {}
    found = {tuple(row) for row in spark.read.parquet(closed).collect()}
    Folder(spark, to).remove("closures")
    question = Question("downstream", indirect=True)
    alone = spark.read.parquet(closure(spark, to, named(["1a"]), question)).collect()
    assert found == {tuple(row) for row in alone}
    assert len(found) > 5
    counts = {tuple(row) for row in spark.read.parquet(counted).collect()}
    Folder(spark, to).remove("impact")
    alone = spark.read.parquet(impact(spark, to, indirect=True)).collect()
    assert counts == {tuple(row) for row in alone}
    assert max(columns for _, _, columns, *_ in counts) > 3


def test_an_executor_that_is_killed_in_each_phase_changes_nothing(
    spark: SparkSession, master: str, tmp_path: Path
) -> None:
    write_lines(tmp_path / "events" / "a.jsonl", EVENTS[:80])
    write_lines(tmp_path / "events" / "b.jsonl", EVENTS[80:])
    killed = []

    def kill(line: str, driver: int) -> None:
        if line in TABLES or line.startswith(("reading", FOLLOWING, "impact")):
            for one in executors(driver)[:1]:
                one.send_signal(signal.SIGKILL)
                killed.append(line)

    to = str(tmp_path / "warehouse")
    code, lines = run(master, tmp_path / "events", to, kill)
    assert code == 0
    assert len(killed) >= 5  # in other phases the new executor was not there yet
    check(spark, to, *lines[-2:])


def test_after_a_driver_was_killed_a_rerun_ends_equal(
    spark: SparkSession, master: str, tmp_path: Path
) -> None:
    write_lines(tmp_path / "events" / "a.jsonl", EVENTS)
    to = str(tmp_path / "warehouse")

    def at(step: str) -> Callable[[str, int], None]:
        def kill(line: str, driver: int) -> None:
            if line == step:
                os.kill(driver, signal.SIGKILL)

        return kill

    for step in ("occurrences", "edges"):
        code, _ = run(master, tmp_path / "events", to, at(step))
        assert code == -signal.SIGKILL
        assert Folder(spark, to).current().number == 0
    for step in (FOLLOWING, "impact"):
        code, _ = run(master, tmp_path / "events", to, at(step))
        assert code == -signal.SIGKILL
        assert Folder(spark, to).current().number == 1
    code, lines = run(master, tmp_path / "events", to, lambda line, driver: None)
    assert code == 0
    check(spark, to, *lines[-2:])

"""Real jobs by the real spark-submit: the collector is there, and nobody notices.

Each job runs once, two at a time; the tests look at what it printed, wrote and exited with.
"""

import io
import os
import shutil
import subprocess
import sys
import textwrap
import zipfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from airflow_colgraph.collector.sinks import hadoop
from airflow_colgraph.collector.sinks import sink as sinks
from airflow_colgraph.operators import collector_archive
from tests.amount import of_all

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("submit")]

PYSPARK = Path(find_spec("pyspark").origin).parent  # type: ignore[union-attr, arg-type]
COLGRAPH = [sys.executable, "-c", "from airflow_colgraph.cli import main; main()"]
SPARK_SUBMIT = [str(PYSPARK / "bin" / "spark-submit")]
QUICK = ["--master", "local[1]", "--conf", "spark.ui.enabled=false"]
QUICK += ["--conf", "spark.sql.shuffle.partitions=1"]
QUICK += ["--driver-java-options", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"]

APP = """
import os, sys
import sitecustomize, own
from pyspark.sql import SparkSession, functions as F

out, how = sys.argv[1], sys.argv[2]
spark = SparkSession.builder.getOrCreate()
twice = F.udf(own.twice, "long")
first = spark.range(3).select("id", twice("id").alias("double"))
first.write.mode("overwrite").parquet(out + "/first")
print("argv", sys.argv[2:], "site", sitecustomize.MARK, flush=True)
if how == "raise":
    raise ValueError("half-way")
read = spark.read.parquet(out + "/first")
read.groupBy("double").agg(F.sum("id").alias("n")).write.mode("overwrite").parquet(out + "/second")
while how == "kill":
    if os.path.exists(out + "/events") and open(out + "/events").read().count("\\n") == 3:
        os.kill(os.getpid(), 9)
if how == "again":
    other = spark.newSession()
    other.read.parquet(out + "/first").select("id").write.mode("overwrite").json(out + "/third")
    for place, when in ("ended", {"availableNow": True}), ("on", {"processingTime": "0 seconds"}):
        stream = spark.readStream.schema(read.schema).parquet(out + "/first").select("id")
        stream = stream.writeStream.option("checkpointLocation", out + "/at-" + place)
        stream = stream.trigger(**when)
        stream.start(out + "/" + place).processAllAvailable()  # the second goes on to the end
    spark.stop()
    spark = SparkSession.builder.appName("again").getOrCreate()
    read = spark.read.parquet(out + "/first").filter("id > 1")
    read.select("double").write.mode("overwrite").csv(out + "/fourth")
    spark.read.parquet(out + "/second").foreachPartition(lambda rows: None)
    spark.stop()
if how == "exit":
    sys.exit(3)
"""

RDDS = """
import sys
from pyspark import SparkContext
from pyspark.mllib.clustering import KMeans

out = sys.argv[1]
context = SparkContext(appName="rdds")
points = context.parallelize([[0.0, 0.0], [9.0, 9.0]])
points.map(str).saveAsTextFile(out + "/text")
KMeans.train(points, 1, maxIterations=1).save(context, out + "/model")  # by a session of the JVM
context.stop()
"""

# What a program may ask first of a session that it has made.
USES = """
import sys, threading
from pyspark.sql import SparkSession

out, how = sys.argv[1:]
spark = SparkSession.builder.getOrCreate()

def is_built():
    field = spark._jsparkSession.getClass().getDeclaredField("sessionState")
    field.setAccessible(True)
    print("state", field.get(spark._jsparkSession) is not None, flush=True)

if how == "nothing":  # but what the collector's own threads ask
    own = threading.Thread(target=is_built, name="colgraph-test")
    own.start()
    own.join()
elif how == "the JVM":
    active = spark._jvm.org.apache.spark.sql.SparkSession.builder().getOrCreate()
    active.range(3).write().parquet(out + "/first")
elif how == "a thread":
    run = lambda: spark.range(3).write.parquet(out + "/first")
    other = threading.Thread(target=run)
    other.start()
    other.join()
elif how == "a second context":
    before = spark.sparkContext
    spark.stop()
    spark = SparkSession.builder.getOrCreate()
    before.stop()  # again
    spark.range(3).write.parquet(out + "/first")
elif how == "a new session":
    spark.newSession().range(3).write.parquet(out + "/first")
"""

JOB = """
package demo;
import java.util.Arrays;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.*;
public class Job {
  public static void main(String[] args) {
    if (args[1].equals("rdds")) {
      JavaSparkContext context = new JavaSparkContext(new SparkConf().setAppName("own name"));
      context.parallelize(Arrays.asList(1, 2, 3)).saveAsTextFile(args[0] + "/text");
      if (args[2].equals("stop")) context.stop();
      return;
    }
    SparkSession spark = SparkSession.builder().appName("own name").getOrCreate();
    System.out.println(String.join("|", args) + " " + spark.sparkContext().appName());
    String first = args[0] + "/first", second = args[0] + "/second";
    spark.range(3).selectExpr("id", "id * 2 as d").write().mode("overwrite").parquet(first);
    spark.read().parquet(first).select("d").write().mode("overwrite").parquet(second);
    spark.newSession().read().parquet(first).select("id").write().json(args[0] + "/third");
    if (args[1].equals("exit")) System.exit(Integer.parseInt(args[2]));
    if (args[1].equals("throw")) throw new IllegalStateException("boom");
    spark.stop();
  }
}
"""

LATE = """
import sys
from airflow_colgraph.collector.driver import launcher
launcher.LOOK_EVERY_SECONDS = 120
sys.exit(launcher.main(["demo.Job", *sys.argv[1:]]))
"""

# How to make each stage of the collector fail: the module of the zip, and what is put behind it.
FAULTS = {
    "import": ("driver/listener", "raise RuntimeError('fault')"),
    "start": ("driver/application", "def run_of(*_): raise RuntimeError('fault')"),
    "callback": ("driver/query_listener", "FinishedQuery = None"),
    "query": ("spark/translate", "def read(*_): raise RuntimeError('fault')"),
    "write": ("sinks/sink", "FileSink.write = lambda *_: 1 / 0"),
    "finish": ("driver/listener", "def finish(*_): raise RuntimeError('fault')"),
}
STAGES = list(FAULTS)[:: of_all(1, 2)]
RAISE_EXIT = ("raise", "exit")[: of_all(2, 1)]
FIRST_USES = ("the JVM", "a thread", "a second context", "a new session")


class Ran(NamedTuple):
    code: int
    out: bytes
    err: str
    folder: Path
    events: list[dict[str, Any]]

    def warnings(self) -> list[str]:
        """Our lines, on whatever stream."""
        text = self.out.decode() + self.err
        return [line for line in text.splitlines() if line.startswith("colgraph: ")]

    def kinds(self) -> list[str]:
        return [event["eventType"] for event in self.events]

    def written(self) -> dict[str, list[str]]:
        """The columns of each output, and what they and its rows come from."""
        return {
            name_of(output, self.folder): sorted(lineage(output, self.folder))
            for event in self.events
            for output in event["outputs"]
        }


def name_of(dataset: dict[str, Any], folder: Path) -> str:
    return str(dataset["name"]).removeprefix(f"{folder}/")


def lineage(output: dict[str, Any], folder: Path) -> Iterator[str]:
    facet = output["facets"]["columnLineage"]
    entries = {**facet["fields"], "*": {"inputFields": facet.get("dataset", [])}}
    for column, entry in entries.items():
        for field in entry["inputFields"]:
            steps = {f"{step['type']}:{step['subtype']}" for step in field["transformations"]}
            source = f"{name_of(field, folder)}.{field['field']}"
            yield f"{column} <- {source} {' '.join(sorted(steps))}"
        if not entry["inputFields"] and column != "*":
            yield f"{column} <-"


class Jobs:
    """Runs jobs in folders of their own, in the background; `jobs[name]` waits for one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._pool = ThreadPoolExecutor(2)
        self._running: dict[str, Future[Ran]] = {}
        (folder / "app.py").write_text(APP)
        (folder / "rdds.py").write_text(RDDS)
        (folder / "uses.py").write_text(USES)
        (folder / "site").mkdir()
        (folder / "site" / "sitecustomize.py").write_text("MARK = 'theirs'\n")
        with zipfile.ZipFile(folder / "own.zip", "w") as archive:
            archive.writestr("own.py", "def twice(x):\n    return x * 2\n")

    def __getitem__(self, name: str) -> Ran:
        return self._running[name].result()

    def start(self, name: str, *args: str, **options: Any) -> None:
        self._running[name] = self._pool.submit(self._run, self.folder / name, *args, **options)

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def _run(
        self,
        folder: Path,
        *args: str,
        jar: bool = False,
        ours: bool = True,
        archive: Path | None = None,
        sink: str | None = None,
        conf: tuple[str, ...] = (),
        app: str = "app.py",
        cwd: str | None = None,
        environment: dict[str, str] | None = None,
    ) -> Ran:
        folder.mkdir()
        sink = sink or str(folder / "events")
        options = [*QUICK, *(word for setting in conf for word in ("--conf", setting))]
        application = ["--py-files", str(self.folder / "own.zip"), str(self.folder / app)]
        if jar:
            application = ["--class", "demo.Job", str(self.folder / "job.jar")]
        command = SPARK_SUBMIT
        if archive is not None:  # by hand: a collector that is broken
            options += ["--conf", f"spark.colgraph.sink={sink}"]
            application[1] = f"{archive},{application[1]}"
        elif ours:
            command = [*COLGRAPH, "submit", "--quiet", "--output", sink, "--"]
        process = subprocess.Popen(
            [*command, *options, *application, str(folder), *args],
            cwd=cwd or folder,
            env={
                **os.environ,
                "PATH": f"{PYSPARK / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}",
                "PYTHONPATH": str(self.folder / "site"),
                "SPARK_LOCAL_IP": "127.0.0.1",
                "XDG_CACHE_HOME": str(self.folder / "cache"),
                **(environment or {}),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        out, err = process.communicate(timeout=300)
        local = "://" not in sink and Path(sink).is_file()
        events = sinks.read(sink).events if local else []
        return Ran(process.returncode, out, err.decode(), folder, events)

    def with_fault(self, stage: str) -> Path:
        """The collector's zip with one function that raises."""
        module, text = FAULTS[stage]
        name = f"airflow_colgraph/collector/{module}.py"
        content = io.BytesIO(
            collector_archive.source_archive(self.folder / "cache" / "faults").read_bytes()
        )
        path = self.folder / f"{stage}.zip"
        with zipfile.ZipFile(content) as good, zipfile.ZipFile(path, "w") as bad:
            assert name in good.namelist()
            for entry in good.namelist():
                more = f"\n\n{text}\n" if entry == name else ""
                bad.writestr(entry, good.read(entry).decode() + more)
        return path

    def compile(self) -> None:
        source = self.folder / "java" / "Job.java"
        source.parent.mkdir()
        source.write_text(textwrap.dedent(JOB))
        classes = str(self.folder / "classes")
        path = str(PYSPARK / "jars" / "*")
        subprocess.run(["javac", "-cp", path, "-d", classes, str(source)], check=True)
        shutil.make_archive(str(self.folder / "job"), "zip", classes)
        (self.folder / "job.zip").rename(self.folder / "job.jar")


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Jobs]:
    folder = tmp_path_factory.mktemp("submit")
    jobs = Jobs(folder)
    for how in RAISE_EXIT:
        jobs.start(f"{how} without", how, "ü b", ours=False)
        jobs.start(how, how, "ü b")
    jobs.start("kill", "kill")
    (folder / "lake").mkdir()
    mount = f"fs.viewfs.mounttable.lake.link./events={folder / 'lake'}"
    jobs.start("again", "again", sink="viewfs://lake/events/run", conf=(f"spark.hadoop.{mount}",))
    jobs.start("unwritable", "again", sink="/proc/no/where")
    for stage in STAGES:
        jobs.start(f"fault {stage}", "ok", archive=jobs.with_fault(stage))
    jobs.start("rdds", app="rdds.py")
    for use in ("nothing", *FIRST_USES):
        jobs.start(use, use, app="uses.py")
    jobs.compile()
    for end in ("stop", "return"):
        jobs.start(f"jar rdds {end}", "rdds", end, jar=True)
    (folder / "late.py").write_text(LATE)
    jobs.start(
        "jar seen late",
        *("rdds", "return"),
        archive=collector_archive.source_archive(folder / "cache" / "whole"),
        app="late.py",
        conf=(f"spark.jars={folder / 'job.jar'}",),
    )
    jobs.start("jar", "ok", "ü b", jar=True)
    jobs.start("jar exit", "exit", "7", jar=True)
    jobs.start("jar throw", "throw", jar=True)
    jobs.start("jar throw without", "throw", jar=True, ours=False)
    yield jobs
    jobs.close()


FIRST = {"first": ["double <-", "id <-"]}
BOTH = FIRST | {
    "second": [
        "* <- first.double INDIRECT:GROUP_BY",
        "double <- first.double DIRECT:IDENTITY",
        "n <- first.id DIRECT:AGGREGATION",
    ]
}
ALL = BOTH | {
    "third": ["id <- first.id DIRECT:IDENTITY"],
    "ended": ["id <- first.id DIRECT:IDENTITY"],
    "on": ["id <- first.id DIRECT:IDENTITY"],
    "fourth": ["* <- first.id INDIRECT:FILTER", "double <- first.double DIRECT:IDENTITY"],
}


ENDS = {
    "raise": (1, ["START", "RUNNING", "FAIL"], FIRST),
    "exit": (3, ["START", "RUNNING", "RUNNING", "FAIL"], BOTH),
}


@pytest.mark.sampled
@pytest.mark.parametrize("how", RAISE_EXIT)
def test_the_job_is_what_it_was(jobs: Jobs, how: str) -> None:
    code, kinds, written = ENDS[how]
    ran, without = jobs[how], jobs[f"{how} without"]
    assert (ran.code, ran.out) == (code, without.out)
    assert without.code == code
    assert f"argv ['{how}', 'ü b'] site theirs\n".encode() in ran.out
    assert ran.warnings() == []
    assert ran.kinds() == kinds
    assert ran.written() == written
    assert len({event["run"]["runId"] for event in ran.events}) == 1
    assert {event["job"]["name"] for event in ran.events} == {"app.py"}


def test_a_failed_job_says_why(jobs: Jobs) -> None:
    message = jobs["raise"].events[-1]["run"]["facets"]["errorMessage"]["message"]
    assert message == "ValueError: half-way"


def test_a_killed_driver_leaves_what_it_wrote(jobs: Jobs) -> None:
    ran = jobs["kill"]
    assert ran.code == 137
    assert ran.kinds() == ["START", "RUNNING", "RUNNING", "FAIL"]  # the last by colgraph submit
    assert ran.written() == BOTH


def test_further_sessions_are_followed_and_any_file_system_takes_events(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = jobs["again"]
    assert (ran.code, ran.warnings()) == (0, [])
    events = sinks.read(str(jobs.folder / "lake" / "run")).events
    of_run: dict[str, list[str]] = {}
    for event in sorted(events, key=lambda event: event["eventTime"]):
        of_run.setdefault(event["run"]["runId"], []).append(event["eventType"])
    assert list(of_run.values()) == [
        ["START", *["RUNNING"] * 5, "COMPLETE"],  # each stream once, whether it ended or not
        ["START", "RUNNING", "RUNNING", "COMPLETE"],
    ]
    second = [event for event in events if event["run"]["runId"] == [*of_run][1]]
    (rows,) = (one for one in second if one["inputs"] and not one["outputs"])
    assert [name_of(read, ran.folder) for read in rows["inputs"]] == ["second"]
    (last,) = (one for one in second if one["eventType"] == "COMPLETE")
    assert unaccounted(ran._replace(events=[last])) == [("output to foreachPartition", 0)]
    assert ran._replace(events=events).written() == ALL
    # And read back as someone without a driver does.
    conf = jobs.folder / "hadoop"
    conf.mkdir()
    (conf / "core-site.xml").write_text(
        "<configuration><property><name>fs.viewfs.mounttable.lake.link./events</name>"
        f"<value>{jobs.folder / 'lake'}</value></property></configuration>"
    )
    monkeypatch.setenv("HADOOP_CONF_DIR", str(conf))
    assert sinks.read("viewfs://lake/events/run").events == events
    with pytest.raises(FileNotFoundError):
        hadoop.read("viewfs://lake/events/missing")


def test_a_sink_that_cannot_be_written_costs_one_line(jobs: Jobs) -> None:
    """The program has two contexts, a run each; the spool keeps the events of both."""
    ran = jobs["unwritable"]
    assert ran.code == 0
    assert ran.out == b"argv ['again'] site theirs\n"
    spools = sorted(map(str, (ran.folder / "colgraph-spool").iterdir()))
    lines = ran.warnings()
    assert len(lines) == 2
    assert sorted(line.rpartition("colgraph deliver ")[2] for line in lines) == spools
    assert all("/proc/no" in line for line in lines)
    for spool in spools:
        assert sinks.read(spool).events[-1]["eventType"] == "COMPLETE"


@pytest.mark.sampled
@pytest.mark.parametrize("stage", STAGES)
def test_a_collector_that_fails_costs_one_line(jobs: Jobs, stage: str) -> None:
    ran = jobs[f"fault {stage}"]
    assert ran.code == 0
    assert ran.out == b"argv ['ok'] site theirs\n"
    assert (ran.folder / "second" / "_SUCCESS").exists()
    (line,) = ran.warnings()
    assert "Error: " in line
    assert "Traceback" not in ran.err


def unaccounted(ran: Ran) -> list[tuple[str, int]]:
    """Who has written what no event accounts for, by the last event, and how many rows."""
    last = ran.events[-1]["run"]["facets"]["colgraph_diagnostics"]["completeness"]
    return [(gap["by"].rpartition(" at ")[2], gap["rows"]) for gap in last["unaccounted"]]


def test_a_program_without_a_session_is_followed(jobs: Jobs) -> None:
    ran = jobs["rdds"]
    assert (ran.code, ran.warnings()) == (0, [])
    assert ran.kinds() == ["START", "RUNNING", "RUNNING", "RUNNING", "COMPLETE"]
    assert sorted(ran.written()) == ["model/data", "model/metadata", "text"]
    assert "colgraph_diagnostics" not in ran.events[-1]["run"]["facets"]


# Jars -----------------------------------------------------------------------------------------

JAR = {
    "first": ["d <-", "id <-"],
    "second": ["d <- first.d DIRECT:IDENTITY"],
    "third": ["id <- first.id DIRECT:IDENTITY"],  # by a session of its own
}


def test_a_session_that_is_not_used_is_left_alone(jobs: Jobs) -> None:
    ran = jobs["nothing"]
    assert (ran.code, ran.out, ran.warnings()) == (0, b"state False\n", [])
    assert ran.kinds() == ["START", "COMPLETE"]


@pytest.mark.parametrize("use", FIRST_USES)
def test_a_session_is_followed_whatever_uses_it_first(jobs: Jobs, use: str) -> None:
    ran = jobs[use]
    assert (ran.code, ran.warnings()) == (0, [])
    assert ran.written() == {"first": ["id <-"]}


@pytest.mark.parametrize(
    ("name", "args", "code", "end"),
    [
        ("jar", "ok|ü b", 0, "COMPLETE"),
        ("jar exit", "exit|7", 7, "FAIL"),
        ("jar throw", "throw", 1, "FAIL"),
    ],
)
def test_a_jar_is_followed(jobs: Jobs, name: str, args: str, code: int, end: str) -> None:
    ran = jobs[name]
    assert (ran.code, ran.out) == (code, f"{ran.folder}|{args} own name\n".encode())
    assert ran.warnings() == []
    assert ran.kinds() == ["START", "RUNNING", "RUNNING", "RUNNING", end]
    assert ran.written() == JAR
    assert "colgraph_diagnostics" not in ran.events[-1]["run"]["facets"]
    assert {event["job"]["name"] for event in ran.events} == {"own name"}


@pytest.mark.parametrize("end", ["stop", "return"])
def test_a_jar_without_a_session_is_followed(jobs: Jobs, end: str) -> None:
    ran = jobs[f"jar rdds {end}"]
    assert (ran.code, ran.warnings(), ran.kinds()) == (0, [], ["START", "COMPLETE"])
    assert unaccounted(ran) == [("SparkHadoopWriter.scala:85", 3)]


def test_what_a_jar_wrote_before_its_context_was_seen_is_accounted_for(jobs: Jobs) -> None:
    """On a busy machine the first job may have run by then."""
    ran = jobs["jar seen late"]
    assert (ran.code, ran.warnings(), ran.kinds()) == (0, [], ["START", "COMPLETE"])
    assert unaccounted(ran) == [("SparkHadoopWriter.scala:85", 3)]


def test_a_jar_s_exception_is_reported_as_without_us(jobs: Jobs) -> None:
    ran, without = jobs["jar throw"], jobs["jar throw without"]
    assert (ran.code, without.code) == (1, 1)
    lines = 'Exception in thread "main" java.lang.IllegalStateException: boom\n\tat demo.Job.main('
    assert lines in ran.err
    assert lines in without.err
    message = ran.events[-1]["run"]["facets"]["errorMessage"]["message"]
    assert message == "java.lang.IllegalStateException: boom"

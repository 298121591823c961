"""`colgraph submit` with a spark-submit that only tells how it was called."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from airflow_colgraph.cli.submit import ends, is_local, read_events, spark_home
from airflow_colgraph.collector.sinks import sink as sinks
from airflow_colgraph.operators.collector_archive import compiled_archive, launcher
from dev.waiting import wait_for

COLGRAPH = [sys.executable, "-c", "from airflow_colgraph.cli import main; main()"]

SPARK_SUBMIT = """#!{python}
import json, os, pathlib, signal, sys, time
here = pathlib.Path(__file__).parent
(here / "called.json").write_text(json.dumps(sys.argv[1:]))
sink = next((a.split("=", 1)[1] for a in sys.argv if a.startswith("spark.colgraph.sink=")), None)
events = (here / "events").read_bytes() if (here / "events").exists() else b""
if sink and events:
    with open(sink, "ab") as file:
        file.write(events)
sys.stdout.buffer.write(b"job \\xff " + sys.stdin.buffer.read())
sys.stderr.write("log\\n")
sys.stdout.flush()
how = (here / "how").read_text() if (here / "how").exists() else "0"
if how == "wait":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(15))
    signal.signal(signal.SIGINT, lambda *_: sys.exit(2))
    (here / "ready").write_text("")
    time.sleep(60)
if how == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
sys.exit(int(how))
"""


def event(kind: str, run_id: str = "r1", **more: Any) -> dict[str, Any]:
    return {
        "eventType": kind,
        "eventTime": "2026-01-31T00:00:00Z",
        "run": {"runId": run_id, "facets": {"colgraph_diagnostics": {}, "parent": {}}},
        "job": {"namespace": "default", "name": "job"},
        "producer": "p",
        "schemaURL": "s",
        "inputs": [],
        "outputs": [],
        **more,
    }


A = {"namespace": "file", "name": "/a", "field": "x"}
FIELDS = {
    "y": {"inputFields": [{**A, "transformations": [{"type": "DIRECT", "subtype": "IDENTITY"}]}]}
}
WRITE = event(
    "RUNNING",
    inputs=[{"namespace": "file", "name": "/a"}],
    outputs=[{"namespace": "file", "name": "/b", "facets": {"columnLineage": {"fields": FIELDS}}}],
)
SHOWN = "/b  (file /b)\n  y <- /a.x  DIRECT:IDENTITY\n"


class Ran(NamedTuple):
    code: int
    out: bytes
    err: str
    called: list[str] | None


class Place:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "bin"
        self.bin.mkdir()
        script = self.bin / "spark-submit"
        script.write_text(SPARK_SUBMIT.replace("{python}", sys.executable))
        script.chmod(0o755)
        self.environment = {
            "PATH": f"{self.bin}:/usr/bin:/bin",
            "XDG_CACHE_HOME": str(folder / "cache"),
        }

    def will(self, how: str, *events: dict[str, Any]) -> None:
        (self.bin / "how").write_text(how)
        (self.bin / "events").write_bytes(b"".join(map(sinks.line_of, events)))

    def run(self, *args: str, **environment: str) -> Ran:
        ran = subprocess.run(
            [*COLGRAPH, "submit", *args],
            cwd=self.folder,
            env=self.environment | environment,
            input=b"stdin \xfe",
            capture_output=True,
            check=False,
        )
        called = self.bin / "called.json"
        words = json.loads(called.read_text()) if called.exists() else None
        called.unlink(missing_ok=True)
        return Ran(ran.returncode, ran.stdout, ran.stderr.decode(), words)

    @property
    def zip(self) -> str:
        return str(compiled_archive(self.folder / "cache" / "airflow_colgraph"))

    @property
    def launcher(self) -> str:
        return str(launcher(self.folder / "cache" / "airflow_colgraph"))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_the_job_is_what_it_was_and_the_lineage_is_shown(place: Place) -> None:
    place.will("0", event("START"), WRITE, event("COMPLETE"))
    ran = place.run("--", "--master", "local", "job.py", "--output", "a b")
    file = place.folder / "colgraph-events.jsonl"
    assert ran == Ran(
        0,
        b"job \xff stdin \xfe",
        f"log\n{SHOWN}colgraph: 3 events are in {file}\n",
        [
            *["--master", "local", "--conf", f"spark.colgraph.sink={file}"],
            *["--py-files", place.zip, "job.py", "--output", "a b"],
        ],
    )


def test_only_this_run_is_shown(place: Place) -> None:
    place.will("0", event("START"), WRITE, event("COMPLETE"))
    place.run("--", "job.py")
    place.will("0", event("START", "r2"), event("COMPLETE", "r2"))
    ran = place.run("--", "job.py")
    assert ran.err == f"log\ncolgraph: 2 events are in {place.folder}/colgraph-events.jsonl\n"
    assert len(sinks.read(str(place.folder / "colgraph-events.jsonl")).events) == 5


def test_options_become_properties(place: Place) -> None:
    ran = place.run("--output", "e", "--namespace", "n", "--job-name", "j k", "--quiet", "job.py")
    assert ran.err == "log\n"
    assert ran.called == [
        *[
            "--conf",
            f"spark.colgraph.sink={place.folder}/e",
            "--conf",
            "spark.colgraph.namespace=n",
        ],
        *["--conf", "spark.colgraph.jobName=j k", "--py-files", place.zip, "job.py"],
    ]


def test_a_jar_goes_through_the_launcher(place: Place) -> None:
    ran = place.run("--output", "/dev/null", "--", "--class", "a.B", "job.jar", "x")
    assert ran.called == [
        *["--conf", "spark.colgraph.sink=/dev/null", "--py-files", place.zip],
        *["--jars", "job.jar", "--name", "a.B", place.launcher, "a.B", "x"],
    ]


def test_a_sink_that_the_job_has_is_kept_unless_output_is_given(place: Place) -> None:
    sink = "spark.colgraph.sink=http://h/api"
    ran = place.run("--", "--conf", sink, "job.py")
    assert ran.err == "log\ncolgraph: the events' sink is http://h/api\n"
    assert ran.called is not None
    assert ran.called[2:4] == ["--conf", sink]
    ran = place.run("--output", "e", "--", "--conf", sink, "job.py")
    assert ran.called is not None
    assert ran.called[2:4] == ["--conf", f"spark.colgraph.sink={place.folder}/e"]


@pytest.mark.parametrize("source", ["SPARK_CONF_DIR", "--properties-file"])
def test_properties_files_are_heeded(place: Place, source: str) -> None:
    file = place.folder / "spark-defaults.conf"
    file.write_text("spark.submit.pyFiles lib.zip\nspark.colgraph.sink /dev/null\n")
    if source == "SPARK_CONF_DIR":
        ran = place.run("job.py", SPARK_CONF_DIR=str(place.folder))
    else:
        ran = place.run("--", "--properties-file", str(file), "job.py")
    assert ran.called is not None
    expected = ["--conf", "spark.colgraph.sink=/dev/null", "--py-files", f"{place.zip},lib.zip"]
    assert ran.called[-5:-1] == expected


@pytest.mark.parametrize(
    "args", [["--version"], ["--status", "d"], ["--help"], ["--nonsense", "x.py"], []]
)
def test_without_an_application_nothing_is_added(place: Place, args: list[str]) -> None:
    assert place.run("--", *args) == Ran(0, b"job \xff stdin \xfe", "log\n", args)


def test_a_job_that_cannot_be_followed_runs_all_the_same(place: Place) -> None:
    place.will("3")
    ran = place.run("--", "job.R", "x")
    why = "'job.R' is neither a Python file nor a jar"
    err = f"colgraph: warning: lineage is off for this application: {why}\nlog\n"
    assert ran == Ran(3, b"job \xff stdin \xfe", err, ["job.R", "x"])


@pytest.mark.parametrize(("how", "code"), [("1", 1), ("101", 101), ("killed", 137)])
def test_the_exit_code_is_the_job_s_and_ends_an_open_run(place: Place, how: str, code: int) -> None:
    place.will(how, event("START"), WRITE)
    ran = place.run("--", "job.py")
    file = place.folder / "colgraph-events.jsonl"
    assert ran.code == code
    assert ran.err == f"log\n{SHOWN}colgraph: 3 events are in {file}\n"
    last = sinks.read(str(file)).events[-1]
    assert last.pop("eventTime") > "2026-02"
    expected = event("FAIL")
    expected["run"] = {"runId": "r1", "facets": {"parent": {}}}
    del expected["eventTime"]
    assert last == expected


def test_a_job_without_events(place: Place) -> None:
    ran = place.run("job.py")
    assert (
        ran.err == f"log\ncolgraph: no events of this job in {place.folder}/colgraph-events.jsonl\n"
    )
    assert not (place.folder / "colgraph-events.jsonl").exists()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 15), (signal.SIGINT, 2)])
def test_signals_are_passed_on(place: Place, number: signal.Signals, code: int) -> None:
    place.will("wait")
    process = subprocess.Popen(
        [*COLGRAPH, "submit", "--quiet", "job.py"],
        cwd=place.folder,
        env=place.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    ready = place.bin / "ready"
    wait_for(lambda: "" if ready.exists() or process.poll() is not None else "the job to run")
    assert process.poll() is None
    os.kill(process.pid, number)
    assert process.wait(timeout=120) == code


def test_no_spark_submit(place: Place) -> None:
    (place.bin / "spark-submit").unlink()
    program = (
        "import importlib.util as u, sys; u.find_spec = lambda name: None\n"
        "from airflow_colgraph.cli import main; main()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, "submit", "job.py"],
        cwd=place.folder,
        env=place.environment,
        capture_output=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (127, b"")
    assert ran.stderr.decode() == (
        "colgraph: error: spark-submit was not found on PATH, in SPARK_HOME/bin or in the pyspark"
        " package. Install Spark, set SPARK_HOME, or run `pip install pyspark`.\n"
    )


def test_spark_submit_in_spark_home(place: Place) -> None:
    environment = {"PATH": "/usr/bin:/bin", "SPARK_HOME": str(place.folder)}
    assert place.run("job.py", **environment).code == 0
    assert place.run("job.py", **environment).called is not None


@pytest.mark.parametrize("output", [[], ["--output", "e.jsonl"], ["--output", "file:///tmp/e"]])
def test_a_cluster_cannot_write_to_a_file_here(place: Place, output: list[str]) -> None:
    ran = place.run(*output, "--", "--master", "yarn", "--deploy-mode", "cluster", "job.py")
    assert (ran.code, ran.out, ran.called) == (2, b"", None)
    assert "colgraph: error: In cluster mode the driver cannot write to /" in ran.err
    assert "Traceback" not in ran.err


def test_a_cluster_writes_to_a_uri(place: Place) -> None:
    args = ["--deploy-mode", "cluster", "job.py"]
    ran = place.run("--output", "hdfs://nn/e", "--", *args)
    assert (ran.code, ran.err) == (0, "log\ncolgraph: the events' sink is hdfs://nn/e\n")


def test_wrong_usage(place: Place) -> None:
    ran = place.run("--no-such-option", "job.py")
    assert (ran.code, ran.called) == (2, None)
    assert ran.err.endswith("colgraph: error: No such option '--no-such-option'.\n")


def test_help_says_where_the_events_go_and_gives_an_example(place: Place) -> None:
    ran = place.run("--help")
    text = ran.out.decode()
    assert ran.code == 0
    assert "colgraph submit -- --master local[2] job.py" in text
    assert "[default: colgraph-events.jsonl in the current folder]" in " ".join(text.split())


@pytest.mark.parametrize(
    ("target", "local"),
    [
        ("e", True),
        ("/a:b/e", True),
        ("a/b:c", True),
        ("file:///e", True),
        ("FILE:/e", True),
        ("hdfs://h/e", False),
        ("s3a://b/e", False),
        ("https://h", False),
    ],
)
def test_what_a_file_is(target: str, local: bool) -> None:
    assert is_local(target) is local


def test_only_open_runs_are_ended() -> None:
    events = [
        event("START", "a"),
        event("START", "b"),
        event("COMPLETE", "a"),
        event("RUNNING", "b"),
    ]
    assert [(e["run"]["runId"], e["eventType"]) for e in ends(events, 0)] == [("b", "COMPLETE")]
    assert [(e["run"]["runId"], e["eventType"]) for e in ends(events, 1)] == [("b", "FAIL")]
    assert ends(events[:1] + events[2:3], 1) == []


def test_a_device_or_a_pipe_is_only_written(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert read_events(str(pipe)) == []
    assert read_events("/dev/zero") == []


def test_the_defaults_are_those_of_the_spark_that_spark_submit_is_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = str(tmp_path / "bin" / "spark-submit")
    monkeypatch.delenv("SPARK_HOME", raising=False)
    assert (spark_home(script) / "bin" / "spark-submit").is_file()  # pip's package
    (tmp_path / "jars").mkdir()
    assert spark_home(script) == tmp_path
    monkeypatch.setenv("SPARK_HOME", "/opt/spark")
    assert spark_home(script) == Path("/opt/spark")

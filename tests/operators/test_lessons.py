"""The example DAGs of dags/, and what is too much for one event, run by a real Airflow."""

import json
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from airflow_colgraph.collector.events.render import render
from dev.demo_airflow import environment, run_airflow
from tests.openlineage.event_validator import valid
from tests.operators.conftest import FAKE

pytestmark = [pytest.mark.airflow, pytest.mark.xdist_group("lessons")]

ROOT = Path(__file__).parent.parent.parent
LESSONS = ["first", "jar_job", "stock", "mapped_tasks", "cluster_mode"]
TOO_MUCH = '''
import resource

from airflow.providers.openlineage.get_provider_info import get_provider_info
from airflow.sdk import DAG, BaseOperator

from airflow_colgraph.extractors.task_lineage import Lineage
from airflow_colgraph.extractors.spark import operator_lineage

PRODUCER = "urn:airflow-colgraph:0.1.0"
FACETS = "https://openlineage.io/spec/facets/1-2-0/DatasetFacet.json#/$defs/DatasetFacet"
OPTIONS = get_provider_info()["config"]["openlineage"]["options"]
SECONDS = int(OPTIONS["execution_timeout"]["default"])


class Collected(BaseOperator):
    """As an operator whose job has reported `outputs` datasets of `columns` columns."""

    def __init__(self, *, outputs, columns, inputs, **kwargs):
        super().__init__(**kwargs)
        self.size = outputs, columns, inputs

    def execute(self, context):
        outputs, columns, inputs = self.size
        step = {"type": "DIRECT", "subtype": "IDENTITY", "description": "", "masking": False}
        made_of = [
            {"namespace": "file", "name": "raw", "field": f"c{n}", "transformations": [step]}
            for n in range(inputs)
        ]
        names = [f"a{n}" for n in range(columns)]
        common = {"_producer": PRODUCER, "_schemaURL": f"{FACETS}SchemaDatasetFacet"}
        linked = {"_producer": PRODUCER, "_schemaURL": f"{FACETS}ColumnLineageDatasetFacet"}
        facets = {
            "schema": {**common, "fields": [{"name": name, "type": "int"} for name in names]},
            "columnLineage": {
                **linked,
                "fields": {name: {"inputFields": made_of} for name in names},
                "dataset": [],
            },
        }
        self.colgraph_sink = "/the/sink"
        self.colgraph_lineage = Lineage(
            [],
            [{"namespace": "file", "name": f"o{n}", "facets": facets} for n in range(outputs)],
            {},
        )

    def get_openlineage_facets_on_start(self):
        return operator_lineage(None)

    def get_openlineage_facets_on_complete(self, task_instance):
        """In the process that Airflow gives so long: after so much of a core the kernel ends it."""
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        return operator_lineage(self, task_instance)


with DAG("too_much", schedule=None):
    Collected(task_id="wide", outputs=1, columns=1000, inputs=100)
    Collected(task_id="many", outputs=10_000, columns=2, inputs=1)
'''


class Ran(NamedTuple):
    """What came of the runs."""

    home: Path
    states: dict[str, str]
    events: list[dict[str, Any]]
    calls: list[list[str]]

    def complete(self, name: str) -> list[dict[str, Any]]:
        return [
            event
            for event in self.events
            if (event["job"]["name"], event["eventType"]) == (name, "COMPLETE")
        ]

    def text(self, name: str) -> str:
        """The lineage of a task's COMPLETE event, with short names."""
        (event,) = self.complete(name)
        shown = render([event]).replace(f"{self.home}/lessons/", "")
        return shown.replace(f"{self.home}/dags/jobs/", "")


def make_jar(home: Path) -> None:
    classes, spark = home / "classes", Path(str(find_spec("pyspark").origin)).parent  # type: ignore[union-attr]
    source = str(ROOT / "dags" / "jobs" / "Daily.java")
    command = ["javac", "-cp", f"{spark}/jars/*", "-d", str(classes), source]
    subprocess.run(command, check=True, timeout=300)
    jar = str(home / "lessons" / "daily.jar")
    subprocess.run(["jar", "cf", jar, "-C", str(classes), "."], check=True, timeout=300)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    home = tmp_path_factory.mktemp("lessons")
    shutil.copytree(ROOT / "dags", home / "dags", ignore=shutil.ignore_patterns("__pycache__"))
    (home / "dags" / "too_much.py").write_text(TOO_MUCH)
    (home / "lessons").mkdir()
    make_jar(home)
    (home / "bin").mkdir()
    shutil.copyfile(FAKE, home / "bin" / "spark-submit")
    (home / "bin" / "spark-submit").chmod(0o755)
    file = home / "events.jsonl"
    transport = {"type": "file", "log_file_path": str(file), "append": True}
    variables = environment(
        home / "airflow",
        home / "dags",
        LESSONS_HOME=str(home / "lessons"),
        FAKE_BIN=str(home / "bin"),
        FAKE_JOB=json.dumps({"calls": str(home / "calls.ndjson"), "writes": ["made"]}),
        PYTHONPATH=str(ROOT),
        AIRFLOW__COLGRAPH__WRAP_SPARK_SUBMIT="True",
        AIRFLOW__OPENLINEAGE__NAMESPACE="lessons",
        AIRFLOW__OPENLINEAGE__EXECUTION_TIMEOUT="120",  # on a machine that does much else
        AIRFLOW__OPENLINEAGE__TRANSPORT=json.dumps(transport),
        AIRFLOW_CONN_SPARK_YARN=json.dumps({"conn_type": "spark", "host": "yarn"}),
        HADOOP_CONF_DIR=str(home),
        JAVA_TOOL_OPTIONS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    )
    run_airflow(variables, "db", "migrate")
    states = home / "states.json"
    done = subprocess.run(
        [sys.executable, "-m", "tests.operators.lessons", str(states), *LESSONS, "too_much"],
        cwd=home / "lessons",  # Spark's SQL shell leaves its metastore there
        env=variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    output = done.stdout + done.stderr
    (home / "output").write_text(output)
    assert done.returncode == 0, output[-5000:]
    return Ran(
        home,
        json.loads(states.read_text()),
        valid([json.loads(line) for line in file.read_text().splitlines()]),
        [json.loads(line) for line in (home / "calls.ndjson").read_text().splitlines()],
    )


def test_every_lesson_runs(ran: Ran) -> None:
    assert set(ran.states.values()) == {"success"}, ran.states
    assert {name.partition(".")[0] for name in ran.states} == {*LESSONS, "too_much"}


def test_every_example_is_run_by_a_test() -> None:
    """The demo's by tests/airflow/test_demo.py, the warehouse's by tests/warehouse/test_dag.py."""
    others = {"flights", "warehouse"}
    assert {file.stem for file in (ROOT / "dags").glob("*.py")} == {*LESSONS, *others}


DAILY = """\
{target}  (file {target})
  day    <- orders.csv.day     DIRECT:IDENTITY
  orders <- orders.csv.id      DIRECT:AGGREGATION masking
  total  <- orders.csv.amount  DIRECT:AGGREGATION
  *      <- orders.csv.day     INDIRECT:GROUP_BY
  *      <- orders.csv.state   INDIRECT:FILTER"""


@pytest.mark.parametrize(
    ("task", "target"),
    [("jar_job.daily", "daily-by-jar"), ("stock.daily", "stock-daily")],
)
def test_a_submitted_job_has_its_lineage(ran: Ran, task: str, target: str) -> None:
    assert ran.text(task) == DAILY.format(target=target)


def test_stock_tasks_in_process_and_in_the_sql_shell_have_theirs(ran: Ran) -> None:
    assert (
        ran.text("stock.customers")
        == """\
customers  (file customers)
  customer <- orders.csv.customer  DIRECT:IDENTITY
  spent    <- orders.csv.amount    DIRECT:AGGREGATION
  *        <- orders.csv.customer  INDIRECT:GROUP_BY"""
    )
    assert (
        ran.text("stock.best")
        == """\
best  (file best)
  name <- customers.customer  DIRECT:IDENTITY
  *    <- customers.spent     INDIRECT:FILTER"""
    )


def test_the_first_lesson_submits_the_collector(ran: Ran) -> None:
    call = ran.calls[0]
    assert "colgraph-collector-" in call[call.index("--py-files") + 1]
    assert call[-2:] == [f"{ran.home}/dags/jobs/orders.csv", f"{ran.home}/lessons/daily"]
    (event,) = ran.complete("first.daily")
    assert [output["name"] for output in event["outputs"]] == ["made"]


def test_mapped_instances_submit_their_own_arguments_to_their_own_sinks(ran: Ran) -> None:
    calls = [call for call in ran.calls[1:] if "--deploy-mode" not in call]
    days = [call[-1] for call in calls if call[-2] == "--day"]
    assert sorted(days) == ["2026-01-01", "2026-01-02"]
    wholes = sorted(call[-1] for call in calls if "whole" in call[-1])
    assert wholes == [f"{ran.home}/lessons/whole-{n}" for n in (1, 2)]
    sinks = {word for call in calls for word in call if word.startswith("spark.colgraph.sink=")}
    names = sorted("/".join(sink.rsplit("/", 2)[1:]) for sink in sinks)
    assert [re.sub(r"-[0-9a-f-]{36}\.ndjson$", "", name) for name in names] == [
        "daily/0",
        "daily/1",
        "whole/0",
        "whole/1",
    ]
    for task in ("daily", "whole"):
        events = ran.complete(f"mapped_tasks.{task}")
        assert len({event["run"]["runId"] for event in events}) == 2
        assert [[d["name"] for d in event["outputs"]] for event in events] == [["made"]] * 2


def test_an_alias_that_asks_gets_what_was_written_as_assets(ran: Ran) -> None:
    with closing(sqlite3.connect(ran.home / "airflow" / "airflow.db")) as database:
        rows = database.execute(
            "SELECT asset.name, asset_event.extra FROM asset_event"
            " JOIN asset ON asset.id = asset_id WHERE source_task_id = 'daily'"
        ).fetchall()
    assert [name for name, _ in rows] == ["file://made"] * 2
    for _, extra in rows:
        shown = json.loads(extra)["colgraph"]
        assert (shown["name"], [column["column"] for column in shown["columns"]]) == ("made", ["a"])


def test_nothing_went_wrong_with_lineage(ran: Ran) -> None:
    assert "lineage is missing" not in (ran.home / "output").read_text()


def test_in_cluster_mode_the_collector_is_one_more_python_file(ran: Ran) -> None:
    (call,) = (call for call in ran.calls if "--deploy-mode" in call)
    assert call[: call.index("--conf")] == ["--master", "yarn"]
    assert "colgraph-collector-" in call[call.index("--py-files") + 1]
    assert call[call.index("--deploy-mode") + 1] == "cluster"
    assert call[-3:] == ["hdfs:///jobs/daily.py", "hdfs:///raw/orders.csv", "hdfs:///mart/daily"]


def test_a_thousand_columns_of_a_hundred_inputs_arrive_and_say_what_was_cut(
    ran: Ran,
) -> None:
    (event,) = ran.complete("too_much.wide")
    ((output),) = event["outputs"]
    fields = output["facets"]["columnLineage"]["fields"]
    assert sum(len(field["inputFields"]) for field in fields.values()) <= 20_000
    assert len(output["facets"]["schema"]["fields"]) == 1000
    shown = event["run"]["facets"]["colgraph_diagnostics"]
    assert shown["whole"] == "/the/sink"
    assert shown["cut"][0]["fieldsLeftOut"] == 1000 - len(fields)


def test_neither_is_ended_by_the_time_that_airflow_gives_an_event(ran: Ran) -> None:
    """As they arrive at all, the time of a core; that of the clock is what a busy machine makes."""
    output = (ran.home / "output").read_text()
    assert "Successfully emitted OpenLineage `COMPLETE` event" in output
    assert "will be terminated by listener" not in output


def test_ten_thousand_outputs_arrive_and_say_what_was_cut(ran: Ran) -> None:
    (event,) = ran.complete("too_much.many")
    assert [output["name"] for output in event["outputs"][:3]] == ["o0", "o1", "o2"]
    size = len(json.dumps([event["inputs"], event["outputs"]], separators=(",", ":")))
    assert 2_900_000 < size < 3_500_000  # three to four seconds of one core
    shown = event["run"]["facets"]["colgraph_diagnostics"]
    assert shown["truncated"].startswith("max_event_bytes is 3000000")
    assert len(shown["cut"]) == 100
    assert shown["cutFurther"] > 0

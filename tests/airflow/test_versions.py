"""Older Airflows, each in an environment of its own: one DAG is run there, its events looked at.

2.7 has the legacy package openlineage-airflow, the others have the provider. `make test` runs the
oldest of each kind; test_scheduler.py is about the newest Airflow, which is in .venv.
"""

import fcntl
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from airflow_colgraph.collector.text import render
from airflow_colgraph.exports.tree import tree
from airflow_colgraph.store import graph
from airflow_colgraph.store.store import Store
from dev.demo_airflow import environment

pytestmark = pytest.mark.airflow

ROOT = Path(__file__).parents[2]
DAGS = Path(__file__).with_name("versions")
FAKE = ROOT / "tests" / "operators" / "fake_spark_submit.py"
ORDERS = [{"id": 1, "customer": "a", "amount": 2.5}, {"id": 2, "customer": "b", "amount": -1}]
ALWAYS = ("2.7", "2.11")
VERSIONS = sorted(
    file.stem.removeprefix("constraints-airflow-")
    for file in (ROOT / "dev").glob("constraints-airflow-*.txt")
)


class Ran(NamedTuple):
    """What came of the run."""

    version: str
    home: Path
    log: str
    events: list[dict[str, Any]]

    def of(self, task: str, kind: str) -> list[dict[str, Any]]:
        """The task's events of a kind."""
        name = f"versions.{task}"
        return [e for e in self.events if (e["job"]["name"], e["eventType"]) == (name, kind)]

    def text(self, event: dict[str, Any]) -> str:
        """An event's lineage for people, with short names."""
        return render([event]).replace(f"{self.home}/", "")


def made(version: str) -> Path:
    """The environment's folder of programs; the environment is made if there is none."""
    (ROOT / ".venvs").mkdir(exist_ok=True)
    with (ROOT / f".venvs/airflow-{version}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["bash", ROOT / "dev/airflow_version.sh", version], check=True, timeout=900)
    return ROOT / f".venvs/airflow-{version}/bin"


def airflow(programs: Path, variables: dict[str, str], *arguments: str) -> str:
    """What an `airflow` command prints."""
    done = subprocess.run(
        [programs / "python", "-m", "airflow", *arguments],
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0 or arguments[0] == "dags", done.stdout[-5_000:]
    return done.stdout


def marks(version: str) -> list[pytest.MarkDecorator]:
    group = pytest.mark.xdist_group(f"airflow-{version}")
    return [group] if version in ALWAYS else [group, pytest.mark.versions]


@pytest.fixture(scope="module", params=[pytest.param(v, marks=marks(v)) for v in VERSIONS])
def ran(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """One `airflow dags test` of the DAG, whose last task fails."""
    version: str = request.param
    programs, home = made(version), tmp_path_factory.mktemp(f"airflow-{version}")
    (home / "orders.json").write_text("\n".join(map(json.dumps, ORDERS)))
    (home / "bin").mkdir()
    shutil.copyfile(FAKE, home / "bin" / "spark2-submit")
    (home / "bin" / "spark2-submit").chmod(0o755)
    file, store = home / "events.jsonl", f"sqlite:///{home}/store.db"
    transport = {
        "type": "composite",
        "continue_on_failure": True,
        "transports": {
            "file": {"type": "file", "log_file_path": str(file), "append": True},
            "store": {"type": "airflow_colgraph.transport.StoreTransport", "url": store},
        },
    }
    (home / "openlineage.yml").write_text(json.dumps({"transport": transport}))
    variables = environment(
        home / "airflow",
        DAGS,
        CASES_HOME=str(home),
        AIRFLOW__COLGRAPH__WRAP_SPARK_SUBMIT="True",
        PYTHONPATH=str(DAGS),
        AIRFLOW__OPENLINEAGE__EXECUTION_TIMEOUT="240",  # a busy machine loses no event
        OPENLINEAGE_CONFIG=str(home / "openlineage.yml"),
        OPENLINEAGE_NAMESPACE="tests",
        OPENLINEAGE_EXTRACTORS="registered.RegisteredExtractor",
    )
    variables["PATH"] = os.pathsep.join([str(home / "bin"), str(programs), variables["PATH"]])
    airflow(programs, variables, "db", "migrate")
    log = airflow(programs, variables, "dags", "test", "versions")
    assert file.exists(), log[-5_000:]
    return Ran(version, home, log, [json.loads(line) for line in file.read_text().splitlines()])


def test_the_versions_are_those_that_the_readme_names() -> None:
    assert set(ALWAYS) < set(VERSIONS)
    for version in VERSIONS:
        assert f"| {version} |" in (ROOT / "README.md").read_text()


def test_it_is_the_airflow_that_it_says(ran: Ran) -> None:
    (start,) = ran.of("totals", "START")
    engine = start["run"]["facets"]["processing_engine"]
    assert engine["name"] == "Airflow"
    assert engine["version"].startswith(f"{ran.version}.")
    legacy = "integration/airflow" in start["producer"]
    assert legacy == (ran.version == "2.7")


def test_the_complete_event_has_the_exact_lineage(ran: Ran) -> None:
    (event,) = ran.of("totals", "COMPLETE")
    assert (
        ran.text(event)
        == """\
staging  (file staging)
  amount   <- orders.json.amount    DIRECT:IDENTITY
  customer <- orders.json.customer  DIRECT:TRANSFORMATION masking
  id       <- orders.json.id        DIRECT:IDENTITY
  *        <- orders.json.amount    INDIRECT:FILTER

mart  (file mart)
  customer <- staging.customer  DIRECT:IDENTITY
  n        <-
  total    <- staging.amount    DIRECT:AGGREGATION
  *        <- staging.customer  INDIRECT:GROUP_BY"""
    )
    assert [dataset["name"] for dataset in event["inputs"]] == [f"{ran.home}/orders.json"]


def test_the_spark_applications_parent_is_the_tasks_run(ran: Ran) -> None:
    (file,) = (ran.home / "airflow" / "colgraph" / "versions").glob("*/totals/task.ndjson")
    (task,) = ran.of("totals", "COMPLETE")
    for event in map(json.loads, file.read_text().splitlines()):
        parent = event["run"]["facets"]["parent"]
        assert parent["run"]["runId"] == task["run"]["runId"]
        assert parent["job"] == {"namespace": "tests", "name": "versions.totals"}
        assert parent["root"]["job"] == {"namespace": "tests", "name": "versions"}
        dag = task["run"]["facets"]["parent"]
        assert parent["root"]["run"]["runId"] == dag["run"]["runId"]


def outputs(events: list[dict[str, Any]]) -> list[list[str]]:
    return sorted([dataset["name"] for dataset in event["outputs"]] for event in events)


def test_each_way_to_the_event_has_its_lineage(ran: Ran) -> None:
    found = {
        (task, kind): outputs(ran.of(task, kind))
        for task in ("extracted", "mapped", "stock", "stock_mapped", "broken")
        for kind in ("START", "COMPLETE", "FAIL")
    }
    assert {key: names for key, names in found.items() if names} == {
        ("extracted", "START"): [[]],
        ("extracted", "COMPLETE"): [["extracted"]],
        ("mapped", "START"): [[], [], []],
        ("mapped", "COMPLETE"): [["part-0"], ["part-1"], ["part-2"]],
        ("stock", "START"): [[]],
        ("stock", "COMPLETE"): [["stock"]],
        ("stock_mapped", "START"): [[], []],
        ("stock_mapped", "COMPLETE"): [["stock-0"], ["stock-1"]],
        ("broken", "START"): [[]],
        ("broken", "FAIL"): [["kept-first-try"]],
    }


def test_the_store_has_it(ran: Ran) -> None:
    store = Store.open(f"sqlite:///{ran.home}/store.db")
    try:
        found = tree(graph.upstream(store, "file", f"{ran.home}/mart", "total"))
        mapped = [tree(graph.upstream(store, "file", f"part-{at}", "a")) for at in range(3)]
    finally:
        store.close()
    assert (
        found.replace(f"{ran.home}/", "")
        == """\
file mart: total
└─ file staging: amount  DIRECT AGGREGATION  <versions.totals>
   └─ file orders.json: amount  DIRECT IDENTITY  <versions.totals>
"""
    )
    assert ["raw: a" in part for part in mapped] == [True] * 3

"""Older Airflows, each in an environment of its own: one DAG is run there, its events looked at.

2.7 has the legacy package openlineage-airflow, the others have the provider. `make test` runs the
oldest; test_scheduler.py is about the newest Airflow, which is in .venv.
"""

import fcntl
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from dev.demo_airflow import environment
from dev.waiting import read_events
from tests.airflow.ran import (
    LINEAGE,
    Event,
    Run,
    dags_test,
    furnished,
    outputs,
    transport,
)

pytestmark = pytest.mark.airflow

ROOT = Path(__file__).parents[2]
DAGS = Path(__file__).with_name("versions")
ALWAYS = ("2.7",)
LEG = os.environ.get("LEG_AIRFLOW")  # `make leg`: only the Airflow of this environment
PINNED = sorted(
    file.stem.removeprefix("constraints-airflow-")
    for file in (ROOT / "dev").glob("constraints-airflow-*.txt")
)
VERSIONS = [LEG] if LEG else PINNED


@dataclass(frozen=True)
class Ran(Run):
    """What came of the run."""

    version: str


def made(version: str) -> Path:
    """The environment's folder of programs; the environment is made if there is none."""
    if LEG:
        return Path(sys.executable).parent
    (ROOT / ".venvs").mkdir(exist_ok=True)
    with (ROOT / f".venvs/airflow-{version}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["bash", ROOT / "dev/airflow_version.sh", version], check=True, timeout=900)
    return ROOT / f".venvs/airflow-{version}/bin"


def marks(version: str) -> list[pytest.MarkDecorator]:
    group = pytest.mark.xdist_group(f"airflow-{version}")
    return [group] if version in (*ALWAYS, LEG) else [group, pytest.mark.versions]


@pytest.fixture(scope="module", params=[pytest.param(v, marks=marks(v)) for v in VERSIONS])
def ran(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """One `airflow dags test` of the DAG, whose last task fails."""
    version: str = request.param
    programs, home = made(version), tmp_path_factory.mktemp(f"airflow-{version}")
    # The legacy package reads its configuration from variables and a file of its own.
    (home / "openlineage.yml").write_text(json.dumps({"transport": transport(home)}))
    variables = environment(
        home / "airflow",
        DAGS,
        **furnished(home, programs),
        AIRFLOW__COLGRAPH__WRAP_SPARK_SUBMIT="True",
        PYTHONPATH=str(DAGS),
        OPENLINEAGE_CONFIG=str(home / "openlineage.yml"),
        OPENLINEAGE_NAMESPACE="tests",
        OPENLINEAGE_EXTRACTORS="registered.RegisteredExtractor",
    )
    log = dags_test(programs / "python", variables, "versions")
    ran = Ran(home, "versions", log, version)
    assert ran.events, log[-5_000:]
    return ran


def test_the_versions_are_those_that_the_documentation_names() -> None:
    assert set(ALWAYS) < set(PINNED)
    for version in PINNED:
        assert f"| {version} |" in (ROOT / "docs/airflow.md").read_text()


def test_it_runs_the_expected_airflow(ran: Ran) -> None:
    (start,) = ran.of("totals", "START")
    engine = start["run"]["facets"]["processing_engine"]
    assert engine["name"] == "Airflow"
    assert engine["version"].startswith(f"{ran.version}.")
    legacy = "integration/airflow" in start["producer"]
    assert legacy == (ran.version == "2.7")


def test_the_complete_event_has_the_exact_lineage(ran: Ran) -> None:
    (event,) = ran.of("totals", "COMPLETE")
    assert ran.text(event) == LINEAGE.replace("NAMESPACE", "file")
    assert [dataset["name"] for dataset in event["inputs"]] == [f"{ran.home}/orders.json"]


def test_the_spark_applications_parent_is_the_tasks_run(ran: Ran) -> None:
    (file,) = (ran.home / "airflow" / "colgraph" / "versions").glob("*/totals/task*.ndjson")
    (task,) = ran.of("totals", "COMPLETE")
    for event in read_events(file):
        parent = event["run"]["facets"]["parent"]
        assert parent["run"]["runId"] == task["run"]["runId"]
        assert parent["job"] == {"namespace": "tests", "name": "versions.totals"}
        assert parent["root"]["job"] == {"namespace": "tests", "name": "versions"}
        dag = task["run"]["facets"]["parent"]
        assert parent["root"]["run"]["runId"] == dag["run"]["runId"]


def written(events: list[Event]) -> list[list[str]]:
    return sorted(map(outputs, events))


def test_each_way_to_the_event_has_its_lineage(ran: Ran) -> None:
    found = {
        (task, kind): written(ran.of(task, kind))
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
    mapped = [ran.upstream(f"part-{at}", "a") for at in range(3)]
    assert (
        ran.upstream(f"{ran.home}/mart", "total")
        == """\
file mart: total
└─ file staging: amount  DIRECT AGGREGATION  <versions.totals>
   └─ file orders.json: amount  DIRECT IDENTITY  <versions.totals>
"""
    )
    assert ["raw: a" in part for part in mapped] == [True] * 3

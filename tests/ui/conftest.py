"""The built page before a real server over a real store."""

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.store.store import Store
from dev import build_ui
from dev.demo_airflow import Airflow
from tests.cli.test_serve import serving
from tests.conftest import PICTURES
from tests.store.samples import copy_event, event, output, run_id
from tests.ui.deployments import deployment

Npm = Callable[..., "subprocess.CompletedProcess[str]"]
Browse = Callable[..., int]


LACKS = {
    "unresolved": [{"class": "columns without inputs", "count": 1}],
    "opaque": [{"class": "PythonUDF", "count": 2}],
    "truncated": "",
    "seconds": 0.1,
    "throughDriver": [
        {"namespace": "n", "name": "mart", "datasets": [{"namespace": "n", "name": "orders"}]}
    ],
    "completeness": {
        "writes": 14,
        "writesWithoutLineage": 2,
        "unaccounted": [{"by": "save at etl.py:7", "rows": 15, "bytes": 0}],
    },
}


def log() -> list[dict[str, Any]]:
    """`csv` into `raw` into `mart` into `report`; from minute 30 on `mart.t` is made otherwise, and
    the lineage lacks something.

    Until minute 10 the job that loads wrote `staging` instead.
    """
    columns = [{"name": name, "type": "int"} for name in "abcdefgh"]
    columns[-1]["description"] = "When it was paid."
    about = {
        "schema": {"fields": columns},
        "documentation": {"description": "Orders as they arrive."},
        "ownership": {"owners": [{"name": "team:shop", "type": "DATA_OWNER"}]},
        "tags": {
            "tags": [
                {"key": "tier", "value": "gold"},
                {"key": "pii", "value": "true", "field": "h"},
            ]
        },
    }
    same = {name: f"csv.{name}" for name in "abcdefgh"}
    properties = {"colgraph_properties": {"format": "csv", "options": []}}
    load = event("shop.load", 10, [output("raw", same, **about)])
    load["inputs"] = [{"namespace": "n", "name": "csv", "facets": properties}]
    events = [copy_event("shop.load", 2, "staging", {"a": "csv.a"}), load]
    for number, minute, source in ((1, 15, "raw.a"), (2, 30, "raw.b")):
        fields = {
            "t": f"{source} DIRECT:AGGREGATION",
            "who": "raw.c DIRECT:TRANSFORMATION:masking",
            "n": "",
        }
        one = copy_event("shop.mart", minute, "mart", fields, dataset="raw.d INDIRECT:FILTER")
        one["run"]["facets"] = {
            "airflow": {
                "dag": {"dag_id": "shop"},
                "dagRun": {"run_id": f"manual__{number}"},
                "task": {"task_id": "mart"},
                "taskInstance": {"try_number": 1},
            },
            "parent": {
                "run": {"runId": run_id(1000 + number)},
                "job": {"namespace": "jobs", "name": "shop"},
            },
        }
        if number == 2:
            one["run"]["facets"]["colgraph_diagnostics"] = LACKS
        events.append(one)
    events.append(copy_event("shop.report", 35, "report", {"total": "mart.t", "name": "mart.who"}))
    names = [f"column_{number:03}" for number in range(500)]
    wide = output("wide", {name: f"wide_source.{name}" for name in names})
    events.append(event("shop.wide", 5, [wide]))
    return events


@pytest.fixture(scope="session")
def npm() -> Npm:
    """Runs npm in the page's folder, with what package-lock.json pins installed."""
    build_ui.install()

    def run(*words: str, **more: Any) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["npm", *words],
            cwd=build_ui.UI,
            env=build_ui.environment() | more,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    return run


@pytest.fixture(scope="session")
def store_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = f"sqlite:///{tmp_path_factory.mktemp('page')}/colgraph.db"
    store = Store.open(url)
    store.add(log())
    store.close()
    return url


@pytest.fixture(scope="session")
def address(store_url: str) -> Iterator[str]:
    """Where `colgraph serve` shows the page."""
    build_ui.build()
    with serving(store_url, "--airflow", "http://airflow.test") as (address, _):
        yield address


@pytest.fixture(scope="package")
def airflow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Airflow]:
    """The newest Airflow with its default auth manager and users, over a store with the LOG."""
    build_ui.build()
    home = tmp_path_factory.mktemp("airflow-with-users")
    with deployment("simple", home) as airflow:
        yield airflow


@pytest.fixture(scope="session")
def browse() -> Browse:
    """Runs a file of this folder's browser tests; how many passed. None may fail.

    Each leaves a picture in PAGE_SCREENSHOTS, else in .work/screenshots.
    """
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    assert chromium, "Chromium is needed: apt-get install chromium"
    build_ui.install()

    def run(file: str, **where: str) -> int:
        variables = {
            "COLGRAPH_CHROMIUM": chromium,
            "PAGE_SCREENSHOTS": f"{PICTURES}/{Path(file).stem}",
        }
        done = subprocess.run(
            ["node", "--test", "--test-reporter=tap", str(Path(__file__).with_name(file))],
            env=build_ui.environment() | variables | where,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=600,
        )
        assert done.returncode == 0, done.stdout
        passed = re.search(r"^# pass (\d+)", done.stdout, re.MULTILINE)
        assert passed is not None, done.stdout
        return int(passed[1])

    return run

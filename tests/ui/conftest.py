"""The built page before a real server over a real store."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.store.store import Store
from dev import build_ui
from tests.cli.test_serve import serving
from tests.store.samples import copy, event, output

Npm = Callable[..., "subprocess.CompletedProcess[str]"]


def log() -> list[dict[str, Any]]:
    """`csv` into `raw` into `mart` into `report`; from minute 30 on `mart.t` is made otherwise."""
    schema = {"fields": [{"name": name, "type": "int"} for name in "abcdefgh"]}
    same = {name: f"csv.{name}" for name in "abcdefgh"}
    properties = {"colgraph_properties": {"format": "csv", "options": []}}
    load = event("shop.load", 10, [output("raw", same, schema=schema)])
    load["inputs"] = [{"namespace": "n", "name": "csv", "facets": properties}]
    events = [load]
    for minute, source in ((15, "raw.a"), (30, "raw.b")):
        fields = {
            "t": f"{source} DIRECT:AGGREGATION",
            "who": "raw.c DIRECT:TRANSFORMATION:masking",
            "n": "",
        }
        one = copy("shop.mart", minute, "mart", fields, dataset="raw.d INDIRECT:FILTER")
        one["run"]["facets"] = {"airflow": {"dag": {"dag_id": "shop"}, "task": {"task_id": "mart"}}}
        events.append(one)
    events.append(copy("shop.report", 35, "report", {"total": "mart.t", "name": "mart.who"}))
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
    with serving(store_url) as (address, _):
        yield address


@pytest.fixture
def chromium() -> str:
    """Debian's Chromium, or another one on PATH."""
    import shutil

    found = shutil.which("chromium") or shutil.which("google-chrome")
    assert found, "Chromium is needed: apt-get install chromium"
    return str(Path(found))

"""The page's own checks, and the page in a real browser."""

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.openlineage.facets import PRODUCER
from airflow_colgraph.store.admin import api_keys
from airflow_colgraph.store.store import Store
from dev import build_ui
from tests.amount import of_all
from tests.cli.test_serve import serving
from tests.store.samples import copy_event, event, output, run_id
from tests.ui.conftest import Browse, Npm
from tests.ui.record import FLIGHTS

pytestmark = [pytest.mark.ui, pytest.mark.xdist_group("ui")]

INITIAL = 300_000  # bytes of JavaScript as they are sent: compressed


def test_types_and_units(npm: Npm) -> None:
    for words in (("run", "check"), ("test",)):
        done = npm(*words)
        assert done.returncode == 0, done.stdout


def test_the_lock_file_names_no_address() -> None:
    text = (build_ui.UI / "package-lock.json").read_text()
    lock = json.loads(text)
    assert "://" not in text
    assert [name for name, one in lock["packages"].items() if "resolved" in one] == []
    assert all("integrity" in one for name, one in lock["packages"].items() if name)


def test_what_is_sent_first_is_small(address: str) -> None:
    import gzip

    html = (build_ui.DIST / "index.html").read_text()
    names = {path.name for path in (build_ui.DIST / "assets").glob("*.js")}
    graph = {name for name in names if not name.startswith("elk")}
    assert re.findall(r"<script(?![^>]*\bsrc=)", html) == []  # the CSP forbids scripts in the page
    sent = [gzip.compress((build_ui.DIST / "assets" / name).read_bytes()) for name in graph]
    assert 0 < sum(map(len, sent)) < INITIAL


# Words that users found unclear, and the API's word for a column.
FORBIDDEN = (
    r"is read to write|lineage then|made of|goes (into|through)|every row\b|was right at"
    r"|\bfields?\b"
)


def test_the_pages_words_are_those_of_the_glossary(address: str) -> None:
    """Texts are literals with a space between words; what is in `${..}` of a template is code."""
    scripts = [path for path in (build_ui.DIST / "assets").glob("*.js") if "elk" not in path.name]
    texts = [
        re.sub(r"\$\{[^}]*\}", "", text)
        for path in scripts
        for pair in re.findall(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`', path.read_text())
        for text in pair
    ]
    words = [text for text in texts if " " in text.strip() and "${" not in text and len(text) < 300]
    assert any("Search datasets, columns, DAGs and tasks" in text for text in words)
    assert [text for text in words if re.search(FORBIDDEN, text, re.IGNORECASE)] == []


@pytest.mark.sampled
def test_the_page_in_a_browser(address: str, browse: Browse) -> None:
    assert browse("browser.mjs", COLGRAPH_ADDRESS=address) >= 20


def test_a_server_that_asks_for_a_key(store_url: str, browse: Browse) -> None:
    key = api_keys.add(Store.open(store_url), "page", ["read"])
    with serving(store_url, "--keys") as (guarded, _):
        assert browse("browser.mjs", COLGRAPH_ADDRESS=guarded, COLGRAPH_KEY=key) == 1


@pytest.mark.sampled
def test_what_the_example_dag_reported(tmp_path: Path, browse: Browse) -> None:
    url = f"sqlite:///{tmp_path}/colgraph.db"
    store = Store.open(url)
    store.add([json.loads(line) for line in FLIGHTS.read_text().splitlines()])
    store.close()
    build_ui.build()
    with serving(url) as (address, _):
        assert browse("flights.mjs", COLGRAPH_ADDRESS=address) == of_all(27, 10)


def after_a_failure() -> list[dict[str, Any]]:
    """What the example DAG reported; then `enrich` fails twice, and others change or write nothing.

    Another job drops one dataset and alters the columns of another one.
    """
    events = [json.loads(line) for line in FLIGHTS.read_text().splitlines()]
    kinds = {"/data/report/routes": "DROP", "/data/typed/airlines": "ALTER"}
    outputs = [
        {"namespace": "file", "name": name, "facets": {"lifecycleStateChange": lifecycle}}
        for name, kind in kinds.items()
        for lifecycle in [{"_producer": PRODUCER, "lifecycleStateChange": kind}]
    ]
    runs = [("flights", "enrich", "FAIL", 1), ("flights", "enrich", "FAIL", 2)]
    runs += [("nightly", task, "FAIL", 1) for task in "abc"]
    runs += [("nightly", "d", "START", 1), ("tidy", "up", "COMPLETE", 1)]
    for minute, (dag, task, state, attempt) in enumerate(runs):
        written = outputs if dag == "tidy" else []
        events.append(task_event(dag, task, "late", state, attempt, minute, written))
    return events


def task_event(
    dag: str, task: str, run: str, state: str, attempt: int, minute: int, outputs: list[Any]
) -> dict[str, Any]:
    """The event of a task's try in a DAG run."""
    parent = {
        "run": {"runId": run_id(2000 + len(dag + run))},
        "job": {"namespace": "demo", "name": dag},
    }
    airflow = {
        "dag": {"dag_id": dag},
        "dagRun": {"run_id": run},
        "task": {"task_id": task},
        "taskInstance": {"try_number": attempt},
    }
    told = event(f"{dag}.{task}", minute, outputs, run=3000 + minute, state=state)
    told["run"]["facets"] = {"airflow": airflow, "parent": parent}
    told["job"]["namespace"] = "demo"
    told["eventTime"] = f"2026-11-23T10:{minute:02}:00Z"
    return told


def test_a_run_that_failed_and_jobs_that_wrote_nothing(tmp_path: Path, browse: Browse) -> None:
    url = f"sqlite:///{tmp_path}/colgraph.db"
    store = Store.open(url)
    store.add(after_a_failure())
    store.close()
    build_ui.build()
    with serving(url, "--airflow", "http://airflow.test") as (address, _):
        assert browse("failed.mjs", COLGRAPH_ADDRESS=address) == 6


def test_a_task_that_runs_again(tmp_path: Path, browse: Browse) -> None:
    url = f"sqlite:///{tmp_path}/colgraph.db"
    copied = [output("copied", {"a": "raw.a"})]
    store = Store.open(url)
    store.add([task_event("again", "copy", "early", "COMPLETE", 1, 1, copied)])
    store.add([task_event("again", "copy", "the next", "START", 2, 2, [])])
    store.add(two_writers())
    store.close()
    build_ui.build()
    with serving(url) as (address, _):
        assert browse("running.mjs", COLGRAPH_ADDRESS=address) == 2


def two_writers() -> list[dict[str, Any]]:
    """Two jobs write `both`, the first with missing lineage; `plain` has a column without an entry.

    So `both` is lacking by a job that is not the last writer, `plain` without any diagnostics.
    """
    first = copy_event("writers.first", 10, "both", {"x": "p.x"})
    unresolved = [{"class": "columns without inputs", "count": 1}]
    first["run"]["facets"] = {"colgraph_diagnostics": {"unresolved": unresolved}}
    columns = {"fields": [{"name": name, "type": "int"} for name in "xy"]}
    return [
        first,
        copy_event("writers.second", 12, "both", {"x": "q.x"}),
        event("writers.plain", 14, [output("plain", {"x": "p.x"}, schema=columns)]),
        copy_event("tables.two", 16, f"{TABLE}2", {"x": "plain.x"}),
        copy_event("tables.three", 18, f"{TABLE}3", {"x": "plain.x"}),
    ]


TABLE = "warehouse.marts.customer_orders_daily_snapshot_v"  # too long for a box


def large_store(url: str) -> None:
    """Add 130 datasets with two columns, all downstream of `d0`, and 200 pairs that are linked.

    Each write lacks lineage.
    """
    choices = random.Random(7)
    pairs = {(choices.randrange(max(0, to - 15), to), to) for to in range(1, 130)}
    while len(pairs) < 200:
        to = choices.randrange(2, 130)
        pairs.add((choices.randrange(max(0, to - 40), to), to))
    events = []
    for to in range(1, 130):
        names = [f"d{source}" for source, target in sorted(pairs) if target == to]
        fields = {column: ", ".join(f"{name}.{column}" for name in names) for column in "ab"}
        write = copy_event(f"large.write_{to}", to, f"d{to}", fields)
        unresolved = [{"class": "columns without inputs", "count": 1}]
        write["run"]["facets"] = {"colgraph_diagnostics": {"unresolved": unresolved}}
        events.append(write)
    store = Store.open(url)
    store.add(events)
    store.close()


@pytest.mark.long
def test_large_pictures(tmp_path: Path, browse: Browse) -> None:
    url = f"sqlite:///{tmp_path}/colgraph.db"
    large_store(url)
    build_ui.build()
    with serving(url) as (address, _):
        assert browse("large.mjs", COLGRAPH_ADDRESS=address) == 4


def test_each_picture_in_the_documentation_is_one_that_the_tests_make() -> None:
    scripts = "".join(path.read_text() for path in Path(__file__).parent.glob("*.mjs"))
    views = scripts.partition("const views = {")[2].partition("};")[0]
    made = {*re.findall(r"^ +(\w+): \[", views, re.MULTILINE)}
    made |= {*re.findall(r"pictured\(\"(\w+)\"\)", scripts)}
    docs = build_ui.ROOT / "docs"
    shown = re.findall(r"!\[[^]]+\]\(pictures/(\w+)\.png\)", (docs / "ui.md").read_text())
    assert sorted(shown) == sorted(made)
    sizes = {path.stem: path.stat().st_size for path in (docs / "pictures").glob("*.png")}
    assert sizes.keys() == made
    assert max(sizes.values()) < 200_000

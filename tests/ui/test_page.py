"""The page's own checks, and the page in a real browser."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from airflow_colgraph.store import keys
from airflow_colgraph.store.store import Store
from dev import build_ui
from tests.cli.test_serve import serving
from tests.ui.conftest import Npm

pytestmark = [pytest.mark.ui, pytest.mark.xdist_group("ui")]

BROWSER = Path(__file__).with_name("browser.mjs")
INITIAL = 300_000  # bytes of JavaScript before gzip's share, as they are sent: compressed


def browse(address: str, chromium: str, *, key: str = "") -> None:
    """Every test of browser.mjs; with a key those of a server that asks for one."""
    where = {"COLGRAPH_ADDRESS": address, "COLGRAPH_CHROMIUM": chromium, "COLGRAPH_KEY": key}
    done = subprocess.run(
        ["node", "--test", str(BROWSER)],
        env=build_ui.environment() | where,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout
    passed = re.search(r"pass (\d+)", done.stdout)
    assert passed is not None
    assert int(passed[1]) >= (1 if key else 10), done.stdout


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


def test_the_page_in_a_browser(address: str, chromium: str) -> None:
    browse(address, chromium)


def test_a_server_that_asks_for_a_key(address: str, store_url: str, chromium: str) -> None:
    key = keys.add(Store.open(store_url), "page", ["read"])
    with serving(store_url, "--keys") as (guarded, _):
        browse(guarded, chromium, key=key)

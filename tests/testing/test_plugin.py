"""The fixture and the option, in pytest sessions of their own; no JVM."""

import json
import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from tests.store.samples import event, output

TEST = '''
from pathlib import Path

HERE = Path(__file__).parent


def test_text(assert_lineage):
    assert_lineage(HERE / "events.jsonl", """
        total <- raw.amount  DIRECT:AGGREGATION
    """)


def test_file(assert_lineage):
    assert_lineage(HERE / "events.jsonl", HERE / "lineage" / "mart.txt")
'''


def session(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    plugin = ["-p", "airflow_colgraph.testing.plugin", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-q", *plugin, *options, "."]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, cwd=folder, env=alone, capture_output=True, text=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    mart = event("shop.mart", 1, [output("mart", {"t": "raw.a DIRECT:IDENTITY"})])
    (tmp_path / "events.jsonl").write_text(json.dumps(mart))
    (tmp_path / "test_it.py").write_text(TEST)
    return tmp_path


def test_another_lineage_fails_with_the_lines_that_differ(folder: Path) -> None:
    result = session(folder)
    assert result.returncode == 1
    assert "- total <- raw.amount  DIRECT:AGGREGATION" in result.stdout
    assert "+ t     <- raw.a       DIRECT:IDENTITY" in result.stdout
    assert "Traceback" not in result.stdout
    assert "2 failed" in result.stdout


def test_the_option_writes_tests_and_files_which_then_pass(folder: Path) -> None:
    assert session(folder, "--update-lineage").returncode == 0
    source = (folder / "test_it.py").read_text()
    assert "        mart\n          t <- raw.a  DIRECT:IDENTITY\n" in source
    assert source.replace(source.split('"""')[1], "") == TEST.replace(TEST.split('"""')[1], "")
    assert (folder / "lineage" / "mart.txt").read_text() == "mart\n  t <- raw.a  DIRECT:IDENTITY\n"
    result = session(folder)
    assert result.returncode == 0, result.stdout
    assert session(folder, "--update-lineage").returncode == 0
    assert (folder / "test_it.py").read_text() == source


def test_what_is_not_wholly_known_is_no_lineage_to_assert(folder: Path) -> None:
    mart = event("shop.mart", 1, [output("mart", {"t": "raw.a DIRECT:IDENTITY"})])
    mart["run"].setdefault("facets", {})["colgraph_diagnostics"] = {
        "unresolved": [{"class": "Strange", "count": 1}]
    }
    (folder / "events.jsonl").write_text(json.dumps(mart))
    result = session(folder, "--update-lineage")
    assert result.returncode == 1
    assert "the lineage is not wholly known: Strange" in result.stdout
    assert (folder / "test_it.py").read_text() == TEST


@pytest.mark.parametrize("options", [(), ("--update-lineage",)])
def test_events_that_are_none_are_no_lineage_to_assert(
    folder: Path, options: tuple[str, ...]
) -> None:
    """A file of expected lines that was missing stated that nothing is written."""
    (folder / "events.jsonl").write_text("")
    result = session(folder, *options)
    assert result.returncode == 1
    assert "there are no events, so no lineage was looked at" in result.stdout
    assert "2 failed" in result.stdout
    silent = event("shop.mart", 1, [])
    (folder / "events.jsonl").write_text(json.dumps(silent))
    result = session(folder, *options)
    assert result.returncode == 1
    why = "there is no lineage to write" if options else "mart.txt does not exist"
    assert why in result.stdout
    assert not (folder / "lineage").exists()
    (folder / "test_it.py").write_text(
        TEST.partition("def test_file")[0].replace("total <- raw.amount  DIRECT:AGGREGATION", "")
    )
    assert session(folder, *options).returncode == 0


def test_a_session_without_it_loads_one_small_file(folder: Path) -> None:
    (folder / "test_it.py").write_text(
        "import sys\n\n\ndef test_it():\n"
        "    ours = {name for name in sys.modules if name.startswith('airflow_colgraph.')}\n"
        "    assert ours == {'airflow_colgraph.testing', 'airflow_colgraph.testing.plugin'}\n"
    )
    result = session(folder)
    assert result.returncode == 0, result.stdout


def test_pytest_finds_the_plugin_once() -> None:
    points = [point for point in entry_points(group="pytest11") if point.name == "colgraph"]
    assert [point.value for point in points] == ["airflow_colgraph.testing.plugin"]

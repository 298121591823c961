"""The fixtures, in pytest sessions of their own; no JVM."""

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


def session(folder: Path) -> subprocess.CompletedProcess[str]:
    plugin = ["-p", "airflow_colgraph.testing.plugin", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-q", *plugin, "."]
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


def test_the_text_of_a_lineage_is_what_is_expected_of_it(folder: Path) -> None:
    """So a snapshot plugin can write it: the text is equal for equal lineage."""
    (folder / "lineage").mkdir()
    (folder / "lineage" / "mart.txt").write_text("mart\n  t <- raw.a  DIRECT:IDENTITY\n")
    (folder / "test_it.py").write_text(
        TEST.replace("total <- raw.amount  DIRECT:AGGREGATION", "t <- raw.a  DIRECT:IDENTITY")
        + "\n\ndef test_the_same(lineage_text):\n"
        + '    text = lineage_text(HERE / "events.jsonl")\n'
        + '    assert text == "mart\\n  t <- raw.a  DIRECT:IDENTITY"\n'
    )
    result = session(folder)
    assert result.returncode == 0, result.stdout


def test_what_is_not_wholly_known_is_no_lineage_to_assert(folder: Path) -> None:
    mart = event("shop.mart", 1, [output("mart", {"t": "raw.a DIRECT:IDENTITY"})])
    mart["run"].setdefault("facets", {})["colgraph_diagnostics"] = {
        "unresolved": [{"class": "Strange", "count": 1}]
    }
    (folder / "events.jsonl").write_text(json.dumps(mart))
    (folder / "lineage").mkdir()
    (folder / "lineage" / "mart.txt").write_text("")
    result = session(folder)
    assert "2 failed" in result.stdout
    assert result.stdout.count("the lineage is not wholly known: Strange") >= 2


def test_events_that_are_none_are_no_lineage_to_assert(folder: Path) -> None:
    """A file of expected lines that was missing stated that nothing is written."""
    (folder / "events.jsonl").write_text("")
    result = session(folder)
    assert result.returncode == 1
    assert "there are no events, so no lineage was looked at" in result.stdout
    assert "mart.txt does not exist" in result.stdout
    assert "2 failed" in result.stdout
    (folder / "events.jsonl").write_text(json.dumps(event("shop.mart", 1, [])))
    assert session(folder).returncode == 1
    (folder / "test_it.py").write_text(
        TEST.partition("def test_file")[0].replace("total <- raw.amount  DIRECT:AGGREGATION", "")
    )
    assert session(folder).returncode == 0


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

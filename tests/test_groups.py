"""Tests that share a Spark or an Airflow stay in one process; those of other commands can start."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.xdist_group("together")
def test_groups_are_kept_together(request: pytest.FixtureRequest) -> None:
    asked = request.config.getoption("loadgroup", default=False)  # a worker of --dist loadgroup
    assert request.node.nodeid.endswith("@together") == asked


@pytest.mark.slow
def test_the_fixtures_of_tests_that_have_a_command_of_their_own_fit(tmp_path: Path) -> None:
    """Two fixtures with one name in different scopes ended `make warehouse` for weeks."""
    commands = re.findall(
        r"^\t.*(?:\$\(PYTEST\)|-m pytest) (.*)$", (ROOT / "Makefile").read_text(), re.M
    )
    paths = sorted(
        {path for line in commands for path in re.findall(r"(?<![=/])tests/[\w/.]+", line)}
    )
    assert "tests/warehouse" in paths
    words = ["--setup-plan", "-q", "-p", "no:cacheprovider", f"--basetemp={tmp_path / 'base'}"]
    outcome = subprocess.run(
        [sys.executable, "-m", "pytest", *words, *paths], cwd=ROOT, capture_output=True, text=True
    )
    assert outcome.returncode == 0, outcome.stdout[-2000:]
    assert "SETUP    M topics" in outcome.stdout

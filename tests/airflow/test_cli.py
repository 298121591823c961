import subprocess
import sys

import pytest

from airflow_colgraph.cli import COMMANDS

pytestmark = pytest.mark.airflow


def airflow(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "airflow", "colgraph", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_airflow_has_our_commands() -> None:
    done = airflow("--", "--help")
    assert done.returncode == 0
    assert "Usage: airflow colgraph [OPTIONS] COMMAND [ARGS]..." in done.stdout
    listed = done.stdout.partition("Commands:")[2].split("\n")
    assert [line.split()[0] for line in listed if line.startswith("  ")] == list(COMMANDS)


def test_their_options_and_exit_codes_are_the_same() -> None:
    done = airflow("upstream", "--depth", "many", "--name", "x")
    assert done.returncode == 2
    assert "'many' is not a valid integer" in done.stderr

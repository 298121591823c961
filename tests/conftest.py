"""Tests import Airflow with a home of their own: never the one of whoever runs them."""

import os
import shutil
import tempfile
import time
from pathlib import Path

import pytest

STARTED = time.time()
PICTURES = os.environ.get("PAGE_SCREENSHOTS") or Path(__file__).parents[1] / ".work/screenshots"
AIRFLOW_HOME = tempfile.mkdtemp(prefix="colgraph-tests-")
for name in [name for name in os.environ if name.startswith(("AIRFLOW_", "COLGRAPH_"))]:
    del os.environ[name]
os.environ["AIRFLOW_HOME"] = AIRFLOW_HOME
os.environ["AIRFLOW_CONN_SPARK_DEFAULT"] = '{"conn_type": "spark", "host": "local[1]"}'
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what the tests of the page in a browser measured."""
    for file in sorted(Path(PICTURES).glob("*/measured.txt")):
        if file.stat().st_mtime >= STARTED:
            terminalreporter.section(f"measured by {file.parent.name}.mjs")
            terminalreporter.write(file.read_text())


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(AIRFLOW_HOME, ignore_errors=True)

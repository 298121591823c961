"""The cases on the oldest Spark, in an environment of its own.

`make versions` runs them on every Spark that there are pins for.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.collector.cases.loader import all_cases

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark-versions")]

ROOT = Path(__file__).parents[2]
PINNED = {file.stem.rpartition("-")[2] for file in ROOT.glob("dev/constraints-spark-*.txt")}


@pytest.mark.parametrize("version", [min(PINNED)])
def test_every_case_holds(version: str, tmp_path: Path) -> None:
    command = ["bash", str(ROOT / "dev/spark_version.sh"), version, "-m", "pytest", "-q"]
    options = ["-p", "no:cacheprovider", f"--basetemp={tmp_path}", "tests/spark/test_cases.py"]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    ran = subprocess.run(
        [*command, *options],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    summary = ran.stdout.rstrip().rpartition("\n")[2]
    assert ran.returncode == 0, ran.stdout[-5000:] + ran.stderr[-2000:]
    passed = re.match(r"(\d+) passed(?!.* skipped)", summary)
    assert passed, summary
    assert int(passed[1]) >= len(all_cases())

"""What the launcher does before there is a JVM; the rest is in tests/spark."""

import subprocess
import sys
from pathlib import Path

from airflow_colgraph.collector.driver import launcher


def test_without_a_class_the_usage_is_printed(tmp_path: Path) -> None:
    alone = tmp_path / "launcher.py"  # as it is shipped: a script, without its package beside it
    alone.write_bytes(Path(launcher.__file__).read_bytes())
    command = [sys.executable, "-I", "-S", str(alone)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", launcher.USAGE + "\n")

"""Run pytest, and once more, alone, the tests that failed beside the others; for .ci/run.

make test PYTEST="python -m dev.ci_retry"

Two cores share Spark, Airflow, PostgreSQL and a browser there. A test that fails beside the others
must pass alone, and is named and counted at the end all the same. The exit code is pytest's: not 0
if a test fails twice, if too many fail at once, or if pytest itself is interrupted. The last line
is pytest's summary, or `N passed, N failed, N skipped` of both tries together.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MOST = 60  # tests that are tried again: one Airflow or Spark that does not start is many
REPORT = "CI_RETRY_REPORT"  # no AIRFLOW_ or COLGRAPH_: tests/conftest.py takes those away
FAILED = 1  # pytest's exit code if it ran everything and something failed


@dataclass(frozen=True)
class Tried:
    """What came of running pytest once."""

    code: int
    passed: frozenset[str]
    failed: frozenset[str]
    skipped: int


def main(arguments: Sequence[str]) -> int:
    """Run the tests, and once more those that fail; the exit code."""
    first = tried(arguments)
    if first.code == 0 or not first.failed:
        return first.code
    failed = sorted(first.failed)
    for name in failed:
        say(f"ci: failed beside the others: {name}")
    if first.code != FAILED or len(failed) > MOST:
        why = "pytest did not get to its end" if first.code != FAILED else f"more than {MOST}"
        say(f"ci: {counted(failed)} failed and are not tried again: {why}")
        say(totals(first, first.failed))
        return first.code
    say("ci: again, without the others")
    second = tried(["-n", "0", "--continue-on-collection-errors", *failed])
    twice = first.failed - second.passed
    once = first.failed & second.passed
    if once:
        names = ", ".join(sorted(once))
        say(f"ci: {counted(once)} failed beside the others and passed alone: {names}")
    if twice:
        say(f"ci: {counted(twice)} failed beside the others and alone: {', '.join(sorted(twice))}")
    say(totals(first, twice))
    return second.code or (FAILED if twice else 0)


def tried(arguments: Sequence[str]) -> Tried:
    """Run pytest once, with this module as a plugin that reports which tests failed."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "pytest", "-p", "dev.ci_retry", *arguments]
        done = subprocess.run(command, env={**os.environ, REPORT: str(report)}, check=False)
        if not report.exists():  # it broke before or at its end
            return Tried(done.returncode, frozenset(), frozenset(), 0)
        found = json.loads(report.read_text())
    failed = frozenset(found["failed"])
    return Tried(done.returncode, frozenset(found["passed"]) - failed, failed, found["skipped"])


def totals(first: Tried, failed: frozenset[str]) -> str:
    """The closing line: each test once, by what became of it in the end."""
    passed = len(first.passed) + len(first.failed) - len(failed)
    return f"{passed} passed, {len(failed)} failed, {first.skipped} skipped"


def counted(tests: Sequence[str] | frozenset[str]) -> str:
    """How many tests, in words."""
    return f"{len(tests)} test{'' if len(tests) == 1 else 's'}"


def say(line: str) -> None:
    """Print a line after all that pytest printed."""
    print(line, flush=True)


# As pytest's plugin ---------------------------------------------------------------------------


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Report what became of the tests, where all of them are known."""
    if REPORT not in os.environ:
        return
    stats = terminalreporter.stats
    failed = [*stats.get("failed", ()), *stats.get("error", ())]
    found = {
        "passed": sorted({name_of(report) for report in stats.get("passed", ())}),
        "failed": sorted({name_of(report) for report in failed}),
        "skipped": len(stats.get("skipped", ())),
    }
    Path(os.environ[REPORT]).write_text(json.dumps(found))


def name_of(report: Any) -> str:
    """A test's name, without the @group that pytest-xdist adds."""
    return re.sub(r"@[\w.-]+$", "", str(report.nodeid))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

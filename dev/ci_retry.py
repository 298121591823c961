"""Run pytest, and once more, alone, the tests that failed beside the others; for .ci/run.

make test PYTEST="python -m dev.ci_retry"

Two cores share Spark, Airflow, PostgreSQL and a browser there. A test that fails beside the others
must pass alone, and is a finding all the same: its first failure, with the stacks of all threads,
is kept in reports/retried-NAME.txt and printed, and RETRIED findings fail the build. Tests that had
no chance because a fixture of theirs failed are one finding together. A test that takes longer than
LIMIT fails; one that cannot be ended takes its process along. The exit code is pytest's: not 0 if a
test fails twice, if too many fail at once, or if pytest itself is interrupted. The last lines name
each finding with its error, so the end of the output says enough; the very last one is pytest's
summary, or `N passed, N failed, N skipped` of both tries.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

MOST = 60  # tests that are tried again: one Airflow or Spark that does not start is many
RETRIED = 3  # findings that pass only at the second try, and fail the build
REPORTS = Path("reports")  # ignored by git
REPORT = "CI_RETRY_REPORT"  # no AIRFLOW_ or COLGRAPH_: tests/conftest.py takes those away
FAILED = 1  # pytest's exit code if it ran everything and something failed
EVERY = "CI_RETRY_SECONDS"  # between two looks at a test's threads: shorter than tests' own limits
LIMIT = "CI_RETRY_LIMIT"  # seconds that calling a test and tearing it down may take each
FIXTURES = 2  # times as long: one of them is an Airflow that runs three DAGs
FIXTURE = "a fixture failed: "
GRACE = 60  # seconds after which a test that its signal did not end ends with its process


@dataclass(frozen=True)
class Tried:
    """What came of running pytest once.

    `failures` are the failed tests with all that is known, `errors` with one line each, which
    begins with FIXTURE if no line of the test itself ran.
    """

    code: int
    passed: frozenset[str]
    failed: frozenset[str]
    skipped: int
    failures: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)


def main(arguments: Sequence[str]) -> int:
    """Run the tests, and once more those that fail; the exit code."""
    for old in REPORTS.glob("retried-*"):
        old.unlink()
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
    for name in sorted(once):
        keep(name, first.failures.get(name, ""))
    retried = findings(first, once)
    report("beside the others and passed alone", once, retried)
    report("beside the others and alone", twice, findings(first, twice))
    if len(retried) >= RETRIED:
        say(f"ci: {RETRIED} findings that pass only alone fail the build")
    say(totals(first, twice))
    return second.code or (FAILED if twice or len(retried) >= RETRIED else 0)


def findings(first: Tried, names: frozenset[str]) -> list[str]:
    """A line for each test that failed, but one for all tests of a broken fixture."""
    errors = {name: first.errors.get(name, "") for name in sorted(names)}
    of_fixtures: dict[str, list[str]] = {}
    for name, error in errors.items():
        if error.startswith(FIXTURE):
            of_fixtures.setdefault(error, []).append(name)
    return [
        *(f"{by_file(tests)}: {error}" for error, tests in of_fixtures.items()),
        *(f"{name}: {error}" for name, error in errors.items() if error not in of_fixtures),
    ]


def report(outcome: str, names: frozenset[str], lines: Sequence[str]) -> None:
    """Print the findings among the tests of one outcome."""
    if names:
        say(f"ci: {counted(names)} failed {outcome}:")
    for line in lines:
        say(f"ci: - {line}")


def by_file(names: Sequence[str]) -> str:
    """How many tests of each file."""
    files = Counter(name.partition("::")[0] for name in names)
    return ", ".join(f"{file} ({number})" for file, number in files.items())


def keep(name: str, failure: str) -> None:
    """Keep the first failure of a test that passed alone, and print it."""
    REPORTS.mkdir(exist_ok=True)
    file = REPORTS / f"retried-{file_name(name)}.txt"
    file.write_text(f"{name}\n\n{failure}\n", encoding="utf-8")
    say(f"ci: the first failure of {name}, kept in {file}:")
    say("\n".join(f"  | {line}" for line in failure.splitlines()))


def tried(arguments: Sequence[str]) -> Tried:
    """Run pytest once, with this module as a plugin that reports which tests failed."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "pytest", "-p", "dev.ci_retry", *arguments]
        done = subprocess.run(command, env={**os.environ, REPORT: str(report)}, check=False)
        if not report.exists():  # it broke before or at its end
            return Tried(done.returncode, frozenset(), frozenset(), 0)
        tests = json.loads(report.read_text())
        failures = {
            name: text + stacks(Path(folder), name) for name, text in tests["failed"].items()
        }
    passed = frozenset(tests["passed"]) - failures.keys()
    failed = frozenset(failures)
    return Tried(done.returncode, passed, failed, tests["skipped"], failures, tests["errors"])


def stacks(folder: Path, name: str) -> str:
    """The stacks of all threads before a part of a test ended, and when it had failed."""
    file = folder / f"{file_name(name)}.stacks"
    if not file.exists():
        return ""
    looks = re.split(r"^(?=Running for |Failed: )", file.read_text(errors="replace"), flags=re.M)
    kept = [
        look
        for look, following in zip(looks, [*looks[1:], ""], strict=True)
        if not (look.startswith("Running") and following.startswith("Running"))
    ]
    return "\n".join(["\nThreads:", *kept])


def file_name(test: str) -> str:
    """A test's name as one of a file."""
    return re.sub(r"[^\w.-]+", "-", test)[-150:]


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


@contextmanager
def looked_at(item: pytest.Item, times: int = 1) -> Iterator[None]:
    """Write the stacks of all threads down as long as a part of a test runs, and end it in time.

    A thread of Python's own reads the stacks: faulthandler's watchdog walks the frames of running
    threads without the interpreter's lock, and can crash the process.
    """
    if REPORT not in os.environ:
        yield
        return
    done = threading.Event()
    limit = float(os.environ.get(LIMIT, "600")) * times
    signal.signal(signal.SIGUSR1, lambda *_: pytest.fail(f"it took more than {limit:g} seconds"))
    looker = threading.Thread(target=look, args=(stacks_file(item), done, limit), daemon=True)
    looker.start()
    try:
        yield
    finally:
        done.set()
        looker.join()


def look(file: Path, done: threading.Event, limit: float) -> None:
    """Write the stacks of all threads into the file, until it is done or the limit is reached."""
    seconds = float(os.environ.get(EVERY, "10"))
    started = monotonic()
    while not done.wait(min(seconds, limit)):
        write_stacks(file, f"Running for {monotonic() - started:.1f} s:", threading.get_ident())
        if monotonic() - started < limit:
            continue
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)
        if not done.wait(GRACE):
            os._exit(os.EX_SOFTWARE)
        return


def write_stacks(file: Path, title: str, left_out: int = 0) -> None:
    """Append the stacks of all threads but the one that is left out."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    with file.open("a") as stream:
        stream.write(f"{title}\n")
        for ident, frame in sys._current_frames().items():
            if ident != left_out:
                stream.write(f"Thread {names.get(ident, ident)}:\n")
                traceback.print_stack(frame, file=stream)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Look at a test's threads while its fixtures are made."""
    with looked_at(item, FIXTURES):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Look at a test's threads while it runs."""
    with looked_at(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Look at a test's threads while its fixtures are ended."""
    with looked_at(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Look at the threads of a test that has failed."""
    report: Any = yield
    if REPORT in os.environ and report.failed:
        write_stacks(stacks_file(item), f"Failed: {report.when}")
    return report


def stacks_file(item: pytest.Item) -> Path:
    """Where the stacks of a test's threads go."""
    return Path(os.environ[REPORT]).with_name(f"{file_name(name_of(item))}.stacks")


class Failures:
    """Name each failure when it happens: a run that is ended from outside has no summary."""

    def __init__(self, terminal: Any) -> None:
        """Write to pytest's own terminal."""
        self._terminal = terminal

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Name a test that failed."""
        if report.failed:
            self._terminal.write_line(f"failed: {name_of(report)} ({report.when})")


@pytest.hookimpl(trylast=True)  # after the terminal's own
def pytest_configure(config: pytest.Config) -> None:
    """Name failures where the terminal is, not in a worker."""
    terminal = config.pluginmanager.getplugin("terminalreporter")
    if terminal is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Failures(terminal))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Report what became of the tests, where all of them are known."""
    if REPORT not in os.environ:
        return
    stats = terminalreporter.stats
    failures: dict[str, str] = {}
    errors: dict[str, str] = {}
    for report in (*stats.get("failed", ()), *stats.get("error", ())):
        sections = (f"{title}\n{text}" for title, text in report.sections)
        text = "\n".join([report.longreprtext, *sections])
        failures[name_of(report)] = failures.get(name_of(report), "") + text
        errors.setdefault(name_of(report), error_of(report))
    tests = {
        "passed": sorted({name_of(report) for report in stats.get("passed", ())}),
        "failed": failures,
        "errors": errors,
        "skipped": len(stats.get("skipped", ())),
    }
    Path(os.environ[REPORT]).write_text(json.dumps(tests))


def error_of(report: Any) -> str:
    """Where and how a test or its fixture failed, in one line of at most 300 characters."""
    crash = getattr(report.longrepr, "reprcrash", None)
    raised = re.findall(r"^E +(.*)", report.longreprtext, flags=re.M)
    text = f"{crash.path}:{crash.lineno}: {crash.message}" if crash else " ".join(raised[-1:])
    line = " ".join(text.replace(f"{Path.cwd()}/", "").split())[:300]
    return f"{FIXTURE}{line}" if report.when == "setup" else line


def name_of(test: Any) -> str:
    """The name of a test or of its report, without the @group that pytest-xdist adds."""
    return re.sub(r"@[\w.-]+$", "", str(test.nodeid))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""CI's second try: real pytest over small tests, of which some fail once and some always."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dev import ci_retry

ROOT = Path(__file__).parents[1]

# The first try fails, as there is no file yet; it leaves one, so the second passes.
ONCE = """
from pathlib import Path
import pytest

@pytest.mark.xdist_group("together")
@pytest.mark.parametrize("at", ["a", "b@c.d"])
def test_once(at):
    file = Path(f"was_here_{at}")
    was_here = file.exists()
    file.touch()
    assert was_here
"""
GOOD = """
import pytest

def test_good(): pass

@pytest.mark.skip
def test_skipped(): pass
"""
BROKEN = "import nothing_of_that_name"
ALWAYS = """
import pytest

@pytest.fixture
def broken(): raise ValueError("broken")

def test_always(broken): pass
"""
ERROR = "test_once.py:11: assert False"
ONES = [
    "ci: 2 tests failed beside the others and passed alone:",
    f"ci: - test_once.py::test_once[a]: {ERROR}",
    f"ci: - test_once.py::test_once[b@c.d]: {ERROR}",
]
FIXTURE_ONCE = """
from pathlib import Path
import pytest

@pytest.fixture(scope="module")
def server():
    file = Path("was_started")
    was_started = file.exists()
    file.touch()
    if not was_started:
        raise OSError("the server did not start")

@pytest.mark.xdist_group("together")
@pytest.mark.parametrize("number", range(4))
def test_served(server, number): pass
"""


def ci(folder: Path, limit: float = 60, **files: str) -> tuple[int, list[str]]:
    """Its exit code, and its own lines with the closing one."""
    (folder / "pytest.ini").write_text(
        "[pytest]\naddopts = -p xdist.plugin\nmarkers = xdist_group\n"
    )
    for name, text in files.items():
        (folder / f"test_{name}.py").write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "dev.ci_retry", "-n", "2", "--dist", "loadgroup", "-q"],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            ci_retry.EVERY: "0.1",
            ci_retry.LIMIT: str(limit),
            "PYTEST_ADDOPTS": "",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    *lines, last = done.stdout.splitlines()
    (folder / "printed").write_text(done.stdout)
    said = [
        line for line in lines if line.startswith("ci: ") and "the first failure of" not in line
    ]
    return done.returncode, [*said, last]


def test_when_all_pass_pytests_summary_is_the_last_line(tmp_path: Path) -> None:
    code, (last,) = ci(tmp_path, good=GOOD)
    assert code == 0
    assert last.startswith("1 passed, 1 skipped in ")


def test_what_passes_alone_is_named_and_counted_in_the_last_lines(tmp_path: Path) -> None:
    assert ci(tmp_path, good=GOOD, once=ONCE) == (
        0,
        [
            "ci: failed beside the others: test_once.py::test_once[a]",
            "ci: failed beside the others: test_once.py::test_once[b@c.d]",
            "ci: again, without the others",
            *ONES,
            "3 passed, 0 failed, 1 skipped",
        ],
    )


STUCK = """
import threading
from pathlib import Path

def wait_for_nothing(event):
    event.wait(1)
    assert Path("was_here").exists()

def test_stuck():
    print("before it got stuck")
    event = threading.Event()
    other = threading.Thread(target=hold, args=(event,), daemon=True)
    other.start()
    try:
        wait_for_nothing(event)
    finally:
        Path("was_here").touch()

def hold(event):
    event.wait(60)
"""


def test_the_first_failure_is_kept_with_the_stacks_of_all_threads(tmp_path: Path) -> None:
    """The second try's success hid it before: nothing of the first one was left to read."""
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports/retried-of-the-last-run.txt").touch()
    code, lines = ci(tmp_path, good=GOOD, stuck=STUCK)
    assert (code, lines[-1]) == (0, "2 passed, 0 failed, 1 skipped")
    (file,) = (tmp_path / "reports").glob("*retried*")
    kept = file.read_text()
    assert file.name == "retried-test_stuck.py-test_stuck.txt"
    assert kept.startswith("test_stuck.py::test_stuck\n")
    for part in (
        'assert Path("was_here").exists()',
        "before it got stuck",
        "Running for ",  # the thread that waits, and the other one, while they did
        "in wait_for_nothing",
        "Failed: call",
        "in hold",
    ):
        assert part in kept, kept


HANGS = """
import threading

def test_hangs():
    threading.Event().wait()
"""


def test_a_test_that_never_ends_is_ended_and_named(tmp_path: Path) -> None:
    """CI waited for one until its own time was up, and printed no name."""
    code, lines = ci(tmp_path, limit=2, good=GOOD, hangs=HANGS)
    assert code != 0
    assert lines[-1] == "1 passed, 1 failed, 1 skipped"
    printed = (tmp_path / "printed").read_text()
    assert "failed: test_hangs.py::test_hangs (call)" in printed.splitlines()
    assert "it took more than 2 seconds" in printed


def test_three_tests_that_pass_only_alone_are_red(tmp_path: Path) -> None:
    """A red build was never made of them, however many there were."""
    code, lines = ci(tmp_path, once=ONCE.replace('"b@c.d"', '"b", "c"'))
    assert code == ci_retry.FAILED
    assert lines[-2:] == [
        "ci: 3 findings that pass only alone fail the build",
        "3 passed, 0 failed, 0 skipped",
    ]
    assert len(list((tmp_path / "reports").glob("retried-*"))) == 3


def test_the_tests_of_a_broken_fixture_are_one_finding(tmp_path: Path) -> None:
    """One Airflow that started too late was 38 findings, and no line of the last ones said why."""
    code, lines = ci(tmp_path, fixture=FIXTURE_ONCE, good=GOOD)
    assert (code, lines[-3:]) == (
        0,
        [
            "ci: 4 tests failed beside the others and passed alone:",
            "ci: - test_fixture.py (4): a fixture failed: "
            "test_fixture.py:11: OSError: the server did not start",
            "5 passed, 0 failed, 1 skipped",
        ],
    )


def test_what_fails_twice_is_red(tmp_path: Path) -> None:
    code, lines = ci(tmp_path, good=GOOD, once=ONCE, always=ALWAYS, broken=BROKEN)
    assert code != 0
    assert "No module named 'nothing_of_that_name'" in lines[-2]
    assert lines[-7:] == [
        *ONES,
        "ci: 2 tests failed beside the others and alone:",
        "ci: - test_always.py (1): a fixture failed: test_always.py:5: ValueError: broken",
        "ci: - test_broken.py: " + lines[-2].partition("test_broken.py: ")[2],
        "3 passed, 2 failed, 1 skipped",
    ]


@pytest.mark.parametrize(
    ("code", "count", "why"),
    [(1, 61, "more than 60"), (2, 1, "pytest did not get to its end")],
)
def test_what_is_not_tried_again(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    code: int,
    count: int,
    why: str,
) -> None:
    failed = frozenset(f"t{number:02}" for number in range(count))
    tries = [ci_retry.Tried(code, frozenset({"good"}), failed, 3)]
    monkeypatch.setattr(ci_retry, "tried", lambda _: tries.pop())
    assert ci_retry.main([]) == code
    tests = ci_retry.counted(failed)
    assert capsys.readouterr().out.splitlines() == [
        *(f"ci: failed beside the others: {name}" for name in sorted(failed)),
        f"ci: {tests} failed and are not tried again: {why}",
        f"1 passed, {count} failed, 3 skipped",
    ]


def test_no_test_at_all_is_red(tmp_path: Path) -> None:
    assert ci(tmp_path)[0] == 5


def test_the_report_is_asked_for_by_a_variable_that_this_suite_keeps() -> None:
    """tests/conftest.py removes the settings of Airflow and of colgraph from the environment."""
    assert not ci_retry.REPORT.startswith(("AIRFLOW_", "COLGRAPH_"))

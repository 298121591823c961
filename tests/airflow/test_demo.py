"""The demo as people run it, and with it the example DAG: flights.txt is the whole lineage."""

import fcntl
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from dev.waiting import read_events

pytestmark = [pytest.mark.airflow, pytest.mark.xdist_group("airflow")]

ROOT = Path(__file__).parent.parent.parent
COLGRAPH = str(Path(sys.executable).with_name("colgraph"))
EXPECTED = Path(__file__).with_name("flights.txt")
TASKS = ["delays", "enrich", "land", "mart", "report", "typed.type_flights", "typed.type_reference"]


def run_demo(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dev.demo"],
        cwd=ROOT,
        env={**os.environ, "COLGRAPH_DEMO": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the demo has run, twice as far as its files can tell."""
    folder = tmp_path_factory.mktemp("demo")
    (folder / "events.jsonl").write_text("left by an earlier run\n")
    done = run_demo(folder)
    (folder / "output").write_text(done.stdout)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout[-3000:]
    return folder


def test_it_prints_the_whole_lineage_of_every_task(folder: Path) -> None:
    output = (folder / "output").read_text()
    report = output[output.index("\ntask ") + 1 : output.index("\nHow long it took")]
    tasks, _, way = report.partition("\n\nWhere ")
    blocks = sorted(block.strip() for block in re.split(r"(?m)^(?=task )", tasks) if block.strip())
    assert "\n\n".join([*blocks, f"Where {way.strip()}\n"]) == EXPECTED.read_text()


def test_it_says_how_long_each_part_took(folder: Path) -> None:
    output = (folder / "output").read_text()
    parts = re.findall(r"(?m)^ *[0-9.]+ s  (.*)$", output)
    assert sorted(part.strip() for part in parts) == sorted(
        [
            *TASKS,
            "mart, changed",
            "starting Airflow",
            "the DAG's run",
            "the changed job's run",
            "the last events",
            "asking the store",
            "all together",
        ]
    )


def test_every_event_of_the_run_is_in_the_file(folder: Path) -> None:
    events = read_events(folder / "events.jsonl")
    kinds: dict[str, list[str]] = {}
    for event in events:
        kinds.setdefault(event["job"]["name"], []).append(event["eventType"])
    names = ["flights", *(f"flights.{task}" for task in TASKS)]
    twice = ("flights", "flights.mart")  # the mart's job is changed, and runs again
    assert kinds == {name: ["START", "COMPLETE"] * (1 + (name in twice)) for name in names}
    runs = {event["run"]["runId"] for event in events if event["job"]["name"] in twice}
    assert len(runs) == 4


def test_the_lesson_of_late_data(folder: Path) -> None:
    """As docs/questions.md prints it."""
    text = (ROOT / "docs" / "questions.md").read_text()
    _, _, lesson = text.partition("## Lesson: late data")
    command, _, printed = lesson.partition("```console\n$ ")[2].partition("```")[0].partition("\n")
    words = command.replace("/srv/demo", str(folder)).split()
    done = subprocess.run([COLGRAPH, *words[1:]], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.sub(r"manual__\S+", "manual__2026-11-23", done.stdout) == printed


def test_nothing_of_it_is_left_running(folder: Path) -> None:
    assert [process.pid for process in psutil.process_iter() if is_of(process, folder)] == []


def is_of(process: Any, folder: Path) -> bool:
    try:
        return str(folder) in process.environ().get("AIRFLOW_HOME", "")
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False


def test_a_second_demo_at_the_same_time_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = run_demo(tmp_path)
    assert done.returncode == 1
    assert done.stdout == f"demo: another one is running in {tmp_path}. Stop it first.\n"

"""The example DAG through a real Airflow and real Spark jobs, and the lineage that comes of it.

Then a job is changed and its task runs again, so that there is a history and a difference to see.

python -m dev.demo [--keep]
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from airflow_colgraph.collector.events.render import render
from airflow_colgraph.exports.formats.text_tree import text_tree
from airflow_colgraph.store.errors import StoreError
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.store import Store
from dev.airflow_api import AirflowError, task_name
from dev.demo_airflow import Airflow
from dev.demo_change import TASK, change, lineage_change
from dev.waiting import WaitError, wait_for_ends

ROOT = Path(__file__).parent.parent
DEMO = Path(os.environ.get("COLGRAPH_DEMO", ROOT / ".demo"))
EVENTS, STORE, DATA = DEMO / "events.jsonl", DEMO / "colgraph.db", DEMO / "data"
DAGS = DEMO / "dags"  # a copy: one of the jobs is changed
DAG = "flights"
MART = str(DATA / "mart" / "plane_days")
FIELD, CHANGED = "plane_age", "airline_share_late"
LATEST = 300.0  # seconds until the last event, on a machine that does much else

console = Console(highlight=False, soft_wrap=True)


def main() -> int:
    """Run the demo; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m dev.demo", description=__doc__)
    parser.add_argument("--keep", action="store_true", help="leave Airflow running at the end")
    keep = parser.parse_args().keep
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that everything is stopped
    DEMO.mkdir(parents=True, exist_ok=True)
    with (DEMO / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            console.print(f"demo: another one is running in {from_here(DEMO)}. Stop it first.")
            return 1
        try:
            return demo(keep)
        except (AirflowError, StoreError, WaitError) as error:
            console.print(f"demo: {error}", markup=False)
            return 1
        except KeyboardInterrupt:
            console.print("demo: stopped")
            return 130


def demo(keep: bool) -> int:
    """The demo, step by step."""
    clear()
    with Store.open(store_url()) as store:
        store.keep_events(True)  # the order of the tasks, for `colgraph rerun`
    shutil.copytree(ROOT / "dags", DAGS, ignore=shutil.ignore_patterns("__pycache__"))
    took: dict[str, float] = {}
    started = time.monotonic()
    airflow = Airflow(DEMO / "airflow", DAGS, variables())
    with airflow:
        with (
            timed("starting Airflow", took),
            announced(f"Starting Airflow in {from_here(DEMO / 'airflow')}"),
        ):
            airflow.start()
        with timed("the DAG's run", took):
            run = airflow.trigger(DAG)
            title = f"Running the DAG {DAG}: six Spark jobs over 336,776 flights"
            with Watching(title, took) as watching:
                states = airflow.wait(DAG, run, seen=watching.seen)
        if states.pop("") != "success":
            return failed(airflow, run, states)
        with timed("the changed job's run", took):
            lines = change(DAGS / "jobs" / f"{TASK}.py")
            airflow.clear(DAG, run, TASK)
            title = f"Changing the job of the task {TASK}, and running it again"
            with Watching(title, took, TASK) as watching:
                states = airflow.wait(DAG, run, seen=watching.seen)
        if states.pop("") != "success":
            return failed(airflow, run, states)
        with timed("the last events", took):  # a task's event is sent after the task has ended
            runs = {DAG: 2, **{f"{DAG}.{task}": 1 + (task == TASK) for task in states}}
            events = wait_for_ends(EVENTS, store_url(), runs, ["COMPLETE"], LATEST)
        with timed("asking the store", took):
            before = show(events, lines)
        console.print(heading("How long it took"))
        for what, seconds in {**took, "all together": time.monotonic() - started}.items():
            console.print(f"{seconds:7.1f} s  {what}")
        how_to_look_further(before)
        if keep:
            wait_for_the_end(airflow)
    return 0


def clear() -> None:
    """Remove what an earlier demo made."""
    for path in DEMO.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != "lock":
            path.unlink()


def variables() -> dict[str, str]:
    """Where the DAG writes, and where Airflow's OpenLineage events go: a file and the store."""
    transports = {
        "file": {"type": "file", "log_file_path": str(EVENTS), "append": True},
        "store": {"type": "airflow_colgraph.transport.StoreTransport", "url": store_url()},
    }
    return {
        "FLIGHTS_HOME": str(DATA),
        "AIRFLOW__OPENLINEAGE__NAMESPACE": "demo",
        "AIRFLOW__OPENLINEAGE__TRANSPORT": json.dumps(
            {"type": "composite", "continue_on_failure": True, "transports": transports}
        ),
    }


def store_url() -> str:
    """The demo's store."""
    return f"sqlite:///{STORE}"


# The run's progress ---------------------------------------------------------------------------


@contextmanager
def timed(what: str, took: dict[str, float]) -> Iterator[None]:
    """Remember how long the block took."""
    begun = time.monotonic()
    yield
    took[what] = time.monotonic() - begun


@contextmanager
def announced(what: str) -> Iterator[None]:
    """A spinner on a terminal, a plain line elsewhere."""
    if not console.is_terminal:
        console.print(what)
        yield
        return
    with console.status(what):
        yield
    console.print(what, style="dim")


SIGNS = {"success": "[green]done[/]", "failed": "[red]failed[/]", "running": "[cyan]running[/]"}


class Watching:
    """The DAG run's tasks as they go: a table on a terminal, elsewhere a line for each change."""

    def __init__(self, title: str, took: dict[str, float], only: str = "") -> None:
        """Durations of ended tasks go to `took`. `only`: the one task that runs, again."""
        self._title, self._took, self._only = title, took, only
        self._begun: dict[str, float] = {}
        self._states: dict[str, str] = {}
        self._live = Live(console=console, refresh_per_second=4) if console.is_terminal else None

    def __enter__(self) -> Watching:
        """Begin to show."""
        console.print(self._title)
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the last picture."""
        if self._live:
            self._live.stop()

    def seen(self, tasks: list[dict[str, Any]]) -> None:
        """Show how far the tasks are."""
        shown = [task for task in tasks if self._only in ("", task["task_id"])]
        for task in sorted(shown, key=lambda task: task["start_date"] or "~"):
            name, state = task_name(task), task["state"] or "waiting"
            if state == "running":
                self._begun.setdefault(name, time.monotonic())
            if state == self._states.get(name):
                continue
            self._states[name] = state
            if state in ("success", "failed"):
                self._took[self._part(name)] = float(task["duration"] or 0)
            if not self._live and state in ("running", "success", "failed"):
                console.print(f"  {name}: {state}{self._seconds(name)}")
        if self._live:
            lines = [
                f"  {SIGNS.get(state, state):<20} {name}{self._seconds(name)}"
                for name, state in self._states.items()
            ]
            self._live.update(Text.from_markup("\n".join(lines)))

    def _part(self, name: str) -> str:
        return f"  {name}{', changed' if self._only else ''}"

    def _seconds(self, name: str) -> str:
        if self._part(name) in self._took:
            return f" ({self._took[self._part(name)]:.0f} s)"
        if self._states[name] == "running" and self._live:
            return f" ({time.monotonic() - self._begun[name]:.0f} s)"
        return ""


def failed(airflow: Airflow, run: str, states: dict[str, str]) -> int:
    """Say which tasks failed, with the end of their logs."""
    for name, state in states.items():
        if state == "failed":
            console.print(f"demo: the task {name} failed. The end of its log:", style="red")
            for line in airflow.log_of(DAG, run, name)[-30:]:
                console.print(f"  {line}", markup=False)
    console.print(f"demo: the whole logs are in {airflow.home / 'logs'}")
    return 1


# What came of it ------------------------------------------------------------------------------


def show(events: list[dict[str, Any]], lines: str) -> str:
    """Each task's outputs with their column lineage, one column's way back, and the change.

    Returns the id of the run before the change.
    """
    console.print(heading("What the tasks' COMPLETE events say"))
    console.print(f"Files are named from {DATA} on.\n", markup=False)
    written = [one for one in events if one["eventType"] == "COMPLETE" and one["outputs"]]
    before, after = (one for one in written if one["job"]["name"] == f"{DAG}.{TASK}")
    for event in written:
        if event is not after:
            console.print(Text(f"task {event['job']['name']}", style="bold"))
            console.print(short(render([event])) + "\n", markup=False)
    console.print(heading(f"Where {FIELD} of the mart comes from, across the jobs"))
    with Store.open(store_url()) as store:
        console.print(short(text_tree(graph.upstream(store, "file", MART, FIELD))), markup=False)
    console.print(heading(f"What the change of jobs/{TASK}.py changed in the lineage"))
    console.print(f"{lines}\n\n{short(lineage_change(before, after))}", markup=False)
    return str(before["run"]["runId"])


def short(text: str) -> str:
    """The text with the demo's files named from its data folder on."""
    return text.replace(f"{DATA}/", "")


def heading(text: str) -> Text:
    """A heading on the terminal."""
    return Text(f"\n{text}\n{'─' * len(text)}", style="bold")


def from_here(path: Path) -> str:
    """A path as one types it in the project's folder."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def how_to_look_further(run: str) -> None:
    """Where everything is, and the next commands; `run` wrote the mart before the change."""
    events, store, jobs = map(from_here, (EVENTS, STORE, DEMO / "airflow" / "colgraph"))
    colgraph = f".venv/bin/colgraph --store sqlite:///{store}"
    console.print(heading("To look further"))
    console.print(
        f"every OpenLineage event   {events}\n"
        f"the lineage store         {store}\n"
        f"what the collector wrote  {jobs}/\n"
        f"the DAGs and their jobs   {from_here(DAGS)}/\n\n"
        f"  {colgraph} upstream --namespace file --name {MART} --field plane --indirect\n"
        f"  {colgraph} downstream --namespace file --name {DATA}/raw/flights.csv "
        "--field arr_delay\n"
        f"  {colgraph} why {MART}.{CHANGED} --since {run}\n"
        f"  .venv/bin/colgraph show {events}\n"
        "  make serve   # the same as a page, on http://127.0.0.1:8765",
        markup=False,
    )


def wait_for_the_end(airflow: Airflow) -> None:
    """Leave Airflow running until Ctrl-C."""
    console.print(
        f"\nAirflow is at {airflow.address}  user {airflow.user}  password {airflow.password}\n"
        "Ctrl-C stops it.\n"
        f"Its page of column lineage is {airflow.address}/plugin/colgraph",
        markup=False,
    )
    try:
        signal.pause()
    except KeyboardInterrupt:
        console.print("Stopping Airflow")


if __name__ == "__main__":
    sys.exit(main())

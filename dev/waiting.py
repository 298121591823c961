"""Wait for what other processes do, and read the events that they have written so far.

    wait_for(lambda: "" if done() else "the job to end", seconds=60)
    events = wait_for_ends(file, store, {"dag.task": 1, "dag": 1}, seconds=300)

The demo and the tests use it. A wait ends when the thing that is needed is there, or after a time
with an error that names what is missing.
"""

from __future__ import annotations

import json
import time
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from airflow_colgraph.store.errors import StoreError
from airflow_colgraph.store.query.job_runs import runs
from airflow_colgraph.store.store import Store

Event = dict[str, Any]

ENDS = ("COMPLETE", "FAIL")
BUSY_SECONDS = 300  # what takes a second on a quiet machine


class WaitError(RuntimeError):
    """What was waited for is not there in time; the message is one line that names it."""


def wait_for(missing: Callable[[], str], seconds: float = BUSY_SECONDS, pause: float = 0.2) -> None:
    """Return as soon as `missing` names nothing; after a time WaitError with what it names."""
    end = time.monotonic() + seconds
    while what := missing():
        if time.monotonic() > end:
            raise WaitError(f"Waited {seconds:g} s in vain for {what}.")
        time.sleep(pause)


def whole_lines(file: Path) -> list[str]:
    """Return the lines of a file to which another process appends; none if there is no file.

    A last line without its end is still being written: it is left for the next time.
    """
    whole, _, _ = file.read_bytes().rpartition(b"\n") if file.exists() else (b"", b"", b"")
    return whole.decode(errors="replace").split("\n") if whole else []


def read_events(file: Path) -> list[Event]:
    """Return the events that are whole in a file, one JSON document a line."""
    return [json.loads(line) for line in whole_lines(file) if line]


def wait_for_ends(
    file: Path,
    store: str,
    jobs: Mapping[str, int],
    kinds: Sequence[str] = ENDS,
    seconds: float = BUSY_SECONDS,
) -> list[Event]:
    """Return a file's events once so many runs of the jobs have ended, there and in the store.

    OpenLineage's file transport appends events to the file; the store gets each event after it.
    The WaitError after so many seconds names what is not there.
    """
    events: list[Event] = []

    def missing() -> str:
        events[:] = read_events(file)
        return missing_ends(events, jobs, kinds) or missing_in_store(events, store)

    wait_for(missing, seconds)
    return events


def missing_ends(
    events: Sequence[Event], jobs: Mapping[str, int], kinds: Sequence[str] = ENDS
) -> str:
    """Name the jobs that have fewer ends among the events than expected."""
    there = Counter(e["job"]["name"] for e in events if e["eventType"] in kinds)
    late = [
        f"{job}{f' ({there[job]} of {count} are there)' if count > 1 else ''}"
        for job, count in jobs.items()
        if there[job] < count
    ]
    return f"the {' or '.join(kinds)} event of {', '.join(late)}" if late else ""


def missing_in_store(events: Sequence[Event], store: str) -> str:
    """Name the jobs whose runs have ended by the events, but not yet in the store."""
    ends: dict[str, Event] = {}  # the last of each run
    for event in events:
        if event["eventType"] in ENDS:
            run = event["run"]["runId"]
            ends[run] = max(ends.get(run, event), event, key=lambda each: each["eventTime"])
    try:
        states = _states(store, list(ends))
    except StoreError as error:
        return f"the store ({error})"
    late = {e["job"]["name"] for run, e in ends.items() if states.get(run) != e["eventType"]}
    return f"the end of {', '.join(sorted(late))} in the store {store}" if late else ""


def _states(store: str, ids: list[str]) -> dict[str, str]:
    opened = Store.open(store)
    try:
        with opened.connection() as connection:
            wanted = [uuid.UUID(id).bytes for id in ids]
            return {run.id: run.state for run in runs(connection, ids=wanted, limit=len(ids))}
    finally:
        opened.close()

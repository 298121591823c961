"""Deliver what a spool keeps: in order, again while that may help, and by one process at a time.

    deliver(Path("/var/lib/airflow/colgraph-spool"), into_store(store), patience=60)

An event leaves the spool when it is acknowledged. One that is refused for what it is goes to the
folder `refused` in the spool, with the answer beside it.
"""

from __future__ import annotations

import fcntl
import json
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from time import monotonic, sleep, time_ns
from typing import Any, NamedTuple, TypeVar

from airflow_colgraph.collector.sinks.http import HttpSink
from airflow_colgraph.collector.sinks.ndjson import Reading, parse
from airflow_colgraph.collector.sinks.outbox import Busy, Refused
from airflow_colgraph.collector.sinks.spool import (
    DROPPED,
    REFUSED,
    KeptFile,
    default_folder,
    kept_files,
)
from airflow_colgraph.collector.sinks.timed import TimedSink
from airflow_colgraph.collector.sinks.token import Token
from airflow_colgraph.openlineage.redaction import without_userinfo
from airflow_colgraph.queries import with_tables
from airflow_colgraph.store.default_url import airflow_option
from airflow_colgraph.store.errors import BadStoreUrl, StoreError, StoreFull, StoreUnavailable
from airflow_colgraph.store.store import Added, Store

log = logging.getLogger(__name__)

PAUSES = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)  # seconds, where the server names none; the last repeats
BATCH = 200  # files that are given at once
STORE_SECONDS = 30.0  # that a database may take for a connection, a statement or a lock
PATIENCE = 60.0  # seconds that events may be refused in a row

Answer = TypeVar("Answer")
Answers = list[tuple[int, str]]  # the positions of events that are refused, and why
# Takes events; Busy where the same may succeed later, OSError or StoreError where it is in vain.
Send = Callable[[Sequence[dict[str, Any]]], Answers]


class Target(NamedTuple):
    """What takes events, and of how many files at once."""

    send: Send
    at_once: int


def configured_spool() -> str:
    """The spool of Airflow's processes: `[colgraph] spool`, else a folder in AIRFLOW_HOME."""
    return str(airflow_option("spool") or default_folder())


class InUse(OSError):
    """Another process delivers the spool."""


class Report(NamedTuple):
    """How many events were delivered, refused and left, and why the delivery ended before."""

    delivered: int
    refused: int
    left: int
    why: str = ""


class Waiting(NamedTuple):
    """What is in a spool: files of events, their size, the age of the oldest, what was dropped."""

    events: int
    size: int
    seconds: float
    dropped: int
    refused: int


def into_store(store: Store) -> Target:
    """Adds events to a store; see `adding`. Parts of events that are left out are logged."""
    add = adding(store)

    def send(events: Sequence[dict[str, Any]]) -> Answers:
        added = add(events)
        for _, why in added.malformed:
            log.warning("A part of an event is left out. %s", why)
        return added.refused

    return Target(send, BATCH)


def adding(store: Store) -> Callable[[Sequence[Any]], Added]:
    """Adds events to a store, which is prepared first; Busy while it is unavailable or full."""

    def add(events: Sequence[Any]) -> Added:
        try:
            store.prepare()
            return store.add_valid(with_tables(events))
        except (StoreUnavailable, StoreFull) as error:
            raise Busy(str(error)) from None

    return add


def to_server(url: str, token: Token) -> Target:
    """Posts each event to a server, by itself and within a time limit."""
    sink = TimedSink(HttpSink(url, token), without_userinfo(url))

    def send(events: Sequence[dict[str, Any]]) -> Answers:
        (event,) = events
        try:
            sink.write(event)
        except Refused as error:
            return [(0, f"{error} {error.answer}".strip())]
        return []

    return Target(send, 1)


def deliver(
    folder: Path,
    target: Target,
    *,
    patience: float = PATIENCE,
    progress: Callable[[int, int], None] = lambda done, left: None,
) -> Report:
    """Give all events of a local spool to the target, the oldest first, until it is empty.

    Args:
        folder: The spool.
        target: See `into_store` and `to_server`.
        patience: How many seconds the same events are tried again.
        progress: Called with the number of events that are delivered and the files that are left.

    Raises:
        InUse: Another process delivers it.
        BadStoreUrl: The store's URL is wrong.
    """
    delivered = refused = 0
    with _only(folder):
        while files := waiting_files(folder):  # also those that were kept meanwhile
            for start in range(0, len(files), target.at_once):
                part = files[start : start + target.at_once]
                readings = [read_file(Path(file.path)) for file in part]
                events = [event for reading in readings for event in reading.events]
                try:
                    answers = _send(target, events, patience)
                except BadStoreUrl:
                    raise
                except (OSError, StoreError) as error:
                    left = len(waiting_files(folder))
                    return Report(delivered, refused, left, str(error).rstrip("."))
                refused += _put_away(folder, part, readings, dict(answers))
                delivered += len(events) - len(answers)
                progress(delivered, len(files) - start - len(part))
        _remove_empty(folder)
    return Report(delivered, refused, 0)


def waiting_files(folder: Path) -> list[KeptFile]:
    """The files of a spool that are not delivered, the oldest first."""
    away = f"{folder / REFUSED}/"
    return [file for file in kept_files(folder) if not file.path.startswith(away)]


def waiting(folder: Path) -> Waiting:
    """What is in a spool."""
    files = waiting_files(folder)
    seconds = 0.0
    if files:
        with suppress(FileNotFoundError):
            seconds = max(0.0, time_ns() / 1e9 - Path(files[0].path).stat().st_mtime)
    return Waiting(
        len(files),
        sum(file.size for file in files),
        seconds,
        dropped(folder),
        len(kept_files(folder / REFUSED)),
    )


def dropped(folder: Path) -> int:
    """How many events the spool has dropped because it was full."""
    try:
        lines = (folder / DROPPED).read_text(encoding="ascii").splitlines()
    except FileNotFoundError:
        return 0
    return sum(int(json.loads(line)["events"]) for line in lines)


@contextmanager
def _only(folder: Path) -> Iterator[None]:
    """Keep other processes from delivering the spool."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".deliver.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InUse(f"Another process is delivering {folder}.") from None
        yield


def read_file(file: Path) -> Reading:
    """The events in a file of a spool."""
    try:
        return parse(file.read_bytes())
    except FileNotFoundError:  # the spool was full, and dropped it
        return Reading([], [])


def _send(target: Target, events: list[dict[str, Any]], patience: float) -> Answers:
    """Send events, again while that may help; a refusal of all, or the last one, is raised."""
    answers: Answers = []
    for start in range(0, len(events), target.at_once):
        part = events[start : start + target.at_once]
        refused = again(partial(target.send, part), monotonic() + patience)
        answers += [(start + at, why) for at, why in refused]
    return answers


def again(
    call: Callable[[], Answer],
    until: float,
    wait: Callable[[float, Busy], None] = lambda seconds, _: sleep(seconds),
) -> Answer:
    """Call again, after growing pauses, while Busy is raised; it passes where `until` is reached.

    Args:
        call: The function that may raise Busy.
        until: A time of `monotonic`.
        wait: Called with the seconds of each pause, and its reason.
    """
    number = 0
    while True:
        try:
            return call()
        except Busy as error:
            pause = error.seconds or PAUSES[min(number, len(PAUSES) - 1)]
            if monotonic() + pause > until:
                raise
            wait(pause, error)
        number += 1


def _put_away(
    folder: Path, files: list[KeptFile], readings: list[Reading], answers: dict[int, str]
) -> int:
    """Remove files whose events are delivered, move the others; returns the number of refusals."""
    refused = start = 0
    for file, reading in zip(files, readings, strict=True):
        reasons = [f"line {number}: {why}" for number, why in reading.bad]
        reasons += [
            answers[at] for at in range(start, start + len(reading.events)) if at in answers
        ]
        start += len(reading.events)
        if reasons:
            away = folder / REFUSED
            away.mkdir(exist_ok=True)
            name = file.name.removeprefix("part-")
            (away / f"answer-{name}.txt").write_text("\n".join(reasons) + "\n", encoding="utf-8")
            with suppress(FileNotFoundError):
                Path(file.path).rename(away / file.name)
            refused += len(reasons)
        else:
            Path(file.path).unlink(missing_ok=True)
    return refused


def _remove_empty(folder: Path) -> None:
    """Remove the folders of runs whose events are delivered."""
    for path in folder.iterdir():
        if path.is_dir() and path.name != REFUSED:
            with suppress(OSError):  # a driver has kept another event
                path.rmdir()

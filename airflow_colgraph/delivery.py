"""Deliver what a spool keeps: in order, again while that may help, and by one process at a time.

    deliver(open_spool("/var/lib/airflow/colgraph-spool"), into_store(store), patience=60)

An event leaves the spool when it is acknowledged. One that is refused for what it is goes to the
folder `refused` in the spool, with the answer beside it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic, sleep, time
from typing import Any, NamedTuple, TypeVar

from airflow_colgraph.collector.sinks.http import HttpSink
from airflow_colgraph.collector.sinks.ndjson import Reading, parse
from airflow_colgraph.collector.sinks.outbox import Busy, Refused
from airflow_colgraph.collector.sinks.spool import REFUSED, KeptFile, default_folder
from airflow_colgraph.collector.sinks.timed import TimedSink
from airflow_colgraph.collector.sinks.token import Token
from airflow_colgraph.openlineage.redaction import without_userinfo
from airflow_colgraph.queries import with_tables
from airflow_colgraph.spools import OpenSpool, Renew
from airflow_colgraph.store.default_url import airflow_option
from airflow_colgraph.store.errors import BadStoreUrl, StoreError, StoreFull, StoreUnavailable
from airflow_colgraph.store.store import Added, Store

log = logging.getLogger(__name__)

PAUSES = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)  # seconds, where the server names none; the last repeats
BATCH = 200  # files that are given at once
STORE_SECONDS = 30.0  # that a database may take for a connection, a statement or a lock
PATIENCE = 60.0  # seconds that events may be refused in a row
KEPT = re.compile("part-([0-9]{20})-")  # the name of a file, with its time in nanoseconds
WRITING_SECONDS = 60.0  # after which a file without an end is no longer being written

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
    spool: OpenSpool,
    target: Target,
    *,
    patience: float = PATIENCE,
    progress: Callable[[int, int], None] = lambda done, left: None,
) -> Report:
    """Give all events of a spool to the target, the oldest first, until it is empty.

    Args:
        spool: See `open_spool`.
        target: See `into_store` and `to_server`.
        patience: How many seconds the same events are tried again.
        progress: Called with the number of events that are delivered and the files that are left.

    Raises:
        InUse: Another process delivers it.
        BadStoreUrl: The store's URL is wrong.
        OSError: The spool cannot be reached.
    """
    delivered = refused = 0
    with spool.only() as renew:
        while files := waiting_files(spool):  # also those that were kept meanwhile
            for start in range(0, len(files), target.at_once):
                part = files[start : start + target.at_once]
                contents = spool.read(part)
                try:
                    readings = _readings(part, contents)
                    events = [event for reading in readings for event in reading.events]
                    answers = _send(target, events, patience, renew)
                except BadStoreUrl:
                    raise
                except (OSError, StoreError) as error:
                    left = len(waiting_files(spool))
                    return Report(delivered, refused, left, str(error).rstrip("."))
                refused += _put_away(spool, part, readings, dict(answers))
                delivered += len(events) - len(answers)
                progress(delivered, len(files) - start - len(readings))
                if len(readings) < len(part):
                    break  # no later event passes one that is still being written
    return Report(delivered, refused, 0)


def waiting_files(spool: OpenSpool) -> list[KeptFile]:
    """The files of a spool that are not delivered, the oldest first."""
    away = f"{spool.root}/{REFUSED}/"
    return [file for file in spool.kept() if not file.path.startswith(away)]


def waiting(spool: OpenSpool) -> Waiting:
    """What is in a spool."""
    files = spool.kept()
    away = f"{spool.root}/{REFUSED}/"
    events = [file for file in files if not file.path.startswith(away)]
    return Waiting(
        len(events),
        sum(file.size for file in events),
        max(0.0, seconds_kept(events[0].name) or 0.0) if events else 0.0,
        spool.dropped(),
        len(files) - len(events),
    )


def spool_metrics(waiting: Waiting) -> dict[str, float]:
    """The same as metrics, by name."""
    return {
        "colgraph_spool_events": waiting.events,
        "colgraph_spool_bytes": waiting.size,
        "colgraph_spool_oldest_seconds": waiting.seconds,
        "colgraph_spool_dropped": waiting.dropped,
        "colgraph_spool_refused": waiting.refused,
    }


def seconds_kept(name: str) -> float | None:
    """For how long a file has been kept: its name begins with its time, unless it is not ours."""
    match = KEPT.match(name)
    return time() - int(match.group(1)) / 1e9 if match else None


def reading_of(content: bytes | None) -> Reading:
    """The events in a file of a spool."""
    if content is None:  # the spool was full, and dropped it
        return Reading([], [])
    return parse(content) if content else Reading([], [(1, "no event: the file is empty")])


def _readings(files: Sequence[KeptFile], contents: Sequence[bytes | None]) -> list[Reading]:
    """What files hold, up to one that is still being written; OSError if it is the first."""
    readings: list[Reading] = []
    for file, content in zip(files, contents, strict=True):
        if _is_unfinished(file, content):
            if readings:
                break
            raise OSError(f"{file.name} is still being written")
        readings.append(reading_of(content))
    return readings


def _is_unfinished(file: KeptFile, content: bytes | None) -> bool:
    """Whether a file is written in part: not every file system has it appear whole."""
    if content is None or content.endswith(b"\n"):
        return False
    seconds = seconds_kept(file.name)
    return seconds is not None and seconds < WRITING_SECONDS


def _send(target: Target, events: list[dict[str, Any]], patience: float, renew: Renew) -> Answers:
    """Send events, again while that may help; a refusal of all, or the last one, is raised."""
    answers: Answers = []
    for start in range(0, len(events), target.at_once):
        part = events[start : start + target.at_once]
        refused = again(partial(_send_once, target, part, renew), monotonic() + patience)
        answers += [(start + at, why) for at, why in refused]
    return answers


def _send_once(target: Target, events: list[dict[str, Any]], renew: Renew) -> Answers:
    renew()
    return target.send(events)


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
    spool: OpenSpool, files: list[KeptFile], readings: list[Reading], answers: dict[int, str]
) -> int:
    """Remove files whose events are delivered, move the others; returns the number of refusals."""
    refused = start = 0
    delivered = []
    for file, reading in zip(files, readings, strict=False):  # the rest is being written
        reasons = [f"line {number}: {why}" for number, why in reading.bad]
        reasons += [
            answers[at] for at in range(start, start + len(reading.events)) if at in answers
        ]
        start += len(reading.events)
        if reasons:
            spool.refuse(file, "\n".join(reasons) + "\n")
            refused += len(reasons)
        else:
            delivered.append(file)
    spool.remove(delivered)
    return refused

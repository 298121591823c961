"""A limit for a whole write, however often the other side shows that it is still there.

A time-out of a socket begins again with each byte, and a call into the JVM has none.
"""

from __future__ import annotations

import queue
import threading
from typing import Protocol

from airflow_colgraph.collector.sinks.ndjson import Event

WRITE_SECONDS = 20.0  # for one event, with all tries


class Sink(Protocol):
    """Takes events; see sink.py."""

    def write(self, event: Event) -> None:
        """Hand over one event."""

    def flush(self, until: float, *, is_last: bool = False) -> bool:
        """Hand over what is pending; see sink.py."""

    def close(self) -> None:
        """Let go of it."""


class TimedSink:
    """Writes by a thread of its own, and waits for it so long and no longer.

    The thread is there from the first event on: none can be started when Python ends. One that
    hangs is left alone; the sink that it serves is not asked again.
    """

    def __init__(self, sink: Sink, name: str, seconds: float | None = None) -> None:
        """Write to `sink`, called `name` in errors."""
        self._sink = sink
        self._name = name
        self._seconds = WRITE_SECONDS if seconds is None else seconds
        self._events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[Exception | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._hangs = False

    def write(self, event: Event) -> None:
        """Write one event; OSError if that fails or takes too long."""
        if self._hangs:
            raise OSError(f"{self._name} still has not taken an earlier event.")
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="colgraph-sink", daemon=True)
            self._thread.start()
        self._events.put(event)
        try:
            failed = self._answers.get(timeout=self._seconds)
        except queue.Empty:
            self._hangs = True
            raise OSError(f"{self._name} took no event within {self._seconds:g} s.") from None
        if failed is not None:
            raise failed

    def flush(self, until: float, *, is_last: bool = False) -> bool:
        """Nothing is pending: `write` waits."""
        return True

    def close(self) -> None:
        """End the thread, and close the sink."""
        if self._thread is not None:
            self._events.put(None)
        if not self._hangs:
            self._sink.close()

    def _run(self) -> None:
        while (event := self._events.get()) is not None:
            failed: Exception | None = None
            try:
                self._sink.write(event)
            except Exception as error:  # noqa: BLE001 - raised where the event came from
                failed = error
            self._answers.put(failed)

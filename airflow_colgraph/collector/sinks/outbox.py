"""Events on their way to a server: in order, again while that may help, else into a spool.

The caller never waits for the server: a thread sends one event after the other. An event is done
when the server acknowledges it, or when the spool keeps it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from time import monotonic

from airflow_colgraph.collector.sinks.keeper import Keeper
from airflow_colgraph.collector.sinks.ndjson import Event
from airflow_colgraph.collector.sinks.spool import Spool
from airflow_colgraph.collector.sinks.timed import Sink

EVENT_SECONDS = 20.0  # for one event, with all tries
PAUSES = (0.2, 0.5, 1.0, 2.0)  # before the next try, where the server names none; the last repeats
MOST_PENDING = 10_000  # events


class Busy(OSError):
    """The same may succeed later: after `seconds`, if the server says so."""

    def __init__(self, why: str, seconds: float | None = None) -> None:
        """The reason, in one line."""
        super().__init__(why)
        self.seconds = seconds


class Refused(OSError):
    """The server will never take this event; it may take others."""

    def __init__(self, why: str, answer: str = "") -> None:
        """The reason, in one line, and what the server said."""
        super().__init__(why)
        self.answer = answer


class Outbox:
    """Sends events in their order. After one that is not taken all later ones go to the spool.

    Only an event that is refused for what it is goes there alone.
    """

    def __init__(self, sink: Sink, name: str, spool: Spool, say: Callable[[str], None]) -> None:
        """Send to `sink`, called `name`; `say` is told once where events are kept, or lost."""
        self._sink = sink
        self._name = name
        self._keeper = Keeper(spool, say, name)
        self._changed = threading.Condition()
        self._pending: deque[Event] = deque()
        self._given_up = ""  # why; then the spool takes all
        self._last = float("inf")  # of the server's time, of `monotonic`
        self._thread: threading.Thread | None = None

    def write(self, event: Event) -> None:
        """Take an event over; nobody waits for the server."""
        with self._changed:
            if len(self._pending) >= MOST_PENDING:
                self._give_up(f"{MOST_PENDING} events wait for {self._name}")
            if self._given_up:
                self._keep(event)
                return
            self._pending.append(event)
            self._changed.notify_all()
            if self._thread is None:  # none can be started when Python ends
                self._thread = threading.Thread(target=self._run, name="colgraph-out", daemon=True)
                self._thread.start()

    def flush(self, until: float, *, is_last: bool = False) -> bool:
        """Wait until nothing is pending, or `until`; with `is_last`, the spool takes the rest."""
        with self._changed:
            if is_last:
                self._last = until
                self._changed.notify_all()
            self._changed.wait_for(lambda: not self._pending, max(0.0, until - monotonic()))
            if self._pending and is_last:
                self._give_up(f"{self._name} has not taken it in time")
            return not self._pending

    def close(self) -> None:
        """End the thread; without a flush before, it sends what is pending first."""
        self.flush(monotonic() + EVENT_SECONDS, is_last=True)
        with self._changed:
            self._given_up = self._given_up or "the sink was closed"
            self._changed.notify_all()
        self._sink.close()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._pending or self._is_over())
                if self._is_over():
                    return
                event = self._pending[0]
            refused = ""
            try:
                self._deliver(event)
            except Refused as error:
                refused = str(error)
            except OSError as error:
                with self._changed:
                    self._give_up(str(error))
                return
            with self._changed:
                if self._is_over():  # meanwhile: the spool has it already
                    return
                self._pending.popleft()
                if refused:
                    self._keep(event, refused)
                self._changed.notify_all()

    def _deliver(self, event: Event) -> None:
        """Send one event; OSError where that is in vain, Refused where it is due to the event."""
        until = monotonic() + EVENT_SECONDS
        for number in range(1 << 30):
            try:
                self._sink.write(event)
                return
            except Busy as error:
                pause = PAUSES[min(number, len(PAUSES) - 1)]
                if not self._waited(error.seconds or pause, until):
                    raise

    def _waited(self, seconds: float, until: float) -> bool:
        """Wait before the next try; False if that is later than both limits allow."""
        at = monotonic() + seconds
        with self._changed:
            over = self._changed.wait_for(
                lambda: self._given_up or at > min(until, self._last), max(0.0, seconds)
            )
        return not over

    def _is_over(self) -> bool:
        return bool(self._given_up)

    # With the lock held ------------------------------------------------------------------------

    def _give_up(self, why: str) -> None:
        if self._given_up:
            return
        self._given_up = why
        while self._pending:
            self._keep(self._pending.popleft(), why)
        self._changed.notify_all()

    def _keep(self, event: Event, why: str = "") -> None:
        self._keeper.keep(event, why or self._given_up)

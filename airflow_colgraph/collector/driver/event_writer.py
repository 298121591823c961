"""The way of events out of the driver: to a Spark Connect client that asked, else to the sink."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic
from typing import Any

from airflow_colgraph.collector.driver.warnings import say, warn
from airflow_colgraph.collector.events.facets import ApplicationRun
from airflow_colgraph.collector.openlineage import JobEvent, RunEvent
from airflow_colgraph.collector.settings import Settings
from airflow_colgraph.collector.sinks.sink import Sink, Spool, open_sink, without_userinfo
from airflow_colgraph.collector.sinks.token import bearer_token
from airflow_colgraph.openlineage.redaction import redacted

SPOOL_SECONDS = 1.0  # of the exit's time, for events that the sink has not taken


class EventWriter:
    """Writes the events of one application, one at a time, without secrets.

    `deliver` gives an event to the client that asked for it; False if none did. `refused` is
    called when the sink has refused an event, which is not asked again.
    """

    def __init__(
        self,
        settings: Settings,
        run: ApplicationRun,
        deliver: Callable[[Any], bool],
        refused: Callable[[], None],
    ) -> None:
        """The sink is opened by `begin`."""
        self._settings, self._run_id = settings, run.run_id
        self._deliver, self._on_refusal = deliver, refused
        self._sink: Sink | None = None
        self._lock = threading.Lock()

    def begin(self, start: RunEvent) -> None:
        """Open the sink, if one is set, and write the first event."""
        settings = self._settings
        if not settings["sink"]:
            return
        try:
            token = bearer_token(settings["sinkTokenFile"], settings["sinkToken"])
            spool = Spool(settings["spool"], self._run_id)
            self._sink = open_sink(settings["sink"], token, spool, _say)
        except OSError as error:
            self._refused(error)
        self.write(start)

    def write(self, event: RunEvent | JobEvent) -> None:
        """Write one event."""
        with self._lock:
            safe = redacted(event)
            if self._deliver(safe) or self._sink is None:
                return
            try:
                self._sink.write(safe)
            except OSError as error:
                self._refused(error)

    def write_within(self, event: RunEvent, seconds: float) -> bool:
        """Write an event unless the sink stays busy with another one; whether it was written."""
        if not self._lock.acquire(timeout=max(0.0, seconds)):
            return False  # the sink is slow
        self._lock.release()
        self.write(event)
        return True

    def flush(self, deadline: float) -> bool:
        """Wait until the sink has taken all events; False at the deadline."""
        return self._sink is None or self._sink.flush(deadline)

    def end(self, last: float, is_complete: bool) -> None:
        """Flush until `last`, keep what is not taken in the spool, and close the sink."""
        if self._sink is None:
            return
        left = max(0.0, last - monotonic())
        self._sink.flush(last - min(SPOOL_SECONDS, left / 2), is_last=True)
        if is_complete:
            self._sink.close()

    def _refused(self, error: OSError) -> None:
        self._sink = None
        self._on_refusal()
        where = without_userinfo(self._settings["sink"])
        warn(f"lineage cannot be written to {where}: {error}")


def _say(text: str) -> None:
    say(f"colgraph: {text}")

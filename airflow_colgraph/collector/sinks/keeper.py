"""What becomes of events that a sink does not take: the spool keeps them, and the log says so."""

from __future__ import annotations

from collections.abc import Callable

from airflow_colgraph.collector.sinks.ndjson import Event
from airflow_colgraph.collector.sinks.spool import Spool
from airflow_colgraph.collector.sinks.timed import Sink
from airflow_colgraph.openlineage.redaction import without_credentials


class Keeper:
    """Keeps events in a spool; says once where that is, that it is full, and that some are lost."""

    def __init__(self, spool: Spool, say: Callable[[str], None], to: str = "") -> None:
        """Nothing is kept yet; `to` is the server that the events are for."""
        self._spool, self._say = spool, say
        self._to = f" --to {to}" if to else ""
        self._said: set[str] = set()

    def keep(self, event: Event, why: str) -> bool:
        """Keep an event; False if it is lost."""
        try:
            self._spool.keep(event)
        except OSError as error:
            self._tell("lost", f"lineage is lost: {why}; nor can it be kept: {error}")
            return False
        uri = without_credentials(self._spool.uri)
        self._tell(
            "kept",
            f"lineage is not delivered: {why.rstrip('.')}. It is kept in {uri};"
            f" deliver it with: colgraph deliver {uri}{self._to}",
        )
        if note := self._spool.note():
            self._tell("dropped", f"lineage is lost.{note}")
        return True

    def _tell(self, what: str, text: str) -> None:
        if what not in self._said:
            self._said.add(what)
            self._say(text)


class KeepingSink:
    """Writes to a sink until that fails; the spool takes this event and all later ones."""

    def __init__(self, open_: Callable[[], Sink], keeper: Keeper) -> None:
        """Open the sink, if that is possible."""
        self._keeper = keeper
        self._sink: Sink | None = None
        self._failure = ""
        try:
            self._sink = open_()
        except OSError as error:
            self._failure = str(error)

    def write(self, event: Event) -> None:
        """Write one event, or keep it; OSError if neither can be done."""
        if self._sink is not None:
            try:
                self._sink.write(event)
                return
            except OSError as error:
                self._failure, self._sink = str(error), None
        if not self._keeper.keep(event, self._failure):
            raise OSError(self._failure)

    def flush(self, until: float, *, is_last: bool = False) -> bool:
        """Hand over what is pending; see sink.py."""
        return self._sink is None or self._sink.flush(until, is_last=is_last)

    def close(self) -> None:
        """Let go of the sink."""
        if self._sink is not None:
            self._sink.close()

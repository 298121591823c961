"""Events of writes that wait for the command around them. Pure, but for `RunningCommands`.

`CREATE TABLE ... AS SELECT` runs an insert, which is reported to Spark's listener first. The inner
event is held until no command that may report the same write better is running in Spark; this does
not depend on time.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from time import monotonic
from typing import Any, NamedTuple, Protocol

from airflow_colgraph.collector.events.build import with_outer_command
from airflow_colgraph.collector.model import Dataset, Query, Write
from airflow_colgraph.collector.openlineage import RunEvent

MOST_HELD_SECONDS = 60.0  # after which a write is emitted all the same
MOST_EMITTED = 1000  # writes that could not wait and are remembered
WRITERS = "foreachPartition"  # the name of the queries by which Spark writes to databases


class RunningCommands(Protocol):
    """Who knows which commands Spark runs now."""

    def may_report_more(self) -> bool:
        """Whether a command runs that has others inside, or one whose end was not reported yet."""


class PendingWrite(NamedTuple):
    """The event of a write that may be reported again; `dataset` is None where rows are known."""

    event: RunEvent
    dataset: Dataset | None
    number: int  # of its query: an inner command begins after the one around it
    since: float


class WriteBuffer:
    """Emits events in order; those of writes as soon as no command around them can know more."""

    def __init__(
        self, emit: Callable[[RunEvent], None], commands: RunningCommands | None = None
    ) -> None:
        """Events go to `emit`; without `commands` a write waits for `release`."""
        self._emit = emit
        self._commands = commands
        self._pending: list[PendingWrite] = []
        self._emitted: OrderedDict[Dataset, PendingWrite] = OrderedDict()

    @property
    def is_empty(self) -> bool:
        """Whether no event is held."""
        return not self._pending

    def datasets_since(self, number: int) -> set[Dataset | None]:
        """The datasets whose writes are known from queries that began with `number` or later."""
        writes = (*self._pending, *self._emitted.values())
        return {write.dataset for write in writes if write.number >= number}

    def add(self, query: Query, event: RunEvent, started: float) -> None:
        """Emit the event of a query, or hold it where a command around it may know more."""
        write = query.write
        if write is not None and (query.plan or query.failure):
            parts: list[PendingWrite] = []
            others: list[PendingWrite] = []
            for pending in self._pending:
                (parts if is_part_of(pending, query, event) else others).append(pending)
            self._pending = others
            event = with_counts(event, [part for part in parts if part.dataset is not None])
            self._pending.append(PendingWrite(event, write.named.dataset, query.number, started))
        elif query.function == WRITERS:
            self._pending.append(PendingWrite(event, None, query.number, started))
        else:
            if write is not None and write.previous is not None:
                self.release()  # others may have read it under its former name
            elif write is not None:  # what was written before it is dropped, truncated, ..
                dataset = write.named.dataset
                self._flush([held for held in self._pending if held.dataset == dataset])
            self._emit(event)

    def merge(self, query: Query, write: Write) -> bool:
        """Whether an inner command has reported a write; its event gets what this one knows."""
        dataset = write.named.dataset
        for index, pending in reversed(list(enumerate(self._pending))):
            if pending.dataset == dataset and pending.number >= query.number:
                event = with_outer_command(pending.event, write, query.text)
                self._pending[index] = pending._replace(event=event)
                return True
        emitted = self._emitted.get(dataset)
        if emitted is None or emitted.number < query.number:
            return False
        del self._emitted[dataset]
        event = with_outer_command(emitted.event, write, query.text)
        self._pending.append(emitted._replace(event=event))
        return True

    def release(self) -> None:
        """Emit all that is held; a write that may be reported again is remembered."""
        try:
            if self._pending and self._commands is not None and self._commands.may_report_more():
                self._emitted |= {held.dataset: held for held in self._pending if held.dataset}
                while len(self._emitted) > MOST_EMITTED:
                    self._emitted.popitem(last=False)
        finally:  # nobody may ask again
            self._flush(self._pending)

    def release_finished(self, is_idle: Callable[[], bool]) -> None:
        """Emit what is held if nothing can report more of it.

        `is_idle` tells that no query waits. It is asked last: Spark may report one until then.
        """
        if self._commands is None or not self._pending:
            return
        if not self._commands.may_report_more() and is_idle():
            self._flush(self._pending)
        elif monotonic() - self._pending[0].since > MOST_HELD_SECONDS:
            self.release()

    def _flush(self, writes: list[PendingWrite]) -> None:
        self._pending = [pending for pending in self._pending if pending not in writes]
        for pending in writes:
            self._emit(pending.event)


def is_part_of(pending: PendingWrite, query: Query, event: RunEvent) -> bool:
    """Whether a pending event is the inner work of a write that has now come."""
    if pending.number < query.number or query.write is None:
        return False
    if pending.dataset is not None:
        return query.write.supersedes and query.write.named.dataset == pending.dataset
    return uncounted(pending.event) == uncounted(event)


def with_counts(event: RunEvent, inner: list[PendingWrite]) -> RunEvent:
    """The event of a write that supersedes another one, with what that one's command has written.

    Several writes of the dataset are not told apart.
    """
    if len(inner) != 1 or not inner[0].event["outputs"]:
        return event
    counts = inner[0].event["outputs"][0].get("outputFacets")
    (output,) = event["outputs"]
    return {**event, "outputs": [{**output, "outputFacets": counts}]} if counts else event


def uncounted(event: RunEvent) -> list[dict[str, Any]]:
    """The inputs of an event without how much was read: only the command that read them tells."""
    inputs: list[dict[str, Any]] = [{**item} for item in event["inputs"]]
    for item in inputs:
        item.pop("inputFacets", None)
    return inputs

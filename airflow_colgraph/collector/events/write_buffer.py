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
from airflow_colgraph.collector.model import Dataset as DatasetId
from airflow_colgraph.collector.model import Query, Write
from airflow_colgraph.collector.openlineage import Dataset, RunEvent
from airflow_colgraph.collector.plan import Rows

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
    dataset: DatasetId | None
    number: int  # of its query: an inner command begins after the one around it
    since: float
    plan: Rows = []  # noqa: RUF012 - never changed; of its query


class WriteBuffer:
    """Emits events in order; those of writes as soon as no command around them can know more."""

    def __init__(
        self, emit: Callable[[RunEvent], None], commands: RunningCommands | None = None
    ) -> None:
        """Events go to `emit`; without `commands` a write waits for `release`."""
        self._emit = emit
        self._commands = commands
        self._pending: list[PendingWrite] = []
        self._emitted: OrderedDict[DatasetId, PendingWrite] = OrderedDict()

    @property
    def is_empty(self) -> bool:
        """Whether no event is held."""
        return not self._pending

    def datasets_since(self, number: int) -> set[DatasetId | None]:
        """The datasets whose writes are known from queries that began with `number` or later."""
        writes = (*self._pending, *self._emitted.values())
        return {write.dataset for write in writes if write.number >= number}

    def add(self, query: Query, event: RunEvent, started: float) -> None:
        """Emit the event of a query, or hold it where a command around it may know more."""
        write = query.write
        if write is not None and (query.plan or query.failure):
            event = self._with_inner(query, event)
            dataset = write.named.dataset
            self._pending.append(PendingWrite(event, dataset, query.number, started, query.plan))
        elif query.function == WRITERS:
            self._pending.append(PendingWrite(event, None, query.number, started, query.plan))
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
                writes = (held._replace(plan=[]) for held in self._pending)
                self._emitted |= {held.dataset: held for held in writes if held.dataset}
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

    def _with_inner(self, query: Query, event: RunEvent) -> RunEvent:
        """The event of a write with the counts of the query that its command ran.

        That query's own event is dropped. Commands of several threads may have run the same plan:
        each takes one of these queries, without its counts if they differ.
        """
        alike = [held for held in self._pending if may_be_inside(held, query, event)]
        inner = [held for held in alike if held.plan == query.plan] or alike
        if not inner:
            return event
        self._pending.remove(inner[0])
        if all(counts_of(held.event) == counts_of(inner[0].event) for held in inner):
            return with_counts(event, inner[0].event)
        for held in inner[1:]:
            at = self._pending.index(held)
            self._pending[at] = held._replace(event=without_counts(held.event))
        return event

    def _flush(self, writes: list[PendingWrite]) -> None:
        self._pending = [pending for pending in self._pending if pending not in writes]
        for pending in writes:
            self._emit(pending.event)


def may_be_inside(pending: PendingWrite, query: Query, event: RunEvent) -> bool:
    """Whether a pending event may be the inner work of a write that has now come."""
    write = query.write
    if write is None or pending.number < query.number:
        return False
    if pending.dataset != (write.named.dataset if write.supersedes else None):
        return False
    return without_counts(pending.event)["inputs"] == without_counts(event)["inputs"]


def counts_of(event: RunEvent) -> list[Any]:
    """How much an event says was read of each input, and written to each output."""
    read = [item.get("inputFacets") for item in event["inputs"]]
    return [read, [item.get("outputFacets") for item in event["outputs"]]]


def with_counts(event: RunEvent, inner: RunEvent) -> RunEvent:
    """The event of a command with what the query that it ran has read and written."""
    inputs = [counted(item, other) for item, other in zip(event["inputs"], inner["inputs"])]
    outputs = [counted(item, other) for item, other in zip(event["outputs"], inner["outputs"])]
    return {**event, "inputs": inputs, "outputs": outputs or event["outputs"]}


def counted(item: Dataset, other: Dataset) -> Dataset:
    """A dataset of an event with the counts of another event's."""
    item = {**item}
    if "inputFacets" in other:
        item["inputFacets"] = other["inputFacets"]
    if "outputFacets" in other:
        item["outputFacets"] = other["outputFacets"]
    return item


def without_counts(event: RunEvent) -> RunEvent:
    """An event without how much was read and written."""
    inputs = [uncounted(item) for item in event["inputs"]]
    return {**event, "inputs": inputs, "outputs": [uncounted(item) for item in event["outputs"]]}


def uncounted(item: Dataset) -> Dataset:
    """A dataset of an event without how much was read or written."""
    item = {**item}
    item.pop("inputFacets", None)
    item.pop("outputFacets", None)
    return item

"""From messages to the store, batch by batch: add, report what is refused, commit the offsets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from typing import Any, NamedTuple, Protocol

from airflow_colgraph.cli.event_documents import Document, documents
from airflow_colgraph.collector.sinks.outbox import Busy
from airflow_colgraph.delivery import BATCH, Answer, again
from airflow_colgraph.store.store import Added


class Message(Protocol):
    """What is read of a message of Kafka's client."""

    def topic(self) -> Any:
        """The topic."""

    def partition(self) -> Any:
        """The number of the partition."""

    def offset(self) -> Any:
        """The offset in the partition."""

    def value(self) -> Any:
        """The bytes, or None."""


class Source(Protocol):
    """Where messages come from; see `kafka_topics.Topics`."""

    def is_at_end(self) -> bool:
        """Whether all is read that is to be read."""

    def batch(self, most: int) -> Sequence[Any]:
        """The next messages."""

    def stay(self, seconds: float, is_stopped: Callable[[], bool]) -> None:
        """Wait."""

    def commit(self, messages: Sequence[Any]) -> None:
        """Commit the offsets after the messages."""

    def behind(self) -> int:
        """How many messages are not read."""


class Counts(NamedTuple):
    """Events that were added, those of them in part, and messages that were refused."""

    added: int = 0
    in_part: int = 0
    refused: int = 0
    unsent: int = 0  # of the refused messages, those that are in no topic


class Checked(NamedTuple):
    """What the store answered to a batch."""

    added: int
    refused: list[tuple[Any, str]]  # messages, with the reason
    in_part: list[tuple[Any, str]]


class Stopped(Exception):
    """A stop was asked for while the store or a broker was waited for; nothing is committed."""


class Consumption(NamedTuple):
    """The parts of a run: where events come from and go to, and when it ends.

    `refuse` takes messages with the reason, and returns how many are in no topic. `warn` is told of
    what is waited for and of parts that are left out, `show` of the counts after each batch.
    """

    source: Source
    add: Callable[[Sequence[Any]], Added]
    refuse: Callable[[Sequence[tuple[Any, str]]], int]
    is_stopped: Callable[[], bool]
    warn: Callable[[str], None]
    show: Callable[[Counts, int], None]

    def run(self) -> tuple[Counts, str]:
        """Read until the end or a stop; a batch that is begun is ended.

        Returns:
            The counts, and what a batch waited for that could not be ended when the stop came.
        """
        counts = Counts()
        while not (self.is_stopped() or self.source.is_at_end()):
            messages = self.source.batch(BATCH)
            if messages:
                try:
                    counts = self._batch(messages, counts)
                except Stopped as error:
                    return counts, str(error)
                self.show(counts, self.source.behind())
        return counts, ""

    def require_store(self) -> None:
        """Wait for the store, and have its tables made."""
        self._again(partial(self.add, []))

    def _batch(self, messages: Sequence[Message], counts: Counts) -> Counts:
        checked = self._again(partial(add_messages, self.add, messages))
        for message, why in checked.in_part:
            self.warn(f"{place(message)}: a part is left out. {why}")
        unsent = self._again(partial(self.refuse, checked.refused)) if checked.refused else 0
        self._again(partial(self.source.commit, messages))
        return Counts(
            counts.added + checked.added,
            counts.in_part + len(checked.in_part),
            counts.refused + len(checked.refused),
            counts.unsent + unsent,
        )

    def _again(self, call: Callable[[], Answer]) -> Answer:
        said = ""

        def wait(seconds: float, error: Busy) -> None:
            nonlocal said
            if str(error) != said:
                said = str(error)
                self.warn(f"{said.rstrip('.')}. It is tried again until it succeeds.")
            self.source.stay(seconds, self.is_stopped)
            if self.is_stopped():
                raise Stopped(said)

        return again(call, inf, wait)


def add_messages(add: Callable[[Sequence[Any]], Added], messages: Sequence[Message]) -> Checked:
    """Add the events in messages; one with a refused event is refused, and its others are added."""
    read = [(message, document) for message in messages for document in documents_of(message)]
    events = [(message, each) for message, each in read if not each.problem]
    added = add([document.value for _, document in events])
    reasons = [(message, each.problem) for message, each in read if each.problem]
    reasons += [(events[at][0], why) for at, why in added.refused]
    in_part = [(events[at][0], why) for at, why in added.malformed]
    return Checked(len(events) - len(added.refused), by_message(reasons), in_part)


def documents_of(message: Message) -> list[Document]:
    """The JSON documents in a message: an event, or a list of events; none without a value."""
    value = message.value()
    return list(documents((value + b"\n").splitlines(keepends=True))) if value else []


def by_message(reasons: Sequence[tuple[Message, str]]) -> list[tuple[Message, str]]:
    """Each message once, in the order of its offset, with all its reasons in one line."""
    lines: dict[tuple[str, int, int], tuple[Message, list[str]]] = {}
    for message, why in reasons:
        key = (message.topic(), message.partition(), message.offset())
        lines.setdefault(key, (message, []))[1].append(why)
    return [(message, "; ".join(whys)) for message, whys in (lines[key] for key in sorted(lines))]


def place(message: Message) -> str:
    """A message's place, such as `lineage/0 at offset 7`."""
    return f"{message.topic()}/{message.partition()} at offset {message.offset()}"

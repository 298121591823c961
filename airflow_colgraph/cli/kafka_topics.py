"""Kafka topics as a source of messages, whose offsets are committed when the caller says so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from time import monotonic
from typing import TypeAlias

from confluent_kafka import (
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)

from airflow_colgraph.cli.errors import BadInput, Failed
from airflow_colgraph.cli.kafka_settings import Settings, shown
from airflow_colgraph.collector.sinks.outbox import Busy
from airflow_colgraph.delivery import again

SECONDS = 10.0  # that a broker may take for an answer
POLL = 1.0  # seconds, after which a stop is seen
MOST_IDLE = 60  # polls without an answer, before the end of the partitions is given up
AFTER = re.compile(r" \(after \d+ms in state \w+\)")
DELETED = "{} to {} were deleted from the topic before they were read"
Partition: TypeAlias = tuple[str, int]
Say: TypeAlias = Callable[[str], None]

# What passes without help: brokers restart, move partitions, or a group shares them out again.
PASSING = {
    KafkaError._TRANSPORT,
    KafkaError._ALL_BROKERS_DOWN,
    KafkaError._TIMED_OUT,
    KafkaError._RESOLVE,
    KafkaError._WAIT_COORD,
    KafkaError._MAX_POLL_EXCEEDED,
    KafkaError.REQUEST_TIMED_OUT,
    KafkaError.NETWORK_EXCEPTION,
    KafkaError.LEADER_NOT_AVAILABLE,
    KafkaError.NOT_LEADER_FOR_PARTITION,
    KafkaError.COORDINATOR_NOT_AVAILABLE,
    KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
    KafkaError.NOT_COORDINATOR,
}
# A commit after another member has got the partitions: that one reads the messages again.
MOVED = {
    KafkaError.ILLEGAL_GENERATION,
    KafkaError.UNKNOWN_MEMBER_ID,
    KafkaError.REBALANCE_IN_PROGRESS,
}


class Topics:
    """The messages of topics, by batches: as a member of a group, or up to the present end."""

    def __init__(self, settings: Settings, names: Sequence[str], warn: Say, lost: Say) -> None:
        """Make a consumer; `lost` is told of messages that were deleted before they were read."""
        self._settings = settings
        self._names = names
        self._warn = warn
        self._lost = lost
        self._trouble = ""  # the last that librdkafka has reported
        self._warned: set[str] = set()
        self._is_reading = False  # before, no broker is an error
        self._unfinished: dict[Partition, int] | None = None  # the offsets after the last ones
        self._next: dict[Partition, int] = {}  # the offsets after those that were read
        self._early: list[Message] = []  # that came while the store was waited for
        self._idle = 0
        with valid(settings):
            self._consumer = Consumer({**settings, "error_cb": self._report})

    @property
    def brokers(self) -> str:
        """The brokers as the user has named them."""
        return self._settings["bootstrap.servers"]

    def require(self, topic: str) -> list[TopicPartition]:
        """The partitions of a topic; BadInput if there is none, Failed if no broker answers."""
        try:
            metadata = self._consumer.list_topics(topic, SECONDS).topics[topic]
        except KafkaException as error:
            self._consumer.poll(0)  # reports what librdkafka has met
            # A broker that expects TLS or SASL closes other connections without a reason.
            protocol = self._settings.get("security.protocol", "plaintext")
            hint = f"{self._text(error.args[0])}; security.protocol is {protocol}"
            why = self._trouble or hint
            raise Failed(f"No broker of {self.brokers} answers: {why}.") from None
        if metadata.error and metadata.error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
            raise BadInput(f"There is no topic {topic} at {self.brokers}.")
        if metadata.error:
            raise Failed(f"The topic {topic} cannot be read: {self._text(metadata.error)}.")
        return [TopicPartition(topic, number) for number in metadata.partitions]

    def follow(self) -> None:
        """Join the group, and share the partitions with its other members."""
        self._is_reading = True
        self._consumer.subscribe(list(self._names), on_assign=lambda _, new: self._check(new))

    def read_to_end(self) -> None:
        """Read all partitions, without the group's other members, as far as they reach now."""
        partitions = [partition for name in self._names for partition in self.require(name)]
        with self._failing("The topics cannot be read"):
            self._unfinished = {
                (each.topic, each.partition): self._bounds(each)[1] for each in partitions
            }
            self._check(partitions)
            self._consumer.assign(partitions)
        self._is_reading = True

    def is_at_end(self) -> bool:
        """Whether all is read that was there at the start; never if the topics are followed."""
        return self._unfinished is not None and not self._unfinished

    def behind(self) -> int:
        """How many messages of the partitions are not read, as far as is known."""
        total = 0
        for partition in self._consumer.assignment():
            bounds = self._consumer.get_watermark_offsets(partition, cached=True)
            read = self._next.get((partition.topic, partition.partition))
            if bounds and read is not None:
                total += max(0, bounds[1] - read)
        return total

    def batch(self, most: int) -> list[Message]:
        """The next messages; none if there are none within a second."""
        early, self._early = self._early, []
        with self._failing("The topics cannot be read"):
            answers = early or self._consumer.consume(most, timeout=POLL)
        self._idle = 0 if answers else self._idle + 1
        if answers:
            self._warned.clear()
        if self._unfinished and self._idle > MOST_IDLE:
            why = self._trouble or "the end of the partitions is not reached"
            raise Failed(f"No message came from {self.brokers} for a minute: {why}.")
        return [message for message in answers if self._is_message(message)]

    def stay(self, seconds: float, is_stopped: Callable[[], bool]) -> None:
        """Wait, and stay a member of the group meanwhile."""
        until = monotonic() + seconds
        while (left := until - monotonic()) > 0 and not is_stopped():
            self._consumer.pause(self._consumer.assignment())
            message = self._consumer.poll(min(left, POLL))
            if message is not None:  # of a partition that has just been assigned
                self._early.append(message)
        self._consumer.resume(self._consumer.assignment())

    def commit(self, messages: Sequence[Message]) -> None:
        """Commit the offsets after these messages, of the partitions that are still ours."""
        ours = {(each.topic, each.partition) for each in self._consumer.assignment()}
        after = offsets_after(messages)
        offsets = [TopicPartition(*key, after[key]) for key in after.keys() & ours]
        if not offsets:
            return
        try:
            committed = self._consumer.commit(offsets=offsets, asynchronous=False) or []
        except KafkaException as error:
            self._uncommitted(error.args[0])
        else:
            for partition in committed:
                if partition.error:
                    self._uncommitted(partition.error)

    def close(self) -> None:
        """Leave the group."""
        self._consumer.close()

    def _uncommitted(self, error: KafkaError) -> None:
        if error.code() in PASSING:
            raise Busy(f"The offsets are not committed: {self._text(error)}")
        if error.code() not in MOVED:
            raise Failed(f"The offsets are not committed: {self._text(error)}.")
        group = self._settings["group.id"]
        if self._unfinished is not None:
            raise Failed(f"The group {group} has other members. Stop them, or name another one.")
        self._warn(f"The partitions of {group} were shared out again: some are read twice.")

    def _is_message(self, message: Message) -> bool:
        error = message.error()
        key = (str(message.topic()), message.partition() or 0)
        if error is None:
            self._reached(key, (message.offset() or 0) + 1)
            return True
        if error.code() == KafkaError._PARTITION_EOF:
            self._finish(key)
        elif error.code() in PASSING and not error.fatal():
            self._report(error)
        else:
            raise Failed(f"The topics cannot be read: {self._text(error)}.")
        return False

    def _reached(self, key: Partition, offset: int) -> None:
        self._next[key] = offset
        if self._unfinished is not None and offset >= self._unfinished.get(key, 0):
            self._finish(key)

    def _finish(self, key: Partition) -> None:
        if self._unfinished is not None:
            self._unfinished.pop(key, None)

    def _check(self, partitions: list[TopicPartition]) -> None:
        """Tell of messages that were deleted since the group has read the partitions."""
        with self._failing("The group's offsets cannot be read"):
            asked = partial(self._committed, partitions)
            for partition in again(asked, monotonic() + SECONDS):
                first, _ = self._bounds(partition)
                if 0 <= partition.offset < first:
                    offsets = DELETED.format(partition.offset, first - 1)
                    self._lost(f"{partition.topic}/{partition.partition}: offsets {offsets}.")

    def _committed(self, partitions: list[TopicPartition]) -> list[TopicPartition]:
        try:
            return self._consumer.committed(partitions, SECONDS)
        except KafkaException as error:
            if error.args[0].code() in PASSING:  # a new cluster makes its topic of offsets
                raise Busy(self._text(error.args[0])) from None
            raise

    def _bounds(self, partition: TopicPartition) -> tuple[int, int]:
        """The first offset that is there, and the one after the last."""
        bounds = self._consumer.get_watermark_offsets(partition, SECONDS)
        if bounds is None:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT))
        return bounds

    def _report(self, error: KafkaError) -> None:
        """Warn of what librdkafka meets, once until the next message comes."""
        if error.code() == KafkaError._ALL_BROKERS_DOWN:  # each of them has been reported
            return
        self._trouble = self._text(error)
        if self._is_reading and self._trouble not in self._warned:
            self._warned.add(self._trouble)
            self._warn(f"Kafka: {self._trouble}.")

    def _text(self, error: KafkaError) -> str:
        return AFTER.sub("", shown(error.str(), self._settings)).rstrip(".")

    @contextmanager
    def _failing(self, what: str) -> Iterator[None]:
        try:
            yield
        except KafkaException as error:
            raise Failed(f"{what}: {self._text(error.args[0])}.") from None
        except Busy as error:
            raise Failed(f"{what}: {error}.") from None


@contextmanager
def valid(settings: Settings) -> Iterator[None]:
    """An error in the properties of a client as BadInput, without their secrets."""
    try:
        yield
    except KafkaException as error:
        raise BadInput(f"{shown(error.args[0].str(), settings).rstrip('.')}.") from None
    except (TypeError, ValueError) as error:  # properties that take a function of Python's
        raise BadInput(f"A property of Kafka is invalid: {shown(str(error), settings)}.") from None


def offsets_after(messages: Sequence[Message]) -> dict[Partition, int]:
    """Of each partition, the offset after the last of its messages."""
    after: dict[Partition, int] = {}
    for message in messages:
        key = (str(message.topic()), message.partition() or 0)
        after[key] = max(after.get(key, 0), (message.offset() or 0) + 1)
    return after

"""The topic of messages that the store refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from airflow_colgraph.cli.kafka_settings import Settings, shown
from airflow_colgraph.cli.kafka_topics import PASSING, SECONDS, valid
from airflow_colgraph.collector.sinks.outbox import Busy

Refused = Sequence[tuple[Message, str]]
REASON = "colgraph.reason"
PLACE = ("colgraph.topic", "colgraph.partition", "colgraph.offset")


class Failure(NamedTuple):
    """A refused message that the topic did not take, and both reasons."""

    message: Message
    why: str
    error: KafkaError


class ErrorsTopic:
    """Sends refused messages to a topic, as they came and with the reason as a header."""

    def __init__(self, settings: Settings, topic: str, report: Callable[[Refused], int]) -> None:
        """Make a producer; `report` is given what the topic does not take, such as for its size."""
        self._topic = topic
        self._settings = settings
        self._report = report
        with valid(settings):
            self._producer = Producer({**settings, "error_cb": lambda error: None})

    def send(self, refused: Refused) -> int:
        """Send the messages and wait for the brokers; returns how many the topic did not take.

        If the brokers are away (Busy), messages may be sent twice.
        """
        failed: list[Failure] = []
        for message, why in refused:
            self._produce(message, why, failed)
        if self._producer.flush(SECONDS):
            self._producer.purge()
            self._producer.flush(SECONDS)
            raise Busy(f"The topic {self._topic} takes no messages")
        passing = [each.error for each in failed if each.error.code() in PASSING]
        if passing:
            raise Busy(f"The topic {self._topic} takes no messages: {self._text(passing[0])}")
        return self._report(
            [(each.message, f"{each.why} ({self._text(each.error)})") for each in failed]
        )

    def _produce(self, message: Message, why: str, failed: list[Failure]) -> None:
        def delivered(error: KafkaError | None, _: Message) -> None:
            if error is not None:
                failed.append(Failure(message, why, error))

        try:
            self._producer.produce(
                self._topic,
                value=message.value(),
                key=message.key(),
                headers=[*(message.headers() or ()), *headers(message, why)],
                on_delivery=delivered,
            )
        except KafkaException as error:
            failed.append(Failure(message, why, error.args[0]))

    def _text(self, error: KafkaError) -> str:
        return shown(error.str(), self._settings)


def headers(message: Message, why: str) -> list[tuple[str, bytes]]:
    """The headers that say why a message is refused, and where it was."""
    places = (message.topic(), message.partition(), message.offset())
    texts = [str(each).encode() for each in places]
    return [(REASON, why.encode()), *zip(PLACE, texts, strict=True)]

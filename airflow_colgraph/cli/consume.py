"""`colgraph consume`: OpenLineage events from Kafka topics into the store."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from airflow_colgraph import delivery
from airflow_colgraph.cli.consumption import Consumption, Counts, Stopped, place
from airflow_colgraph.cli.errors import BadInput, print_error, print_warning
from airflow_colgraph.cli.kafka_settings import (
    Settings,
    consumer_settings,
    producer_settings,
    read,
    user_settings,
)
from airflow_colgraph.cli.options import FILE, extra
from airflow_colgraph.cli.progress import status_line
from airflow_colgraph.cli.store_access import store_errors, store_option
from airflow_colgraph.store.default_url import default_url
from airflow_colgraph.store.store import Store

if TYPE_CHECKING:
    from airflow_colgraph.cli.kafka_topics import Topics

Refuse = Callable[[Sequence[tuple[Any, str]]], int]


@click.command()
@click.option(
    "--brokers",
    required=True,
    metavar="HOST:PORT,...",
    help="Brokers of the cluster, separated by commas.",
)
@click.option(
    "--topic",
    "topics",
    required=True,
    multiple=True,
    metavar="TOPIC",
    help="A topic of OpenLineage events; may be given again.",
)
@click.option(
    "--group",
    default="colgraph",
    show_default=True,
    metavar="NAME",
    help="The consumer group. Its members share the partitions.",
)
@click.option(
    "--errors-topic",
    metavar="TOPIC",
    help="Where messages go that are refused, with the reason in the header colgraph.reason.",
)
@click.option(
    "--config",
    "lines",
    multiple=True,
    metavar="NAME=VALUE",
    help="A property of librdkafka, e.g. security.protocol=SASL_SSL; may be given again. In a "
    "value, ${env:NAME} is an environment variable and ${directory:FOLDER:FILE} a file's content.",
)
@click.option(
    "--config-file",
    type=FILE,
    metavar="FILE",
    help="A file with a property a line, as of --config; --config wins.",
)
@click.option(
    "--until-end",
    is_flag=True,
    help="Stop at the end that the partitions have at the start. The group must have no members.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print only errors and warnings.")
@store_option
@click.pass_context
def consume(
    context: click.Context,
    brokers: str,
    topics: tuple[str, ...],
    group: str,
    errors_topic: str | None,
    lines: tuple[str, ...],
    config_file: Path | None,
    until_end: bool,
    quiet: bool,
) -> None:
    """Add the OpenLineage events in Kafka topics, until interrupted.

    Offsets are committed after the store has committed their events, so that none is lost; one
    that is read twice is stored once. A group that is new reads a topic from its beginning. While
    the store is unavailable it is tried again, with pauses of up to 30 seconds, and nothing is
    committed. SIGTERM and Ctrl-C end after the batch.

    A message has one JSON event, or a list of events; one without a value is passed over. A message
    that is refused for what it is goes to --errors-topic, else it is reported on standard error.
    The exit code is then 1, as it is if messages were deleted before they were read, and if the
    store or the brokers fail.

    Example: colgraph consume --brokers kafka:9092 --topic lineage --errors-topic refused
    """
    if errors_topic in topics:
        raise BadInput(f"{errors_topic} cannot be both --topic and --errors-topic.")
    with extra("kafka", "Reading from Kafka"):
        from airflow_colgraph.cli.kafka_errors import ErrorsTopic
        from airflow_colgraph.cli.kafka_topics import Topics
    user = _of_file(config_file) | user_settings(lines, os.environ)
    lost: list[str] = []
    with store_errors(), stops() as is_stopped, status_line() as show:
        say = Voice(show, lost)
        add = delivery.adding(Store(context.obj or default_url(), seconds=delivery.STORE_SECONDS))
        settings = consumer_settings(brokers, group, user)
        source = Topics(settings, topics, say.warn, say.lost)
        try:
            for topic in filter(None, [*topics, errors_topic]):
                source.require(topic)
            refuse: Refuse = say.refused
            if errors_topic:
                refuse = ErrorsTopic(producer_settings(brokers, user), errors_topic, refuse).send
            run = Consumption(source, add, refuse, is_stopped, say.warn, say.counts)
            counts, left = _run(run, source, until_end)
        finally:
            source.close()
    _print(counts, errors_topic, quiet)
    if left:
        print_error(f"It was stopped while it waited: {left.rstrip('.')}. The rest is read again.")
    sys.exit(1 if counts.unsent or lost or left else 0)


class Voice(NamedTuple):
    """What is said while messages are read, beside the line that shows how far it is."""

    show: Callable[[str], None]
    losses: list[str]

    def warn(self, text: str) -> None:
        """Print a warning."""
        self.show("")
        print_warning(text)

    def lost(self, text: str) -> None:
        """Print an error, and remember it for the exit code."""
        self.show("")
        print_error(text)
        self.losses.append(text)

    def refused(self, messages: Sequence[tuple[Any, str]]) -> int:
        """Print why messages are refused; returns how many are in no topic: all."""
        self.show("")
        for message, why in messages:
            print_error(f"{place(message)}: {why}")
        return len(messages)

    def counts(self, counts: Counts, behind: int) -> None:
        """Show how far it is."""
        self.show(f"{summary(counts)}; {behind:,} messages behind")


def _run(run: Consumption, source: Topics, until_end: bool) -> tuple[Counts, str]:
    """The counts, and what was waited for when it was stopped."""
    try:
        run.require_store()
        source.read_to_end() if until_end else source.follow()
    except Stopped as error:
        return Counts(), str(error)
    return run.run()


@contextmanager
def stops() -> Iterator[Callable[[], bool]]:
    """Whether SIGTERM or SIGINT has come; a second one ends the process as usual."""
    came: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        came.append(number)
        signal.signal(number, before[signal.Signals(number)])

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield lambda: bool(came)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _of_file(file: Path | None) -> Settings:
    """The properties in a file."""
    return user_settings(read(file).splitlines(), os.environ, str(file)) if file else {}


def summary(counts: Counts, refused_to: str | None = None) -> str:
    """The counts in words.

    >>> summary(Counts(1204, 0, 2), "lineage-errors")
    '1204 events added, 2 messages refused: see the topic lineage-errors'
    """
    in_part = f", {counts.in_part} of them in part" if counts.in_part else ""
    where = f": see the topic {refused_to}" if refused_to else ""
    refused = f", {counts.refused} messages refused{where}" if counts.refused else ""
    return f"{counts.added} events added{in_part}{refused}"


def _print(counts: Counts, errors_topic: str | None, quiet: bool) -> None:
    if not quiet:
        click.echo(summary(counts, errors_topic))

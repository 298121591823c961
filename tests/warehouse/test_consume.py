"""`colgraph consume` with a real broker: nothing is lost, whatever stops in between."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest
from click.testing import CliRunner, Result
from confluent_kafka import Consumer, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from airflow_colgraph.cli import main
from airflow_colgraph.store.store import Store
from tests.warehouse.broker.process import PASSWORD, Broker
from tests.warehouse.random_events import random_events
from tests.warehouse.tables import store_tables, stored

pytestmark = [pytest.mark.spark, pytest.mark.warehouse, pytest.mark.xdist_group("warehouse")]
pytestmark += [pytest.mark.jars]

EVENTS = random_events(6, 90)


class Topic:
    """A topic of two partitions, its messages and what a group has committed."""

    def __init__(self, servers: str, name: str) -> None:
        self.servers, self.name = servers, name
        self.admin = AdminClient({"bootstrap.servers": servers, "log_level": 0})
        for future in self.admin.create_topics([NewTopic(name, 2)]).values():
            future.result(30)

    def send(self, values: list[Any]) -> None:
        producer = Producer({"bootstrap.servers": self.servers})
        for number, value in enumerate(values):
            raw = value if isinstance(value, bytes | None) else orjson.dumps(value)
            producer.produce(self.name, raw, key=f"k{number}", partition=number % 2)
        assert producer.flush(30) == 0

    def messages(self, count: int) -> list[Message]:
        reader = Consumer({"bootstrap.servers": self.servers, "group.id": "reader"})
        reader.assign([TopicPartition(self.name, number, 0) for number in (0, 1)])
        messages = reader.consume(count, timeout=20)
        reader.close()
        return messages

    def committed(self, group: str = "colgraph") -> list[int]:
        reader = Consumer({"bootstrap.servers": self.servers, "group.id": group})
        asked = [TopicPartition(self.name, number) for number in (0, 1)]
        for _ in range(40):
            with suppress(KafkaException):  # the first group's coordinator is made on demand
                offsets = [max(part.offset, 0) for part in reader.committed(asked, 20)]
                reader.close()
                return offsets
            time.sleep(0.5)
        raise AssertionError("no broker knows the group's offsets")

    def delete_before(self, offset: int) -> None:
        parts = [TopicPartition(self.name, number, offset) for number in (0, 1)]
        for future in self.admin.delete_records(parts).values():
            future.result(30)


@pytest.fixture
def topic(servers: str, request: pytest.FixtureRequest) -> Topic:
    return Topic(servers, f"consume-{abs(hash(request.node.name))}")


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/lineage.db"


def words(topic: Topic, url: str, *more: str) -> list[str]:
    names = ["--brokers", topic.servers, "--topic", topic.name, "--group", topic.name]
    return ["consume", "--store", url, *names, *more]


def consume(topic: Topic, url: str, *more: str) -> Result:
    return CliRunner().invoke(main, words(topic, url, "--until-end", *more))


def tables(url: str) -> Any:
    with Store.open(url, create=False) as store:
        return store_tables(store)


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.2)


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start `colgraph` in a process of its own; the log is in tmp_path."""
    running = []

    def start(command: list[str]) -> subprocess.Popen[str]:
        code = "from airflow_colgraph.cli import main; main()"
        with open(tmp_path / "log", "a") as log:
            process = subprocess.Popen(
                [sys.executable, "-c", code, *command], stdout=log, stderr=log, text=True
            )
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.wait()


def test_all_events_are_in_the_store_once_and_the_next_run_reads_only_new_ones(
    topic: Topic, url: str
) -> None:
    topic.send([*EVENTS[:40], None, EVENTS[40:50]])
    first = consume(topic, url)
    assert (first.exit_code, first.output) == (0, "50 events added\n")
    assert tables(url) == stored(EVENTS[:50])
    assert topic.committed(topic.name) == [21, 21]
    again = consume(topic, url)
    assert (again.exit_code, again.output) == (0, "0 events added\n")
    topic.send(EVENTS[50:])
    assert consume(topic, url).output == "40 events added\n"
    assert tables(url) == stored(EVENTS)


def test_what_is_refused_is_named_and_the_others_are_added(topic: Topic, url: str) -> None:
    topic.send([EVENTS[0], b"{torn", EVENTS[1], {"run": 1}])
    done = consume(topic, url)
    assert (done.exit_code, done.stdout) == (1, "2 events added, 2 messages refused\n")
    torn, event = done.stderr.splitlines()
    assert torn.startswith(f"colgraph: error: {topic.name}/1 at offset 0: not JSON")
    assert event.startswith(f"colgraph: error: {topic.name}/1 at offset 1: ")
    assert topic.committed(topic.name) == [2, 2]
    assert tables(url) == stored(EVENTS[:2])


def test_what_is_refused_goes_to_a_topic_with_the_reason(topic: Topic, url: str) -> None:
    errors = Topic(topic.servers, f"{topic.name}-errors")
    topic.send([EVENTS[0], b"{torn", EVENTS[1], [EVENTS[2], {"run": 1}]])
    done = consume(topic, url, "--errors-topic", errors.name)
    where = f"see the topic {errors.name}"
    assert done.output == f"3 events added, 2 messages refused: {where}\n"
    assert done.exit_code == 0
    by_offset = {dict(each.headers())["colgraph.offset"]: each for each in errors.messages(2)}
    torn, event = by_offset[b"0"], by_offset[b"1"]
    assert (torn.key(), torn.value()) == (b"k1", b"{torn")
    headers = dict(torn.headers())
    assert headers["colgraph.reason"].startswith(b"not JSON")
    place = (headers["colgraph.topic"], headers["colgraph.partition"])
    assert place == (topic.name.encode(), b"1")
    assert json.loads(event.value())[1] == {"run": 1}


def test_nothing_is_committed_while_the_store_is_away(
    topic: Topic, url: str, tmp_path: Path, started: Any
) -> None:
    process = started(words(topic, url))
    topic.send(EVENTS[:2])
    wait_until(lambda: topic.committed(topic.name) == [1, 1])
    with sqlite3.connect(tmp_path / "lineage.db", isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        topic.send(EVENTS[2:])
        wait_until(lambda: "tried again" in (tmp_path / "log").read_text(), 120)
        assert process.poll() is None
        assert topic.committed(topic.name) == [1, 1]
        other.execute("ROLLBACK")
    wait_until(lambda: topic.committed(topic.name) == [45, 45])
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0
    assert (tmp_path / "log").read_text().endswith("90 events added\n")
    assert tables(url) == stored(EVENTS)


def test_a_store_that_is_away_from_the_start_is_waited_for_until_sigterm(
    topic: Topic, tmp_path: Path, started: Any
) -> None:
    topic.send(EVENTS[:2])
    process = started(words(topic, "postgresql://etl:hunter2@127.0.0.1:9/lineage"))
    wait_until(lambda: "tried again" in (tmp_path / "log").read_text())
    process.terminate()
    assert process.wait(30) == 1
    log = (tmp_path / "log").read_text()
    assert "It was stopped while it waited: " in log
    assert "hunter2" not in log
    assert topic.committed(topic.name) == [0, 0]


def test_two_members_of_a_group_share_a_topic_also_if_one_is_killed(
    topic: Topic, url: str, tmp_path: Path, started: Any
) -> None:
    command = words(topic, url, "--config", "session.timeout.ms=6000")
    killed, other = started(command), started(command)
    topic.send(EVENTS[:30])
    wait_until(lambda: sum(topic.committed(topic.name)) > 0)
    os.kill(killed.pid, signal.SIGKILL)
    topic.send(EVENTS[30:])
    wait_until(lambda: topic.committed(topic.name) == [45, 45])
    other.terminate()
    assert other.wait(30) == 0
    assert tables(url) == stored(EVENTS)


def test_messages_that_were_deleted_before_they_were_read_are_an_error(
    topic: Topic, url: str
) -> None:
    topic.send(EVENTS[:2])
    assert consume(topic, url).exit_code == 0
    topic.send(EVENTS[2:12])
    topic.delete_before(4)
    done = consume(topic, url)
    assert (done.exit_code, done.stdout) == (1, "4 events added\n")
    deleted = "offsets 1 to 3 were deleted from the topic before they were read."
    assert sorted(done.stderr.splitlines()) == [
        f"colgraph: error: {topic.name}/{number}: {deleted}" for number in (0, 1)
    ]


def test_a_group_with_members_is_not_read_to_the_end_beside_them(
    topic: Topic, url: str, started: Any
) -> None:
    member = started(words(topic, url))
    topic.send(EVENTS[:2])
    wait_until(lambda: topic.committed(topic.name) == [1, 1])
    member.send_signal(signal.SIGSTOP)  # it stays a member for its session.timeout.ms
    topic.send(EVENTS[2:4])
    done = consume(topic, url)
    expected = f"The group {topic.name} has other members. Stop them, or name another one."
    assert (done.exit_code, done.stderr) == (1, f"colgraph: error: {expected}\n")
    member.send_signal(signal.SIGCONT)
    wait_until(lambda: topic.committed(topic.name) == [2, 2])


class Secure(NamedTuple):
    """A file of properties for the listener with SASL and TLS."""

    file: Path
    topic: Topic
    url: str

    def consume(self, *more: str) -> Result:
        return consume(self.topic, self.url, "--config-file", str(self.file), *more)


@pytest.fixture
def secure(kafka: Broker, topic: Topic, url: str, tmp_path: Path) -> Secure:
    lines = ["security.protocol=SASL_SSL", "sasl.mechanism=PLAIN", "sasl.username=etl"]
    lines += [f"ssl.ca.location={kafka.certificate}", "sasl.password=${env:KAFKA_WORD}"]
    (tmp_path / "kafka.properties").write_text("\n".join(lines))
    topic.send([*EVENTS[:2], b"{torn"])
    topic.servers = kafka.secure
    return Secure(tmp_path / "kafka.properties", topic, url)


def test_messages_are_read_and_refused_with_sasl_and_tls(
    secure: Secure, servers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors = Topic(servers, f"{secure.topic.name}-errors")
    monkeypatch.setenv("KAFKA_WORD", PASSWORD)
    done = secure.consume("--errors-topic", errors.name)
    refused = f"1 messages refused: see the topic {errors.name}"
    assert (done.output, done.exit_code) == (f"2 events added, {refused}\n", 0)
    assert tables(secure.url) == stored(EVENTS[:2])
    assert [message.value() for message in errors.messages(1)] == [b"{torn"]


@pytest.mark.parametrize(
    ("word", "options", "why"),
    [
        ("s3cret-wrong", (), "SASL authentication error: Authentication failed"),
        (PASSWORD, ("--config", "ssl.ca.location=probe"), "certificate verify failed"),
        (
            PASSWORD,
            ("--config", "security.protocol=SASL_PLAINTEXT"),
            "security.protocol is SASL_PLAINTEXT",
        ),
    ],
)
def test_what_sasl_and_tls_refuse_is_one_line_without_the_password(
    secure: Secure, word: str, options: tuple[str, ...], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KAFKA_WORD", word)
    done = secure.consume(*options)
    assert (done.exit_code, done.stderr.count("\n"), done.stdout) == (1, 1, "")
    assert f"No broker of {secure.topic.servers} answers: " in done.stderr
    assert why in done.stderr
    assert word not in done.stderr


def test_errors_are_one_line_without_secrets(topic: Topic, url: str) -> None:
    wrong = consume(topic, url, "--topic", "none")
    assert (wrong.exit_code, wrong.stderr) == (
        2,
        f"colgraph: error: There is no topic none at {topic.servers}.\n",
    )
    errors = consume(topic, url, "--errors-topic", "none-errors")
    assert (errors.exit_code, errors.stderr.count("\n")) == (2, 1)
    secret = ("--config", "sasl.password=hunter2", "--config", "sasl.username=etl")
    sasl = ("--config", "security.protocol=SASL_PLAINTEXT", "--config", "sasl.mechanism=PLAIN")
    denied = consume(topic, url, *secret, *sasl)
    assert denied.exit_code == 1
    assert "hunter2" not in denied.output
    assert "No broker" in denied.stderr

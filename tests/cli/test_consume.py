"""`colgraph consume` without a broker; tests/warehouse/test_consume.py has one."""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner, Result
from confluent_kafka import KafkaError, KafkaException, TopicPartition

from airflow_colgraph import delivery
from airflow_colgraph.cli import kafka_errors, kafka_topics, main, progress
from airflow_colgraph.cli.consume import stops, summary
from airflow_colgraph.cli.consumption import Consumption, Counts, add_messages
from airflow_colgraph.cli.errors import BadInput, Failed
from airflow_colgraph.cli.kafka_settings import consumer_settings, shown, user_settings
from airflow_colgraph.collector.sinks.outbox import Busy
from airflow_colgraph.store.store import Added, Store
from tests.cli.test_store import EVENT


class Message:
    """A message as Kafka's client has it."""

    def __init__(self, offset: int, value: Any, code: int | None = None) -> None:
        self.raw = value if isinstance(value, bytes | None) else orjson.dumps(value)
        self.at, self.code = offset, code

    def topic(self) -> str:
        return "lineage"

    def partition(self) -> int:
        return 0

    def offset(self) -> int:
        return self.at

    def value(self) -> bytes | None:
        return self.raw

    def key(self) -> bytes:
        return b"key"

    def headers(self) -> list[tuple[str, bytes]]:
        return [("by", b"test")]

    def error(self) -> KafkaError | None:
        return None if self.code is None else KafkaError(self.code)


class Source:
    """Batches of messages, and what was done with them."""

    def __init__(self, batches: Sequence[Sequence[Message]]) -> None:
        self.batches = list(batches)
        self.log: list[Any] = []

    def is_at_end(self) -> bool:
        return not self.batches

    def batch(self, most: int) -> Sequence[Message]:
        return self.batches.pop(0)

    def stay(self, seconds: float, is_stopped: Callable[[], bool]) -> None:
        self.log.append(seconds)

    def commit(self, messages: Sequence[Message]) -> None:
        self.log.append(("commit", [message.offset() for message in messages]))

    def behind(self) -> int:
        return sum(map(len, self.batches))


def consumption(source: Source, add: Callable[..., Added], **parts: Any) -> Consumption:
    def refuse(refused: Sequence[tuple[Message, str]]) -> int:
        source.log.append(("refuse", [message.offset() for message, _ in refused]))
        return 0

    more = {"refuse": refuse, "is_stopped": lambda: False, "warn": source.log.append}
    return Consumption(source, add, **{**more, "show": lambda counts, behind: None, **parts})


def test_offsets_are_committed_after_the_store_and_the_refusals() -> None:
    source = Source([[Message(0, EVENT), Message(1, b"{")], [], [Message(2, None)]])
    store = Store.open("sqlite://")

    def add(events: Sequence[Any]) -> Added:
        source.log.append(("add", len(events)))
        return delivery.adding(store)(events)

    counts, left = consumption(source, add).run()
    assert (counts, left) == (Counts(added=1, refused=1), "")
    first = [("add", 1), ("refuse", [1]), ("commit", [0, 1])]
    assert source.log == [*first, ("add", 0), ("commit", [2])]


def test_a_store_that_is_away_is_waited_for_and_said_once() -> None:
    source = Source([[Message(0, EVENT)]])
    answers: list[Any] = [Busy("The store is away."), Busy("The store is away."), Added([], [])]

    def add(events: Sequence[Any]) -> Added:
        answer = answers.pop(0)
        if isinstance(answer, Busy):
            raise answer
        assert isinstance(answer, Added)
        return answer

    counts, _ = consumption(source, add).run()
    assert counts.added == 1
    said = "The store is away. It is tried again until it succeeds."
    assert source.log == [said, 0.5, 1.0, ("commit", [0])]


def test_a_stop_while_the_store_is_away_commits_nothing() -> None:
    source = Source([[Message(0, EVENT)], [Message(1, EVENT)]])

    def add(events: Sequence[Any]) -> Added:
        raise Busy("The store is away.")

    run = consumption(source, add, is_stopped=lambda: 0.5 in source.log)
    assert run.run() == (Counts(), "The store is away.")
    assert "commit" not in str(source.log)


def test_a_batch_that_is_begun_is_ended_by_a_stop() -> None:
    source = Source([[Message(0, EVENT)], [Message(1, EVENT)]])
    run = consumption(source, lambda _: Added([], []), is_stopped=lambda: bool(source.log))
    assert run.run() == (Counts(added=1), "")
    assert source.log == [("commit", [0])]


def test_a_message_is_refused_once_for_all_its_events() -> None:
    events = delivery.adding(Store.open("sqlite://"))
    several = Message(1, [EVENT, {"run": 1}, 3])
    lines = Message(2, orjson.dumps(EVENT, option=orjson.OPT_INDENT_2))
    checked = add_messages(events, [several, lines, Message(0, b"[")])
    assert checked.added == 2
    assert [message.offset() for message, _ in checked.refused] == [0, 1]
    assert checked.refused[1][1].count("; ") == 1


def test_a_part_that_is_left_out_is_a_warning() -> None:
    source = Source([[Message(4, EVENT)]])
    counts, _ = consumption(source, lambda _: Added([], [(0, "No field.")])).run()
    assert (counts.added, counts.in_part) == (1, 1)
    assert source.log[0] == "lineage/0 at offset 4: a part is left out. No field."
    assert summary(counts) == "1 events added, 1 of them in part"


def colgraph(*words: str) -> Result:
    start = ["consume", "--brokers", "127.0.0.1:9", "--topic", "lineage", "--store", "sqlite://"]
    return CliRunner().invoke(main, [*start, *words])


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("kafka_topics", "kafka_errors"):
        monkeypatch.delitem(sys.modules, f"airflow_colgraph.cli.{name}")
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    done = colgraph()
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.endswith("pip install 'colgraph[kafka]'.\n")


def test_a_topic_cannot_take_its_own_errors() -> None:
    done = colgraph("--errors-topic", "lineage")
    message = "lineage cannot be both --topic and --errors-topic."
    assert (done.exit_code, done.stderr) == (2, f"colgraph: error: {message}\n")


def test_a_broker_that_cannot_be_reached_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kafka_topics, "SECONDS", 1)
    done = colgraph()
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert "No broker of 127.0.0.1:9 answers: " in done.stderr
    assert "Connection refused" in done.stderr


def test_properties_are_of_a_file_and_of_options(tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    file.write_text("# of the cluster\n\nsasl.password = hunter2\nsecurity.protocol=none\n")
    done = colgraph("--config-file", str(file), "--config", "sasl.username=etl")
    assert done.exit_code == 2
    assert done.stderr == (
        'colgraph: error: Invalid value "none" for configuration property "security.protocol".\n'
    )


def test_a_property_that_takes_a_function_is_an_error() -> None:
    done = colgraph("--config", "stats_cb=x")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith("colgraph: error: A property of Kafka is invalid: ")


@pytest.mark.parametrize("line", ["hunter2", "=hunter2", "group.id=x", "enable.auto.commit=true"])
def test_what_is_no_property_to_be_set_is_an_error_without_the_value(line: str) -> None:
    with pytest.raises(BadInput) as error:
        user_settings([line], {})
    assert "hunter2" not in str(error.value)


def test_a_line_that_is_no_property_is_named_by_its_place(tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    file.write_text("# of the cluster\nsasl.username=etl\nhunter2\n")
    done = colgraph("--config-file", str(file))
    expected = f"{file}, line 3: a property of Kafka has the form NAME=VALUE."
    assert (done.exit_code, done.stderr) == (2, f"colgraph: error: {expected}\n")


def test_values_come_from_the_environment_and_from_files(tmp_path: Path) -> None:
    (tmp_path / "word").write_text("hunter2\n")
    lines = ["sasl.username=${env:ETL}-x", f"sasl.password = ${{directory:{tmp_path}:word}}"]
    settings = user_settings([*lines, "client.id=$HOME"], {"ETL": "a=${env:B}"})
    expected = {"sasl.username": "a=${env:B}-x", "sasl.password": "hunter2", "client.id": "$HOME"}
    assert settings == expected


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("${env:NOT_SET}", "the environment variable NOT_SET is not set."),
        ("${directory:/nowhere:word}", "/nowhere/word cannot be read: No such file or directory."),
        ("${directory:/dev:shm}", "/dev/shm cannot be read: Is a directory."),
    ],
)
def test_what_a_value_refers_to_has_to_be_there(value: str, why: str) -> None:
    done = colgraph("--config", f"sasl.password={value}")
    assert done.exit_code == 2
    assert why in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_file_of_properties_that_is_no_text_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    file.write_bytes(b"sasl.password=hunter2\xff\n")
    done = colgraph("--config-file", str(file))
    expected = f"colgraph: error: {file} cannot be read: it is not UTF-8.\n"
    assert (done.exit_code, done.stderr) == (2, expected)


def test_the_commands_own_properties_stay() -> None:
    settings = consumer_settings("kafka:9092", "g", {"auto.offset.reset": "latest"})
    assert settings["auto.offset.reset"] == "latest"
    assert (settings["bootstrap.servers"], settings["group.id"]) == ("kafka:9092", "g")
    assert settings["enable.auto.commit"] == "false"


@pytest.mark.parametrize(
    "name", ["sasl.password", "ssl.key.password", "ssl.key.pem", "sasl.oauthbearer.config"]
)
def test_messages_of_the_client_show_no_secret(name: str) -> None:
    settings = {name: "hunter2", "security.protocol": "SASL_SSL"}
    assert shown("SASL_SSL with\nhunter2 failed", settings) == "SASL_SSL with *** failed"


class Consumer:
    """Kafka's consumer with two partitions of a topic; only one of them is ours."""

    answers: Sequence[Message] = ()
    error: KafkaError | None = None

    def __init__(self, settings: Any) -> None:
        self.kept: list[TopicPartition] = []

    def assignment(self) -> list[TopicPartition]:
        return [TopicPartition("lineage", 0)]

    def consume(self, most: int, timeout: float) -> Sequence[Message]:
        return self.answers

    def commit(self, offsets: list[TopicPartition], asynchronous: bool) -> list[TopicPartition]:
        assert not asynchronous
        if self.error:
            raise KafkaException(self.error)
        self.kept += offsets
        return offsets

    def get_watermark_offsets(self, partition: TopicPartition, cached: bool) -> tuple[int, int]:
        return 0, 9


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def topics(monkeypatch: pytest.MonkeyPatch, warnings: list[str]) -> Any:
    monkeypatch.setattr(kafka_topics, "Consumer", Consumer)
    settings = consumer_settings("kafka:9092", "g", {})
    source = kafka_topics.Topics(settings, ["lineage"], warnings.append, warnings.append)
    source._is_reading = True
    return source


def test_the_offset_after_the_last_message_is_committed(topics: Any) -> None:
    topics._consumer.answers = [Message(3, EVENT), Message(4, EVENT)]
    topics.commit(topics.batch(9))
    assert [(each.partition, each.offset) for each in topics._consumer.kept] == [(0, 5)]
    assert topics.behind() == 4


def test_partitions_that_another_member_has_are_not_committed(
    topics: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Consumer, "assignment", lambda self: [TopicPartition("lineage", 1)])
    topics.commit([Message(3, EVENT)])
    assert topics._consumer.kept == []


def test_a_commit_after_partitions_moved_is_a_warning(topics: Any, warnings: list[str]) -> None:
    topics._consumer.error = KafkaError(KafkaError.ILLEGAL_GENERATION)
    topics.commit([Message(3, EVENT)])
    assert warnings == ["The partitions of g were shared out again: some are read twice."]


@pytest.mark.parametrize(
    ("code", "error"),
    [(KafkaError.NOT_COORDINATOR, Busy), (KafkaError.GROUP_AUTHORIZATION_FAILED, Failed)],
)
def test_a_commit_is_tried_again_where_that_helps(
    topics: Any, code: int, error: type[Exception]
) -> None:
    topics._consumer.error = KafkaError(code)
    with pytest.raises(error, match="offsets are not committed"):
        topics.commit([Message(3, EVENT)])


def test_errors_that_pass_are_said_once_and_others_end_the_run(
    topics: Any, warnings: list[str]
) -> None:
    topics._consumer.answers = [Message(0, None, KafkaError._TRANSPORT)] * 2
    assert topics.batch(9) == []
    assert len(warnings) == 1
    topics._consumer.answers = [Message(0, None, KafkaError.TOPIC_AUTHORIZATION_FAILED)]
    with pytest.raises(Failed, match="The topics cannot be read"):
        topics.batch(9)


def test_the_end_is_reached_by_offset_or_by_the_clients_word(topics: Any) -> None:
    topics._unfinished = {("lineage", 0): 5}
    topics._consumer.answers = [Message(3, EVENT)]
    assert len(topics.batch(9)) == 1
    assert not topics.is_at_end()
    topics._consumer.answers = [Message(5, None, KafkaError._PARTITION_EOF)]
    assert topics.batch(9) == []
    assert topics.is_at_end()


def test_an_end_that_is_not_reached_is_an_error(
    topics: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kafka_topics, "MOST_IDLE", 2)
    topics._unfinished = {("lineage", 0): 5}
    assert [topics.batch(9), topics.batch(9)] == [[], []]
    with pytest.raises(Failed, match="the end of the partitions is not reached"):
        topics.batch(9)


def test_offsets_are_asked_for_again_while_the_coordinator_is_made(
    topics: Any, warnings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    partition = TopicPartition("lineage", 0, 2)
    answers: list[Any] = [KafkaException(KafkaError(KafkaError.NOT_COORDINATOR)), [partition]]

    def committed(self: Consumer, partitions: Any, seconds: float) -> Any:
        answer = answers.pop(0)
        if isinstance(answer, KafkaException):
            raise answer
        return answer

    monkeypatch.setattr(Consumer, "committed", committed, raising=False)
    monkeypatch.setattr(Consumer, "get_watermark_offsets", lambda *_: (5, 9))
    topics._check([partition])
    deleted = "offsets 2 to 4 were deleted from the topic before they were read"
    assert warnings == [f"lineage/0: {deleted}."]


class Producer:
    """Kafka's producer, whose topic answers with `error`."""

    error: KafkaError | None = None

    def __init__(self, settings: Any) -> None:
        self.sent: list[dict[str, Any]] = []

    def produce(self, topic: str, on_delivery: Any, **message: Any) -> None:
        self.sent.append(message)
        on_delivery(self.error, None)

    def flush(self, seconds: float) -> int:
        return 0


def test_a_message_that_no_topic_takes_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kafka_errors, "Producer", Producer)
    said: list[Any] = []

    def report(refused: Any) -> int:
        said.extend(why for _, why in refused)
        return len(refused)

    topic: Any = kafka_errors.ErrorsTopic({}, "refused", report)
    refused = [(Message(7, b"{"), "not JSON")]
    assert topic.send(refused) == 0
    place = [("colgraph.topic", b"lineage"), ("colgraph.partition", b"0")]
    reason = ("colgraph.reason", b"not JSON")
    headers = [("by", b"test"), reason, *place, ("colgraph.offset", b"7")]
    assert topic._producer.sent == [{"value": b"{", "key": b"key", "headers": headers}]
    topic._producer.error = KafkaError(KafkaError.MSG_SIZE_TOO_LARGE)
    assert topic.send(refused) == 1
    assert said[0].startswith("not JSON (")
    topic._producer.error = KafkaError(KafkaError._TIMED_OUT)
    with pytest.raises(Busy, match="The topic refused takes no messages"):
        topic.send(refused)


def test_sigterm_is_seen_and_a_second_one_ends_the_process() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with stops() as is_stopped:
        assert not is_stopped()
        os.kill(os.getpid(), signal.SIGTERM)
        assert is_stopped()
        assert signal.getsignal(signal.SIGTERM) == before
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_terminal_has_one_line_that_is_cleared_at_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress.status_line() as show:
        show("1 events added")
    assert capsys.readouterr().err == "\r\x1b[K1 events added\r\x1b[K"

"""Which of Iceberg's commits are reported, by a queue like the JVM's; the real one: tests/spark."""

from collections import deque
from typing import Any

import pytest

from airflow_colgraph.collector.spark import iceberg_commits
from airflow_colgraph.collector.spark.iceberg_commits import LOOK_EVERY, IcebergCommits

ADDED = {"added-data-files": "1"}


class Summary(dict[str, str]):
    """A `java.util.Map`."""

    def containsKey(self, name: str) -> bool:
        return name in self


class Event:
    """A `CreateSnapshotEvent`."""

    def __init__(self, table: str, operation: str = "append", **summary: str) -> None:
        self._table, self._operation, self._summary = table, operation, Summary(summary)

    def tableName(self) -> str:
        return self._table

    def operation(self) -> str:
        return self._operation

    def summary(self) -> Summary:
        return self._summary

    def _detach(self) -> None:
        """It is given back to the JVM."""


class Queue(deque[Event]):
    """A `java.util.concurrent.BlockingQueue`."""

    def poll(self) -> Event | None:
        return self.popleft() if self else None


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> Queue:
    found = Queue()
    monkeypatch.setattr(iceberg_commits, "_queue_of", lambda jvm: found)
    return found


def listening() -> IcebergCommits:
    found = IcebergCommits()
    found.listen(None)
    return found


@pytest.mark.parametrize(
    ("operation", "summary", "is_reported"),
    [
        ("append", ADDED, True),
        ("overwrite", {"deleted-data-files": "1"}, True),
        ("delete", {"added-delete-files": "1"}, True),
        ("append", {"spark.app.id": "app", **ADDED}, False),  # by a query
        ("replace", ADDED, False),  # maintenance
        ("append", {"app-id": "app"}, False),  # a branch of an empty table
    ],
)
def test_commits_by_no_query_are_reported(
    queue: Queue, operation: str, summary: dict[str, Any], is_reported: bool
) -> None:
    commits = listening()
    queue.append(Event("db.t", operation, **summary))
    assert commits.since(0) == (("db.t",) if is_reported else ())


def test_commits_are_reported_once_and_those_of_known_procedures_never(queue: Queue) -> None:
    commits = listening()
    queue.append(Event("db.called", **ADDED))
    assert commits.since(1) == ()
    queue.extend([Event("db.a", **ADDED), Event("db.b", **ADDED)])
    assert commits.since(1) == ("db.a", "db.b")
    assert commits.since(1) == ()


def test_the_queue_is_emptied_now_and_then(queue: Queue) -> None:
    commits = listening()
    for number in range(LOOK_EVERY):
        assert len(queue) == number
        queue.append(Event(f"db.t{number}", **ADDED))
        commits.look()
    assert not queue
    assert len(commits.since(0)) == LOOK_EVERY


def test_without_iceberg_nothing_is_reported() -> None:
    commits = IcebergCommits()
    commits.look()
    assert commits.since(0) == ()

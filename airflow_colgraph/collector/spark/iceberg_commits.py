"""What is committed to Iceberg's tables by no query of Spark's: procedures, Iceberg's own API.

Iceberg tells its listeners of each snapshot, in the thread that commits it. So the listener is no
Python, which that thread would wait for, but a queue in the JVM that `java.beans.EventHandler`
puts the events into. What a query of Spark's commits has the application's id in its summary
(`org.apache.iceberg.spark.source.SparkWrite`, `SparkTable.deleteWhere`).
"""

from __future__ import annotations

import threading
from weakref import WeakKeyDictionary

from airflow_colgraph.collector.spark.jvm import Java, context_loader, give_back, java_class

EVENTS = "org.apache.iceberg.events"
BY_A_QUERY = "spark.app.id"  # in the summary of a snapshot
SAME_ROWS = "replace"  # the operation that leaves each row as it was: maintenance
BY_NO_QUERY = "Iceberg table {} outside of any query"  # in diagnostics, with the table's name
CHANGED = ("added-data-files", "deleted-data-files", "added-delete-files")
MOST_EVENTS = 10_000  # that wait, some kilobytes each
LOOK_EVERY = 20  # queries


class IcebergCommits:
    """The commits of one application that are no query's, by the names of their tables."""

    def __init__(self) -> None:
        """Nothing is collected until `listen`."""
        self._queue: Java | None = None
        self._lock = threading.Lock()
        self._tables: list[str] = []
        self._taken = 0
        self._asked = 0

    def listen(self, jvm: Java) -> None:
        """Hear of commits from now on, if this JVM has Iceberg."""
        self._queue = _queue_of(jvm)

    def look(self) -> None:
        """Take what waits, at some of the queries: the queue is bounded."""
        self._asked += 1
        if self._asked % LOOK_EVERY == 0:
            self.tables()

    def tables(self) -> tuple[str, ...]:
        """The tables of all such commits so far, a name for each commit."""
        with self._lock:
            while self._queue is not None and (event := self._queue.poll()) is not None:
                if _is_no_query_s(event):
                    self._tables.append(str(event.tableName()))
                give_back(event)
            return tuple(self._tables)

    def since(self, explained: int) -> tuple[str, ...]:
        """The tables of the commits that are new here, but for the first `explained` ones."""
        tables = self.tables()
        new = tables[max(explained, self._taken) :]
        self._taken = len(tables)
        return new


def _is_no_query_s(event: Java) -> bool:
    """Whether a commit has changed rows, and no query of Spark's has made it."""
    summary = event.summary()
    if summary.containsKey(BY_A_QUERY) or str(event.operation()) == SAME_ROWS:
        return False
    return any(summary.containsKey(name) for name in CHANGED)


def _queue_of(jvm: Java) -> Java | None:
    """The queue that a JVM's commits are put into, empty; None without Iceberg.

    There is one of each JVM, for one application after the other: Iceberg forgets no listener.
    """
    client = jvm._gateway_client
    if client in _queues:
        _queues[client].clear()
        return _queues[client]
    loader = context_loader(jvm)
    if loader.getResource(f"{EVENTS.replace('.', '/')}/Listener.class") is None:
        return None  # quicker than an exception
    listener = loader.loadClass(f"{EVENTS}.Listener")
    queue = java_class(jvm, "java.util.concurrent.LinkedBlockingQueue")(MOST_EVENTS)
    handler = java_class(jvm, "java.beans.EventHandler").create(listener, queue, "offer", "")
    created = loader.loadClass(f"{EVENTS}.CreateSnapshotEvent")
    java_class(jvm, f"{EVENTS}.Listeners").register(handler, created)
    _queues[client] = queue
    return queue


_queues: WeakKeyDictionary[object, Java] = WeakKeyDictionary()  # by the client of a JVM's gateway

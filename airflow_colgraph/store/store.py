"""The store: opened by URL, made on first use, filled with OpenLineage events."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from sqlalchemy import update
from sqlalchemy.engine import Connection, Engine

from airflow_colgraph.store.db import default_url, tables
from airflow_colgraph.store.db import engine as engines
from airflow_colgraph.store.ingest import raw_events
from airflow_colgraph.store.ingest.group_commit import GroupCommit
from airflow_colgraph.store.ingest.openlineage import Facts, facts, many
from airflow_colgraph.store.ingest.persist import write
from airflow_colgraph.store.query import edge_cache

T = TypeVar("T")
BATCH = 1000  # events written at once: a database takes only so many parameters


class Store:
    """A lineage store. Safe to share between threads and to use after a fork.

    >>> store = Store.open("sqlite://")
    >>> store.add({"eventTime": "2026-11-20T10:00:00Z", "dataset": {"namespace": "n", "name": "d"}})
    1
    """

    def __init__(self, url: str) -> None:
        """A store at the URL; nothing is opened before the first use."""
        self.url = url
        self._engine: Engine | None = None
        self._process = 0
        self._commits = GroupCommit(self._write, BATCH)
        self._known: set[int] = set()  # ids of names that are surely in the tables

    @classmethod
    def open(cls, url: str | None = None, *, migrate: bool = True) -> Store:
        """The store at `url` (else the configured or the default one), with its tables made."""
        store = cls(url or default_url.default_url())
        if migrate:
            store.migrate()
        return store

    @property
    def engine(self) -> Engine:
        """The connections of this process; a forked child never touches its parent's."""
        return self._open()

    def _open(self) -> Engine:
        if self._engine is None or self._process != os.getpid():
            if self._engine is not None:
                self._engine.dispose(close=False)
            self._engine = engines.connect(self.url)
            self._commits = GroupCommit(self._write, BATCH)
            self._process = os.getpid()
        return self._engine

    def migrate(self) -> None:
        """Make the tables, or bring them to this version; quick if they are."""
        from airflow_colgraph.store.migrations import upgrade

        upgrade(self.engine)

    def add(self, given: Any) -> int:
        """Keep one event or a list of them, all or none; the number of them.

        Events may come in any order, repeatedly and from several processes: the store is the same.
        EventError if one of them is no OpenLineage event.
        """
        stated = [facts(event) for event in many(given)]
        if stated:
            self._open()
            self._commits.write(stated)
        return len(stated)

    def keep_events(self, whether: bool = True) -> None:
        """Keep whole events too from now on, or no longer; those that are there stay."""
        with engines.writing(self.engine) as connection:
            connection.execute(update(tables.change).values(events=whether))

    def _write(self, stated: list[Facts]) -> None:
        new: set[int] = set()
        with engines.writing(self.engine) as connection:
            for begin in range(0, len(stated), BATCH):
                batch = stated[begin : begin + BATCH]
                new |= write(connection, batch, self._known | new if new else self._known)
            if raw_events.is_kept(connection):
                raw_events.write(connection, stated)
        self._known |= new

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A transaction to ask questions in; it sees one state of the store."""
        with engines.reading(self.engine) as connection:
            yield connection

    def ask(self, question: Callable[[Connection], T]) -> T:
        """The answer to a query, from one state of the store: from memory if that is up to date."""
        return edge_cache.ask(self.engine, question)

    def close(self) -> None:
        """Give the connections back."""
        if self._engine is not None and self._process == os.getpid():
            self._engine.dispose()
        self._engine = None

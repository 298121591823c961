"""The store's front door: open it by URL, add OpenLineage events, query it."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import update
from sqlalchemy.engine import Connection, Engine

from airflow_colgraph.store import default_url
from airflow_colgraph.store.db import engine as engines
from airflow_colgraph.store.db import state, tables
from airflow_colgraph.store.errors import EventError, StoreUnavailable
from airflow_colgraph.store.ingest import malformed, raw_events
from airflow_colgraph.store.ingest.group_commit import GroupCommit
from airflow_colgraph.store.ingest.named_namespaces import namespaces_of, runs_of
from airflow_colgraph.store.ingest.openlineage import Facts, facts, many
from airflow_colgraph.store.ingest.persist import write
from airflow_colgraph.store.model.grants import require_namespaces
from airflow_colgraph.store.query import edge_cache
from airflow_colgraph.store.query.job_runs import jobs_of

log = logging.getLogger(__name__)
T = TypeVar("T")
BATCH = 1000  # events written at once: a database takes only so many parameters


class Added(NamedTuple):
    """What was not stored of the values that were given: their positions, and why."""

    refused: list[tuple[int, str]]
    malformed: list[tuple[int, str]]  # stored, without these parts of facets


class Store:
    """A lineage store. Safe to share between threads and to use after a fork.

    >>> store = Store.open("sqlite://")
    >>> store.add({"eventTime": "2026-11-20T10:00:00Z", "dataset": {"namespace": "n", "name": "d"}})
    1
    """

    def __init__(
        self, url: str, *, seconds: float | None = None, prepare_on_use: bool = False
    ) -> None:
        """A store at the URL; nothing is opened before the first use.

        `seconds`: see `open`; `prepare_on_use`: the first use prepares it (`migrations.prepare`).
        """
        self.url = url
        self._seconds = seconds
        self._prepares_on_use = prepare_on_use
        self._is_prepared = False
        self._preparing = Lock()
        self._engine: Engine | None = None
        self._process = 0
        self._commits = GroupCommit(self._write, BATCH)
        self._names: set[int] = set()  # ids of names that are in the tables
        self._mark = 0  # of the state of the store in which they are

    @classmethod
    def open(
        cls,
        url: str | None = None,
        *,
        migrate: bool = True,
        create: bool = True,
        seconds: float | None = None,
    ) -> Store:
        """Open a store; create its tables, or upgrade those of a SQLite file.

        Args:
            url: A SQLAlchemy URL of SQLite or PostgreSQL. Default: COLGRAPH_STORE, else `[colgraph]
                store` of Airflow's configuration, else a SQLite file in the home folder.
            migrate: Whether to create or upgrade the tables.
            create: Whether to create a store that is not there. False for whoever only reads:
                neither a folder, a file nor tables are made at a mistyped URL.
            seconds: The longest wait for a connection, for a statement and for a lock; beyond it
                StoreUnavailable is raised. Default: see `engine.connect`.

        Returns:
            The store. Connections are made when they are first needed.

        Raises:
            NoStore: There is no store at the URL, and `create` is false.
            StoreError: The URL is invalid, its driver is not installed, the database cannot be
                opened, a newer version of this package has made its tables, or an older one those
                of PostgreSQL, which `colgraph db migrate` upgrades.
        """
        store = cls(url or default_url.default_url(), seconds=seconds)
        if migrate:
            store.prepare(create=create)
        return store

    @property
    def engine(self) -> Engine:
        """The connections of this process; a forked child never uses its parent's."""
        if self._prepares_on_use:
            self.prepare(create=False)
        return self._open()

    @property
    def shown_url(self) -> str:
        """The URL without what may be a secret."""
        return engines.shown(self.engine)

    def _open(self) -> Engine:
        if self._engine is None or self._process != os.getpid():
            if self._engine is not None:
                self._engine.dispose(close=False)
            self._engine = engines.connect(self.url, self._seconds)
            self._commits = GroupCommit(self._write, BATCH)
            self._preparing = Lock()  # a thread of the parent may hold its own
            self._process = os.getpid()
        return self._engine

    def prepare(self, *, create: bool = True) -> None:
        """Create the tables, or upgrade those of a SQLite file, at the first call that succeeds.

        Raises:
            NoStore: There are no tables, and `create` is false.
            StoreUnavailable: Another thread has been at it for too long.
            StoreError: The tables of PostgreSQL are those of another version: see `migrate`.
        """
        from airflow_colgraph.store.migrations import prepare

        engine = self._open()
        if self._is_prepared:
            return
        preparing = self._preparing  # that of another thread, if both have opened the store
        if not preparing.acquire(timeout=self._seconds or -1):
            raise StoreUnavailable("The store took too long.")
        try:
            if not self._is_prepared:
                prepare(engine, create=create)
                self._is_prepared = True
        finally:
            preparing.release()

    def migrate(self) -> None:
        """Create the tables, or upgrade them to this version, on PostgreSQL as well."""
        from airflow_colgraph.store.migrations import upgrade

        upgrade(self._open())

    def add(self, events: Any) -> int:
        """Add OpenLineage events, all or none.

        The order of events, repeated events and concurrent writers do not change the result.

        Args:
            events: A RunEvent, JobEvent or DatasetEvent of OpenLineage's specification as parsed
                JSON (a dict), or a list of them. `columnLineage` 1-0-0 to 1-2-0 and the `lineage`
                facets of jobs and datasets are read.

        Returns:
            The number of events. They are committed when this returns. Parts of facets that are
            malformed are left out, and logged as a warning.

        Raises:
            EventError: One of them is not an OpenLineage event.
            StoreFull: The database has no space left.
            StoreError: The database failed.
        """
        stated = [facts(event) for event in many(events)]
        self._commit(stated)
        for report in stated:
            if report.malformed:
                log.warning("A part of an event is left out. %s", malformed.line(report.malformed))
        return len(stated)

    def add_valid(self, events: Any, namespaces: Sequence[str] | None = None) -> Added:
        """Add those of the values that are OpenLineage events; an invalid one loses no other.

        Args:
            events: As for `add`; the list may have any values.
            namespaces: Patterns (see `model.grants`); every namespace that the events
                name has to match one. Default: any namespace.

        Returns:
            The positions of the values that were refused, and of those with a part left out, each
            with one line that says why. All but the refused ones are committed when this
            returns.

        Raises:
            NamespaceRefused: An event names another namespace; none is stored.
            StoreFull: The database has no space left.
            StoreError: The database failed; none is stored.
        """
        stated: list[Facts] = []
        added = Added([], [])
        for number, event in enumerate(many(events)):
            try:
                stated.append(facts(event))
            except EventError as error:
                added.refused.append((number, str(error)))
                continue
            if stated[-1].malformed:
                added.malformed.append((number, malformed.line(stated[-1].malformed)))
        if namespaces is not None:
            self._require_own(stated, namespaces)
        self._commit(stated)
        return added

    def _require_own(self, stated: list[Facts], namespaces: Sequence[str]) -> None:
        """NamespaceRefused if the facts, or the jobs of their runs, are of other namespaces."""
        require_namespaces(namespaces, (name for facts in stated for name in namespaces_of(facts)))
        with self.connection() as connection:
            jobs = jobs_of(connection, (run for facts in stated for run in runs_of(facts)))
        require_namespaces(namespaces, (namespace for namespace, _ in jobs))

    def _commit(self, stated: list[Facts]) -> None:
        if stated:
            self._open()
            self._commits.write(stated)

    def keep_events(self, whether: bool = True) -> None:
        """Switch storing of whole events on or off; events that are stored stay.

        Args:
            whether: Whether events that are added from now on are stored whole, too.

        Raises:
            StoreError: The database failed.
        """
        with engines.writing(self.engine) as connection:
            connection.execute(update(tables.change).values(events=whether))

    def _write(self, stated: list[Facts]) -> None:
        with engines.writing(self.engine) as connection:
            before = state.read(connection)
            # Another process may have written since, or a backup was restored.
            names = self._names if before.mark == self._mark else set()
            new: set[int] = set()
            for begin in range(0, len(stated), BATCH):
                batch = stated[begin : begin + BATCH]
                new |= write(connection, batch, names | new if new else names)
            if before.keeps_events:
                raw_events.write(connection, stated)
            mark = state.read(connection).mark
        names |= new
        self._names, self._mark = names, mark

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A transaction for queries; it reads a single state of the store."""
        with engines.reading(self.engine) as connection:
            yield connection

    def ask(self, question: Callable[[Connection], T]) -> T:
        """Answer a question from one state of the store, by the protocol of `query.edge_cache`.

        Args:
            question: Called with a connection in a transaction; it may be called again if the
                store has changed meanwhile.

        Returns:
            What `question` returned.

        Raises:
            StoreError: The database failed. What `question` raises is passed on.
        """
        return edge_cache.ask(self.engine, question)

    def close(self) -> None:
        """Close the connections."""
        if self._engine is not None and self._process == os.getpid():
            self._engine.dispose()
        self._engine = None

    def __enter__(self) -> Store:
        """The store itself; the block's end closes it."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the connections, whatever has happened."""
        self.close()

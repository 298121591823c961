"""Connections: SQLite in WAL mode with one writer at a time, PostgreSQL with a lock for writers."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import __version__ as sqlalchemy_version
from sqlalchemy import create_engine, event
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, DisconnectionError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import QueuePool, StaticPool

from airflow_colgraph.store.db import session_settings
from airflow_colgraph.store.db.tracing import trace_statements
from airflow_colgraph.store.errors import (
    BadStoreUrl,
    NoStore,
    StoreError,
    StoreFull,
    StoreUnavailable,
)
from airflow_colgraph.store.interruption import interruptible
from airflow_colgraph.store.model.shown_url import shown_url, without_parts

BUSY_SECONDS = 60
SQLITE_CACHE = 64 << 20  # bytes of pages that a connection keeps
SQLITE_MAPPED = 256 << 20  # bytes of the file that it maps
# A lock number that no other program uses in the same PostgreSQL database: "colgraph" as bytes.
_ADVISORY = int.from_bytes(b"colgraph", "big")
# SQLAlchemy 1.4 (Airflow 2) knows only the older driver.
_POSTGRESQL = "postgresql+psycopg" + ("2" if sqlalchemy_version.startswith("1.") else "")
# How a transaction begins: the only writing one (others wait for it), and one that reads a single
# state of the store.
BEGIN = {
    ("sqlite", True): ["BEGIN IMMEDIATE"],
    ("sqlite", False): ["BEGIN"],
    ("postgresql", True): [
        "BEGIN ISOLATION LEVEL READ COMMITTED",
        f"SELECT pg_advisory_xact_lock({_ADVISORY})",
    ],
    ("postgresql", False): ["BEGIN ISOLATION LEVEL REPEATABLE READ"],
}
# Messages of SQLite (also under a limit on file sizes) and of PostgreSQL.
_FULL = ("disk is full", "disk I/O error", "No space left on device", "File too large")
# Messages of OperationalErrors that no second try mends; any other may pass.
_FINAL = (
    "authentication failed",
    "pg_hba.conf",
    "does not exist",
    "no such",
    "readonly",
    "unable to open",
)
_THRESHOLD = "prepare_threshold"
_GIVEN = "colgraph_url"
_SECONDS = "colgraph_seconds"
_LOCAL = "colgraph_local"  # in a connection's `info`: statements that each transaction needs
_DRIVERS = {"postgres": _POSTGRESQL, "postgresql": _POSTGRESQL}


class Database(Protocol):
    """An owner of the store's connections, such as `store.Store`."""

    @property
    def engine(self) -> Engine:
        """The connections of this process."""


def connect(url: str, seconds: float | None = None) -> Engine:
    """An engine for the store's URL; a SQLite file has to be there before the first connection.

    Args:
        url: A SQLAlchemy URL of SQLite or PostgreSQL.
        seconds: The longest wait for a connection, for a statement and for a lock. A server that
            falls silent later is not bounded by it, but by an `interruption`. Default: a
            minute for SQLite's lock, the server's settings for PostgreSQL.
    """
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise BadStoreUrl(
            f"The store's URL {shown_url(url)!r} is invalid. Expected e.g. "
            "sqlite:////var/lib/colgraph.db or postgresql://user@host/database."
        ) from None
    parsed = parsed.set(drivername=_DRIVERS.get(parsed.drivername, parsed.drivername))
    backend = parsed.get_backend_name()
    if backend not in ("sqlite", "postgresql"):
        raise BadStoreUrl(f"The store cannot be in {backend}. Expected sqlite or postgresql.")
    kept = {_GIVEN: url, _SECONDS: seconds}
    options: dict[str, Any] = {"future": True, "execution_options": kept}
    if backend == "sqlite":
        in_memory = parsed.database in (None, "", ":memory:")
        options["poolclass"] = StaticPool if in_memory else QueuePool
        options["connect_args"] = {"timeout": seconds or BUSY_SECONDS, "check_same_thread": False}
    else:
        parsed, arguments = _driver_arguments(parsed)
        limits = session_settings.connecting(seconds) if seconds is not None else {}
        options["connect_args"] = {**arguments, **limits}
    if seconds is not None and options.get("poolclass") is not StaticPool:
        options["pool_timeout"] = seconds
    try:
        engine = create_engine(parsed, **options)
    except (ImportError, NoSuchModuleError) as error:
        raise StoreError(
            f"The store's URL needs a driver that is not installed ({error}); "
            "for PostgreSQL: pip install 'colgraph[postgres]'."
        ) from None
    except (ArgumentError, TypeError, ValueError) as error:
        why = without_parts(" ".join(str(error).split()), url)
        raise BadStoreUrl(f"The store's URL {shown_url(url)} cannot be used: {why}.") from None
    event.listen(engine, "do_connect", lambda *_: _require_file(engine))
    connected = partial(_postgresql_connect, session_settings.of(seconds))
    event.listen(engine, "connect", _sqlite_connect if backend == "sqlite" else connected)
    if backend == "sqlite":
        event.listen(engine, "checkout", partial(_same_file, engine))
    event.listen(engine, "begin", _begin)
    if engine.dialect.driver == "psycopg2":  # ends no transaction that it has not begun
        event.listen(engine, "commit", lambda connection: _execute(connection, "COMMIT"))
        event.listen(engine, "rollback", _rollback)
    trace_statements(engine)
    return engine


def _driver_arguments(url: URL) -> tuple[URL, dict[str, int | None]]:
    """The URL without the option of psycopg's that is no text, and its value."""
    text = url.query.get(_THRESHOLD)
    if text is None:
        return url, {}
    rest = url.difference_update_query([_THRESHOLD])
    if str(text) in ("", "None"):
        return rest, {_THRESHOLD: None}
    if not str(text).isdecimal():
        raise BadStoreUrl(f"{_THRESHOLD} in the store's URL is no number. Expected e.g. 5 or None.")
    # At 0 the driver would prepare what begins a transaction, which is several statements.
    return rest, {_THRESHOLD: max(1, int(str(text)))}


def shown(engine: Engine) -> str:
    """The engine's URL without what may be a secret."""
    return shown_url(_given(engine))


def _given(engine: Engine) -> str:
    """The URL as it was given: parsed, a secret may have got to where there should be none."""
    return str(engine.get_execution_options()[_GIVEN])


def file_of(engine: Engine) -> Path | None:
    """The file of a SQLite store; None for a store in memory, at a URI of SQLite's or elsewhere."""
    name = engine.url.database or ":memory:"
    if engine.dialect.name != "sqlite" or name.startswith((":memory:", "file:")):
        return None
    return Path(name)


def _require_file(engine: Engine) -> None:
    """Refuse to connect to a file that is not there: SQLite would make an empty one."""
    file = file_of(engine)
    if file is not None and not file.exists():
        raise no_store(engine, "does not exist")


def no_store(engine: Engine, why: str) -> NoStore:
    """The error of a reader that has found no store."""
    return NoStore(
        f"The store {shown(engine)} {why}. Check the URL, or create it: colgraph db migrate."
    )


def create_file(engine: Engine) -> None:
    """Create the file of a SQLite store and its folder, if they are not there."""
    file = file_of(engine)
    if file is None or file.exists():
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"The store's folder {file.parent} cannot be created: {error.strerror}."
        ) from None
    try:
        file.touch()
    except OSError as error:
        raise StoreError(
            f"The store {shown(engine)} cannot be created: {error.strerror}."
        ) from None


def _same_file(engine: Engine, _: Any, record: Any, __: Any) -> None:
    """Connect anew if another file was put in the place of the store's, as a restore may do."""
    file = file_of(engine)
    if file is None:
        return
    try:
        inode = file.stat().st_ino
    except OSError:
        inode = 0
    if record.info.setdefault("inode", inode) != inode:
        raise DisconnectionError


def _sqlite_connect(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # transactions are begun below, not by Python's sqlite3
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute(f"PRAGMA cache_size=-{SQLITE_CACHE >> 10}")
    connection.execute(f"PRAGMA mmap_size={SQLITE_MAPPED}")


def _postgresql_connect(settings: dict[str, str], connection: Any, record: Any) -> None:
    connection.autocommit = True  # transactions are begun below, together with what they need
    record.info[_LOCAL] = session_settings.apply(connection, settings)


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("colgraph_writes", False)
    begin, *locks = BEGIN[connection.dialect.name, writes]
    _execute(connection, "; ".join([begin, *connection.info.get(_LOCAL, ()), *locks]))


def _rollback(connection: Connection) -> None:
    if not connection.invalidated:
        _execute(connection, "ROLLBACK")


def _execute(connection: Connection, statement: str) -> None:
    cursor: Any = connection.connection.cursor()
    with _lost_connections(connection):
        cursor.execute(statement)


@contextmanager
def _lost_connections(connection: Connection) -> Iterator[None]:
    """Give up this process' connections if a statement of the driver's own finds one lost.

    SQLAlchemy does so for its own statements. psycopg 3 shows the loss by the connection only.
    """
    driver: Any = connection.dialect.dbapi
    try:
        yield
    except driver.Error as error:
        if not connection.invalidated and _is_lost(connection, error):
            connection.invalidate(error)  # it would be rolled back, in vain and with a traceback
            connection.engine.dispose()
        raise


def _is_lost(connection: Connection, error: Any) -> bool:
    lost: Any = connection.dialect.is_disconnect
    return bool(lost(error, connection.connection, None))


def use_wal(engine: Engine) -> None:
    """Switch a SQLite file to WAL mode permanently: readers and the writer do not block each other.

    SQLite does not wait for the lock here, so this function retries.
    """
    seconds = engine.get_execution_options()[_SECONDS] or BUSY_SECONDS
    deadline = time.monotonic() + seconds
    with store_errors(engine):
        connection = engine.raw_connection()
        try:
            while True:
                try:
                    connection.cursor().execute("PRAGMA journal_mode=WAL").fetchall()
                    return
                except sqlite3.OperationalError as error:
                    if "locked" not in str(error) or time.monotonic() > deadline:
                        raise
                    time.sleep(0.02)
        finally:
            connection.close()


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """The only writing transaction; others wait for it."""
    options = {"colgraph_writes": True}
    with (
        store_errors(engine),
        engine.connect().execution_options(**options) as only,
        interruptible(only),
        only.begin(),
        _lost_connections(only),
    ):
        yield only


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A transaction that reads a single state of the store."""
    with without_transaction(engine) as connection, connection.begin():
        yield connection


@contextmanager
def without_transaction(engine: Engine) -> Iterator[Connection]:
    """A connection without a transaction, for statements that return the state they read.

    This applies to the driver's own cursor; statements of SQLAlchemy still begin a transaction.
    """
    with (
        store_errors(engine),
        engine.connect() as connection,
        interruptible(connection),
        _lost_connections(connection),
    ):
        yield connection


@contextmanager
def store_errors(engine: Engine) -> Iterator[None]:
    """Turn the database's errors into StoreError, one line that names the store."""
    driver: Any = engine.dialect.dbapi
    try:
        yield
    except (DBAPIError, driver.Error) as error:
        why = " ".join(str(getattr(error, "orig", error)).split())
        why = without_parts(why, _given(engine))
        hint = ""
        kind = StoreUnavailable if _may_pass(driver, error, why) else StoreError
        if "no such table" in why or "does not exist" in why:
            hint = " Run `colgraph db migrate`."
        elif "readonly" in why or "unable to open" in why:
            hint = f" Can user {os.getuid()} write the file and its folder?"
        elif any(words in why for words in _FULL):
            hint, kind = (
                " Free some space, then resend the events that were not acknowledged.",
                StoreFull,
            )
        raise kind(f"The store {shown(engine)}: {why}.{hint}") from error
    except PoolTimeout:
        why = "all connections of this process are in use"
        raise StoreUnavailable(f"The store {shown(engine)}: {why}.") from None


def _may_pass(driver: Any, error: Exception, why: str) -> bool:
    """Whether the same may succeed later: no connection, a lock, a time limit, a restart."""
    cause = getattr(error, "orig", error)
    passing = (driver.OperationalError, driver.InterfaceError)
    return isinstance(cause, passing) and not any(words in why for words in _FINAL)

"""Interrupt a thread that waits for the database, from another thread."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import Lock
from typing import Any

from sqlalchemy.engine import Connection

from airflow_colgraph.store.errors import StoreUnavailable


class Interruption:
    """Ends the statements of the code that runs with it as CURRENT, now and later."""

    def __init__(self) -> None:
        """Nothing is interrupted before `set`."""
        self.is_set = False
        self._lock = Lock()
        self._connections: list[tuple[Any, type[Exception]]] = []

    def set(self) -> None:
        """End the statements that run; no other one begins."""
        with self._lock:
            self.is_set = True
            for connection in self._connections:
                _end(*connection)

    @contextmanager
    def watching(self, connection: Connection) -> Iterator[None]:
        """Interrupt what runs on the connection, too."""
        driver: Any = connection.dialect.dbapi
        watched = (connection.connection.dbapi_connection, driver.Error)
        with self._lock:
            if self.is_set:
                raise StoreUnavailable("The store took too long.")
            self._connections.append(watched)
        try:
            yield
        finally:
            with self._lock:
                self._connections.remove(watched)


CURRENT: ContextVar[Interruption | None] = ContextVar("colgraph_interruption", default=None)


@contextmanager
def interruptible(connection: Connection) -> Iterator[None]:
    """Let the current interruption end what runs on the connection."""
    current = CURRENT.get()
    if current is None:
        yield
    else:
        with current.watching(connection):
            yield


def is_set() -> bool:
    """Whether the current code was interrupted."""
    current = CURRENT.get()
    return current is not None and current.is_set


def check() -> None:
    """StoreUnavailable if the current code was interrupted."""
    if is_set():
        raise StoreUnavailable("The store took too long.")


def _end(connection: Any, error: type[Exception]) -> None:
    """End the statement of a driver's connection, also if its server does not react."""
    with suppress(OSError, error):  # the connection was closed meanwhile
        if hasattr(connection, "interrupt"):  # SQLite
            connection.interrupt()
        else:
            with socket.socket(fileno=os.dup(connection.fileno())) as duplicate:
                duplicate.shutdown(socket.SHUT_RDWR)

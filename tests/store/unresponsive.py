"""Databases that make a writer wait: a lock of another session, a server that says nothing."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import create_engine
from sqlalchemy.engine import make_url


@contextmanager
def locked(url: str) -> Iterator[None]:
    """Another session has the store's tables."""
    if url.startswith("sqlite"):
        other = create_engine(url)
        lock = "BEGIN EXCLUSIVE"
    else:
        other = create_engine(make_url(url).set(drivername="postgresql+psycopg"))
        lock = "LOCK TABLE colgraph_dataset IN ACCESS EXCLUSIVE MODE"
    with other.connect() as connection:
        connection.exec_driver_sql(lock)
        yield
        connection.rollback()
    other.dispose()


@contextmanager
def silent_server() -> Iterator[int]:
    """A server that accepts connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        accepted: list[socket.socket] = []

        def accept() -> None:
            while True:
                try:
                    accepted.append(listening.accept()[0])
                except OSError:
                    return

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()
        for connection in accepted:
            connection.close()

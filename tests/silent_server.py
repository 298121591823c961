"""A server that accepts connections and says nothing."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class SilentServer:
    """Its port, and the number of connections that it has accepted."""

    def __init__(self) -> None:
        """Accept connections from now on."""
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._accepted: list[socket.socket] = []
        self.port = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    @property
    def connections(self) -> int:
        return len(self._accepted)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                self._accepted.append(self._listening.accept()[0])

    def close(self) -> None:
        """End all connections, and refuse others."""
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listening.close()
        for connection in self._accepted:
            connection.close()


@contextmanager
def silent_server() -> Iterator[SilentServer]:
    """The server, until the block is left."""
    server = SilentServer()
    yield server
    server.close()

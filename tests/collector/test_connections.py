"""A connection of py4j's from which a thread reads is closed at once.

No test closed one while its thread read: those of `test_faults` shut its socket down by hand.
"""

import socket
import sys
import threading
from collections.abc import Iterator
from types import FrameType

import pytest
from py4j.clientserver import ClientServerConnection, JavaParameters, PythonParameters
from py4j.java_gateway import GatewayProperty, PythonProxyPool

from airflow_colgraph.collector.driver.connections import close_without_waiting

SECONDS = 60.0


@pytest.fixture
def connection() -> Iterator[ClientServerConnection]:
    """A listener's connection to a JVM that says nothing."""
    ours, theirs = socket.socketpair()
    parameters = JavaParameters(), PythonParameters()
    read = ClientServerConnection(*parameters, GatewayProperty(False, PythonProxyPool()), None)
    read.init_socket_from_python_server(ours, ours.makefile("rb"))
    yield read
    theirs.close()


def reads(thread: threading.Thread) -> bool:
    """Whether a thread waits in the socket, with the buffer's lock."""
    frame: FrameType | None = sys._current_frames().get(thread.ident or 0)
    return frame is not None and frame.f_code.co_name == "readinto"


@pytest.mark.parametrize("times", [1, 2])
def test_a_connection_that_is_read_is_closed(
    connection: ClientServerConnection, times: int
) -> None:
    for _ in range(times):  # each application of a process asks for it
        close_without_waiting()
    reader = threading.Thread(target=connection.wait_for_commands, daemon=True)
    reader.start()
    while not reads(reader):
        assert reader.is_alive()
    closing = threading.Thread(target=connection.close, daemon=True)
    closing.start()
    closing.join(SECONDS)
    assert not closing.is_alive()
    reader.join(SECONDS)
    assert not reader.is_alive()
    assert connection.socket is None

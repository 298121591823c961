"""A connection of py4j's from which a thread reads is closed at once.

No test closed one while its thread read: those of `test_faults` shut its socket down by hand.
"""

import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import FrameType

import pytest
from py4j.clientserver import (
    ClientServerConnection,
    JavaClient,
    JavaParameters,
    PythonParameters,
)
from py4j.java_gateway import GatewayProperty, PythonProxyPool

from airflow_colgraph.collector.driver.connections import (
    close_without_waiting,
    end_before_shutdown,
)
from tests.silent_server import silent_server

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


def test_a_gateway_that_is_shut_down_twice_waits_for_no_answer_for_good() -> None:
    """A driver hung in two of thirty ends; in the tests the JVM had closed its port by then."""
    end_before_shutdown(lambda: None)
    with silent_server() as jvm:
        java = JavaParameters(port=jvm.port, auth_token="token")
        client = JavaClient(java, PythonParameters(), GatewayProperty(False, PythonProxyPool()))
        client.is_connected = False  # as after the first time
        ending = threading.Thread(target=attempt, args=(client.shutdown_gateway,), daemon=True)
        ending.start()
        ending.join(SECONDS)
        assert not ending.is_alive()
        assert (jvm.connections, java.read_timeout) == (1, None)


def attempt(act: Callable[[], None]) -> None:
    """Do what py4j's `JavaGateway.shutdown` does: no failure to shut down is raised."""
    with suppress(Exception):
        act()

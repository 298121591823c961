"""Lets a program end its connections to the JVM while the collector uses them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from airflow_colgraph.collector.driver.first_command import is_own_thread
from airflow_colgraph.collector.driver.method_hooks import named_as

ANSWER_SECONDS = 2.0  # of a JVM whose gateway was shut down before


@cache
def close_without_waiting() -> None:
    """Let py4j close a connection from which another thread reads, such as that of a listener.

    Its `ClientServerConnection` closes the buffer before it shuts the socket down. The buffer's
    lock is held by the thread that reads, so `gateway.shutdown()` would wait for the next message
    of a JVM that is told to send none. py4j's other threading model (`GatewayConnection`) shuts the
    socket down first, as is done here. A reset comes from the thread that reads, and cannot wait.
    """
    from py4j.clientserver import ClientServerConnection  # type: ignore[import-untyped,unused-ignore]
    from py4j.java_gateway import quiet_shutdown

    original = ClientServerConnection.close

    def close(connection: Any, reset: bool = False) -> None:
        if not reset:
            quiet_shutdown(connection.socket)
        original(connection, reset)

    ClientServerConnection.close = named_as(original, close)


@contextmanager
def answered_in_time(parameters: Any) -> Iterator[None]:
    """Let connections that are opened with py4j's parameters wait for an answer only so long."""
    before = parameters.read_timeout
    parameters.read_timeout = before or ANSWER_SECONDS
    try:
        yield
    finally:
        parameters.read_timeout = before


@cache
def end_before_shutdown(act: Callable[[], None]) -> None:
    """Call `act` before a gateway is shut down; our threads ask its JVM for nothing afterwards.

    A JVM that shuts down may accept a connection without ever answering on it. py4j's
    `GatewayClient` refuses to open one then; its `JavaClient`, which PySpark has, forgets to. A
    program that shuts its gateway down once more opens one: it waits for no longer than that.
    """
    from py4j.clientserver import JavaClient  # type: ignore[import-untyped,unused-ignore]
    from py4j.protocol import Py4JNetworkError  # type: ignore[import-untyped,unused-ignore]

    connect, shutdown = JavaClient._get_connection, JavaClient.shutdown_gateway
    process = os.getpid()

    def _get_connection(client: Any) -> Any:
        if not client.is_connected and is_own_thread():
            raise Py4JNetworkError("Gateway is not connected.")
        return connect(client)

    def shutdown_gateway(client: Any) -> None:
        if client.is_connected:
            if process == os.getpid():
                act()
            client.is_connected = False
            shutdown(client)
        else:
            with answered_in_time(client.java_parameters):
                shutdown(client)

    JavaClient._get_connection = named_as(connect, _get_connection)
    JavaClient.shutdown_gateway = named_as(shutdown, shutdown_gateway)

"""Lets a program end its connections to the JVM while the collector uses them."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import Any

from airflow_colgraph.collector.driver.first_command import is_own_thread
from airflow_colgraph.collector.driver.method_hooks import named_as


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


@cache
def end_before_shutdown(act: Callable[[], None]) -> None:
    """Call `act` before a gateway is shut down; our threads ask its JVM for nothing afterwards.

    A JVM that shuts down may accept a connection without ever answering on it. py4j's
    `GatewayClient` refuses to open one then; its `JavaClient`, which PySpark has, forgets to.
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
        if client.is_connected and process == os.getpid():
            act()
        client.is_connected = False
        shutdown(client)

    JavaClient._get_connection = named_as(connect, _get_connection)
    JavaClient.shutdown_gateway = named_as(shutdown, shutdown_gateway)

"""Lets a program end its connection to the JVM while a thread of the collector's waits on it."""

from __future__ import annotations

from functools import cache
from typing import Any

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

"""Does something just before a program asks the JVM for anything.

To ask a new session for its listeners lets Spark build the session's state, which takes as long as
all else that the collector does at the start; a program may have no query. Its first question can
come from any object of py4j's, so it is seen where all of them pass: py4j's `GatewayClient`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

OWN_THREADS = "colgraph"  # how the names of our threads begin
MEMORY = "m\n"  # py4j's commands that give back objects
MOST_SECONDS = 10.0  # that another thread of the program waits


def is_own_thread() -> bool:
    """Whether the current thread is the collector's."""
    return threading.current_thread().name.startswith(OWN_THREADS)


class FirstCommand:
    """Calls `act` once, on the thread and before the command that is the program's first."""

    def __init__(self, client: Any, act: Callable[[], None]) -> None:
        """From now on; in this process and no fork of it."""
        self._client, self._act = client, act
        self._send = client.send_command
        self._process = os.getpid()
        self._waits, self._is_acting = True, False
        self._lock = threading.RLock()  # `act` has commands itself
        client.send_command = self._command

    def cancel(self) -> None:
        """Do not call it any more."""
        self._waits = False
        if vars(self._client).get("send_command") == self._command:  # else others came after us
            self._client.send_command = self._send

    def _command(self, command: str, *arguments: Any, **options: Any) -> Any:
        is_asking = self._waits and not command.startswith(MEMORY)
        if is_asking and not is_own_thread() and self._process == os.getpid():
            self._first()
        return self._send(command, *arguments, **options)

    def _first(self) -> None:
        if not self._lock.acquire(timeout=MOST_SECONDS):
            return
        try:
            if self._waits and not self._is_acting:
                self._is_acting = True
                self._act()
                self.cancel()
        finally:
            self._lock.release()

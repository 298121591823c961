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
    """Does what is added on the thread, and before the command, that is the program's next.

    Each is done once, and not held afterwards. There is one for a client of py4j's, whose method is
    its own again as soon as there is nothing to do.
    """

    def __init__(self, client: Any) -> None:
        """For this process and no fork of it."""
        self._client = client
        self._send = client.send_command
        self._process = os.getpid()
        self._acts: list[Callable[[], None]] = []
        self._is_acting = False
        self._lock = threading.RLock()  # what is done has commands itself

    def add(self, act: Callable[[], None]) -> None:
        """Do it before the next command."""
        with self._lock:
            self._acts.append(act)
            self._client.send_command = self._command

    def cancel(self) -> None:
        """Do nothing of it any more."""
        self._acts.clear()
        if vars(self._client).get("send_command") == self._command:  # else others came after us
            self._client.send_command = self._send

    def _command(self, command: str, *arguments: Any, **options: Any) -> Any:
        is_asking = self._acts and not command.startswith(MEMORY)
        if is_asking and not is_own_thread() and self._process == os.getpid():
            self._first()
        return self._send(command, *arguments, **options)

    def _first(self) -> None:
        if not self._lock.acquire(timeout=MOST_SECONDS):
            return
        try:
            if not self._is_acting:
                self._is_acting = True
                for act in [*self._acts]:
                    act()
                self._is_acting = False
                self.cancel()
        finally:
            self._lock.release()

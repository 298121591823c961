"""Calls into the JVM that the end of a program waits for no longer than a limit: py4j has none.

A JVM that is shut down may still accept a connection, and never answer on it.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")


class TimedCalls:
    """Calls by a thread of their own, one after the other.

    The thread is started before it is needed: none can be started when Python ends.
    """

    def __init__(self) -> None:
        """Without a thread: calls are direct before `start`, and in a fork of the process."""
        self._calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._process = 0

    def start(self) -> None:
        """Start the thread, once in a process."""
        if self._process != os.getpid():
            self._process = os.getpid()
            self._thread = threading.Thread(target=self._run, name="colgraph-exit", daemon=True)
            self._thread.start()

    def call(self, act: Callable[[], Answer], seconds: float) -> Answer | None:
        """What `act` answers or raises; None when the time is over, and it is left alone."""
        if self._process != os.getpid() or threading.current_thread() is self._thread:
            return act()
        answers: queue.SimpleQueue[tuple[Answer | None, Exception | None]] = queue.SimpleQueue()

        def answer() -> None:
            try:
                answers.put((act(), None))
            except Exception as error:  # noqa: BLE001 - raised where it was asked for
                answers.put((None, error))

        self._calls.put(answer)
        try:
            value, error = answers.get(timeout=max(0.0, seconds))
        except queue.Empty:
            return None
        if error is not None:
            raise error
        return value

    def _run(self) -> None:
        while True:
            self._calls.get()()


at_exit = TimedCalls()

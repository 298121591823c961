"""Group commit: writes of several threads in one transaction, as each commit has a fixed cost."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from airflow_colgraph.store import interruption

T = TypeVar("T")


class _Waiting(Generic[T]):
    """The items of one caller, and the outcome."""

    def __init__(self, items: list[T]) -> None:
        self.items = items
        self.done = False
        self.error: Exception | None = None


class GroupCommit(Generic[T]):
    """The thread that holds the lock also writes the items of the threads that wait for it.

    >>> written = []
    >>> GroupCommit(written.append).write([1, 2])
    >>> written
    [[1, 2]]
    """

    def __init__(self, write: Callable[[list[T]], None], most: int = 1000) -> None:
        """`write` writes all items, or none and raises; it is given about `most` at once."""
        self._write = write
        self._most = most
        self._turn = Lock()
        self._waiting: deque[_Waiting[T]] = deque()

    def write(self, items: list[T]) -> None:
        """Return when all items are written, or raise the error that kept them all from it.

        StoreUnavailable if the caller was interrupted while it waited for its turn.
        """
        mine = _Waiting(items)
        self._waiting.append(mine)
        with self._turn:
            if interruption.is_set() and not mine.done:
                mine.items = []  # the next one writes what others wait for
                interruption.check()
            while not mine.done:
                self._write_some()
        if mine.error is not None:
            raise mine.error

    def _write_some(self) -> None:
        some: list[_Waiting[T]] = []
        while self._waiting and sum(len(waiting.items) for waiting in some) < self._most:
            some.append(self._waiting.popleft())
        try:
            self._write([item for waiting in some for item in waiting.items])
        except Exception as error:  # noqa: BLE001 (it is raised in the caller's thread)
            if len(some) == 1:
                some[0].error = error
            else:  # one of them may be the cause: write each by itself
                self._write_each(some)
        for waiting in some:
            waiting.done = True

    def _write_each(self, some: list[_Waiting[T]]) -> None:
        for waiting in some:
            try:
                self._write(waiting.items)
            except Exception as error:  # noqa: BLE001
                waiting.error = error

"""Writes of several threads in one transaction: a commit costs as much for one as for many."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class _Waiting(Generic[T]):
    """What one caller wants to have written, and what became of it."""

    def __init__(self, items: list[T]) -> None:
        self.items = items
        self.done = False
        self.error: Exception | None = None


class GroupCommit(Generic[T]):
    """Whoever's turn it is writes what others, who wait for their turn, want to have written.

    >>> written = []
    >>> GroupCommit(written.append).write([1, 2])
    >>> written
    [[1, 2]]
    """

    def __init__(self, write: Callable[[list[T]], None], most: int = 1000) -> None:
        """`write` keeps all items or none, raising an error; it is given about `most` at once."""
        self._write = write
        self._most = most
        self._turn = Lock()
        self._waiting: deque[_Waiting[T]] = deque()

    def write(self, items: list[T]) -> None:
        """Returns once the items are written, all of them; raises why none was."""
        mine = _Waiting(items)
        self._waiting.append(mine)
        with self._turn:
            while not mine.done:
                self._write_some()
        if mine.error is not None:
            raise mine.error

    def _write_some(self) -> None:
        some: list[_Waiting[T]] = []
        while self._waiting and sum(len(one.items) for one in some) < self._most:
            some.append(self._waiting.popleft())
        try:
            self._write([item for one in some for item in one.items])
        except Exception as error:  # noqa: BLE001 (it is raised where it belongs)
            if len(some) == 1:
                some[0].error = error
            else:  # one of them may be to blame: each by itself
                self._write_each(some)
        for one in some:
            one.done = True

    def _write_each(self, some: list[_Waiting[T]]) -> None:
        for one in some:
            try:
                self._write(one.items)
            except Exception as error:  # noqa: BLE001
                one.error = error

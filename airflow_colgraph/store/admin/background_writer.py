"""Writes to the store that no request waits for, or fails by."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Lock, Thread
from time import monotonic
from typing import Generic, TypeVar

from sqlalchemy.pool import StaticPool

from airflow_colgraph.store.db.engine import Database

Item = TypeVar("Item")

PAUSE = 20  # times as long as a write took, before the next one


class BackgroundWriter(Generic[Item]):
    """Collects items, and writes them in a thread that ends when none is left.

    A store in memory is written at once: its threads share one connection.
    """

    def __init__(
        self, store: Database, name: str, write: Callable[[list[Item]], None], most: int
    ) -> None:
        """Nothing is collected yet.

        Args:
            store: The store.
            name: The thread's name.
            write: Called with the items, which it has to dispose of; it handles the store's errors.
            most: The total size of the items that may wait.
        """
        self._store, self._name, self._write, self._most = store, name, write, most
        self._lock = Lock()
        self._items: list[Item] = []
        self._size = 0
        self._is_writing = False
        self._thread: Thread | None = None
        self._is_ending = Event()

    def add(self, item: Item, size: int = 1) -> bool:
        """Hand over an item; False if too many wait already."""
        with self._lock:
            if self._size + size > self._most:
                return False
            self._items.append(item)
            self._size += size
            if self._is_writing:
                return True
            self._is_writing = True
        if isinstance(self._store.engine.pool, StaticPool):
            self._run(pause=0)
        else:
            self._thread = Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
        return True

    def drain(self, seconds: float | None = None) -> None:
        """Wait until all items are written, without pauses from now on, for some seconds."""
        self._is_ending.set()
        if self._thread is not None:
            self._thread.join(seconds)

    def _run(self, pause: float = PAUSE) -> None:
        try:
            while items := self._take():
                began = monotonic()
                self._write(items)
                self._is_ending.wait(pause * (monotonic() - began))
        except BaseException:
            with self._lock:
                self._is_writing = False
            raise

    def _take(self) -> list[Item]:
        """The items that wait; without any, the thread has ended."""
        with self._lock:
            items, self._items = self._items, []
            self._size = 0
            self._is_writing = bool(items)
            return items

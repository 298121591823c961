"""When keys were last used: written at most once a minute for each, by a thread beside requests."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from threading import Lock, Thread

from sqlalchemy.pool import StaticPool

from airflow_colgraph.store.admin.api_keys import USED_EVERY, mark_used
from airflow_colgraph.store.db.engine import Database
from airflow_colgraph.store.errors import StoreError

log = logging.getLogger(__name__)

SECONDS = USED_EVERY / 1000


class KeyUse:
    """The uses of keys that are to be written; no request waits for it, or fails by it."""

    def __init__(self, store: Database, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` gives seconds."""
        self._store, self._clock = store, clock
        self._lock = Lock()
        self._noted: dict[bytes, float] = {}
        self._due: set[bytes] = set()
        self._is_writing = False

    def note(self, key: bytes) -> None:
        """Note that the key with this hash was used now."""
        now = self._clock()
        with self._lock:
            if now - self._noted.get(key, now - SECONDS) < SECONDS:
                return None
            self._noted[key] = now
            self._due.add(key)
            if self._is_writing:
                return None
            self._is_writing = True
        if isinstance(self._store.engine.pool, StaticPool):  # in memory: threads share one
            return self._write()
        Thread(target=self._write, name="colgraph-key-use", daemon=True).start()
        return None

    def _write(self) -> None:
        while due := self._take():
            try:
                mark_used(self._store, due)
            except StoreError as error:
                log.info("The last use of %d API keys was not written: %s", len(due), error)

    def _take(self) -> set[bytes]:
        """The keys that are due; without any, the thread has ended."""
        with self._lock:
            due, self._due = self._due, set()
            self._is_writing = bool(due)
            return due

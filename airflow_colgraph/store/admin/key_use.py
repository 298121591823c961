"""When keys were last used: written at most once a minute for each, by a thread beside requests."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from threading import Lock

from airflow_colgraph.store.admin.api_keys import USED_EVERY, mark_used
from airflow_colgraph.store.admin.background_writer import BackgroundWriter
from airflow_colgraph.store.db.engine import Database
from airflow_colgraph.store.errors import StoreError

log = logging.getLogger(__name__)

SECONDS = USED_EVERY / 1000
MOST = 10_000  # keys that wait to be written


class KeyUse:
    """The uses of keys that are to be written; no request waits for it, or fails by it."""

    def __init__(self, store: Database, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` gives seconds."""
        self._store, self._clock = store, clock
        self._lock = Lock()
        self._noted: dict[bytes, float] = {}
        self._writer = BackgroundWriter(store, "colgraph-key-use", self._write, MOST)

    def note(self, key: bytes) -> None:
        """Note that the key with this hash was used now."""
        now = self._clock()
        with self._lock:
            if now - self._noted.get(key, now - SECONDS) < SECONDS:
                return
            self._noted[key] = now
        self._writer.add(key)

    def drain(self) -> None:
        """Wait until all uses are written."""
        self._writer.drain()

    def _write(self, keys: list[bytes]) -> None:
        try:
            mark_used(self._store, set(keys))
        except StoreError as error:
            log.info("The last use of %d API keys was not written: %s", len(keys), error)

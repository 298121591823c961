"""A mapping that keeps the newest values within a total weight. Pure."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """The newest values by key; safe to share between threads.

    The newest value always stays, whatever its weight.

    >>> cache = BoundedCache[str, str](3, weight=len)
    >>> cache.put("a", "xx"), cache.put("b", "yy")
    (None, None)
    >>> cache.get("a"), cache.get("b")
    (None, 'yy')
    """

    def __init__(self, most: int, weight: Callable[[V], int] = lambda value: 1) -> None:
        """When the weights of all values are more than `most`, the oldest values are evicted."""
        self._most = most
        self._weight = weight
        self._values: dict[K, V] = {}
        self._total = 0
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        """The value, if it is still there."""
        return self._values.get(key)

    def put(self, key: K, value: V) -> None:
        """Keep the value; one that is there already for the key stays."""
        with self._lock:
            if key not in self._values:
                self._values[key] = value
                self._total += self._weight(value)
            while self._total > self._most and len(self._values) > 1:
                self._total -= self._weight(self._values.pop(next(iter(self._values))))

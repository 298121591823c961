"""What the leaves of earlier plans read: a cache, as wide tables make its entries large."""

from __future__ import annotations

from airflow_colgraph.collector.model import Read

Key = tuple[str, tuple[tuple[int, str], ...]]  # the node's class; its attributes: (id, name)

MOST_COLUMNS = 50_000  # of all entries: about 20 MB


class LeafCache:
    """The latest reads by their leaves, as many as have MOST_COLUMNS columns together."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._reads: dict[Key, Read | None] = {}  # the one that was used last comes last
        self._columns = 0

    def get(self, key: Key) -> tuple[Read | None] | None:
        """What a leaf reads, which may be nothing; None if that is not known."""
        if key not in self._reads:
            return None
        self._reads[key] = read = self._reads.pop(key)
        return (read,)

    def keep(self, key: Key, read: Read | None) -> None:
        """Remember what a leaf reads; forget what was used longest ago."""
        self._reads[key] = read
        self._columns += len(key[1])
        while self._columns > MOST_COLUMNS:
            oldest = next(iter(self._reads))
            del self._reads[oldest]
            self._columns -= len(oldest[1])

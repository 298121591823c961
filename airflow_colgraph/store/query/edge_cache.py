"""The edges that a process has read from a store: an in-memory cache, and how it is kept valid.

The table `change` has the mark of the store's state (`store.db.state`); runs that report the same
as the one before do not change it. A cache is valid as long as the mark is the one it was read at.

Who may answer from the cache: every query that gets it from `snapshot(connection)`, the only way to
it. A connection keeps its snapshot, so all parts of an answer are from one state of the edges.

* In a transaction `snapshot` reads the mark first. An older state than the cache's gets a cache of
  its own, a newer one replaces the cache.
* Without a transaction (`ask` begins like this) the cache is assumed to be valid, which takes no
  statement. Statements of the query return the mark along with their rows, and their reader passes
  it to `Snapshot.verify`. If no statement did, `ask` reads the mark when the answer is complete.

What happens when the edges have changed: `verify` raises `Changed`, and `ask` runs the query again
in a transaction, which reads the new mark first. A query that is answered from the cache therefore
takes one round trip to the database, and no answer mixes two states.

Names are cached separately (`name_cache`), as they never change.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar
from weakref import WeakKeyDictionary

from sqlalchemy.engine import Connection, Engine

from airflow_colgraph.store.db import state
from airflow_colgraph.store.db.engine import reading, without_transaction
from airflow_colgraph.store.model.field_path import NestedFields

T = TypeVar("T")
MOST = 1_000_000  # rows that a process caches of one store; then it starts with an empty cache
FEW = 64  # rows of a node up to which they are also cached as a timeline

# A row of the edge table: a plain tuple, as answers have thousands.
NAMES = (
    "output",
    "kind",
    "input",
    "transformation",
    "job_output",
    "first_seen",
    "last_seen",
    "closed_at",
)
Row = tuple[int, int, int, int, int, int, int, int]
OUTPUT, KIND, INPUT, TRANSFORMATION = range(4)
JOB_OUTPUT, FIRST_SEEN, LAST_SEEN, CLOSED_AT = range(4, 8)
Kinds = Sequence[int]


class Changed(Exception):
    """The edges changed while a query was being answered: it needs to be run again."""


class Timeline(NamedTuple):
    """The edges at a node, a list for each stretch of time in which they did not change."""

    times: list[int]  # at which one stretch ends and the next begins
    lists: list[list[Row]]

    def held(self, at: int) -> list[Row]:
        """The edges that held at the time."""
        return self.lists[bisect_right(self.times, at)]


def timeline(rows: Sequence[Row]) -> Timeline:
    """The timeline of all edges that a node ever had."""
    times = sorted({time for row in rows for time in (row[FIRST_SEEN], row[CLOSED_AT])})
    return Timeline(times, [[], *(held(rows, time) for time in times)])


def held(rows: Sequence[Row], at: int) -> list[Row]:
    """The edges that held at the time."""
    return [row for row in rows if row[FIRST_SEEN] <= at < row[CLOSED_AT]]


class EdgeCache:
    """Edges of one state of a store: valid as long as its mark is `change`."""

    def __init__(self, change: int, *, has_nested: bool) -> None:
        """An empty cache of the state with this mark."""
        self.change = change
        # Whether any field may be part of another; by dataset, its nested fields.
        self.has_nested = has_nested
        self.nested: dict[int, NestedFields] = {}
        # By direction, kinds and whether only open edges count: the edges at each node.
        self.edges: dict[tuple[str, Kinds, bool], dict[int, list[Row]]] = {}
        # By direction and kinds: the edges at each node as they were over time.
        self.timelines: dict[tuple[str, Kinds], dict[int, Timeline]] = {}
        # By dataset: the one of its names that its edges are stored under.
        self.canonical: dict[int, int] = {}
        # By job output: a time at which or after which its latest run was; it only grows.
        self.last_at: dict[int, int] = {}
        self.size = 0  # rows in `edges`


class Snapshot:
    """The cache for the state that one connection sees."""

    def __init__(self, cache: EdgeCache, *, assumed: bool) -> None:
        """`assumed`: nothing has shown yet that the connection sees the state of the cache."""
        self.cache = cache
        self._assumed = assumed

    def verify(self, change: int) -> None:
        """Compare the mark that a statement returned; Changed if it is not the cache's."""
        if change != self.cache.change:
            raise Changed
        self._assumed = False

    def confirm(self, connection: Connection) -> None:
        """Read the mark if no statement has returned it; Changed if it is not the cache's."""
        if self._assumed:
            self.verify(state.read(connection).mark)


_CACHES: WeakKeyDictionary[Engine, EdgeCache] = WeakKeyDictionary()
_SNAPSHOTS: WeakKeyDictionary[Connection, Snapshot] = WeakKeyDictionary()


def ask(engine: Engine, query: Callable[[Connection], T]) -> T:
    """The query's answer from one state of the store, by the protocol above."""
    try:
        with without_transaction(engine) as connection:
            answer = query(connection)
            if connection in _SNAPSHOTS:
                _SNAPSHOTS[connection].confirm(connection)
            return answer
    except Changed:
        with reading(engine) as connection:
            return query(connection)


def snapshot(connection: Connection) -> Snapshot:
    """The cache for the state that the connection sees; the same one for all of its queries."""
    current = _SNAPSHOTS.get(connection)
    if current is None:
        cache = _CACHES.get(connection.engine)
        if cache is None or cache.size > MOST or connection.in_transaction():
            now = state.read(connection)
            cache = _cache_of(connection.engine, now.mark, has_nested=now.has_nested)
            current = Snapshot(cache, assumed=False)
        else:
            current = Snapshot(cache, assumed=True)
        _SNAPSHOTS[connection] = current
    return current


def clear() -> None:
    """Forget the edges of all stores."""
    _CACHES.clear()


def _cache_of(engine: Engine, change: int, *, has_nested: bool) -> EdgeCache:
    cache = _CACHES.get(engine)
    if cache is None or cache.change < change or cache.size > MOST:
        cache = _CACHES[engine] = EdgeCache(change, has_nested=has_nested)
    return cache if cache.change == change else EdgeCache(change, has_nested=has_nested)

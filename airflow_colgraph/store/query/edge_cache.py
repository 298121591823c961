"""What a process remembers of a store: edges and names, as long as they have not changed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple, cast
from weakref import WeakKeyDictionary, WeakSet

from sqlalchemy.engine import Connection, Engine

MOST = 1_000_000  # rows that a process remembers of one store
FEW = 64  # rows of a node up to which they are also kept by time

# A row of the edge table: a plain tuple, as answers have thousands.
NAMES = (
    "output",
    "kind",
    "input",
    "transformation",
    "writer",
    "first_seen",
    "last_seen",
    "closed_at",
)
Row = tuple[int, int, int, int, int, int, int, int]
OUTPUT, INPUT = NAMES.index("output"), NAMES.index("input")
JOB_OUTPUT, FIRST_SEEN, LAST_SEEN, CLOSED_AT = range(4, 8)
Kinds = Sequence[int]


class Changed(Exception):
    """The edges changed while a question was being answered: it needs to be asked again."""


class Remembered:
    """Right as long as the store's count of changes is this one."""

    def __init__(self, change: int) -> None:
        """Nothing yet."""
        self.change = change
        # By direction, kinds and whether only open edges count: the edges at each node.
        self.near: dict[tuple[str, Kinds, bool], dict[int, list[Row]]] = {}
        # By direction and kinds: the edges at each node as they were over time.
        self.past: dict[tuple[str, Kinds], dict[int, Past]] = {}
        # By dataset: the one of its names that its edges are kept under.
        self.kept: dict[int, int] = {}
        # By output: a time at which or after which its latest run was; it only grows.
        self.last_at: dict[int, int] = {}
        self.count = 0


class Past(NamedTuple):
    """The edges at a node, a list for each stretch of time in which they did not change."""

    times: list[int]  # at which one stretch ends and the next begins
    lists: list[list[Row]]

    def held(self, at: int) -> list[Row]:
        """The edges that held at the time."""
        return self.lists[bisect_right(self.times, at)]


def past(rows: Sequence[Row]) -> Past:
    """From all edges that a node ever had."""
    times = sorted({time for row in rows for time in (row[FIRST_SEEN], row[CLOSED_AT])})
    return Past(times, [[], *(held(rows, time) for time in times)])


def held(rows: Sequence[Row], at: int) -> list[Row]:
    """Those of the edges that held at the time."""
    return [row for row in rows if row[FIRST_SEEN] <= at < row[CLOSED_AT]]


_OF: WeakKeyDictionary[Engine, Remembered] = WeakKeyDictionary()
_IN: WeakKeyDictionary[Connection, Remembered] = WeakKeyDictionary()
_ASSUMED: WeakSet[Connection] = WeakSet()  # nothing has said yet that the edges are as remembered


def remembered(connection: Connection) -> Remembered:
    """What is remembered of the state that the connection sees; an older one is read for itself.

    Without a transaction it is assumed that nothing has changed: the question's own statements say
    so (`expect`), or it is asked when the question is answered (`confirm`).
    """
    found = _IN.get(connection)
    if found is None:
        known = _OF.get(connection.engine)
        if known is None or known.count > MOST or connection.in_transaction():
            found = _remembered(connection)
        else:
            found = known
            _ASSUMED.add(connection)
        _IN[connection] = found
    return found


def expect(connection: Connection, change: int) -> None:
    """Changed if a statement saw another state of the edges than what is remembered."""
    if change != remembered(connection).change:
        raise Changed
    _ASSUMED.discard(connection)


def confirm(connection: Connection) -> None:
    """Changed if what was remembered is old, and none of the question's statements met it."""
    if connection in _ASSUMED:
        expect(connection, _change(connection))


def _remembered(connection: Connection) -> Remembered:
    change = _change(connection)
    engine = connection.engine
    found = _OF.get(engine)
    if found is None or found.change < change or found.count > MOST:
        found = _OF[engine] = Remembered(change)
    return found if found.change == change else Remembered(change)


def _change(connection: Connection) -> int:
    cursor = connection.connection.cursor()
    cursor.execute("SELECT edges FROM colgraph_change")
    return cast("tuple[int]", cursor.fetchone())[0]

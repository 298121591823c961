"""What a process remembers of a store: edges and names, as long as they have not changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast
from weakref import WeakKeyDictionary

from sqlalchemy.engine import Connection, Engine

MOST = 1_000_000  # rows that a process remembers of one store

# A row of the edge table in the order of `walk.NAMES`: a plain tuple, as answers have thousands.
Row = tuple[int, int, int, int, int, int, int, int]


class Remembered:
    """Right as long as the store's count of changes is this one."""

    def __init__(self, change: int) -> None:
        """Nothing yet."""
        self.change = change
        # By direction, kinds and whether only open edges count: the edges at each node.
        self.near: dict[tuple[str, Sequence[int], bool], dict[int, list[Row]]] = {}
        # By dataset: the one of its names that its edges are kept under.
        self.kept: dict[int, int] = {}
        self.count = 0


_OF: WeakKeyDictionary[Engine, Remembered] = WeakKeyDictionary()


def remembered(connection: Connection) -> Remembered:
    """What is remembered of the state that the connection sees; an older one is read for itself."""
    cursor = connection.connection.cursor()
    cursor.execute("SELECT edges FROM colgraph_change")
    (change,) = cast("tuple[int]", cursor.fetchone())
    engine = connection.engine
    root = getattr(engine, "_proxied", engine)  # the engine behind `execution_options`
    found = _OF.get(root)
    if found is None or found.change < change or found.count > MOST:
        found = _OF[root] = Remembered(change)
    return found if found.change == change else Remembered(change)

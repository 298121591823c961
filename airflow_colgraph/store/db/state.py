"""The mark of the store's state: a number that each change of edges or names replaces.

It grows, and no two states have the same one, also if one of them was restored from a backup: so a
process that has seen a mark knows whether what it remembers still holds.
"""

from __future__ import annotations

from random import getrandbits
from time import time_ns
from typing import NamedTuple, cast

from sqlalchemy import case, update
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db.tables import IS_NESTED, change

RANDOM_BITS = 10  # below the microseconds since 1970

# In the order of the index on nested fields: PostgreSQL may scan the table for an EXISTS.
_NESTED = f"SELECT 1 FROM colgraph_field WHERE {IS_NESTED} ORDER BY dataset LIMIT 1"
_READ = f"SELECT edges, events, ({_NESTED}) IS NOT NULL FROM colgraph_change"


class State(NamedTuple):
    """The mark, whether the store keeps whole events, and whether it has nested fields."""

    mark: int
    keeps_events: bool
    has_nested: bool


def read(connection: Connection) -> State:
    """The state that the connection sees."""
    cursor = connection.connection.cursor()
    cursor.execute(_READ)
    return State(*cast("tuple[int, bool, bool]", cursor.fetchone()))


def mark(connection: Connection) -> None:
    """Give the store's state a new mark."""
    stamp = (time_ns() // 1000 << RANDOM_BITS) + getrandbits(RANDOM_BITS)
    later = case((change.c.edges < stamp, stamp), else_=change.c.edges + 1)
    connection.execute(update(change).values(edges=later))

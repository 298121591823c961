"""Long work on a store in short writing transactions, between which others write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TypeVar

from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import engine, state
from airflow_colgraph.store.db.engine import Database

Item = TypeVar("Item")

FIRST = 10  # items of the first transaction
SECONDS = 0.3  # that a transaction should take: others wait for it


@contextmanager
def transaction(store: Database) -> Iterator[Connection]:
    """A writing transaction that changes what other processes have cached."""
    with engine.writing(store.engine) as connection:
        yield connection
        state.mark(connection)


def paced(items: Sequence[Item], least: int = 1) -> Iterator[Sequence[Item]]:
    """The items in batches, each so large that what is done with it takes about SECONDS.

    `least`: of how many items a batch is at least, if each batch has a cost of its own.
    """
    start, size = 0, max(least, FIRST)
    while start < len(items):
        began = monotonic()
        yield items[start : start + size]
        start += size
        size = max(least, int(size * min(2.0, SECONDS / max(monotonic() - began, 0.001))))

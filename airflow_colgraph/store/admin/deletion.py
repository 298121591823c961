"""Deletes rows in short transactions, and says in the audit log that it did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete, except_, exists, select, tuple_
from sqlalchemy.engine import Connection
from sqlalchemy.schema import Table

from airflow_colgraph.store.admin import audit, paced
from airflow_colgraph.store.db import engine, tables
from airflow_colgraph.store.db.engine import Database
from airflow_colgraph.store.db.id_lists import batches

MOST_LISTED = 100_000  # keys of rows to delete that are held at once
LEAST = 2_000  # rows of a transaction that also reads the tables that may refer to them


class AuditOnce:
    """Rows of the audit log that are written together with the first deletion."""

    def __init__(self, subjects: Sequence[tuple[str, str]], by: str, result: str) -> None:
        """`subjects`: the action and the subject of each row."""
        self._subjects, self._by, self._result = subjects, by, result

    def deleted(self, connection: Connection, count: int) -> int:
        """Take the number of rows that a transaction has deleted; returns it."""
        if count:
            for action, subject in self._subjects:
                audit.write(connection, action, subject, self._by, self._result)
            self._subjects = ()
        return count


def delete_rows(
    store: Database, table: Table, which: Any, log: AuditOnce, references: Sequence[Any] = ()
) -> int:
    """Delete rows; one that is reported again meanwhile stays.

    Args:
        store: The store.
        table: The table.
        which: Which rows of it.
        log: Is told how many rows were deleted.
        references: Columns that have keys of the table: the rows with these keys stay.

    Returns:
        How many rows were deleted.
    """
    key, count = tuple(table.primary_key), 0
    rows = select(*key).where(which)
    listed = except_(rows, *map(select, references)) if references else rows
    while True:
        with engine.reading(store.engine) as connection:
            keys = [tuple(row) for row in connection.execute(listed.limit(MOST_LISTED))]
        for batch in paced.paced(keys, LEAST if references else 1):
            with paced.transaction(store) as connection:
                for part in batches(batch):
                    unused = _without_used(connection, part, references)
                    gone = delete(table).where(tuple_(*key).in_(unused), which)
                    count += log.deleted(connection, connection.execute(gone).rowcount)
                    if table is tables.run:
                        _facets_of_runs(connection, [run for (run,) in unused])
        if len(keys) < MOST_LISTED:
            return count


def _without_used(
    connection: Connection, keys: list[tuple[Any, ...]], references: Sequence[Any]
) -> list[tuple[Any, ...]]:
    """The keys that none of the columns has."""
    ids = [key[0] for key in keys]
    used = {
        id
        for column in references
        for id in connection.execute(select(column).where(column.in_(ids)).distinct()).scalars()
    }
    return [key for key in keys if key[0] not in used]


def _facets_of_runs(connection: Connection, runs: list[bytes]) -> None:
    """Delete the facets of those of the runs that are deleted."""
    table = tables.run_facets
    is_there = exists().where(tables.run.c.id == table.c.run)
    connection.execute(delete(table).where(table.c.run.in_(runs), ~is_there))

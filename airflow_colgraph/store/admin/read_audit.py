"""Who read a column with certain tags: rows of the audit log, written beside requests."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from time import time
from typing import NamedTuple

from sqlalchemy.engine import Connection

from airflow_colgraph.store.admin import audit
from airflow_colgraph.store.admin.background_writer import BackgroundWriter
from airflow_colgraph.store.db import engine
from airflow_colgraph.store.db.engine import Database
from airflow_colgraph.store.errors import StoreError
from airflow_colgraph.store.model.lineage_body import Field

log = logging.getLogger(__name__)

READ = "read"  # in the audit log; the subject is the dataset
HOUR = 3_600_000  # milliseconds in which repeated reads are one row
MOST = 500_000  # columns of answers that wait
WRITTEN, REPEATED, FAILED, DROPPED = RESULTS = ("written", "repeated", "failed", "dropped")

Count = Callable[[str, int], None]
LookUp = Callable[[Connection, Collection[Field]], Mapping[Field, tuple[Field, set[str]]]]


class Read(NamedTuple):
    """An answer that named columns, at milliseconds since 1970."""

    at: int
    by: str
    route: str
    columns: Collection[Field]


class Row(NamedTuple):
    """Tagged columns of a dataset that one person read by one route."""

    at: int
    by: str
    route: str
    dataset: Field
    columns: Mapping[str, Collection[str]]

    @property
    def result(self) -> str:
        """The columns with their tags, and the route, for the audit log."""
        return f"{audit.tagged_columns(self.columns)} by {self.route}"


class ReadAudit:
    """Writes the reads of tagged columns to the audit log; no request waits for it.

    A row has the columns that were not in an earlier row of the same person, dataset and route in
    the same hour. A tag that is set before a read counts for it, and one that is removed before
    the read is looked at does not.
    """

    def __init__(
        self, store: Database, look_up: LookUp, count: Count = lambda result, number: None
    ) -> None:
        """Nothing was read yet.

        Args:
            store: The store.
            look_up: Returns the audited tags of columns, and their datasets, as
                `query.carried_tags` does; called with a connection, after the reads.
            count: Called with one of RESULTS and a number of reads or rows.
        """
        self._store, self._look_up, self._count = store, look_up, count
        self._hour = 0
        self._written: dict[tuple[str, str, Field], set[str]] = {}  # in this hour
        self._writer = BackgroundWriter(store, "colgraph-read-audit", self._write, MOST)

    def note(self, by: str, route: str, columns: Collection[Field]) -> None:
        """Note that an answer of the route named the columns to somebody now."""
        read = Read(int(time() * 1000), by, route, columns)
        if not self._writer.add(read, len(columns)):
            self._count(DROPPED, 1)
            log.warning("A read by %s at %s is not audited: too many wait.", by, route)

    def drain(self, seconds: float | None = None) -> None:
        """Wait for some seconds until all reads are written."""
        self._writer.drain(seconds)

    def _write(self, reads: list[Read]) -> None:
        try:
            with engine.reading(self._store.engine) as connection:
                carried = self._look_up(connection, {c for read in reads for c in read.columns})
        except StoreError as error:
            self._count(FAILED, len(reads))
            for read in reads:
                log.warning("A read by %s at %s is not audited: %s", read.by, read.route, error)
            return
        rows = _rows(reads, carried)
        new = [row for row in map(self._unwritten, rows) if row.columns]
        self._count(REPEATED, len(rows) - len(new))
        if new:
            self._insert(new)

    def _insert(self, rows: list[Row]) -> None:
        try:
            with engine.writing(self._store.engine) as connection:
                for row in rows:
                    subject = audit.dataset_subject(row.dataset)
                    audit.write(connection, READ, subject, row.by, row.result, row.at)
        except StoreError as error:
            self._count(FAILED, len(rows))
            for row in rows:
                self._of(row).difference_update(row.columns)
                text = "read of %s by %s is only in this log: %s (%s)"
                subject = audit.dataset_subject(row.dataset)
                log.warning(text, subject, row.by, row.result, error)
        else:
            self._count(WRITTEN, len(rows))

    def _unwritten(self, row: Row) -> Row:
        """The row with the columns that have none yet in its hour; they count as written."""
        if row.at // HOUR > self._hour:
            self._hour = row.at // HOUR
            self._written.clear()
        written = self._of(row)
        rest = {name: tags for name, tags in row.columns.items() if name not in written}
        written.update(rest)
        return row._replace(columns=rest)

    def _of(self, row: Row) -> set[str]:
        return self._written.setdefault((row.by, row.route, row.dataset), set())


def _rows(reads: Collection[Read], carried: Mapping[Field, tuple[Field, set[str]]]) -> list[Row]:
    """The tagged columns of each read, by dataset."""
    rows = []
    for read in reads:
        tagged: dict[Field, dict[str, set[str]]] = {}
        for column in read.columns:
            if column in carried:
                dataset, tags = carried[column]
                tagged.setdefault(dataset, {})[column.field] = tags
        rows += [
            Row(read.at, read.by, read.route, dataset, columns)
            for dataset, columns in sorted(tagged.items())
        ]
    return rows

"""The whole events of a store as event logs that a warehouse reads: a file for each day.

A file's name has the number of the day's events and a checksum of their ids, so a day whose events
are the same is not written, and not read, again.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import orjson
from sqlalchemy import BigInteger, func, literal_column, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.errors import StoreError
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.query import event_archive
from airflow_colgraph.store.store import Store
from airflow_colgraph.warehouse.folder import Folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DAY = 86_400_000
ORIGIN = 719_163  # days from year 1 to 1970: whole numbers are divided towards zero
PRIME = 1_000_003  # ids are added modulo it, so that the sum fits


def stored_events(spark: SparkSession, url: str, warehouse: str) -> str:
    """Write the events that a store keeps as files in the warehouse's folder.

    Args:
        spark: The session whose application knows the folder's file system.
        url: The URL of a store that keeps whole events (`colgraph db keep-events`).
        warehouse: The folder of the warehouse; it is made if it does not exist.

    Returns:
        The path of the files, for `warehouse.build`.

    Raises:
        StoreError: The database failed, or the store keeps no events.
    """
    folder = Folder(spark, warehouse)
    below = f"stored/{blake2b(url.encode(), digest_size=8).hexdigest()}"
    with Store.open(url, create=False) as store, store.connection() as connection:
        wanted = _days(connection)
        if not wanted:
            raise StoreError("The store keeps no whole events. See `colgraph db keep-events`.")
        there = folder.names(below)
        for name, day in wanted.items():
            if name not in there:
                events = event_archive.read(connection, day * DAY, (day + 1) * DAY)
                folder.write_bytes(f"{below}/{name}", map(_line, events))
        for name in there:
            if name not in wanted:
                folder.remove(f"{below}/{name}")
    return f"{folder.path}/{below}"


def _days(connection: Connection) -> dict[str, int]:
    """The name of each day's file, and the day's number."""
    event = tables.event.c
    day = literal_column(f"(at + {ORIGIN * DAY}) / {DAY} - {ORIGIN}", BigInteger())
    query = select(day, func.count(), func.sum(event.id % PRIME)).group_by(day).order_by(day)
    return {_name(*row): row[0] for row in connection.execute(query)}


def _name(day: int, count: int, checksum: int) -> str:
    return f"{clock.iso(day * DAY)[:10]}-{count}-{int(checksum) & 0xFFFFFFFFFFFF:012x}.jsonl"


def _line(event: object) -> bytes:
    return orjson.dumps(event, option=orjson.OPT_APPEND_NEWLINE)

"""Publish a warehouse as a store: the whole way in one screen.

the tables of a version -> rows of the store's tables, as Parquet -> loaded beside the store's own
tables -> indexes -> one transaction in which they take the place of the old ones.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from airflow_colgraph.publish.postgresql import PostgresqlTarget
from airflow_colgraph.publish.sqlite import SqliteTarget
from airflow_colgraph.publish.target import SWAPPED, Target, table_of
from airflow_colgraph.store.db import engine as engines
from airflow_colgraph.store.ingest.persist import add_field_names
from airflow_colgraph.store.store import Store
from airflow_colgraph.warehouse.folder import Folder
from airflow_colgraph.warehouse.kept_history import LATEST_ONLY, KeptHistory
from airflow_colgraph.warehouse.session import own
from airflow_colgraph.warehouse.store_rows import packed, store_rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from sqlalchemy import Table

Progress = Callable[[str, int, int], None]  # what is done now, its number, how many there are
NAMES_AT_ONCE = 10_000
BATCH = "5000"  # rows of some kB; a session of the warehouse reads events, which may have MB


class Published(NamedTuple):
    """What was published: the warehouse's version, and the number of rows of each table."""

    version: int
    rows: dict[str, int]


def publish(
    spark: SparkSession,
    warehouse: str,
    url: str,
    *,
    since: int = LATEST_ONLY,
    replace: bool = False,
    progress: Progress = lambda step, number, steps: None,
) -> Published:
    """Make a store answer from the current version of a warehouse.

    Readers of the store see its old state until the new one takes its place in one transaction.
    API keys, tags that people have set and whole events stay; everything else is replaced.

    Args:
        spark: The session whose application does the work. Its tasks connect to PostgreSQL.
        warehouse: The folder that `warehouse.build` wrote.
        url: The store's URL. Its tables are created or upgraded first.
        since: Also the history from this time on, in milliseconds since 1970, as
            `store.admin.retention` would leave it; `kept_history.ALL`: all of it.
        replace: Also if the store knows outputs of jobs that the warehouse does not know.
        progress: Called before each step.

    Returns:
        The version and the numbers of rows.

    Raises:
        WarehouseError: There is no warehouse at the path.
        StoreError: The database failed, another command publishes into it, or the store has
            received what the warehouse has not read. The old state is left.
    """
    session = own(spark)
    session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", BATCH)
    folder = Folder(session, warehouse)
    version = folder.built()
    steps = len(SWAPPED) + 2
    work = f"published/{version.number:08}-{uuid.uuid4().hex[:12]}"
    remove_interrupted(folder, version.number)

    def keep(frame: DataFrame, name: str) -> DataFrame:
        frame.write.parquet(f"{folder.path}/{work}/{name}")
        return session.read.parquet(f"{folder.path}/{work}/{name}")

    store = Store.open(url)
    rows: dict[str, int] = {}
    try:
        with _target(store, replace) as target:
            history = KeptHistory(session, version, since, keep)
            for number, (name, frame) in enumerate(store_rows(history), 1):
                progress(name, number, steps)
                table = table_of(name)
                rows[name] = target.load(table, keep(packed(ordered(frame, table)), f"rows/{name}"))
                if name == "field":
                    add_names(store, frame)
            progress("indexes", steps - 1, steps)
            target.index()
            progress("swap", steps, steps)
            target.swap()
    finally:
        folder.remove(work)
        store.close()
    return Published(version.number, rows)


def remove_interrupted(folder: Folder, version: int) -> None:
    """Remove what commands have left that were killed while they published older versions."""
    for name in folder.names("published"):
        if int(name.partition("-")[0]) < version:
            folder.remove(f"published/{name}")


def ordered(frame: DataFrame, table: Table) -> DataFrame:
    """The columns of a table, with their rows in the order of its primary key."""
    keys = [column.name for column in table.primary_key.columns]
    columns = frame.select(*(column.name for column in table.c))
    return columns.repartitionByRange(*keys).sortWithinPartitions(*keys)


def add_names(store: Store, fields: DataFrame) -> None:
    """Add the names of fields to those by which the store is searched, before it has the fields."""
    names = (row.name for row in fields.select("name").distinct().toLocalIterator())
    while batch := [*islice(names, NAMES_AT_ONCE)]:
        with engines.writing(store.engine) as connection:
            add_field_names(connection, batch)


def _target(store: Store, replace: bool) -> Target:
    if store.engine.dialect.name == "sqlite":
        return SqliteTarget(store, replace)
    return PostgresqlTarget(store, replace)

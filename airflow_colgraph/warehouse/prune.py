"""Retention: a version without what is older than a time, except what the latest lineage needs.

The rules are those of `store.admin.retention`. Names, files and rejected lines are kept: a file
that was read is not read again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from airflow_colgraph.warehouse.edges import edges
from airflow_colgraph.warehouse.folder import Folder
from airflow_colgraph.warehouse.kept_history import KeptHistory
from airflow_colgraph.warehouse.session import own

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Progress = Callable[[str, int, int], None]  # a table, its number, how many there are
_WHOLE = ("files", "rejected", "jobs", "symlinks", "transformations", "datasets", "fields")
_BODIES = "SELECT body AS id FROM {occurrences} UNION SELECT body FROM {readings}"


def prune(
    spark: SparkSession,
    warehouse: str,
    before: int,
    progress: Progress = lambda table, number, tables: None,
) -> str:
    """Write the next version without what was reported before a time; the path of its tables.

    The version before stays until the next one.
    """
    session = own(spark)
    folder = Folder(session, warehouse)
    current_version = folder.built()
    version = folder.next(current_version)

    def work(frame: DataFrame, name: str) -> DataFrame:
        path = f"{version.path}/_work/{name}"
        frame.write.parquet(path)
        return session.read.parquet(path)

    history = KeptHistory(session, current_version, before, work)
    tables = _tables(history, partial(version.table, session))
    for number, (name, rows) in enumerate(tables.items(), 1):
        progress(name, number, len(tables))
        version.write(rows(), name, ["is_current"] if name == "edges" else ())
    folder.remove(f"versions/{version.name}/_work")
    folder.commit(version)
    folder.remove_old(version)
    return version.path


def _tables(
    history: KeptHistory, written: Callable[[str], DataFrame]
) -> dict[str, Callable[[], DataFrame]]:
    """Each table's rows, in the order in which they need each other's tables of this version."""

    def bodies() -> DataFrame:
        names = ("occurrences", "readings")
        wanted = history.sql(_BODIES, **{name: written(name) for name in names})
        return history.table("bodies").join(wanted, "id", "left_semi")

    return {name: partial(history.table, name) for name in _WHOLE} | {
        "occurrences": history.kept_occurrences,
        "readings": history.readings,
        "runs": history.runs,
        "schemas": partial(history.dated, "schemas", "dataset"),
        "descriptions": partial(history.dated, "descriptions", "dataset"),
        "tags": partial(history.dated, "tags", "dataset", "job"),
        "gaps": history.gaps,
        "bodies": bodies,
        "edges": lambda: edges(*map(written, ("occurrences", "bodies", "fields"))),
    }

"""Where a warehouse is published: tables beside a store's own, and what both databases share."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from sqlalchemy import Table

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.errors import StoreError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# The store's tables that a warehouse has the rows of, beside `change`, which counts what happens.
SWAPPED: tuple[Table, ...] = (
    tables.dataset,
    tables.field,
    tables.symlink,
    tables.schema,
    tables.description,
    tables.job,
    tables.run,
    tables.lineage_body,
    tables.job_output,
    tables.run_output,
    tables.reported,
    tables.reading,
    tables.transformation,
    tables.edge,
    tables.reported_tags,
    tables.gap,
)
# The others: what people and the server wrote to the store stays, and names are added to.
KEPT: tuple[Table, ...] = (
    tables.api_key,
    tables.audit,
    tables.change,
    tables.event,
    tables.field_name,
    tables.facets,
    tables.job_source,
    tables.lifecycle,
    tables.namespace,
    tables.run_facets,
    tables.session,
    tables.tag_change,
    tables.template,
)
# Names are never deleted, as a process that adds events knows which ones are in the tables.
NAMES: tuple[Table, ...] = (tables.dataset, tables.field, tables.job)
# How many changes may happen while a warehouse is published: caches compare the count of them.
CHANGES = 1 << 20
# Outputs of jobs that the store `old` has received later than the tables in `new` have it.
NEWER = """
SELECT count(*), min(d.name) FROM {old}.colgraph_job_output AS o
LEFT JOIN {new}.colgraph_job_output AS n ON n.id = o.id
LEFT JOIN {old}.colgraph_dataset AS d ON d.id = o.dataset
WHERE n.id IS NULL OR n.last_at < o.last_at
"""


class Target(Protocol):
    """Tables that are filled beside the store's, and then take their place."""

    def __enter__(self) -> Target:
        """Make the tables; StoreError if another command is publishing."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove what has not taken its place."""

    def load(self, table: Table, rows: DataFrame) -> int:
        """Write the rows of a table; returns how many."""

    def index(self) -> None:
        """Make the indexes of the new tables."""

    def swap(self) -> None:
        """Put the new tables in the place of the old ones, in one transaction."""


def table_of(name: str) -> Table:
    """The store's table, by its name without the prefix."""
    return tables.metadata.tables[f"colgraph_{name}"]


def refuse_if_newer(newer: Any, url: str) -> None:
    """StoreError if the store has received what the warehouse has not read."""
    count, name = newer
    if count:
        raise StoreError(
            f"The store {url} has {count} outputs of jobs that the warehouse does not know as they "
            f"are now, e.g. {name!r}. Build it from their event logs, too, or pass --replace."
        )


def missing_names(table: Table, old: str, new: str) -> str:
    """The statement that adds the names that only the old table has."""
    columns = ", ".join(f'"{column.name}"' for column in table.c)
    return (
        f"INSERT INTO {new}.{table.name} ({columns}) SELECT {columns} FROM {old}.{table.name} AS o "
        f"WHERE NOT EXISTS (SELECT 1 FROM {new}.{table.name} AS n WHERE n.id = o.id)"
    )

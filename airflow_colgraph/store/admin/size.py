"""What takes the space of a store, by table, and how much of it is older than a time."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import case, func, select, text
from sqlalchemy.engine import Connection

from airflow_colgraph.store.admin.read_audit import READ
from airflow_colgraph.store.db import engine, tables
from airflow_colgraph.store.db.engine import Database

_BYTES = {
    "postgresql": "SELECT CAST(pg_total_relation_size(to_regclass(:name)) AS bigint)",
    # A table of SQLite's statistics, with each index as a table of its own.
    "sqlite": "SELECT sum(pgsize) FROM dbstat WHERE name IN"
    " (SELECT name FROM sqlite_master WHERE tbl_name = :name)",
}
_TIMES: dict[str, Any] = {  # when a row was last reported: what `db prune` looks at
    "run": func.coalesce(tables.run.c.ended_at, tables.run.c.started_at),
    "run_output": tables.run_output.c.at,
    "reading": tables.reading.c.at,
    "event": tables.event.c.at,
    "audit": case((tables.audit.c.action == READ, tables.audit.c.at)),  # --reads-before
}


class TableSize(NamedTuple):
    """A table with its indexes."""

    table: str
    rows: int
    bytes: int
    old_rows: int  # older than the time; of tables that `db prune` cuts by their own times


def sizes(store: Database, before: int) -> list[TableSize]:
    """The tables of the store, the largest first."""
    with engine.reading(store.engine) as connection:
        rows = [_size(connection, table, before) for table in tables.metadata.sorted_tables]
    return sorted(rows, key=lambda row: (-row.bytes, row.table))


def _size(connection: Connection, table: Any, before: int) -> TableSize:
    name = table.name.removeprefix("colgraph_")
    count = select(func.count()).select_from(table)
    space = connection.execute(text(_BYTES[connection.dialect.name]), {"name": table.name})
    at = _TIMES.get(name)
    old = 0 if at is None else connection.execute(count.where(at < before)).scalar()
    rows = connection.execute(count).scalar()
    return TableSize(name, int(rows or 0), int(space.scalar() or 0), int(old or 0))

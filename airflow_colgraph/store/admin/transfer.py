"""Export of the whole store as lines of JSON, and import: to move or merge stores.

Only facts are exported; edges are derived from them again. Importing what is already there changes
nothing. The audit log is exported as well: by it questions about a time that was pruned are
refused. The lines name the tables as the database does, without the prefix.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from typing import Any

import orjson
from sqlalchemy import select
from sqlalchemy.engine import Connection
from sqlalchemy.schema import Column

from airflow_colgraph.store.db import engine, state, tables
from airflow_colgraph.store.db.engine import Database
from airflow_colgraph.store.db.upsert import Merge, greatest, least, upsert
from airflow_colgraph.store.errors import EventError
from airflow_colgraph.store.ingest import lifecycle
from airflow_colgraph.store.ingest.dataset_names import end_names
from airflow_colgraph.store.ingest.occurrences import Occurrence
from airflow_colgraph.store.ingest.persist import add_field_names
from airflow_colgraph.store.ingest.rebuild_edges import rebuild_all
from airflow_colgraph.store.ingest.run_rows import RunRows

FORMAT = 1
# What events report about a run itself; its outputs are in its occurrences.
RUN = ("id", "job", "parent", "started_at", "ended_at", "state", "attempt", "map_index", "name")
FACTS: dict[str, list[Column[Any]]] = {
    "dataset": [*tables.dataset.c],
    "field": [*tables.field.c],
    "symlink": [tables.symlink.c.alias, tables.symlink.c.dataset],
    "schema": [*tables.schema.c],
    "description": [*tables.description.c],
    "facets": [*tables.facets.c],
    "namespace": [*tables.namespace.c],
    "job": [*tables.job.c],
    "job_source": [*tables.job_source.c],
    "run": [tables.run.c[name] for name in RUN],
    "run_facets": [*tables.run_facets.c],
    "lineage_body": [*tables.lineage_body.c],
    "job_output": [*tables.job_output.c],
    "occurrence": [*tables.occurrence.c],
    "lifecycle": [*tables.lifecycle.c],
    "reading": [*tables.reading.c],
    "reported_tags": [*tables.reported_tags.c],
    "gap": [*tables.gap.c],
    "tag_change": [*tables.tag_change.c],
    "template": [*tables.template.c],
    "event": [*tables.event.c],
    "audit": [*tables.audit.c],
}
_DATED: dict[str, Merge] = {"first_at": least, "last_at": greatest}
MERGES: dict[str, dict[str, Merge]] = {
    "schema": _DATED,
    "description": _DATED,
    "facets": _DATED,
    "run_facets": _DATED,
    "job_source": _DATED,
    "lineage_body": {"first_at": least},
    "namespace": {"first_at": least},
    "reported_tags": _DATED,
    "gap": _DATED,
    "job": {"dag_id": greatest, "task_id": greatest},
}
BATCH = 1000


def export(store: Database) -> Iterator[bytes]:
    """Lines of the export: first the format, then `{"table": [row, ...]}` in batches."""
    yield orjson.dumps({"colgraph": FORMAT}) + b"\n"
    with engine.reading(store.engine) as connection:
        for name, columns in FACTS.items():
            rows = connection.execute(select(*columns))
            while batch := rows.fetchmany(BATCH):
                listed = [[_plain(value) for value in row] for row in batch]
                yield orjson.dumps({name: listed}) + b"\n"


def _plain(value: Any) -> Any:
    """Bytes as base64 in a list, which distinguishes them from a text."""
    if isinstance(value, bytes | memoryview):
        return [b64encode(bytes(value)).decode()]
    return value


def load(store: Database, lines: Iterable[bytes]) -> int:
    """Import the lines, all or none; returns the number of rows. EventError if it is no export."""
    count = 0
    with engine.writing(store.engine) as connection:
        job_outputs: set[int] = set()
        for number, line in enumerate(lines, 1):
            for name, rows in _line(number, line).items():
                if name == "colgraph":
                    continue
                named = [_row(name, number, row) for row in rows]
                if name == "run":
                    _runs(connection, named)
                elif name == "occurrence":
                    _occurrences(connection, named)
                else:
                    upsert(connection, FACTS[name][0].table, named, MERGES.get(name))
                if name == "field":
                    add_field_names(connection, (row["name"] for row in named))
                count += len(named)
                if name == "job_output":
                    job_outputs.update(row["id"] for row in named)
        end_names(connection)
        _rebuild(connection, job_outputs)
    return count


def _line(number: int, line: bytes) -> dict[str, Any]:
    try:
        document = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise EventError(f"Line {number} is not JSON: {error}.") from None
    if not isinstance(document, dict) or not document.keys() <= {"colgraph", *FACTS}:
        raise EventError(f"Line {number} is not from an export of a store.")
    if (number == 1) != (document.get("colgraph") == FORMAT):
        raise EventError(f"Line {number}: the export must begin with {{'colgraph': {FORMAT}}}.")
    return {str(name): rows for name, rows in document.items()}


def _row(name: str, number: int, row: Any) -> dict[str, Any]:
    names = [column.key for column in FACTS[name]]
    if not isinstance(row, list) or len(row) != len(names):
        raise EventError(f"Line {number}: a row of {name} has not {len(names)} values.")
    values = [b64decode(value[0]) if isinstance(value, list) else value for value in row]
    return dict(zip(names, values, strict=True))


def _runs(connection: Connection, rows: list[dict[str, Any]]) -> None:
    runs = RunRows(connection, (row["id"] for row in rows))
    runs.merge(rows)
    runs.write()


def _occurrences(connection: Connection, rows: list[dict[str, Any]]) -> None:
    """Earlier lines contain their runs and outputs."""
    table = tables.job_output
    query = select(table.c.id, table.c.job).where(
        table.c.id.in_({row["job_output"] for row in rows})
    )
    jobs = {row.id: row.job for row in connection.execute(query)}
    runs = RunRows(connection, (row["run"] for row in rows))
    for row in rows:
        runs.occurrences.merge(Occurrence(**{**row, "job": jobs.get(row["job_output"])}))
    runs.write()


def _rebuild(connection: Connection, job_outputs: set[int]) -> None:
    rebuild_all(connection, job_outputs | lifecycle.every_affected(connection))
    state.mark(connection)

"""The tables of a warehouse and those of a store, as sets of equal rows."""

import zlib
from pathlib import Path
from typing import Any

import orjson
from pyspark.sql import SparkSession

from airflow_colgraph.store.model.clock import OPEN
from airflow_colgraph.store.model.runs import STATES, run_id, run_text
from airflow_colgraph.store.store import Store
from airflow_colgraph.warehouse import formats
from airflow_colgraph.warehouse.body_rows import KINDS
from airflow_colgraph.warehouse.edges import SCHEMA
from airflow_colgraph.warehouse.formats import PARQUET

Tables = dict[str, set[tuple[Any, ...]]]

# Each table: the query of the warehouse's, and of the store's.
QUERIES = {
    "jobs": ("SELECT id, namespace, name, dag_id, task_id", "colgraph_job"),
    "symlinks": ("SELECT alias, dataset", "colgraph_symlink"),
    "transformations": (
        "SELECT id, type, subtype, masking, description",
        "colgraph_transformation",
    ),
    "datasets": ("SELECT id, namespace, name", "colgraph_dataset"),
    "fields": ("SELECT id, dataset, field", "colgraph_field"),
}


def warehouse_tables(spark: SparkSession, path: str, format: str = PARQUET) -> Tables:
    """Every table of one version."""

    def rows(table: str, *columns: str) -> set[tuple[Any, ...]]:
        schema = SCHEMA if table == "edges" else None
        frame = formats.read(spark, format, f"{path}/{table}", schema)
        found = [tuple(row) for row in frame.selectExpr(*columns).collect()]
        assert len(found) == len(set(found)), f"{table} has a row twice"
        return set(found)

    def millis(name: str) -> str:
        return f"unix_millis({name})"

    tables = {
        name: rows(name, *select.removeprefix("SELECT ").split(", "))
        for name, (select, _) in QUERIES.items()
    }
    tables["runs"] = rows(
        "runs",
        "id",
        "job",
        "parent",
        millis("started_at"),
        millis("ended_at"),
        "state",
        "attempt",
        "map_index",
        "name",
    )
    tables["occurrences"] = rows(
        "occurrences", "job_output", millis("at"), "run", "body", "replaces"
    )
    tables["readings"] = rows("readings", "job", millis("at"), "run", "body")
    tables["bodies"] = rows("bodies", "id", "checksum", "body")
    columns = "to_json(transform(columns, c -> array(c.name, c.type)))"
    tables["schemas"] = rows(
        "schemas", "id", "dataset", millis("first_at"), millis("last_at"), columns
    )
    tables["descriptions"] = rows(
        "descriptions", "id", "dataset", millis("first_at"), millis("last_at"), "body"
    )
    tables["tags"] = rows(
        "tags", "id", "dataset", "job", millis("first_at"), millis("last_at"), "body"
    )
    tables["gaps"] = rows("gaps", "id", "job", millis("first_at"), millis("last_at"), "body")
    tables["edges"] = rows(
        "edges",
        "job_output",
        "kind",
        "output",
        "input",
        "transformation",
        millis("first_seen"),
        millis("last_seen"),
        millis("closed_at"),
    )
    return tables


def stored(events: list[Any]) -> Tables:
    """The tables of a store that has the events."""
    with Store.open("sqlite://") as store:
        store.add(events)
        return store_tables(store)


def store_tables(store: Store) -> Tables:
    """The same of a store."""
    with store.connection() as connection:

        def rows(sql: str) -> list[Any]:
            return list(connection.exec_driver_sql(sql))

        tables = {
            name: {tuple(row) for row in rows(f"{select.replace('field', 'name')} FROM {table}")}
            for name, (select, table) in QUERIES.items()
        }
        last_at = dict(map(tuple, rows("SELECT id, last_at FROM colgraph_job_output")))
        tables["runs"] = {
            (run_id(id), job, run_text(parent), started, ended, STATES[state], *rest)
            for id, job, parent, started, ended, state, *rest in rows(
                "SELECT id, job, parent, started_at, ended_at, state, attempt, map_index, name "
                "FROM colgraph_run"
            )
        }
        tables["occurrences"] = {
            (output, at, run_text(run) or "", body, bool(replaces))
            for output, at, run, body, replaces in rows(
                "SELECT job_output, at, run, lineage_body, replaces FROM colgraph_occurrence"
            )
        }
        tables["readings"] = {
            (job, at, run_text(run) or "", body)
            for job, at, run, body in rows(
                "SELECT job, at, run, lineage_body FROM colgraph_reading"
            )
        }
        tables["bodies"] = {
            (id, checksum.hex(), zlib.decompress(body).decode())
            for id, checksum, body in rows("SELECT id, checksum, body FROM colgraph_lineage_body")
        }
        tables["schemas"] = {
            (*row, orjson.dumps(orjson.loads(zlib.decompress(body))["columns"]).decode())
            for *row, body in rows(
                "SELECT id, dataset, first_at, last_at, body FROM colgraph_schema"
            )
        }
        for name, columns, table in (
            ("descriptions", "dataset", "colgraph_description"),
            ("tags", "dataset, job", "colgraph_reported_tags"),
            ("gaps", "job", "colgraph_gap"),
        ):
            tables[name] = {
                (*row, zlib.decompress(body).decode())
                for *row, body in rows(
                    f"SELECT id, {columns}, first_at, last_at, body FROM {table}"
                )
            }
        tables["edges"] = {
            (
                output,
                KINDS[kind],
                *ends,
                first,
                last_at[output] if last == OPEN else last,
                None if closed == OPEN else closed,
            )
            for output, kind, *ends, first, last, closed in rows(
                "SELECT job_output, kind, output, input, transformation, first_seen, last_seen, "
                "closed_at FROM colgraph_edge"
            )
        }
    return tables


def different(one: Tables, other: Tables) -> dict[str, Any]:
    """The rows that only one of both has."""
    return {
        name: (sorted(map(str, one[name] - other[name])), sorted(map(str, other[name] - one[name])))
        for name in one.keys() | other.keys()
        if one[name] != other[name]
    }


def write_lines(file: Path, events: list[Any], rest: bytes = b"") -> None:
    """A file of events, a line each."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"".join(orjson.dumps(event) + b"\n" for event in events) + rest)

"""OpenLineage events in a few words, for tests."""

import uuid
from typing import Any

from airflow_colgraph.store.db.tables import audit, change, metadata, occurrence
from airflow_colgraph.store.migrations import HEAD, VERSION_TABLE
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.store import Store

NOON = clock.parse_iso("2026-11-20T12:00:00Z")


def run_id(number: int) -> str:
    return str(uuid.UUID(int=(0x0199AAAA00007000 << 64) | (1 << 63) | number))


def at(minute: int) -> str:
    """The time so many minutes after noon."""
    return clock.iso(NOON + minute * 60_000)


def transformation(words: str) -> dict[str, Any]:
    """`DIRECT:IDENTITY`, `DIRECT:TRANSFORMATION:masking`, `INDIRECT:FILTER`."""
    kind, _, rest = words.partition(":")
    subtype, _, masking = rest.partition(":")
    return {"type": kind, "subtype": subtype, "description": "", "masking": bool(masking)}


def input_fields(text: str) -> list[dict[str, Any]]:
    """`raw.a, raw.b INDIRECT:FILTER` as inputFields; DIRECT:IDENTITY by default.

    `raw:a.b` is a nested field.
    """
    found = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, how = part.partition(" ")
        dataset, _, field = name.partition(":") if ":" in name else name.rpartition(".")
        found.append(
            {
                "namespace": "n",
                "name": dataset,
                "field": field,
                "transformations": [transformation(how or "DIRECT:IDENTITY")],
            }
        )
    return found


def output(
    name: str, fields: dict[str, str] | None = None, dataset: str = "", **facets: Any
) -> dict[str, Any]:
    """An output whose `columnLineage` is written as in `input_fields`."""
    if fields is not None:
        facets["columnLineage"] = {
            "fields": {
                field: {"inputFields": input_fields(text)} for field, text in fields.items()
            },
            "dataset": input_fields(dataset),
        }
    return {"namespace": "n", "name": name, "facets": facets}


def event(
    job: str,
    minute: int,
    outputs: list[dict[str, Any]],
    *,
    run: int = 0,
    reads: list[str] = (),  # type: ignore[assignment]
    state: str = "COMPLETE",
    **run_facets: Any,
) -> dict[str, Any]:
    """A RunEvent; the run's number is the minute unless given."""
    return {
        "eventType": state,
        "eventTime": at(minute),
        "run": {"runId": run_id(run or minute), "facets": run_facets},
        "job": {"namespace": "jobs", "name": job},
        "inputs": [{"namespace": "n", "name": name} for name in reads],
        "outputs": outputs,
    }


def copy_event(
    job: str, minute: int, name: str, fields: dict[str, str], **more: Any
) -> dict[str, Any]:
    """A run of a job that writes one dataset."""
    return event(job, minute, [output(name, fields, more.pop("dataset", ""))], **more)


def memory_store() -> Store:
    """A new store in memory, with tables but without the migrations' time."""
    store = Store("sqlite://")
    metadata.create_all(store.engine)
    with store.connection() as connection:
        connection.execute(change.insert(), [{"id": 1, "edges": 0}])
        connection.exec_driver_sql(f"CREATE TABLE {VERSION_TABLE} (version_num TEXT)")
        connection.exec_driver_sql(f"INSERT INTO {VERSION_TABLE} VALUES ('{HEAD}')")
    return store


def table_rows(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table of lineage and of the view of occurrences, in order."""
    with store.connection() as connection:
        return {
            table.name: sorted((tuple(row) for row in connection.execute(table.select())), key=repr)
            for table in (*metadata.sorted_tables, occurrence)
            if table not in (audit, change)
        }


def short_edges(graph: Any) -> set[tuple[str, str, str]]:
    """The edges of an answer as (input, output, transformation) in short."""
    return {
        (
            f"{edge.input.name}.{edge.input.field or '*'}",
            f"{edge.output.name}.{edge.output.field or '*'}",
            ":".join(filter(None, edge.transformation[:2])),
        )
        for edge in graph.edges
    }

"""The columns that datasets have now, by the latest report of each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from sys import intern

from sqlalchemy import Column, select
from sqlalchemy.engine import Connection
from sqlalchemy.sql import Select

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import batches
from airflow_colgraph.store.model.lineage_body import unpack
from airflow_colgraph.store.query.body_contents import read_contents


def current_columns(
    connection: Connection, names: Mapping[int, int], datasets: Collection[int] | None = None
) -> dict[int, set[str]]:
    """By dataset: the columns in its latest schema or, if it is newer, in its latest lineage.

    Args:
        connection: A connection to the store.
        names: For each dataset of several names the canonical one, as `canonical_names` gives.
        datasets: Only these, by their canonical ids; None: all.

    Returns:
        The columns by the canonical dataset. One of which no report lists columns is not there.
    """
    ids = None if datasets is None else _all_names(names, datasets)
    schema, output = tables.schema.c, tables.job_output.c
    latest: dict[int, tuple[int, set[str]]] = {}

    def add(dataset: int, at: int, columns: set[str]) -> None:
        owner = names.get(dataset, dataset)
        before, there = latest.get(owner, (at, set()))
        if columns and at >= before:
            latest[owner] = at, columns | there if at == before else columns

    query = select(schema.dataset, schema.last_at, schema.body)
    for part in _of(query, schema.dataset, ids):
        for row in connection.execute(part):
            rows = unpack(bytes(row.body))["columns"]
            add(row.dataset, row.last_at, {intern(name) for name, _ in rows})
    written = select(output.dataset, output.last_at, output.last_lineage_body)
    written = written.where(output.last_lineage_body.is_not(None))
    found = [row for part in _of(written, output.dataset, ids) for row in connection.execute(part)]
    bodies = read_contents(connection, {row.last_lineage_body for row in found})
    for row in found:
        add(row.dataset, row.last_at, set(bodies[row.last_lineage_body].columns))
    return {dataset: columns for dataset, (_, columns) in latest.items()}


def _all_names(names: Mapping[int, int], datasets: Collection[int]) -> set[int]:
    others = (id for id, canonical in names.items() if canonical in datasets)
    return {*datasets, *others}


def _of(
    query: Select[tuple[int, int, bytes]], column: Column[int], ids: Collection[int] | None
) -> Iterator[Select[tuple[int, int, bytes]]]:
    if ids is None:
        yield query
        return
    yield from (query.where(column.in_(batch)) for batch in batches(sorted(ids)))

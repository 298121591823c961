"""The columns that datasets have now, by the latest report of each."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from sys import intern

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import symlinks, tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.model.lineage_body import Field, unpack
from airflow_colgraph.store.query.body_contents import read_contents
from airflow_colgraph.store.query.field_types import field_types


def current_columns(
    connection: Connection, names: Mapping[int, int], datasets: Collection[int] | None = None
) -> dict[int, set[str]]:
    """By dataset: the columns in its latest schema or, if it is newer, in its latest lineage.

    Args:
        connection: A connection to the store.
        names: For each dataset of several names the canonical one, as `canonical_names` gives.
        datasets: Only these, by their canonical ids; None: all.

    Returns:
        The columns by the canonical dataset, without datasets whose columns no report lists.
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
    for row in rows_in(connection, query, schema.dataset, ids):
        columns = unpack(row.body)["columns"]
        add(row.dataset, row.last_at, {intern(name) for name, _ in columns})
    written = select(output.dataset, output.last_at, output.last_lineage_body)
    written = written.where(output.last_lineage_body.is_not(None))
    rows = list(rows_in(connection, written, output.dataset, ids))
    bodies = read_contents(connection, {row.last_lineage_body for row in rows})
    for row in rows:
        add(row.dataset, row.last_at, set(bodies[row.last_lineage_body].columns))
    return {dataset: columns for dataset, (_, columns) in latest.items()}


def typed_columns(connection: Connection, datasets: Sequence[Field]) -> list[dict[str, str | None]]:
    """The columns that each dataset has now, with the latest type that was reported of each."""
    members = symlinks.members_of(connection, {dataset.id for dataset in datasets})
    names = {name: id for id, others in members.items() for name in others}
    current = current_columns(connection, names, members.keys())
    types = field_types(connection, datasets)
    return [_typed(types[dataset], current.get(names[dataset.id], set())) for dataset in datasets]


def _typed(types: Mapping[str, str], current: set[str]) -> dict[str, str | None]:
    known = {name: kind for name, kind in types.items() if name in current}
    return {**known, **dict.fromkeys(sorted(current - types.keys()))}


def _all_names(names: Mapping[int, int], datasets: Collection[int]) -> set[int]:
    others = (id for id, canonical in names.items() if canonical in datasets)
    return {*datasets, *others}

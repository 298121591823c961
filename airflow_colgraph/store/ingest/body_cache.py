"""Lineage bodies as edges. A body never changes, so a process parses each once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import bindparam, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.model.bounded_cache import BoundedCache
from airflow_colgraph.store.model.intervals import EdgeKey, edge_key
from airflow_colgraph.store.model.lineage_body import (
    Field,
    Statement,
    Transformation,
    statements,
    unpack,
)

MOST = 300_000  # edges of the bodies that a process caches

_BODIES = select(tables.lineage_body.c.id, tables.lineage_body.c.body).where(
    tables.lineage_body.c.id.in_(bindparam("b_ids", expanding=True))
)


class ParsedBody(NamedTuple):
    """The edges of a body, under the dataset names that it uses."""

    columns: bool  # whether it has column lineage
    edges: frozenset[EdgeKey]
    statements: tuple[Statement, ...]
    datasets: dict[int, Field]
    transformations: dict[int, Transformation]


_PARSED: BoundedCache[int, ParsedBody] = BoundedCache(
    MOST, weight=lambda body: len(body.statements)
)


def parse(body: Mapping[str, Any]) -> ParsedBody:
    """The edges of a body."""
    stated = tuple(statements(body))
    datasets = {field.dataset for edge in stated for field in (edge.output, edge.input)}
    return ParsedBody(
        body["fields"] is not None,
        frozenset(map(edge_key, stated)),
        stated,
        {dataset.id: dataset for dataset in datasets},
        {edge.transformation.id: edge.transformation for edge in stated},
    )


def parsed_bodies(connection: Connection, ids: Iterable[int]) -> dict[int, ParsedBody]:
    """The bodies with the ids."""
    bodies = {id: body for id in ids if (body := _PARSED.get(id)) is not None}
    missing = sorted(set(ids) - bodies.keys())
    for begin in range(0, len(missing), 1000):
        batch = {"b_ids": missing[begin : begin + 1000]}
        for id, body in connection.execute(_BODIES, batch):
            bodies[id] = parse(unpack(body))
            _PARSED.put(id, bodies[id])
    return bodies

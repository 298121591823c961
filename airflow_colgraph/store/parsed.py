"""Bodies as edges. A body never changes, so a process takes each apart once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import bindparam, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store import tables
from airflow_colgraph.store.intervals import EdgeKey
from airflow_colgraph.store.shape import Field, Statement, Transformation, statements, unpack

MOST = 4096  # bodies that a process remembers

_KINDS = {"INDIRECT": tables.INDIRECT, "DATASET": tables.DATASET}
_BODIES = select(tables.shape.c.id, tables.shape.c.body).where(
    tables.shape.c.id.in_(bindparam("b_ids", expanding=True))
)
_PARSED: dict[int, Parsed] = {}


class Parsed(NamedTuple):
    """What a body states, under the names that it states it with."""

    columns: bool  # whether it says anything about columns
    edges: frozenset[EdgeKey]
    statements: tuple[Statement, ...]
    datasets: dict[int, Field]
    transformations: dict[int, Transformation]


def parse(body: Mapping[str, Any]) -> Parsed:
    """The edges of a body."""
    stated = tuple(statements(body))
    datasets = {field.dataset for one in stated for field in (one.output, one.input)}
    return Parsed(
        body["fields"] is not None,
        frozenset(map(edge_key, stated)),
        stated,
        {dataset.id: dataset for dataset in datasets},
        {one.transformation.id: one.transformation for one in stated},
    )


def edge_key(one: Statement) -> EdgeKey:
    """The statement as ids."""
    kind = _KINDS.get(one.transformation.type, tables.DIRECT)
    return EdgeKey(one.output.id, kind, one.input.id, one.transformation.id)


def parsed(connection: Connection, ids: Iterable[int]) -> dict[int, Parsed]:
    """The bodies with the ids."""
    found = {id: _PARSED[id] for id in ids if id in _PARSED}
    missing = sorted(set(ids) - found.keys())
    for begin in range(0, len(missing), 1000):
        batch = {"b_ids": missing[begin : begin + 1000]}
        for id, body in connection.execute(_BODIES, batch):
            found[id] = _PARSED[id] = parse(unpack(body))
    while len(_PARSED) > MOST:
        _PARSED.pop(next(iter(_PARSED)), None)
    return found

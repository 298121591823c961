"""What stored lineage bodies tell of the columns that a job writes and reads.

A body never changes, so a process reads each once; a body's columns and inputs are few beside it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.model.body_columns import BodyContents, contents
from airflow_colgraph.store.model.bounded_cache import BoundedCache
from airflow_colgraph.store.model.lineage_body import unpack

MOST = 500_000  # names and ids of the bodies that a process caches
_CONTENTS: BoundedCache[int, BodyContents] = BoundedCache(
    MOST, weight=lambda contents: 8 + len(contents.columns) + len(contents.inputs)
)


def read_contents(connection: Connection, ids: Collection[int]) -> dict[int, BodyContents]:
    """The contents of the bodies with the ids."""
    cached = {id: body for id in ids if (body := _CONTENTS.get(id)) is not None}
    for id, packed in _packed(connection, set(ids) - cached.keys()):
        cached[id] = contents(unpack(packed))
        _CONTENTS.put(id, cached[id])
    return cached


def read_bodies(connection: Connection, ids: Iterable[int]) -> dict[int, dict[str, Any]]:
    """The bodies with the ids."""
    return {id: unpack(packed) for id, packed in _packed(connection, ids)}


def _packed(connection: Connection, ids: Iterable[int]) -> Iterator[Any]:
    table = tables.lineage_body.c
    return rows_in(connection, select(table.id, table.body), table.id, ids)

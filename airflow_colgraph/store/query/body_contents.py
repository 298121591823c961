"""What stored lineage bodies tell of the columns that a job writes and reads.

A body never changes, so a process reads each once; a body's columns and inputs are few beside it.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import batches
from airflow_colgraph.store.model.body_columns import BodyContents, contents
from airflow_colgraph.store.model.bounded_cache import BoundedCache
from airflow_colgraph.store.model.lineage_body import unpack

MOST = 500_000  # names and ids of the bodies that a process caches
_CONTENTS: BoundedCache[int, BodyContents] = BoundedCache(
    MOST, weight=lambda one: 8 + len(one.columns) + len(one.inputs)
)


def read_contents(connection: Connection, ids: Collection[int]) -> dict[int, BodyContents]:
    """The contents of the bodies with the ids."""
    table = tables.lineage_body
    found = {id: one for id in ids if (one := _CONTENTS.get(id)) is not None}
    for batch in batches(sorted(set(ids) - found.keys()), 1_000):
        rows = connection.execute(select(table.c.id, table.c.body).where(table.c.id.in_(batch)))
        for id, packed in rows:
            found[id] = contents(unpack(bytes(packed)))
            _CONTENTS.put(id, found[id])
    return found

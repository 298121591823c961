"""Which fields of a store are in which, for the walks over its edges (`model.field_path`).

Parts that no event names get an id as any field has, and are known by name in this process only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sqlalchemy import select, text
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.model.field_path import Copied, NestedFields, wholes
from airflow_colgraph.store.query import name_cache
from airflow_colgraph.store.query.edge_cache import snapshot

_field = tables.field.c
IS_NESTED = text(tables.IS_NESTED)  # a constant, as the index on such fields has it
_OF_DATASETS = select(_field.dataset, _field.name, _field.id).where(IS_NESTED)


class Containment:
    """Which fields of a store are parts of others, read when it is first needed."""

    def __init__(self, connection: Connection) -> None:
        """Of the state of the store that the connection sees."""
        self._connection = connection
        self._cache = snapshot(connection).cache
        self.names = name_cache.of(connection)
        self.is_needed = self._cache.has_nested
        self._copied = Copied()

    def nodes(self, ids: Collection[int]) -> dict[int, name_cache.Node]:
        """The nodes of the ids, by id."""
        return self.names.read_nodes(self._connection, ids)

    def wholes(self, ids: Collection[int]) -> dict[int, list[int]]:
        """By nested field: the ids of the fields that it is in, the nearest first.

        A field whose whole is among the ids is left out: it is followed with the whole.
        """
        nodes = self.nodes(ids)
        nested = [id for id in ids if "." in nodes[id].field.field]
        outer = {id: [whole.id for whole in wholes(nodes[id].field)] for id in nested}
        return {
            id: around
            for id, around in outer.items()
            if not any(outside in ids for outside in around)
        }

    def parts(self, ids: Collection[int]) -> dict[int, list[int]]:
        """By field: the ids of its parts; fields without parts are left out."""
        if not self.is_needed:
            return {}
        nodes = self.nodes(ids)
        self._read({nodes[id].dataset for id in ids})
        nested = self._cache.nested
        within = {id: nested[nodes[id].dataset].within(nodes[id].field.field) for id in ids}
        return {id: parts for id, parts in within.items() if parts}

    def moved(self, field: int, whole: int, far: int) -> int:
        """The part of a copy, `far`, that a part of the whole goes to."""
        nodes = self.nodes((field, whole, far))
        copy = nodes[far].field
        place = self._copied.place(nodes[field].field, nodes[whole].field, copy)
        return far if place == copy else self.names.add(place)

    def copies(self, transformations: Iterable[int]) -> set[int]:
        """Those of the transformations that copy."""
        ids = set(transformations)
        steps = self.names.read_transformations(self._connection, ids)
        return {id for id in ids if steps[id].is_copy}

    def _read(self, datasets: Collection[int]) -> None:
        new = [id for id in datasets if id not in self._cache.nested]
        fields: dict[int, list[tuple[str, int]]] = {id: [] for id in new}
        for dataset, name, id in rows_in(self._connection, _OF_DATASETS, _field.dataset, new):
            fields[dataset].append((name, id))
        for dataset, pairs in fields.items():
            pairs.sort()
            names, ids = [name for name, _ in pairs], [id for _, id in pairs]
            self._cache.nested[dataset] = NestedFields(names, ids)

"""A whole struct contains its parts: the one rule by which all walks follow nested fields.

* An edge from or to `c` also holds for `c.x`: a copy of `c` (IDENTITY) takes `c.x` to the same part
  of the copy, anything else takes it to all of what is made of `c`.
* Whoever reaches all of `c` reaches each of its parts. A part never reaches its siblings.

Parts that no event names get an id as any field has, and are known by name in this process only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sqlalchemy import select, text
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import batches
from airflow_colgraph.store.model.body_columns import prefixes
from airflow_colgraph.store.model.field_path import NestedFields, in_copy
from airflow_colgraph.store.query import name_cache
from airflow_colgraph.store.query.edge_cache import snapshot

_field = tables.field.c
MOST_MOVED = 20_000  # parts in a walk; a struct that is copied into itself has very many
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
        self._moved: dict[tuple[int, int, int], int] = {}  # by part, its whole and the copy

    def nodes(self, ids: Collection[int]) -> dict[int, name_cache.Node]:
        """The nodes of the ids, by id."""
        return self.names.read_nodes(self._connection, ids)

    def wholes(self, ids: Collection[int]) -> dict[int, list[int]]:
        """By nested field: the ids of the fields that it is in, the nearest first.

        A field whose whole is among the ids is left out: it is followed with the whole.
        """
        found = {}
        nodes = self.nodes(ids)
        for id in ids:
            field = nodes[id].field
            if "." in field.field:
                outer = [field._replace(field=name).id for name in prefixes(field.field)]
                if not any(one in ids for one in outer):
                    found[id] = outer[::-1]
        return found

    def parts(self, ids: Collection[int]) -> dict[int, list[int]]:
        """By field: the ids of its parts; fields without parts are left out."""
        if not self.is_needed:
            return {}
        nodes = self.nodes(ids)
        self._read({nodes[id].dataset for id in ids})
        nested = self._cache.nested
        found = {id: nested[nodes[id].dataset].within(nodes[id].field.field) for id in ids}
        return {id: parts for id, parts in found.items() if parts}

    def moved(self, field: int, whole: int, far: int) -> int:
        """The part of a copy, `far`, that a part of the whole goes to.

        The copy as a whole, once a walk has met so many parts that it may have no end.
        """
        key = (field, whole, far)
        if key not in self._moved and len(self._moved) < MOST_MOVED:
            nodes = self.nodes(key)
            target = nodes[far].field
            if target.field:
                name = in_copy(nodes[field].field.field, nodes[whole].field.field, target.field)
                self._moved[key] = self.names.add(target._replace(field=name))
        return self._moved.get(key, far)

    def copies(self, transformations: Iterable[int]) -> set[int]:
        """Those of the transformations that copy."""
        ids = set(transformations)
        known = self.names.read_transformations(self._connection, ids)
        return {id for id in ids if known[id].is_copy}

    def _read(self, datasets: Collection[int]) -> None:
        new = [id for id in datasets if id not in self._cache.nested]
        found: dict[int, list[tuple[str, int]]] = {id: [] for id in new}
        for batch in batches(new):
            rows = self._connection.execute(_OF_DATASETS.where(_field.dataset.in_(batch)))
            for dataset, name, id in rows:
                found[dataset].append((name, id))
        for dataset, pairs in found.items():
            pairs.sort()
            names, ids = [name for name, _ in pairs], [id for _, id in pairs]
            self._cache.nested[dataset] = NestedFields(names, ids)

"""The names of ids. They never change, so a process caches those it has read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from weakref import WeakKeyDictionary

from sqlalchemy import bindparam, select
from sqlalchemy.engine import Connection, Engine

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import batches
from airflow_colgraph.store.model.lineage_body import Field, Transformation

MOST = 2_000_000  # names cached per store; then the cache is emptied
MOST_UNLISTED = 200_000  # of parts that no event names; then the oldest are dropped


_field, _dataset = tables.field, tables.dataset
_NODES = (
    select(_field.c.id, _field.c.name, _field.c.dataset, _dataset.c.namespace, _dataset.c.name)
    .join_from(_field, _dataset, _field.c.dataset == _dataset.c.id)
    .where(_field.c.id.in_(bindparam("b_ids", expanding=True)))
)
_TRANSFORMATIONS = select(tables.transformation).where(
    tables.transformation.c.id.in_(bindparam("b_ids", expanding=True))
)


class Node(NamedTuple):
    """A field and the id of its dataset."""

    field: Field
    dataset: int


class Names:
    """The names that a process has read from one store."""

    def __init__(self) -> None:
        """An empty cache."""
        self.nodes: dict[int, Node] = {}
        self.transformations: dict[int, Transformation] = {}
        self._unlisted: dict[int, Node] = {}  # parts of structs that no event names
        self._older: dict[int, Node] = {}  # the same; a walk that goes on may need them

    def add(self, field: Field) -> int:
        """Name a field that may not be in the store; returns its id."""
        id = field.id
        if len(self._unlisted) >= MOST_UNLISTED:
            self._older, self._unlisted = self._unlisted, {}
        if id not in self._unlisted:
            self._unlisted[id] = Node(field, field.dataset.id)
        return id

    def has_unlisted(self, ids: Iterable[int]) -> bool:
        """Whether one of the ids was added and may not be in the store."""
        return any(id in self._unlisted or id in self._older for id in ids)

    def read_nodes(self, connection: Connection, ids: Iterable[int]) -> dict[int, Node]:
        """Nodes by id, at least these; the dict stays valid if another thread empties the cache."""
        ids = set(ids)
        nodes = self.nodes
        if len(nodes) > MOST:
            nodes = self.nodes = {}
        for batch in batches([id for id in ids if id not in nodes]):
            for id, name, owner, namespace, of in connection.execute(_NODES, {"b_ids": batch}):
                nodes[id] = Node(Field(namespace, of, name), owner)
        unlisted, older = self._unlisted, self._older
        for id in ids if unlisted else ():
            node = unlisted.get(id) or older.get(id)
            if node and id not in nodes:
                nodes[id] = node
        return nodes

    def read_transformations(
        self, connection: Connection, ids: Iterable[int]
    ) -> dict[int, Transformation]:
        """Transformations by id, at least these."""
        ids = set(ids)
        steps = self.transformations
        if len(steps) > MOST:
            steps = self.transformations = {}
        for batch in batches([id for id in ids if id not in steps]):
            for row in connection.execute(_TRANSFORMATIONS, {"b_ids": batch}):
                steps[row.id] = Transformation(
                    row.type, row.subtype, bool(row.masking), row.description
                )
        return steps


_NAMES: WeakKeyDictionary[Engine, Names] = WeakKeyDictionary()


def of(connection: Connection) -> Names:
    """This process's cache of the connection's store."""
    return _NAMES.setdefault(connection.engine, Names())

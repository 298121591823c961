"""Datasets with several names, and the one that their edges are stored under."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db.id_lists import rows
from airflow_colgraph.store.db.tables import symlink
from airflow_colgraph.store.model.walk import walk

_EVERY = " UNION ".join(
    f"SELECT s.alias, s.dataset FROM {{ids}} colgraph_symlink AS s ON s.{name} = n.value WHERE true"
    for name in ("alias", "dataset")
)
_IN_FORCE = _EVERY.replace("WHERE true", "WHERE NOT s.is_ended")


def group(
    connection: Connection, datasets: Iterable[int], *, ever: bool = False
) -> set[tuple[int, int]]:
    """All (alias, dataset) pairs connected with the datasets; `ever`: also those that ended."""
    links = partial(rows, connection, _EVERY if ever else _IN_FORCE)
    every = walk(datasets, links, lambda pairs: {id for pair in pairs for id in pair})
    return {pair for _, pairs in every for pair in pairs}


def every(connection: Connection) -> set[tuple[int, int]]:
    """All (alias, dataset) pairs that are in force."""
    link = symlink.c
    query = select(link.alias, link.dataset).where(~link.is_ended)
    return {(row.alias, row.dataset) for row in connection.execute(query)}


def joined(pairs: Iterable[tuple[int, int]]) -> list[set[int]]:
    """The groups of names that are one dataset.

    >>> joined([(7, 3), (7, 5), (2, 9)]) == [{3, 5, 7}, {2, 9}]
    True
    """
    groups: dict[int, set[int]] = {}
    for pair in pairs:
        members = set(pair).union(*(groups.get(member, set()) for member in pair))
        groups.update(dict.fromkeys(members, members))
    return list({id(members): members for members in groups.values()}.values())


def representatives(pairs: Iterable[tuple[int, int]]) -> dict[int, int]:
    """For each name the canonical one of its group: one that is not an alias, if there is one.

    >>> representatives([(7, 3), (7, 5), (2, 9)]) == {3: 3, 5: 3, 7: 3, 9: 9, 2: 9}
    True
    """
    pairs = set(pairs)
    aliases = {alias for alias, _ in pairs}
    return {
        member: min(members - aliases or members) for members in joined(pairs) for member in members
    }


def groups(
    connection: Connection, datasets: Iterable[int], *, ever: bool = False
) -> list[set[int]]:
    """The groups of more than one name that the datasets belong to; `ever`: see `group`."""
    return joined(group(connection, datasets, ever=ever))


def members_of(
    connection: Connection, datasets: Collection[int], *, ever: bool = False
) -> dict[int, set[int]]:
    """All names of each dataset; `ever`: see `group`."""
    members = {id: names for names in groups(connection, datasets, ever=ever) for id in names}
    return {id: members.get(id, {id}) for id in datasets}


def resolve(connection: Connection, datasets: Iterable[int]) -> dict[int, int]:
    """The dataset that each dataset's edges are stored under: usually itself."""
    datasets = set(datasets)
    kept = representatives(group(connection, datasets))
    return {id: kept.get(id, id) for id in datasets}

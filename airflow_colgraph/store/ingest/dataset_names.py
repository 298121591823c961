"""Writes the other names of datasets, and gives each name the fields that any of them has.

A `symlinks` facet that is deleted ends the names that it had before. They stay in the table, as the
fields that their datasets shared stay; a later facet may have them again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import and_, select, update
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import symlinks, tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.db.upsert import upsert
from airflow_colgraph.store.ingest import facets
from airflow_colgraph.store.ingest.openlineage import Facts
from airflow_colgraph.store.model import name_case
from airflow_colgraph.store.model.lifecycle import UNLINKED
from airflow_colgraph.store.model.lineage_body import Field, unpack

_link = tables.symlink.c


def write(connection: Connection, stated: Sequence[Facts]) -> set[int]:
    """Insert new names of datasets; returns the datasets whose canonical name may have changed."""
    pairs = {(alias.id, dataset.id) for facts in stated for alias, dataset in facts.symlinks}
    unlinked = {
        change.dataset.id
        for facts in stated
        for change in facts.changes
        if change.change == UNLINKED
    }
    datasets = unlinked | {dataset for _, dataset in pairs}
    if not datasets:
        return set()
    query = select(_link.alias, _link.dataset)
    there = set(map(tuple, rows_in(connection, query, _link.alias, {alias for alias, _ in pairs})))
    new = pairs - there
    upsert(connection, tables.symlink, ({"alias": a, "dataset": d} for a, d in sorted(new)))
    touched = end_names(connection, datasets)
    after = symlinks.group(connection, {id for pair in new for id in pair}) if new else set()
    return touched | {id for pair in after for id in pair}


def end_names(connection: Connection, datasets: Collection[int] | None = None) -> set[int]:
    """Mark the names that ended of datasets (None: of all), or are names again; returns those
    whose canonical name may have changed.
    """
    ended = _ended(connection, datasets)
    if not ended:
        return set()
    changed = {id for pair in ended for id in pair}
    before = symlinks.group(connection, changed)
    for pair, has_ended in ended.items():
        which = and_(_link.alias == pair[0], _link.dataset == pair[1])
        connection.execute(update(tables.symlink).where(which).values(is_ended=has_ended))
    after = symlinks.group(connection, changed)
    return changed | {id for pair in before | after for id in pair}


def _ended(connection: Connection, datasets: Collection[int] | None) -> dict[tuple[int, int], bool]:
    """Whether each pair of a dataset whose facet was deleted has ended, if its row differs."""
    change, kept = tables.lifecycle.c, tables.facets.c
    query = select(change.subject, change.at).where(change.change == UNLINKED)
    deleted: dict[int, int] = {}
    for dataset, at in rows_in(connection, query, change.subject, datasets):
        deleted[dataset] = max(at, deleted.get(dataset, at))
    last: dict[tuple[int, int], int] = {}
    reports = select(kept.owner, kept.last_at, kept.body)
    for dataset, at, body in rows_in(connection, reports, kept.owner, deleted):
        for alias in facets.symlinks(unpack(body)["facets"].get("symlinks")):
            for name in {alias, name_case.canonical(alias)}:
                last[name.id, dataset] = max(at, last.get((name.id, dataset), at))
    rows = rows_in(connection, select(tables.symlink), _link.dataset, deleted)
    flags = {(row.alias, row.dataset): bool(row.is_ended) for row in rows}
    return {
        pair: at <= deleted[pair[1]]
        for pair, at in last.items()
        if pair in flags and flags[pair] != (at <= deleted[pair[1]])
    }


def spread(connection: Connection, datasets: set[int]) -> None:
    """Give every name that a dataset ever had the fields that are known under any of them."""
    for members in symlinks.groups(connection, datasets, ever=True):
        names = connection.execute(
            select(tables.field.c.name).where(tables.field.c.dataset.in_(members)).distinct()
        ).scalars()
        rows = connection.execute(select(tables.dataset).where(tables.dataset.c.id.in_(members)))
        fields = names.all()
        owners = [Field(row.namespace, row.name, "") for row in rows]
        named = {owner._replace(field=name) for owner in owners for name in fields}
        upsert(
            connection,
            tables.field,
            ({"id": f.id, "dataset": f.dataset.id, "name": f.field} for f in sorted(named)),
        )

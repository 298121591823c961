"""The types of datasets' fields, for many datasets in few statements."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from sqlalchemy import bindparam, func, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import symlinks, tables
from airflow_colgraph.store.db.id_lists import batches
from airflow_colgraph.store.model.bounded_cache import BoundedCache
from airflow_colgraph.store.model.clock import OPEN
from airflow_colgraph.store.model.lineage_body import Field, unpack

Types = dict[str, str]  # name to type, without fields whose type is unknown

_occurrence, _lineage_body = tables.occurrence.c, tables.lineage_body.c
_job_output, _schema = tables.job_output.c, tables.schema.c
_IDS: Any = bindparam("b_ids", expanding=True)
_has_run = func.length(_occurrence.run) > 0
_OUTPUTS = select(_job_output.id, _job_output.dataset).where(_job_output.dataset.in_(_IDS))
_REPORTED = (
    select(
        _occurrence.job_output,
        _occurrence.lineage_body,
        func.min(_occurrence.at),
        func.max(_occurrence.at),
        _has_run,
    )
    .where(_occurrence.job_output.in_(_IDS))
    .group_by(_occurrence.job_output, _occurrence.lineage_body, _has_run)
)
_BODIES = select(_lineage_body.id, _lineage_body.body).where(_lineage_body.id.in_(_IDS))
_SCHEMAS = select(_schema.id, _schema.dataset, _schema.last_at, _schema.body).where(
    _schema.dataset.in_(_IDS)
)
# Of lineage bodies and schemas by id, which is a digest, so they are equal in every store.
_cache: BoundedCache[int, Types] = BoundedCache(100_000, weight=lambda types: len(types) + 1)


class _Version(NamedTuple):
    """When a lineage body or schema was last reported; the greatest counts."""

    last_at: int
    has_run: bool
    first_at: int
    id: int


def field_types(connection: Connection, datasets: Collection[Field]) -> dict[Field, Types]:
    """The latest type that was reported of each field of the datasets, under any of their names."""
    names_of = symlinks.members_of(connection, {dataset.id for dataset in datasets})
    members = {dataset: names_of[dataset.id] for dataset in datasets}
    versions: dict[int, list[_Version]] = {}
    types: dict[int, Types] = {}
    for batch in batches(set().union(*members.values())):
        _add_schemas(connection, batch, versions, types)
        _add_bodies(connection, batch, versions, types)
    return {
        dataset: {
            name: kind
            for version in sorted(reported for id in names for reported in versions.get(id, ()))
            for name, kind in types[version.id].items()
        }
        for dataset, names in members.items()
    }


def _add_schemas(
    connection: Connection,
    ids: list[int],
    versions: dict[int, list[_Version]],
    types: dict[int, Types],
) -> None:
    for id, dataset, last_at, body in connection.execute(_SCHEMAS, {"b_ids": ids}):
        versions.setdefault(dataset, []).append(_Version(last_at, False, OPEN, id))
        types[id] = _read(id, body, "columns")


def _add_bodies(
    connection: Connection,
    ids: list[int],
    versions: dict[int, list[_Version]],
    types: dict[int, Types],
) -> None:
    datasets: dict[int, int] = dict(map(tuple, connection.execute(_OUTPUTS, {"b_ids": ids})))
    for outputs in batches(sorted(datasets)):
        rows = connection.execute(_REPORTED, {"b_ids": outputs}).all()
        for job_output, body, first_at, last_at, has_run in rows:
            version = _Version(last_at, bool(has_run), first_at, body)
            versions.setdefault(datasets[job_output], []).append(version)
    bodies = {version_of.id for some in versions.values() for version_of in some} - types.keys()
    new = set()
    for id in bodies:
        cached = _cache.get(id)
        if cached is None:
            new.add(id)
        else:
            types[id] = cached
    for batch in batches(sorted(new)):
        for id, body in connection.execute(_BODIES, {"b_ids": batch}):
            types[id] = _read(id, body, "schema")


def _read(id: int, body: Any, columns: str) -> Types:
    """The types in a stored body, which is decompressed once."""
    kinds = _cache.get(id)
    if kinds is None:
        kinds = {name: kind for name, kind in unpack(body)[columns] or () if kind}
        _cache.put(id, kinds)
    return kinds

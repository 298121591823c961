"""Details of a dataset: its fields with their times, what it is about, and its properties."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import or_, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import lifecycle, tables
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.field_path import prefixes
from airflow_colgraph.store.model.lifecycle import REMOVES
from airflow_colgraph.store.model.lineage_body import Field, key, unpack
from airflow_colgraph.store.model.runs import run_text
from airflow_colgraph.store.query.listing import members
from airflow_colgraph.store.query.reported_bodies import bodies_of_datasets


class FieldInfo(NamedTuple):
    """A field: when it was first seen, which run wrote it last, whether it was dropped."""

    name: str
    type: str | None
    created_at: str | None
    updated_at: str | None
    updated_by: str | None
    dropped: bool


class Version(NamedTuple):
    """A dataset's fields as reported in a lineage body, or in a schema."""

    fields: dict[str, str | None]  # name to type; first those of the schema, in their order
    first_at: int
    last_at: int
    last_run: bytes
    is_schema: bool  # whether all columns are listed, in the table's order

    @property
    def rank(self) -> tuple[int, int, int]:
        """The highest is the latest; of one time what a run wrote, and what is new."""
        return self.last_at, len(self.last_run), self.first_at


def versions(connection: Connection, dataset: Field) -> list[Version]:
    """All reports of the dataset's fields, the latest last."""
    ids = members(connection, dataset)
    reported = []
    for report in bodies_of_datasets(connection, ids):
        body = unpack(report.body)
        types: dict[str, str | None] = {name: kind or None for name, kind in body["schema"] or ()}
        for name, _ in body["fields"] or ():
            types.setdefault(name, None)
        if types:
            is_schema = bool(body["schema"])
            reported.append(
                Version(types, report.first_at, report.last_at, report.last_run, is_schema)
            )
    table = tables.schema
    for row in connection.execute(select(table).where(table.c.dataset.in_(ids))):
        types = {name: kind or None for name, kind in unpack(row.body)["columns"]}
        reported.append(Version(types, row.first_at, row.last_at, b"", bool(types)))
    reported += _before_renaming(connection, ids)
    return sorted(reported, key=lambda version: (version.rank, list(version.fields)))


def _before_renaming(connection: Connection, names: set[int]) -> Iterator[Version]:
    """The latest fields of the dataset under each former name, as of when it was renamed."""
    for at, run, former in lifecycle.former_names(connection, names):
        earlier = [each for each in versions(connection, former) if each.first_at <= at]
        if earlier:
            yield earlier[-1]._replace(first_at=at, last_at=at, last_run=run)


def are_gone(connection: Connection, datasets: Sequence[Field]) -> list[bool]:
    """Whether each dataset was dropped, or has another name now."""
    ends = lifecycle.ended(connection, [dataset.id for dataset in datasets], REMOVES)
    return [dataset.id in ends for dataset in datasets]


def fields(connection: Connection, dataset: Field) -> list[FieldInfo]:
    """The dataset's fields: the current ones in their order, then the dropped ones."""
    every = versions(connection, dataset)
    current = _current_fields(every)
    now = {} if any(are_gone(connection, [dataset])) else current
    names = dict.fromkeys([*current, *(name for version in every for name in version.fields)])
    infos = [
        _info(name, [version for version in every if name in version.fields], name not in now)
        for name in names
    ]
    table = tables.field
    query = select(table.c.name).where(
        table.c.dataset.in_(members(connection, dataset)), table.c.name != ""
    )
    mentioned = sorted(set(connection.execute(query).scalars()) - names.keys())
    return infos + [FieldInfo(name, None, None, None, None, bool(every)) for name in mentioned]


def _current_fields(every: Sequence[Version]) -> Mapping[str, str | None]:
    """The fields of the latest version: of the last one with types, if none is later."""
    latest = every[-1] if every else None
    typed = [version for version in every if any(version.fields.values())]
    if latest and typed and typed[-1].last_at == latest.last_at:
        latest = typed[-1]
    return _with_same_rank(every, latest) if latest else {}


def _with_same_rank(every: Sequence[Version], latest: Version) -> dict[str, str | None]:
    """The fields of a version, and of others of the same millisecond that nothing orders."""
    merged: dict[str, str | None] = {}
    for version in every:
        if version.rank == latest.rank and version.is_schema == latest.is_schema:
            merged.update(
                {name: kind for name, kind in version.fields.items() if not merged.get(name)}
            )
    return merged


def _info(name: str, seen: Sequence[Version], is_dropped: bool) -> FieldInfo:
    """What the versions that have a field say about it."""
    wrote = [version for version in seen if version.last_run]
    latest = max(wrote or seen, key=lambda version: version.last_at)
    kinds = [version.fields[name] for version in seen if version.fields[name]]
    return FieldInfo(
        name,
        kinds[-1] if kinds else None,
        clock.iso(min(version.first_at for version in seen)),
        clock.iso(latest.last_at),
        run_text(latest.last_run),
        is_dropped,
    )


def table_columns(connection: Connection, dataset: Field) -> dict[str, str]:
    """The columns of the latest schema that was reported, in their order, with their types.

    Members of structs are left out. Empty if no report lists the columns: those that lineage
    mentions may not be all of them, and are in no order.
    """
    schemas = [version for version in versions(connection, dataset) if version.is_schema]
    latest = _with_same_rank(schemas, schemas[-1]) if schemas else {}
    return {
        name: kind or ""
        for name, kind in latest.items()
        if latest.keys().isdisjoint(prefixes(name))
    }


class About(NamedTuple):
    """What events say of a dataset for people."""

    description: str | None
    owners: list[dict[str, str]]  # name, type
    fields: dict[str, str]  # descriptions by name


def about(connection: Connection, dataset: Field) -> About:
    """The dataset's description and owners: of each the latest that was reported."""
    table = tables.description
    query = select(table.c.body).where(table.c.dataset.in_(members(connection, dataset)))
    latest: dict[str, Any] = {}
    for body in connection.execute(query.order_by(table.c.last_at, table.c.id)).scalars():
        latest.update(unpack(body)["about"])
    return About(
        latest.get("description"),
        [dict(zip(("name", "type"), owner, strict=True)) for owner in latest.get("owners") or ()],
        latest.get("fields", {}),
    )


def owners(connection: Connection) -> set[str]:
    """The names of all owners that were reported of any dataset."""
    bodies = connection.execute(select(tables.description.c.body)).scalars()
    return {owner for body in bodies for owner, _ in unpack(body)["about"].get("owners") or ()}


def properties(
    connection: Connection,
    dataset: Field,
    start: int = 0,
    end: int = clock.OPEN,
    hidden: Collection[int | None] = (),
) -> list[tuple[str | None, dict[str, Any]]]:
    """The properties that each run in [start, end) read the dataset with, the latest first.

    Runs of `hidden` jobs are left out.
    """
    reading, lineage_body, edge, job_output = (
        tables.reading,
        tables.lineage_body,
        tables.edge,
        tables.job_output,
    )
    ids = members(connection, dataset)
    readers = select(job_output.c.job).where(
        job_output.c.id.in_(select(edge.c.job_output).where(edge.c.input.in_(ids)))
    )
    query = (
        select(reading.c.run, lineage_body.c.body, reading.c.job)
        .join_from(reading, lineage_body, lineage_body.c.id == reading.c.lineage_body)
        .where(reading.c.at >= start, reading.c.at < end)
        .where(or_(reading.c.job.in_(readers), _reads_only(reading)))
        .order_by(reading.c.at.desc(), reading.c.run.desc())
    )
    reads = []
    for run, body, job in connection.execute(query):
        for namespace, name, values in unpack(body)["properties"]:
            if key(namespace, name) in ids and job not in hidden:
                reads.append((run_text(run), values))
    return reads


def _reads_only(reading: Any) -> Any:
    """Jobs that write nothing have no edges that show what they read."""
    return reading.c.job.notin_(
        select(tables.job_output.c.job).where(tables.job_output.c.job.isnot(None))
    )

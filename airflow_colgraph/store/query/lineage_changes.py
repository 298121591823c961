"""What changed between two cones of a field: edges, writers, the datasets that they read, types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import batches
from airflow_colgraph.store.model.intervals import DATASET
from airflow_colgraph.store.model.lineage_body import Field, Transformation, unpack
from airflow_colgraph.store.query.cone import Cone
from airflow_colgraph.store.query.edge_cache import (
    CLOSED_AT,
    FIRST_SEEN,
    INPUT,
    JOB_OUTPUT,
    OUTPUT,
    Row,
)
from airflow_colgraph.store.query.unknown_columns import canonical_names

TRANSFORMATION = 3
ROW_KINDS = {
    "JOIN": "join-changed",
    "FILTER": "filter-changed",
    "GROUP_BY": "grouping-changed",
    "SORT": "ordering-changed",
}


class Found(NamedTuple):
    """A change of a node (a field, or a whole dataset), when it was, and which output reported it.

    Without an output it was reported by readers.
    """

    kind: str
    node: int
    at: int
    job_output: int | None
    before: str
    after: str


class Names(NamedTuple):
    """The names of nodes and transformations."""

    fields: Mapping[int, Field]
    transformations: Mapping[int, Transformation]


def edge_changes(before: Cone, after: Cone, names: Names) -> Iterator[Found]:
    """Edges that differ, of the nodes that are in both cones: others changed as a consequence."""
    old, new = _by_output(before), _by_output(after)
    for node in sorted((old.keys() | new.keys()) & before.depth.keys() & after.depth.keys()):
        was, now = old.get(node, []), new.get(node, [])
        if not was or {row[1:4] for row in was} == {row[1:4] for row in now}:
            continue
        is_field = bool(names.fields[node].field)
        for kind, gone, came in (_of_field if is_field else _of_rows)(was, now, names):
            moments = [(row[CLOSED_AT], row[JOB_OUTPUT]) for row in gone]
            moments += [(row[FIRST_SEEN], row[JOB_OUTPUT]) for row in came]
            later = [one for one in moments if before.at < one[0] <= after.at]
            at, job_output = min(later, default=(after.at, (came or gone)[0][JOB_OUTPUT]))
            yield Found(kind, node, at, job_output, _words(gone, names), _words(came, names))


def _by_output(cone: Cone) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = {}
    for row in cone.rows:
        found.setdefault(row[OUTPUT], []).append(row)
    return found


Difference = tuple[str, list[Row], list[Row]]


def _difference(
    was: Iterable[Row], now: Iterable[Row], names: Names, *parts: str
) -> tuple[list[Row], list[Row]]:
    """The rows that differ in their input or in these parts of the transformation."""

    def value(row: Row) -> tuple[object, ...]:
        how = names.transformations[row[TRANSFORMATION]]
        return (row[INPUT], *(getattr(how, part) for part in parts))

    was, now = list(was), list(now)
    old, new = {value(row) for row in was}, {value(row) for row in now}
    return [r for r in was if value(r) not in new], [r for r in now if value(r) not in old]


def _of_field(was: list[Row], now: list[Row], names: Names) -> Iterator[Difference]:
    direct = [[row for row in rows if row[1] == 0] for rows in (was, now)]
    for kind, parts in (
        ("sources-changed", ()),
        ("masking-changed", ("masking",)),
        ("transformation-changed", ("subtype",)),
        ("expression-changed", ("description",)),
    ):
        gone, came = _difference(direct[0], direct[1], names, *parts)
        if gone or came:
            yield kind, gone, came
            break
    others = [[row for row in rows if row[1] != 0] for rows in (was, now)]
    gone, came = _difference(others[0], others[1], names, "subtype", "description")
    if gone or came:
        yield "condition-changed", gone, came


def _of_rows(was: list[Row], now: list[Row], names: Names) -> Iterator[Difference]:
    subtypes = {names.transformations[row[TRANSFORMATION]].subtype for row in (*was, *now)}
    for subtype in sorted(subtypes):
        of_subtype = [
            [row for row in rows if names.transformations[row[TRANSFORMATION]].subtype == subtype]
            for rows in (was, now)
        ]
        gone, came = _difference(of_subtype[0], of_subtype[1], names, "description")
        if gone or came:
            yield ROW_KINDS.get(subtype, "rows-changed"), gone, came


def _words(rows: Iterable[Row], names: Names) -> str:
    """The rows' inputs, with the expression or the kind of step."""
    found = set()
    for row in rows:
        field, how = names.fields[row[INPUT]], names.transformations[row[TRANSFORMATION]]
        step = how.description or f"{how.subtype or how.type}{' masking' if how.masking else ''}"
        found.add(f"{field.name}.{field.field or '*'} ({step})")
    return ", ".join(sorted(found))


def source_changes(connection: Connection, before: Cone, after: Cone) -> Iterator[Found]:
    """New writers of a dataset in both cones, and datasets that a writer newly reads or no longer.

    A writer's inputs are compared only if it wrote before.
    """
    datasets = set(before.owner.values()) & set(after.owner.values())
    writers = writers_of(connection, datasets)
    spans = datasets_read(connection, writers, after.at)
    names = _dataset_names(connection, {one[0] for some in spans.values() for one in some})
    first = {id: min(one[1] for one in some) for id, some in spans.items()}
    earlier = {writers[id] for id, at in first.items() if at <= before.at}
    for id, some in sorted(spans.items()):
        old, new = (
            {input for input, since, closed in some if since <= cone.at < closed}
            for cone in (before, after)
        )
        gone, came = (_listed(names, one) for one in (old - new, new - old))
        if first[id] > before.at:
            if writers[id] in earlier:
                yield Found("writer-added", writers[id], first[id], id, "", _listed(names, new))
        elif old and new and old != new:
            times = [since for input, since, _ in some if input in new - old]
            times += [closed for input, _, closed in some if input in old - new]
            at = min((one for one in times if before.at < one <= after.at), default=after.at)
            yield Found("inputs-changed", writers[id], at, id, gone, came)


def writers_of(connection: Connection, datasets: Iterable[int]) -> dict[int, int]:
    """The job outputs that write datasets, under any of their names: output -> dataset."""
    owners = with_aliases(connection, datasets)
    output = tables.job_output.c
    found: dict[int, int] = {}
    for batch in batches(sorted(owners)):
        query = select(output.id, output.dataset).where(output.dataset.in_(batch))
        found.update((row.id, owners[row.dataset]) for row in connection.execute(query))
    return found


def with_aliases(connection: Connection, datasets: Iterable[int]) -> dict[int, int]:
    """Every name of the datasets -> the dataset."""
    found = {id: id for id in datasets}
    names = canonical_names(connection)
    return {**found, **{alias: kept for alias, kept in names.items() if kept in found}}


def datasets_read(
    connection: Connection, job_outputs: Iterable[int], until: int
) -> dict[int, list[tuple[int, int, int]]]:
    """By job output: each dataset that it is made of, from when on and until when."""
    edge = tables.edge.c
    found: dict[int, list[tuple[int, int, int]]] = {}
    for batch in batches(sorted(job_outputs)):
        query = select(edge.job_output, edge.input, edge.first_seen, edge.closed_at).where(
            edge.job_output.in_(batch), edge.kind == DATASET, edge.first_seen <= until
        )
        for id, *span in connection.execute(query):
            found.setdefault(id, []).append((span[0], span[1], span[2]))
    return found


def _dataset_names(connection: Connection, ids: Iterable[int]) -> dict[int, str]:
    table = tables.dataset.c
    found: dict[int, str] = {}
    for batch in batches(sorted(ids)):
        rows = connection.execute(select(table.id, table.name).where(table.id.in_(batch)))
        found.update((row.id, row.name) for row in rows)
    return found


def _listed(names: Mapping[int, str], ids: Iterable[int]) -> str:
    return ", ".join(sorted(names[one] for one in ids))


def schema_changes(
    connection: Connection, before: Cone, after: Cone, names: Names
) -> Iterator[Found]:
    """Columns of the cone before whose type changed, or that are gone from their dataset."""
    schema = tables.schema.c
    versions: dict[int, list[tuple[int, int, dict[str, str]]]] = {}
    owners = with_aliases(connection, before.owner.values())
    for batch in batches(sorted(owners)):
        query = select(schema.dataset, schema.first_at, schema.last_at, schema.body)
        for row in connection.execute(query.where(schema.dataset.in_(batch))):
            columns = dict(unpack(bytes(row.body))["columns"])
            versions.setdefault(owners[row.dataset], []).append(
                (row.first_at, row.last_at, columns)
            )
    for node, dataset in sorted(before.owner.items()):
        name = names.fields[node].field
        old = _in_force(versions.get(dataset, []), before.at)
        new = _in_force(versions.get(dataset, []), after.at)
        if not name or old is None or new is None or name not in old[1]:
            continue
        was, now = old[1][name], new[1].get(name)
        at = max(new[0], before.at + 1)
        if now is None:
            added = sorted(new[1].keys() - old[1].keys())
            words = f"gone; new: {', '.join(added)}" if added else "gone"
            yield Found("column-removed", node, at, None, f"{name} {was}".rstrip(), words)
        elif was and now and was != now:
            yield Found("type-changed", node, at, None, was, now)


def _in_force(
    versions: Iterable[tuple[int, int, dict[str, str]]], at: int
) -> tuple[int, dict[str, str]] | None:
    """The schema that was reported last up to the time, and since when."""
    known = [(min(last, at), first, columns) for first, last, columns in versions if first <= at]
    if not known:
        return None
    _, first, columns = max(known, key=lambda one: one[:2])
    return first, columns

"""What changed between two cones of a field: edges, writers, the datasets that they read, types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import func, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import lifecycle, tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.model import digests
from airflow_colgraph.store.model.compare import (
    column_differences,
    input_of,
    row_differences,
    type_changes,
)
from airflow_colgraph.store.model.data_types import comparable
from airflow_colgraph.store.model.field_path import is_part
from airflow_colgraph.store.model.intervals import DATASET
from airflow_colgraph.store.model.latest_lineage import Input
from airflow_colgraph.store.model.lifecycle import ENDS, STATES
from airflow_colgraph.store.model.lineage_body import Field, Transformation, unpack
from airflow_colgraph.store.query.body_contents import read_bodies
from airflow_colgraph.store.query.cone import Cone, rows_by_output
from airflow_colgraph.store.query.edge_cache import (
    CLOSED_AT,
    FIRST_SEEN,
    INPUT,
    JOB_OUTPUT,
    OUTPUT,
    TRANSFORMATION,
    Row,
)
from airflow_colgraph.store.query.operations import backward, steps
from airflow_colgraph.store.query.rows_in_force import Write, other_ways, ways_of_writing
from airflow_colgraph.store.query.unknown_columns import canonical_names


class NodeChange(NamedTuple):
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

    def by_input(self, rows: Iterable[Row]) -> dict[Input, list[Row]]:
        """Edges by their inputs, as lineages are compared by these."""
        edges: dict[Input, list[Row]] = {}
        for row in sorted(rows):
            source = input_of(self.fields[row[INPUT]], self.transformations[row[TRANSFORMATION]])
            edges.setdefault(source, []).append(row)
        return edges


class Cones(NamedTuple):
    """A field's cones at two times, with the names in them and who wrote what is in both."""

    before: Cone
    after: Cone
    names: Names
    writers: Mapping[int, int]  # the outputs of jobs -> the datasets that both cones have

    @classmethod
    def of(cls, before: Cone, after: Cone, names: Names, writers: Mapping[int, int]) -> Cones:
        """The cones; `writers` may be those of other datasets, too, see `writers_of`."""
        cones = cls(before, after, names, writers)
        both = cones.datasets
        return cones._replace(writers={id: writers[id] for id in writers if writers[id] in both})

    @property
    def datasets(self) -> set[int]:
        """The datasets that both cones have."""
        return {*self.before.owner.values()} & {*self.after.owner.values()}


def edge_changes(connection: Connection, cones: Cones) -> Iterator[NodeChange]:
    """Edges that differ, of the nodes that are in both cones: others changed as a consequence."""
    before, after, names, _ = cones
    both = before.depth.keys() & after.depth.keys()
    differing = {row[OUTPUT] for row in {*before.rows} ^ {*after.rows}} & both
    old, new = (
        rows_by_output({row for row in each.rows if row[OUTPUT] in differing})
        for each in (before, after)
    )
    first = new.keys() - old.keys()
    stated = _stated_without_edges(connection, before, {after.owner[n] for n in first})
    of_first = {n for n in first if names.fields[n].field in stated.get(after.owner[n], ())}
    for node in sorted(old.keys() | of_first):
        was, now = (names.by_input(each.get(node, ())) for each in (old, new))
        differences = column_differences if names.fields[node].field else row_differences
        for kind, gone, came in differences(was.keys(), now.keys()):
            lost = [row for source in gone for row in was[source]]
            gained = [row for source in came for row in now[source]]
            moments = [(row[CLOSED_AT], row[JOB_OUTPUT]) for row in lost]
            moments += [(row[FIRST_SEEN], row[JOB_OUTPUT]) for row in gained]
            later = [moment for moment in moments if before.at < moment[0] <= after.at]
            at, job_output = min(later, default=(after.at, moments[-1][1]))
            yield NodeChange(kind, node, at, job_output, _words(gone), _words(came))


def _stated_without_edges(
    connection: Connection, before: Cone, datasets: Iterable[int]
) -> dict[int, set[str]]:
    """The columns, and "" for all rows, that were stated of datasets, also without any source."""
    columns: dict[int, set[str]] = {}
    for output, dataset in writers_of(connection, datasets).items():
        if (body := body_in_force(connection, output, before.at)) is not None:
            fields = read_bodies(connection, [body.id])[body.id]["fields"]
            stated = {name for name, _ in fields or ()} | {""} if fields is not None else set()
            columns.setdefault(dataset, set()).update(stated)
    return columns


def _words(inputs: Iterable[Input]) -> str:
    """The inputs, with the expression or the kind of step."""
    words = set()
    for source in inputs:
        masking = " masking" if source.masking else ""
        step = source.description or f"{source.subtype or source.type}{masking}"
        words.add(f"{source.dataset.name}.{source.field or '*'} ({step})")
    return ", ".join(sorted(words))


RESTATED = {"transformation-changed", "expression-changed"}


def with_expressions(connection: Connection, cones: Cones, start: Field) -> list[NodeChange]:
    """The edges that differ, and columns whose steps do: a run may give expressions only there.

    One may be a new column of a dataset that was written before.
    """
    changes = list(edge_changes(connection, cones))
    differing = {change.node for change in changes}
    restated: dict[int, NodeChange] = {}
    for step in _step_changes(connection, cones, start):
        if step.node not in differing:
            changes.append(step)
        restated[step.node] = step
    return [
        change._replace(before=restated[change.node].before, after=restated[change.node].after)
        if change.kind in RESTATED and change.node in restated
        else change
        for change in changes
    ]


def _step_changes(connection: Connection, cones: Cones, start: Field) -> Iterator[NodeChange]:
    before, after, names, writers = cones
    outputs = _other_bodies(connection, writers, before.at, after.at)
    columns: dict[int, list[int]] = {writers[output]: [] for output in outputs}
    for node in {start.id} | (before.owner.keys() & after.owner.keys()):
        if after.owner[node] in columns and names.fields[node].field:
            columns[after.owner[node]].append(node)
    for output in outputs:
        dataset = writers[output]
        old, new = (body_in_force(connection, output, cone.at) for cone in (before, after))
        if old is None or new is None or old.id == new.id:
            continue
        bodies = read_bodies(connection, (old.id, new.id))
        at = max(new.since, before.at + 1)
        others, words_of = _by_digests(bodies[old.id], bodies[new.id])
        for node in sorted(columns[dataset]):
            column = names.fields[node].field
            was, now = (expression(bodies[body.id], column) for body in (old, new))
            if not states(bodies[old.id], column):
                # A struct whose parts are told apart now, or no longer, is no new column.
                if _states_around(bodies[old.id], column):
                    continue
                if bodies[old.id]["fields"] is not None and states(bodies[new.id], column):
                    yield NodeChange("column-added", node, at, output, "", now or "new")
            elif was and now and was != now:
                yield NodeChange("expression-changed", node, at, output, was, now)
            elif column in others:
                yield NodeChange("expression-changed", node, at, output, "", IN_ANOTHER_WAY)
        if dataset in before.depth and dataset in after.depth:
            for kind, *words in words_of:
                yield NodeChange(kind, dataset, at, output, *words)


IN_ANOTHER_WAY = "computed in another way"


def _by_digests(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[set[str], list[tuple[str, str, str]]]:
    """The columns that a body computes in another way, and how what affects rows differs."""
    old, new = digests.of_bodies([before]), digests.of_bodies([after])
    if old is None or new is None:
        return set(), []
    both = {name: name for name, _ in before["fields"]}
    steps = [
        ("expression-changed", "", f"{now}: in another way")
        if was == now
        else (kind, was or "none", now or "none")
        for kind, was, now in digests.other_steps(old, new)
    ]
    return set(digests.other_expressions(old, new, both, set())), steps


class BodyInForce(NamedTuple):
    """The lineage body that an output's latest run reported by a time, and since when."""

    id: int
    since: int


def _other_bodies(
    connection: Connection, outputs: Iterable[int], since: int, until: int
) -> list[int]:
    """The outputs whose latest lineage body at two times is not the same."""
    o, output = tables.occurrence.c, tables.job_output.c
    old, new = (
        select(o.lineage_body)
        .where(o.job_output == output.id, o.at <= at)
        .order_by(o.at.desc())
        .limit(1)
        .scalar_subquery()
        for at in (since, until)
    )
    query = select(output.id, old.label("old"), new.label("new")).where(output.last_at > since)
    rows = rows_in(connection, query, output.id, outputs)
    return sorted(row.id for row in rows if row.old != row.new)


def body_in_force(connection: Connection, job_output: int, at: int) -> BodyInForce | None:
    """The body that was reported last up to the time; `since` the run after the last other one."""
    o = tables.occurrence.c
    reported = select(o.lineage_body, o.at).where(o.job_output == job_output, o.at <= at)
    row = connection.execute(reported.order_by(o.at.desc()).limit(1)).first()
    if row is None:
        return None
    other = reported.where(o.lineage_body != row.lineage_body).order_by(o.at.desc()).limit(1)
    last = connection.execute(other).first()
    same = select(func.min(o.at)).where(
        o.job_output == job_output, o.lineage_body == row.lineage_body
    )
    if last is not None:
        same = same.where(o.at > last.at)
    return BodyInForce(row.lineage_body, connection.execute(same).scalar() or row.at)


def states(body: Mapping[str, Any], column: str) -> bool:
    """Whether the body tells what the column is computed from, be it nothing."""
    return any(name == column for name, _ in body["fields"] or ())


def _states_around(body: Mapping[str, Any], column: str) -> bool:
    """Whether the body tells of what the column is in, or of its parts."""
    paths = [str(name) for name, _ in body["fields"] or ()]
    return any(is_part(column, path) or is_part(path, column) for path in paths)


def expression(body: Mapping[str, Any], column: str) -> str:
    """The steps that compute the column, in words; empty if its run reported none."""
    if not body["operations"]:
        return ""
    target = tuple(body["output"])
    needed = backward(steps(body), lambda field: (field.namespace, field.name) == target, column)
    texts = (step.description for step in needed if not step.source and not step.target)
    return " -> ".join(dict.fromkeys(filter(None, texts)))


class Reading(NamedTuple):
    """A dataset that an output comes from in [since, closed)."""

    dataset: int
    since: int
    closed: int


def source_changes(
    connection: Connection, cones: Cones, read: Mapping[int, list[Reading]]
) -> Iterator[NodeChange]:
    """New writers of a dataset in both cones, and datasets that a writer newly reads or no longer.

    A writer's inputs, `read`, are compared only if it wrote before.
    """
    before, after, _, writers = cones
    read = {id: readings for id, readings in read.items() if id in writers}
    names = _dataset_names(connection, {each.dataset for some in read.values() for each in some})
    first = {id: min(reading.since for reading in some) for id, some in read.items()}
    earlier = {writers[id] for id, at in first.items() if at <= before.at}
    for id, readings in sorted(read.items()):
        old, new = (_read_at(readings, cone.at) for cone in (before, after))
        if first[id] <= before.at:
            if old and new and old != new:
                at = _changed_at(readings, old ^ new, before.at, after.at)
                words = (_listed(names, ids) for ids in (old - new, new - old))
                yield NodeChange("inputs-changed", writers[id], at, id, *words)
        elif writers[id] in earlier:
            read_now = _listed(names, new)
            yield NodeChange("writer-added", writers[id], first[id], id, "", read_now)


def way_changes(
    connection: Connection, cones: Cones, writes: Iterable[Write]
) -> Iterator[NodeChange]:
    """Jobs that replaced the rows of a dataset of both cones and now add to them, or reversely."""
    before, after, _, writers = cones
    owners = with_aliases(connection, writers.values())
    of_both = [write for write in writes if write.job_output in writers]
    ways = ways_of_writing(connection, owners, of_both)
    for output, at, old, new in other_ways(ways, before.at, after.at):
        yield NodeChange("rows-changed", writers[output], at, output, old, new)


def life_changes(connection: Connection, cones: Cones) -> Iterator[NodeChange]:
    """The datasets of both cones that were dropped, emptied or renamed, and not written since."""
    before, after, _, _ = cones
    owners = with_aliases(connection, cones.datasets)
    changed = lifecycle.changed_since(connection, before.at)
    for dataset in sorted({owners[id] for id in changed if id in owners}):
        names = [name for name, kept in owners.items() if kept == dataset]
        read_at = after.passed_on.get(dataset, after.at)
        for until in sorted({read_at, after.at}):
            end = lifecycle.ended_between(connection, names, before.at, until)
            if end is not None:
                at, change = end
                yield NodeChange(ENDS[change], dataset, at, None, "", f"by {STATES[change]}")
                break


def _read_at(readings: Iterable[Reading], at: int) -> set[int]:
    return {reading.dataset for reading in readings if reading.since <= at < reading.closed}


def _changed_at(readings: Iterable[Reading], changed: set[int], after: int, until: int) -> int:
    """The first time in (after, until] at which one of the datasets was read or no longer."""
    times = (time for reading in readings if reading.dataset in changed for time in reading[1:])
    return min((time for time in times if after < time <= until), default=until)


def writers_of(connection: Connection, datasets: Iterable[int]) -> dict[int, int]:
    """The job outputs that write datasets, under any of their names: output -> dataset."""
    owners = with_aliases(connection, datasets)
    output = tables.job_output.c
    rows = rows_in(connection, select(output.id, output.dataset), output.dataset, owners)
    return {row.id: owners[row.dataset] for row in rows}


def with_aliases(connection: Connection, datasets: Iterable[int]) -> dict[int, int]:
    """Every name of the datasets -> the dataset."""
    owners = {id: id for id in datasets}
    names = canonical_names(connection)
    return {**owners, **{alias: kept for alias, kept in names.items() if kept in owners}}


def datasets_read(
    connection: Connection, job_outputs: Iterable[int], until: int
) -> dict[int, list[Reading]]:
    """By job output: each dataset that it comes from, from when on and until when."""
    edge = tables.edge.c
    query = select(edge.job_output, edge.input, edge.first_seen, edge.closed_at)
    query = query.where(edge.kind == DATASET, edge.first_seen <= until)
    readings: dict[int, list[Reading]] = {}
    for id, *reading in rows_in(connection, query, edge.job_output, job_outputs):
        readings.setdefault(id, []).append(Reading(*reading))
    return readings


def _dataset_names(connection: Connection, ids: Iterable[int]) -> dict[int, str]:
    table = tables.dataset.c
    rows = rows_in(connection, select(table.id, table.name), table.id, ids)
    return {row.id: row.name for row in rows}


def _listed(names: Mapping[int, str], ids: Iterable[int]) -> str:
    return ", ".join(sorted(names[id] for id in ids))


_InForce: TypeAlias = tuple[int, dict[str, str]] | None  # since when, and the columns


class Version(NamedTuple):
    """A schema of a dataset, and between which times it was reported."""

    first: int
    last: int
    columns: dict[str, str]


def schema_changes(
    connection: Connection, cones: Cones, writers: Mapping[int, int], writes: Iterable[Write]
) -> Iterator[NodeChange]:
    """Columns of the cone before whose type changed, or that are gone from their dataset.

    `writers` are those of all datasets.
    """
    before, after, names, _ = cones
    schema = tables.schema.c
    versions: dict[int, list[Version]] = {}
    owners = with_aliases(connection, before.owner.values())
    query = select(schema.dataset, schema.first_at, schema.last_at, schema.body)
    written = _written_schemas(connection, writers, writes)
    for row in rows_in(connection, query, schema.dataset, owners):
        columns = dict(unpack(row.body)["columns"])
        if columns not in (each for *_, each in written.get(owners[row.dataset], ())):
            versions.setdefault(owners[row.dataset], []).append(
                Version(row.first_at, row.last_at, columns)
            )
    for dataset, some in written.items():
        versions.setdefault(dataset, []).extend(some)
    fields = {names.fields[node] for node in before.owner}
    differences = {
        dataset: SchemaDifference.between(*(_in_force(some, cone.at) for cone in (before, after)))
        for dataset, some in versions.items()
    }
    for node, dataset in sorted(before.owner.items()):
        field, differing = names.fields[node], differences.get(dataset)
        if not field.field or differing is None:
            continue
        at = max(differing.since, before.at + 1)
        if field.field in differing.gone:
            new = f"gone; new: {', '.join(differing.new)}" if differing.new else "gone"
            was = f"{field.field} {differing.gone[field.field]}".rstrip()
            yield NodeChange("column-removed", node, at, None, was, new)
        for path, *types in differing.types:
            if path == field.field:
                yield NodeChange("type-changed", node, at, None, *types)
            elif is_part(path, field.field) and field._replace(field=path) not in fields:
                part = path[len(field.field) + 1 :]
                words = (f"{part} {kind}" for kind in types)
                yield NodeChange("type-changed", node, at, None, *words)


class SchemaDifference(NamedTuple):
    """How a schema differs from an earlier one; `since` when, `gone` columns with their types."""

    since: int
    gone: dict[str, str]
    new: list[str]
    types: list[tuple[str, str, str]]

    @classmethod
    def between(cls, old: _InForce, new: _InForce) -> SchemaDifference | None:
        """The difference; None if one of them is not known."""
        if old is None or new is None:
            return None
        was, now = comparable(old[1], new[1])
        gone = {name: kind for name, kind in was.items() if name not in now}
        return cls(new[0], gone, sorted(now.keys() - was.keys()), [*type_changes(was, now)])


def _written_schemas(
    connection: Connection, writers: Mapping[int, int], writes: Iterable[Write]
) -> dict[int, list[Version]]:
    """The schemas that runs wrote datasets with: one may come back after another."""
    bodies = read_bodies(connection, {write.lineage_body for write in writes})
    by_output: dict[int, list[Version]] = {}
    for write in writes:
        if columns := dict(bodies[write.lineage_body]["schema"] or ()):
            each = by_output.setdefault(write.job_output, [])
            if each and each[-1].columns == columns:
                each[-1] = each[-1]._replace(last=write.at)
            else:
                each.append(Version(write.at, write.at, columns))
    versions: dict[int, list[Version]] = {}
    for output, each in by_output.items():
        versions.setdefault(writers[output], []).extend(each)
    return versions


def _in_force(versions: Iterable[Version], at: int) -> _InForce:
    """The schema that was reported last up to the time, and since when."""
    earlier = [(min(last, at), first, columns) for first, last, columns in versions if first <= at]
    if not earlier:
        return None
    _, first, columns = max(earlier, key=lambda version: version[:2])
    return first, columns

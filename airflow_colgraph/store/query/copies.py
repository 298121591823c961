"""Every field that holds a field's value unmasked: where an erasure has to be carried out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import lifecycle, symlinks, tables
from airflow_colgraph.store.db.pruned import refuse_pruned
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.holdings import Holdings, at_time, path, spread
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.runs import run_text
from airflow_colgraph.store.model.walk import walk
from airflow_colgraph.store.query import name_cache
from airflow_colgraph.store.query.unknown_columns import UnknownReader, unknown_readers
from airflow_colgraph.store.query.value_flows import ValueFlows

LIMIT = 10_000
ORIGINS = "origins"
# Which DIRECT subtypes carry the value; a producer that gives none may mean a copy.
THROUGH = {
    "identity": ("", "IDENTITY"),
    "transformation": ("", "IDENTITY", "TRANSFORMATION"),
    "aggregation": ("", "IDENTITY", "TRANSFORMATION", "AGGREGATION"),
}


class Copy(NamedTuple):
    """A field that holds the value: how it came there, and the last run that wrote it."""

    namespace: str
    name: str
    field: str
    other_names: list[str]  # of the dataset
    hops: int
    job: str | None
    run: str | None
    written_at: str | None
    path: list[Field]  # from the field that was asked for


class UnknownCopy(NamedTuple):
    """A job that read a dataset with the value, by unknown columns; null: it names no output."""

    source_namespace: str
    source_name: str
    job: str | None
    namespace: str | None
    name: str | None


class Copies(NamedTuple):
    """The fields with the value, and the readers that may have copied it, too."""

    copies: list[Copy]
    unknown: list[UnknownCopy]
    truncated: bool


def copies(
    connection: Connection,
    start: Field,
    *,
    through: str = "identity",
    origins: bool = False,
    at: int = clock.OPEN - 1,
    limit: int = LIMIT,
    hidden: Collection[int | None] = (),
) -> Copies:
    """Return every field that holds a field's value without masking.

    Args:
        connection: A connection to the store, as `Store.connection` gives.
        start: The field, under the name that its edges are stored under.
        through: A key of THROUGH: which DIRECT edges carry the value.
        origins: Start at the fields that it was copied from, too.
        at: The time, in milliseconds since 1970, at which the fields hold the value.
        limit: The number of fields at which the search ends.
        hidden: The ids of jobs that are not named.

    Returns:
        The fields by distance, the start first. What a run wrote before its source changed is there
        until a run replaces it; so time counts, not only the edges of now.

    Raises:
        QuestionError: `through` is none of THROUGH.
    """
    if through not in THROUGH:
        raise QuestionError(f"Through is {through!r}. Expected one of: {', '.join(THROUGH)}.")
    refuse_pruned(connection, at)
    flows = _flows(connection, through)
    starts = _new_names(connection, start, at)
    starts |= flows.origins(start.id) if origins else set()
    spreading = _spread(flows, starts, at, limit)
    jobs = _jobs(connection, hidden)
    rows = _copies(connection, spreading.holdings, spreading.held, at, flows, jobs)
    unknown = _unknown(connection, spreading.holdings, jobs)
    return Copies(rows, unknown, spreading.truncated)


def beyond(
    connection: Connection,
    start: Field,
    answer: Copies,
    *,
    through: str,
    origins: bool,
    at: int = clock.OPEN - 1,
    limit: int = LIMIT,
) -> dict[str, int]:
    """Count the fields that are not in an answer of `copies`, although the value goes on to them.

    The arguments are those of the answer.

    Returns:
        For each wider `through`, and for ORIGINS, how many fields it adds; without those that the
        ones before it add, and without zeros.
    """
    listed = {Field(*copy[:3]) for copy in answer.copies}
    choices = list(THROUGH)
    counts = dict.fromkeys([*choices[choices.index(through) + 1 :], ORIGINS], 0)
    starts = _new_names(connection, start, at)
    if through != choices[-1]:
        flows = _flows(connection, choices[-1])
        first = starts | (flows.origins(start.id) if origins else set())
        holdings, held, _ = _spread(flows, first, at, limit)
        nodes = name_cache.of(connection).read_nodes(connection, held)
        for id in held:
            if nodes[id].field not in listed:
                steps = (each.flow for _, each in path(holdings, id, at) if each.flow)
                ways = {flows.transformation(step).subtype for step in steps}
                listed.add(nodes[id].field)
                counts[next(name for name in counts if ways <= {*THROUGH[name]})] += 1
    flows = _flows(connection, through)
    sources = set() if origins else flows.origins(start.id) - starts
    if sources:
        held = _spread(flows, starts | sources, at, limit).held
        nodes = name_cache.of(connection).read_nodes(connection, held)
        counts[ORIGINS] = len({nodes[id].field for id in held} - listed)
    return {choice: count for choice, count in counts.items() if count}


class _Spreading(NamedTuple):
    """Where a value went: all that ever held it, and those that hold it at the time."""

    holdings: Holdings
    held: list[int]
    truncated: bool


def _flows(connection: Connection, through: str) -> ValueFlows:
    subtypes = THROUGH[through]
    return ValueFlows(
        connection,
        lambda how: how.type == "DIRECT" and not how.masking and how.subtype in subtypes,
    )


def _spread(flows: ValueFlows, starts: set[int], at: int, limit: int) -> _Spreading:
    parts = flows.around(starts) - starts
    everywhere = dict.fromkeys(starts | parts, clock.OPEN)
    holdings, truncated = spread(
        everywhere, flows.from_fields, flows.writes_of, limit, flows.parts_of
    )
    held = [id for id in holdings.keys() - parts if at_time(holdings[id], at)]
    return _Spreading(holdings, held, truncated)


def _new_names(connection: Connection, start: Field, at: int) -> set[int]:
    """The ids of a field and of the same one under the names that its dataset has got since."""
    names = name_cache.of(connection)
    pairs = [(old, new) for then, old, new in lifecycle.renamed_pairs(connection) if then <= at]

    def edges_of(datasets: set[int]) -> list[int]:
        return [new for old, new in pairs if old in datasets]

    ids = set[int]().union(*(level for level, _ in walk({start.dataset.id}, edges_of, set)))
    nodes = names.read_nodes(connection, ids - {start.dataset.id})
    datasets = [start.dataset, *(nodes[id].field for id in ids - {start.dataset.id})]
    return {names.add(dataset._replace(field=start.field)) for dataset in datasets}


def _jobs(connection: Connection, hidden: Collection[int | None]) -> dict[int | None, str]:
    job = tables.job.c
    rows = connection.execute(select(job.id, job.name))
    return {row.id: row.name for row in rows if row.id not in hidden}


def _copies(
    connection: Connection,
    holdings: Holdings,
    held: list[int],
    at: int,
    flows: ValueFlows,
    jobs: dict[int | None, str],
) -> list[Copy]:
    ways = {id: path(holdings, id, at) for id in held}
    nodes = name_cache.of(connection).read_nodes(
        connection, {step for way in ways.values() for step, _ in way}
    )
    others = _other_names(connection, {nodes[id].dataset for id in held})
    rows = []
    for id, way in ways.items():
        field = nodes[id].field
        holding = way[-1][1]
        write = holding.last_write(at)
        job = jobs.get(flows.jobs[holding.flow.job_output]) if holding.flow else None
        rows.append(
            Copy(
                *field,
                others.get(nodes[id].dataset, []),
                len(way) - 1,
                job,
                run_text(write.run) if write and job else None,
                clock.iso(write.at) if write else None,
                [nodes[step].field for step, _ in way],
            )
        )
    return sorted(rows, key=lambda copy: (copy.hops, copy[:3]))


def _other_names(connection: Connection, datasets: set[int]) -> dict[int, list[str]]:
    """The other names of datasets: a table's files, a path's table."""
    table = tables.dataset
    aliases: dict[int, list[str]] = {}
    for members in symlinks.groups(connection, datasets):
        rows = connection.execute(select(table).where(table.c.id.in_(members))).all()
        for id in members & datasets:
            aliases[id] = sorted(f"{row.namespace} {row.name}" for row in rows if row.id != id)
    return aliases


def _unknown(
    connection: Connection, holdings: Holdings, jobs: dict[int | None, str]
) -> list[UnknownCopy]:
    """The jobs that read a dataset which ever held the value, by unknown columns."""
    names = name_cache.of(connection)
    fields = names.read_nodes(connection, holdings)
    owners = {fields[id].dataset for id in holdings}
    return named_readers(connection, unknown_readers(connection, 0, owners), jobs)


def named_readers(
    connection: Connection, readers: Collection[UnknownReader], jobs: Mapping[int | None, str]
) -> list[UnknownCopy]:
    """The readers with the names of datasets and, where `jobs` has it, of the job."""
    names = name_cache.of(connection)
    ids = {id for reader in readers for id in (reader.dataset, reader.output) if id is not None}
    nodes = names.read_nodes(connection, ids)
    rows = set()
    for reader in readers:
        output = None if reader.output is None else nodes[reader.output].field
        target = (None, None) if output is None else output[:2]
        rows.add(UnknownCopy(*nodes[reader.dataset].field[:2], jobs.get(reader.job), *target))
    return sorted(rows, key=lambda row: tuple(part or "" for part in row))

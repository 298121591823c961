"""Every field that holds a field's value unmasked: where an erasure has to be carried out."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import symlinks, tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.holdings import Flow, Holdings, Write, at_time, path, spread
from airflow_colgraph.store.model.lineage_body import (
    Field,
    Transformation,
    statements,
)
from airflow_colgraph.store.model.question import DOWN, UP
from airflow_colgraph.store.model.runs import run_text
from airflow_colgraph.store.model.walk import walk
from airflow_colgraph.store.query import name_cache
from airflow_colgraph.store.query.body_contents import read_bodies
from airflow_colgraph.store.query.edge_cache import (
    FIRST_SEEN,
    INPUT,
    JOB_OUTPUT,
    OUTPUT,
    Row,
)
from airflow_colgraph.store.query.traversal import KINDS, Traversal
from airflow_colgraph.store.query.unknown_columns import canonical_datasets, unknown_readers

LIMIT = 10_000
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
    flows = _Flows(connection, THROUGH[through])
    id = name_cache.of(connection).add(start)
    starts = {id} | (flows.origins(id) if origins else set())
    parts = flows.around(starts) - starts
    holdings, truncated = spread(
        starts | parts, flows.from_fields, flows.writes_of, limit, flows.parts_of
    )
    held = [id for id in holdings.keys() - parts if at_time(holdings[id], at)]
    jobs = _jobs(connection, hidden)
    rows = _copies(connection, holdings, held, at, flows, jobs)
    return Copies(rows, _unknown(connection, holdings, jobs), truncated)


class _Flows:
    """The edges that carry the value, and the writes of outputs; each is read once."""

    def __init__(self, connection: Connection, subtypes: Collection[str]) -> None:
        self._connection = connection
        self._subtypes = subtypes
        self._names = name_cache.of(connection)
        self._down = Traversal(connection, DOWN, None, KINDS[False])
        self._writes: dict[int, list[Write]] = {}
        self._known_pairs: dict[int, set[tuple[int, int]]] = {}
        self._rows: dict[Flow, Row] = {}
        self._canonical = canonical_datasets(connection)
        self.jobs: dict[int, int | None] = {}  # by job output

    def _carries(self, how: Transformation) -> bool:
        return how.type == "DIRECT" and not how.masking and how.subtype in self._subtypes

    def _carrying(self, rows: Iterable[Row]) -> list[Row]:
        rows = list(rows)
        steps = self._names.read_transformations(self._connection, {row[3] for row in rows})
        return [row for row in rows if self._carries(steps[row[3]])]

    def from_fields(self, ids: set[int]) -> list[Flow]:
        """The edges out of the fields."""
        rows = self._carrying(self._down.level(ids))
        self._read({row[JOB_OUTPUT] for row in rows})
        flows = {
            Flow(row[INPUT], row[OUTPUT], row[JOB_OUTPUT], *row[FIRST_SEEN:]): row for row in rows
        }
        self._rows.update(flows)
        return list(flows)

    def around(self, ids: Iterable[int]) -> set[int]:
        """The fields and their parts."""
        return self._down.around(ids)

    def parts_of(self, flow: Flow) -> set[int]:
        """The parts of the field that an edge leads to, which hold what it holds."""
        return self._down.ends((self._rows[flow],)) - {flow.target}

    def origins(self, id: int) -> set[int]:
        """The fields that the value has ever come from."""
        up = Traversal(self._connection, UP, None, KINDS[False])

        def edges_of(fields: set[int]) -> list[Row]:
            return self._carrying(up.level(up.around(fields)))

        return set[int]().union(*(fields for fields, _ in walk({id}, edges_of, up.ends)))

    def writes_of(self, flow: Flow) -> list[Write]:
        """The writes that brought values along the edge, in the order of time.

        A run that appends leaves the edges of the runs before it, so its own lineage decides.
        """
        stated = self._down.stated(self._rows[flow])
        return [
            write
            for write in self._writes[flow.job_output]
            if flow.first_seen <= write.at <= flow.last_seen
            and (write.replaces or stated in self._pairs(write.lineage_body))
        ]

    def _pairs(self, lineage_body: int) -> set[tuple[int, int]]:
        """The inputs and outputs of the edges in a lineage body that carry the value."""
        if lineage_body not in self._known_pairs:
            names = self._canonical
            body = read_bodies(self._connection, [lineage_body])[lineage_body]

            def id_of(field: Field) -> int:
                dataset = names.get(field.dataset.id)
                return field.id if dataset is None else dataset._replace(field=field.field).id

            self._known_pairs[lineage_body] = {
                (id_of(edge.input), id_of(edge.output))
                for edge in statements(body)
                if self._carries(edge.transformation)
            }
        return self._known_pairs[lineage_body]

    def _read(self, job_outputs: set[int]) -> None:
        o, output = tables.occurrence.c, tables.job_output.c
        new = job_outputs - self._writes.keys()
        self._writes.update((id, []) for id in new)
        query = select(o.job_output, o.at, o.run, o.replaces, o.lineage_body)
        for id, at, run, replaces, body in rows_in(self._connection, query, o.job_output, new):
            self._writes[id].append(Write(at, bytes(run), bool(replaces), body))
        owners = rows_in(self._connection, select(output.id, output.job), output.id, new)
        self.jobs.update(map(tuple, owners))
        for id in new:
            self._writes[id].sort()


def _jobs(connection: Connection, hidden: Collection[int | None]) -> dict[int | None, str]:
    job = tables.job.c
    rows = connection.execute(select(job.id, job.name))
    return {row.id: row.name for row in rows if row.id not in hidden}


def _copies(
    connection: Connection,
    holdings: Holdings,
    held: list[int],
    at: int,
    flows: _Flows,
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
    readers = unknown_readers(connection, 0, owners)
    ids = {id for reader in readers for id in (reader.dataset, reader.output) if id is not None}
    nodes = names.read_nodes(connection, ids)
    rows = set()
    for reader in readers:
        output = None if reader.output is None else nodes[reader.output].field
        target = (None, None) if output is None else output[:2]
        rows.add(UnknownCopy(*nodes[reader.dataset].field[:2], jobs.get(reader.job), *target))
    return sorted(rows, key=lambda row: tuple(part or "" for part in row))

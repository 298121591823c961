"""Reads the edges that tags may travel along, from fields downstream or upstream."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import id_lists, tables
from airflow_colgraph.store.model.clock import OPEN
from airflow_colgraph.store.model.intervals import DATASET, DIRECT, INDIRECT
from airflow_colgraph.store.model.lineage_body import Field, Transformation, unpack
from airflow_colgraph.store.model.question import DOWN, UP, Span
from airflow_colgraph.store.model.tag_travel import TagEdge, related
from airflow_colgraph.store.query import name_cache
from airflow_colgraph.store.query.edge_cache import INPUT, JOB_OUTPUT, OUTPUT, Row
from airflow_colgraph.store.query.run_aware import RunTimes
from airflow_colgraph.store.query.traversal import Traversal

KINDS = (DIRECT, INDIRECT, DATASET)
AHEAD = 20  # levels that PostgreSQL reads at once
_KIND, _TRANSFORMATION = 1, 3
_WITH_COLUMNS = """
SELECT w.id FROM {{ids}} colgraph_job_output AS w ON w.id = n.value WHERE EXISTS (
    SELECT 1 FROM colgraph_edge AS e WHERE e.job_output = w.id AND e.kind <> {kind}
    AND e.first_seen <= {at} AND e.closed_at > {at}
)
"""


class Edges(NamedTuple):
    """The edges, and whether some are missing because there are more than the limit."""

    edges: list[TagEdge]
    truncated: bool


def read(
    connection: Connection,
    starts: Iterable[Field],
    direction: str,
    at: int | None,
    passes: Callable[[Transformation], bool],
    limit: int,
) -> Edges:
    """The edges that are reached from the fields along edges that `passes` allows.

    Args:
        connection: A connection to the store.
        starts: The fields, under the names that edges are stored under.
        direction: `model.question.UP` or DOWN.
        at: The time at which the edges held; None for those that hold now.
        passes: Whether an edge with the transformation is followed.
        limit: The number of edges at which the search ends.

    Returns:
        The edges; `key` of each is its row. An edge between whole datasets is among them only where
        the job reported no columns.
    """
    span = Span() if at is None else Span(at=at)
    traversal = Traversal(connection, direction, span, KINDS)
    columns = _Columns(connection, OPEN - 1 if at is None else at)
    fields = _Fields(connection)
    known = name_cache.of(connection)
    far = OUTPUT if direction == DOWN else INPUT
    found: list[TagEdge] = []
    seen: set[int] = set()
    waiting, done = set(starts), set[Field]()
    while waiting:
        done |= waiting
        ids = fields.related(waiting) - seen
        seen |= ids
        rows = columns.only_unknown(traversal.level(ids, AHEAD)) if ids else []
        nodes = known.read_nodes(
            connection, {id for row in rows for id in (row[INPUT], row[OUTPUT])}
        )
        steps = known.read_transformations(connection, {row[_TRANSFORMATION] for row in rows})
        waiting = set()
        for row in rows:
            step = steps[row[_TRANSFORMATION]]
            if passes(step):
                found.append(TagEdge(nodes[row[INPUT]].field, nodes[row[OUTPUT]].field, step, row))
                waiting.add(nodes[row[far]].field)
        waiting -= done
        if len(found) > limit:
            return Edges(found[:limit], True)
    return Edges(found, False)


def read_earlier(
    connection: Connection,
    dataset: Field,
    at: int | None,
    passes: Callable[[Transformation], bool],
    limit: int,
) -> Edges:
    """The edges that made what the dataset holds: each hop at the time of the run reached before.

    They are those that `read` finds upstream, or earlier ones where an input has changed since the
    dataset was written. Args and result are as there; edges between whole datasets are left out.
    """
    traversal = Traversal(connection, UP, None, (DIRECT, INDIRECT))
    runs, fields, known = RunTimes(connection), _Fields(connection), name_cache.of(connection)
    found: dict[Row, TagEdge] = {}
    seen: set[tuple[int, int]] = set()
    waiting = {(dataset, OPEN - 1 if at is None else at)}
    while waiting and len(found) <= limit:
        times: dict[int, list[int]] = {}
        for time in {time for _, time in waiting}:
            near = fields.related(field for field, one in waiting if one == time)
            for id in {id for id in near if (id, time) not in seen}:
                times.setdefault(id, []).append(time)
                seen.add((id, time))
        rows = traversal.level(times, AHEAD) if times else []
        nodes = known.read_nodes(
            connection, {id for row in rows for id in (row[INPUT], row[OUTPUT])}
        )
        steps = known.read_transformations(connection, {row[_TRANSFORMATION] for row in rows})
        waiting = set()
        for row in rows:
            step, ends = steps[row[_TRANSFORMATION]], (nodes[row[INPUT]], nodes[row[OUTPUT]])
            made = (runs.made_at(row, time) for time in times[row[OUTPUT]] if passes(step))
            for ran in {one for one in made if one is not None}:
                found[row] = TagEdge(ends[0].field, ends[1].field, step, row)
                waiting.add((ends[0].field, ran))
    return Edges(list(found.values())[:limit], len(found) > limit)


class _Fields:
    """The fields of datasets with their ids, read when they are first needed."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._ids: dict[int, dict[str, int]] = {}
        self._nested: dict[int, list[str]] = {}

    def related(self, fields: Iterable[Field]) -> set[int]:
        """The ids of the fields, of those in them and of those that they are in."""
        by_dataset: dict[Field, set[str]] = {}
        for field in fields:
            by_dataset.setdefault(field.dataset, set()).add(field.field)
        wanted = {dataset: dataset.id for dataset in by_dataset}
        self._read(set(wanted.values()))
        found: set[int] = set()
        for dataset, names in by_dataset.items():
            ids, nested = self._ids[wanted[dataset]], self._nested[wanted[dataset]]
            near = set[str]().union(
                *(related(dataset._replace(field=name), ids, nested) for name in names)
            )
            found.update(ids[name] for name in near if name in ids)
        return found

    def _read(self, datasets: set[int]) -> None:
        table = tables.field
        new = datasets - self._ids.keys()
        self._ids.update((id, {}) for id in new)
        for batch in id_lists.batches(new):
            query = select(table.c.dataset, table.c.name, table.c.id)
            for dataset, name, id in self._connection.execute(
                query.where(table.c.dataset.in_(batch))
            ):
                self._ids[dataset][name] = id
        for id in new:
            self._nested[id] = [name for name in self._ids[id] if "." in name]


class _Columns:
    """Whether outputs have column lineage: only where they have not, edges of datasets count."""

    def __init__(self, connection: Connection, at: int) -> None:
        self._connection = connection
        self._at = at
        self._unknown: dict[int, bool] = {}

    def only_unknown(self, rows: list[Row]) -> list[Row]:
        """The rows without the edges between datasets whose columns are known."""
        self._read({row[JOB_OUTPUT] for row in rows if row[_KIND] == DATASET})
        return [row for row in rows if row[_KIND] != DATASET or self._unknown[row[JOB_OUTPUT]]]

    def _read(self, job_outputs: set[int]) -> None:
        new = job_outputs - self._unknown.keys()
        if not new:
            return
        sql = _WITH_COLUMNS.format(kind=DATASET, at=self._at)
        known = {id for (id,) in id_lists.rows(self._connection, sql, new)}
        self._unknown.update((id, id not in known and self._reports_none(id)) for id in new)

    def _reports_none(self, job_output: int) -> bool:
        """Whether the latest report has no columns at all: those of constants have no edges."""
        occurrence, body = tables.occurrence, tables.lineage_body
        query = (
            select(body.c.body)
            .join_from(occurrence, body, occurrence.c.lineage_body == body.c.id)
            .where(occurrence.c.job_output == job_output, occurrence.c.at <= self._at)
            .order_by(occurrence.c.at.desc())
            .limit(1)
        )
        found = self._connection.execute(query).scalar()
        return found is not None and unpack(found)["fields"] is None

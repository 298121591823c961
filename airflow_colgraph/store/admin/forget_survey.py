"""What of a store is to be forgotten, and how much it is: the survey reads, in one state.

with store.connection() as connection:
    work = survey(connection, what)     # `admin.forget` does it in many short transactions
work.counts.text                        # '1 datasets, 12 fields, 1 outputs, 96 edges'
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Table, func, select, tuple_
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.event_template import join, unpack
from airflow_colgraph.store.model.redact_body import Unwanted, mentions, names_dataset, without
from airflow_colgraph.store.model.runs import run_id
from airflow_colgraph.store.model.selection import Selection

PAGE = 2_000  # rows that are read at once
FEW = 20  # names up to which bodies are searched for each
DATED = {  # tables of reports as JSON, which may have any text
    table.name: table
    for table in (
        tables.description,
        tables.facets,
        tables.run_facets,
        tables.gap,
        tables.job_source,
        tables.reported_tags,
    )
}


class Forgotten(NamedTuple):
    """How many rows are deleted or changed, by what they are."""

    datasets: int
    fields: int
    jobs: int
    runs: int
    outputs: int
    edges: int
    bodies: int
    reports: int
    events: int
    tags: int

    @property
    def text(self) -> str:
        """The numbers in a line; `nothing` if there are none."""
        parts = [f"{count} {name}" for name, count in self._asdict().items() if count]
        return ", ".join(parts) or "nothing"


class Work(NamedTuple):
    """The rows that have what is unwanted."""

    runs: dict[bytes, int]  # to be deleted, with their jobs
    outputs: set[int]  # of jobs, to be deleted
    emptied: list[bytes]  # runs of these that stay
    bodies: list[int]  # to be rewritten
    users: list[tuple[bytes, int]]  # runs with one of these bodies
    rows: list[tuple[str, dict[str, Any]]]  # tables with such a body in their key
    rebuilt: set[int]  # outputs of jobs whose edges are derived again
    unused: set[int]  # bodies that nothing refers to in the end, also what a crash has left
    reports: list[tuple[str, int]]
    events: list[tuple[int, int]]
    counts: Forgotten


def unwanted(what: Selection) -> Unwanted:
    """What bodies must not name."""
    return Unwanted(frozenset(what.datasets.values()), what.text)


def survey(connection: Connection, what: Selection) -> Work:
    """Everything that has what is unwanted; nothing is changed."""
    run, output, field = tables.run, tables.job_output, tables.field
    runs = {
        bytes(row.id): row.job
        for column, ids in ((run.c.job, what.jobs), (run.c.id, what.runs))
        for row in rows_in(connection, select(run.c.id, run.c.job), column, ids)
    }
    outputs = _ids(connection, output.c.id, output.c.job, what.jobs)
    outputs |= _ids(connection, output.c.id, output.c.dataset, what.datasets)
    touched = _outputs_of(connection, what.runs) - outputs
    outputs |= touched - _with_other_runs(connection, touched, what.runs)
    named, only = _bodies(connection, unwanted(what)), _only_of(connection, what, outputs)
    orphans = _orphans(connection)
    bodies = sorted(set(named) - only - orphans)
    users = _users(connection, bodies)
    rows = _rows(connection, bodies)
    edges, by_edge = _edges(connection, what, outputs)
    occurrence = tables.occurrence
    by_body = _ids(connection, occurrence.c.job_output, occurrence.c.lineage_body, bodies)
    gone = {*named, *only}
    reports = list(_reports(connection, what))
    events = list(_events(connection, what, runs))
    fields = _ids(connection, field.c.id, field.c.dataset, what.datasets)
    counts = Forgotten(
        len(what.datasets),
        max(0, len(fields) - len(what.datasets)),
        len(what.jobs),
        len(runs),
        len(outputs),
        edges,
        len(gone),
        len(reports),
        len(events),
        _tags(connection, what),
    )
    emptied = _ids(connection, run.c.id, run.c.job_output, outputs) - runs.keys()
    return Work(
        runs,
        outputs,
        sorted(map(bytes, emptied)),
        bodies,
        users,
        rows,
        (touched | by_edge | by_body) - outputs,
        gone | orphans,
        reports,
        events,
        counts,
    )


def _ids(connection: Connection, id: Any, column: Any, ids: Collection[Any]) -> set[Any]:
    """The ids of the rows whose column has one of the values."""
    return {row[0] for row in rows_in(connection, select(id).distinct(), column, ids)}


def _outputs_of(connection: Connection, runs: Collection[bytes]) -> set[int]:
    table = tables.occurrence
    return _ids(connection, table.c.job_output, table.c.run, runs)


def _with_other_runs(
    connection: Connection, outputs: Collection[int], runs: Collection[bytes]
) -> set[int]:
    table = tables.occurrence
    query = select(table.c.job_output).distinct().where(table.c.run.notin_(runs))
    return {row[0] for row in rows_in(connection, query, table.c.job_output, outputs)}


def _edges(
    connection: Connection, what: Selection, outputs: Collection[int]
) -> tuple[int, set[int]]:
    """How many edges there are no longer, and the other outputs of jobs whose edges change."""
    edge, field, step = tables.edge, tables.field, tables.transformation
    counted = select(edge.c.job_output, func.count().label("edges")).group_by(edge.c.job_output)
    fields = _ids(connection, field.c.id, field.c.dataset, what.datasets)
    count = sum(row.edges for row in rows_in(connection, counted, edge.c.job_output, outputs))
    by_input = [
        row
        for row in rows_in(connection, counted, edge.c.input, fields)
        if row.job_output not in outputs
    ]
    steps = {
        row.id
        for row in (connection.execute(select(step)) if what.text else ())
        if what.text in row.description
    }
    by_step = _ids(connection, edge.c.job_output, edge.c.transformation, steps)
    count += sum(row.edges for row in by_input)
    return count, by_step | {row.job_output for row in by_input}


def _only_of(connection: Connection, what: Selection, outputs: Collection[int]) -> set[int]:
    """The bodies that nothing has but these outputs of jobs, and what is forgotten."""
    occurrence, reading = tables.occurrence, tables.reading
    bodies = set[int]()
    for table, owner, ids in (
        (occurrence, occurrence.c.job_output, outputs),
        (occurrence, occurrence.c.run, what.runs),
        (reading, reading.c.job, what.jobs),
        (reading, reading.c.run, what.runs),
    ):
        bodies |= _ids(connection, table.c.lineage_body, owner, ids)
    others = set[int]()
    for table, owner, ids in (
        (occurrence, occurrence.c.job_output, outputs),
        (reading, reading.c.job, what.jobs),
    ):
        query = select(owner, table.c.lineage_body).distinct().where(table.c.run.notin_(what.runs))
        rows = rows_in(connection, query, table.c.lineage_body, bodies)
        others |= {row.lineage_body for row in rows if row[0] not in ids}
    return bodies - others


def _orphans(connection: Connection) -> set[int]:
    """The bodies that nothing refers to: of work that was not ended."""
    body = tables.lineage_body
    used = (select(of.c.lineage_body) for of in (tables.occurrence, tables.reading))
    query = select(body.c.id).where(*(body.c.id.notin_(ids) for ids in used))
    return set(connection.execute(query).scalars())


def _tags(connection: Connection, what: Selection) -> int:
    field, change = tables.field, tables.tag_change
    query = select(change.c.id).join(field, field.c.id == change.c.field)
    return sum(1 for _ in rows_in(connection, query, field.c.dataset, what.datasets))


def _pages(connection: Connection, table: Table, *columns: Any) -> Iterator[Any]:
    """All rows of a table, in the order of its key and without holding all of them."""
    key = list(table.primary_key)
    query = select(*columns).order_by(*key).limit(PAGE)
    rows = connection.execute(query).all()
    while rows:
        yield from rows
        last = [getattr(rows[-1], column.key) for column in key]
        rows = connection.execute(query.where(tuple_(*key) > tuple_(*last))).all()


def _bodies(connection: Connection, unwanted: Unwanted) -> list[int]:
    """The bodies that name what is unwanted."""
    if not unwanted.datasets and not unwanted.text:
        return []
    table = tables.lineage_body
    may_name = _searching(unwanted)
    ids = []
    for row in _pages(connection, table, table.c.id, table.c.body):
        raw = zlib.decompress(row.body)
        if may_name(raw) and without(plain(raw), unwanted) is not None:
            ids.append(row.id)
    return ids


def plain(raw: bytes) -> dict[str, Any]:
    """A decompressed body without its version."""
    return {key: value for key, value in orjson.loads(raw).items() if key != "v"}


def _searching(unwanted: Unwanted) -> Callable[[bytes], bool]:
    """Whether JSON may name what is unwanted: to parse each body takes ten times as long."""
    names = {name for _, name in unwanted.datasets}
    if len(names) > FEW:
        names = {namespace for namespace, _ in unwanted.datasets}
    words = names | ({unwanted.text} if unwanted.text else set())
    if len(words) > FEW or not all(map(str.isascii, words)):  # which JSON may escape
        return lambda raw: True
    parts = [orjson.dumps(word)[1:-1] for word in words]
    return lambda raw: any(part in raw for part in parts)


def _users(connection: Connection, bodies: Collection[int]) -> list[tuple[bytes, int]]:
    run = tables.run
    rows = rows_in(connection, select(run.c.id, run.c.lineage_body), run.c.lineage_body, bodies)
    return sorted((bytes(row.id), row.lineage_body) for row in rows)


def _rows(connection: Connection, bodies: Collection[int]) -> list[tuple[str, dict[str, Any]]]:
    return [
        (table.name, dict(row._mapping))
        for table in (tables.run_output, tables.reading)
        for row in rows_in(connection, select(table), table.c.lineage_body, bodies)
    ]


def _reports(connection: Connection, what: Selection) -> Iterator[tuple[str, int]]:
    """The reports that have the text, or name an unwanted dataset."""
    names = unwanted(what)
    may_name = _searching(names)
    for table in DATED.values() if names.datasets or names.text else ():
        for row in _pages(connection, table, table.c.id, table.c.body):
            raw = zlib.decompress(row.body)
            if may_name(raw) and _is_unwanted(orjson.loads(raw), names.datasets, names.text):
                yield table.name, row.id


def _is_unwanted(value: Any, names: Collection[tuple[str, str]], text: str) -> bool:
    return names_dataset(value, names) or bool(text and mentions(value, text))


def _events(
    connection: Connection, what: Selection, runs: Mapping[bytes, int]
) -> Iterator[tuple[int, int]]:
    """The whole events that were kept of the runs, or that name what is unwanted.

    Events share templates: only an event whose own values have a name is joined with its template.
    """
    event, template = tables.event, tables.template
    names = {*what.datasets.values(), *what.jobs.values()}
    words = {part for pair in names for part in pair}
    verdicts: dict[int, bool] = {}

    def read(id: int) -> Any:
        body = connection.execute(select(template.c.body).where(template.c.id == id)).scalar_one()
        return json.loads(zlib.decompress(body))

    for row in _pages(connection, event, *event.c):
        run = bytes(row.run)
        if run not in runs:
            if row.template not in verdicts:
                verdicts[row.template] = _is_unwanted(read(row.template), names, what.text)
            if not verdicts[row.template]:
                own = json.loads(unpack(bytes(row.own)) or b"[]")
                values = [*own, clock.iso(row.at), run_id(run) if run else ""]
                if not _has(values, words, what.text):
                    continue
                whole = join(read(row.template), own, row.at, run)
                if not _is_unwanted(whole, names, what.text):
                    continue
        yield row.at, row.id


def _has(values: Collection[Any], words: Collection[str], text: str) -> bool:
    """Whether one of the values is a word, or has the text."""
    texts = [value for value in values if isinstance(value, str)]
    return any(value in words or (text and text in value) for value in texts)

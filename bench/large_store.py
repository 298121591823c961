"""Makes a store of millions of edges by SQL: event by event it would take hours of a busy machine.

It is the warehouse of `bench.synthetic` with the names, jobs, runs and edges that its events would
make, but without lineage bodies: traversals, search and lists read none, while a field's history,
operations and unused fields do. `tests/store/test_large_store.py` compares it with events.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Table
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.engine import writing
from airflow_colgraph.store.ingest.persist import add_field_names
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.intervals import DATASET, DIRECT, INDIRECT
from airflow_colgraph.store.model.lineage_body import Field, Transformation
from airflow_colgraph.store.model.runs import STATES, Job, job_output_id
from airflow_colgraph.store.store import Store
from bench.synthetic import FIRST, LAYERS, NAMESPACE, SUBTYPES, Size, column, name

SLICE = 50_000  # rows of a statement
STEPS = [Transformation("DIRECT", one) for one in dict.fromkeys(SUBTYPES)]
CONDITIONS = [Transformation("INDIRECT", one) for one in ("FILTER", "JOIN", "GROUP_BY")]
WHOLE = Transformation("DATASET")


class Output(NamedTuple):
    """A dataset that a job writes, and the numbers of those that it comes from."""

    number: int
    job: Job
    id: int  # of the job's output
    at: int
    run: bytes
    inputs: list[int]


def make(store: Store, size: Size, seed: int = 1) -> int:
    """Fill an empty store; the number of edges. Indexes of edges are built when all are there."""
    choose = random.Random(seed)
    width = size.datasets // LAYERS
    outputs = [_output(choose, number, width) for number in range(width, size.datasets)]
    ids = [_ids(name(number, width), size.columns) for number in range(size.datasets)]
    edge = tables.edge
    with writing(store.engine) as connection:
        _write(connection, tables.dataset, _datasets(ids, width))
        _write(connection, tables.field, _fields(ids))
        add_field_names(connection, map(column, range(size.columns)))
        _write(connection, tables.job, (_job(one) for one in outputs))
        _write(connection, tables.run, (_run(one) for one in outputs))
        _write(connection, tables.job_output, (_job_output(one, ids) for one in outputs))
        steps = [*STEPS, *CONDITIONS, WHOLE]
        _write(connection, tables.transformation, ({"id": t.id, **t._asdict()} for t in steps))
        indexes = sorted(edge.indexes, key=lambda one: str(one.name))
        for index in indexes:
            index.drop(connection)
        count = _write(connection, edge, _edges(choose, outputs, ids, size))
        for index in indexes:
            index.create(connection)
    return count


def _output(choose: random.Random, number: int, width: int) -> Output:
    below = range((number // width - 1) * width, (number // width) * width)
    inputs = sorted(choose.sample(below, min(len(below), choose.randint(2, 4))))
    job = Job("warehouse", f"job_{number:05}")
    at = FIRST + number * 1000
    id = job_output_id(job, Field(NAMESPACE, name(number, width), ""))
    return Output(number, job, id, at, UUID(int=number + 1).bytes, inputs)


def _ids(dataset: str, columns: int) -> list[int]:
    """The ids of a dataset's columns, and its own."""
    named = [Field(NAMESPACE, dataset, column(number)).id for number in range(columns)]
    return [*named, Field(NAMESPACE, dataset, "").id]


def _datasets(ids: list[list[int]], width: int) -> Iterator[dict[str, Any]]:
    for number, (*_, own) in enumerate(ids):
        yield {"id": own, "namespace": NAMESPACE, "name": name(number, width)}


def _fields(ids: list[list[int]]) -> Iterator[dict[str, Any]]:
    rows = [(id, own[-1], at) for own in ids for at, id in enumerate(own)]
    for id, dataset, at in sorted(rows):
        yield {"id": id, "dataset": dataset, "name": "" if id == dataset else column(at)}


def _job(one: Output) -> dict[str, Any]:
    return {"id": one.job.id, "namespace": one.job.namespace, "name": one.job.name}


def _run(one: Output) -> dict[str, Any]:
    times = {"started_at": one.at, "ended_at": one.at}
    states = {"state": STATES.index("COMPLETE"), "report": tables.NOT_REPORTED}
    return {"id": one.run, "job": one.job.id, **times, **states}


def _job_output(one: Output, ids: list[list[int]]) -> dict[str, Any]:
    last = {"last_at": one.at, "last_run": one.run, "last_replaces": True}
    return {"id": one.id, "job": one.job.id, "dataset": ids[one.number][-1], **last}


def _edges(
    choose: random.Random, outputs: list[Output], ids: list[list[int]], size: Size
) -> Iterator[tuple[int, ...]]:
    """The rows of `edge` in the order of its key."""
    counts = range(1, len(size.inputs) + 1)
    steps, conditions = [one.id for one in STEPS], [one.id for one in CONDITIONS]
    made = [(ids[one.number][at], at, one) for one in outputs for at in range(size.columns + 1)]
    for output, at, one in sorted(made):
        rows: set[tuple[int, int, int]] = set()
        if at < size.columns:
            for _ in range(choose.choices(counts, size.inputs)[0]):
                input = ids[choose.choice(one.inputs)][choose.randrange(size.columns)]
                rows.add((DIRECT, input, choose.choice(steps)))
        else:
            for condition in conditions:
                input = ids[choose.choice(one.inputs)][choose.randrange(size.columns)]
                rows.add((INDIRECT, input, condition))
            rows.update((DATASET, ids[number][-1], WHOLE.id) for number in one.inputs)
        for kind, input, how in sorted(rows):
            yield output, kind, clock.OPEN, input, how, one.id, one.at, clock.OPEN


def _write(connection: Connection, table: Table, rows: Iterable[Any]) -> int:
    """Insert rows, given as dicts or as tuples of all columns; how many there were."""
    names = [one.name for one in table.c]
    count, some = 0, []
    sqlite = connection.dialect.name == "sqlite"
    marks = ", ".join("?" if sqlite else "%s" for _ in names)
    sql = f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({marks})"
    cursor = connection.connection.cursor()

    def flush() -> None:
        if sqlite:
            cursor.executemany(sql, some)
            return
        with cursor.copy(f"COPY {table.name} ({', '.join(names)}) FROM STDIN") as copy:  # type: ignore[attr-defined]
            for row in some:
                copy.write_row(row)

    for row in rows:
        some.append(tuple(map(row.get, names)) if isinstance(row, dict) else row)
        count += 1
        if len(some) == SLICE:
            flush()
            some.clear()
    flush()
    return count

"""Writes facts to the tables, in the only writing transaction.

Names and bodies are inserted if they are new. Occurrences are a set; the edges of an output are a
function of its occurrences, so the order of events does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

from sqlalchemy import bindparam, select, update
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import state, tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.db.upsert import greatest, least, upsert
from airflow_colgraph.store.ingest import dataset_names, dataset_reports, lifecycle
from airflow_colgraph.store.ingest.occurrences import Occurrence
from airflow_colgraph.store.ingest.openlineage import Facts
from airflow_colgraph.store.ingest.rebuild_edges import mentioning, rebuild_all
from airflow_colgraph.store.ingest.run_rows import RunRows, row_of
from airflow_colgraph.store.ingest.timeline import record
from airflow_colgraph.store.model.lineage_body import Field, LineageBody, key, named_fields, unpack
from airflow_colgraph.store.model.runs import Job, ReportedRun, job_output_id

_BODIES = select(tables.lineage_body.c.id, tables.lineage_body.c.first_at).where(
    tables.lineage_body.c.id.in_(bindparam("b_ids", expanding=True))
)


def write(connection: Connection, stated: Sequence[Facts], named_bodies: set[int]) -> set[int]:
    """Write the facts; returns the ids of names that were inserted.

    `named_bodies` are the ids of names that are in the tables already: they are not inserted again.
    """
    names = _Names(named_bodies)
    _collect(names, stated)
    for lineage_body in _lineage_bodies(connection, stated):
        for field in named_fields(unpack(lineage_body.packed)):
            names.field(field)
    for field in dataset_reports.named_fields(stated, names.is_new):
        names.field(field)
    dataset_reports.write(connection, stated)
    _namespaces(connection, stated)
    inserted = names.insert(connection)
    tries = [run for facts in stated for run in _runs(facts)]
    runs = RunRows(connection, (run.id for run in tries))
    runs.merge(map(row_of, tries))
    lifecycle.write(connection, stated)
    touched = dataset_names.write(connection, stated)
    dataset_names.spread(connection, touched | {row["dataset"] for row in names.fields})
    changed = record(connection, *_occurrences(stated), runs.occurrences)
    runs.write()
    _readings(connection, stated)
    job_outputs = changed | mentioning(connection, touched)
    if lifecycle.are_there(connection):
        former = {c.previous.id for facts in stated for c in facts.changes if c.previous}
        named = former | touched | {row["dataset"] for row in names.fields}
        inserted = lifecycle.name_fields(connection, named) or inserted
        job_outputs |= lifecycle.affected(connection, stated, touched)
    if rebuild_all(connection, job_outputs) or inserted or touched:
        state.mark(connection)
    return names.new


def _collect(names: _Names, stated: Iterable[Facts]) -> None:
    """The names of datasets and jobs in the facts."""
    for facts in stated:
        for dataset in facts.datasets:
            names.field(dataset)
        for run in _runs(facts):
            names.job(run.job)
        if facts.job:
            names.job(facts.job)
        for sources in facts.job_sources:
            for entity in (sources.target, *sources.sources):
                if isinstance(entity, Job):
                    names.job(entity)


class _Names:
    """Rows of names to insert: those that this process has not inserted before."""

    def __init__(self, named_bodies: set[int]) -> None:
        self.known = named_bodies
        self.new: set[int] = set()
        self.datasets: list[dict[str, Any]] = []
        self.fields: list[dict[str, Any]] = []
        self.jobs: dict[int, Job] = {}

    def is_new(self, id: int) -> bool:
        """Whether this process sees the id for the first time."""
        if id in self.known or id in self.new:
            return False
        self.new.add(id)
        return True

    def field(self, field: Field) -> None:
        if self.is_new(field.id):
            dataset = field.dataset
            self.fields.append({"id": field.id, "dataset": dataset.id, "name": field.field})
            if dataset is field or not field.field:
                row = {"id": dataset.id, "namespace": dataset.namespace, "name": dataset.name}
                self.datasets.append(row)
            else:
                self.field(dataset)

    def job(self, job: Job) -> None:
        """A job's row is merged until its task is known, as events name it one by one."""
        if self.is_new(key("known", *(part or "" for part in job))):
            seen = self.jobs.get(job.id, job)
            dag_id = max(seen.dag_id or "", job.dag_id or "") or None
            task_id = max(seen.task_id or "", job.task_id or "") or None
            self.jobs[job.id] = Job(job.namespace, job.name, dag_id, task_id)

    def insert(self, connection: Connection) -> bool:
        """Insert what is new; whether anything may have been."""
        by_id = itemgetter("id")
        datasets = upsert(connection, tables.dataset, sorted(self.datasets, key=by_id))
        fields = upsert(connection, tables.field, sorted(self.fields, key=by_id))
        add_field_names(connection, (row["name"] for row in self.fields))
        rows = ({"id": id, **job._asdict()} for id, job in self._changed_jobs(connection))
        jobs = upsert(connection, tables.job, rows, {"dag_id": greatest, "task_id": greatest})
        return datasets or fields or jobs

    def _changed_jobs(self, connection: Connection) -> list[tuple[int, Job]]:
        """The jobs that are not in the store, or without their task."""
        table = tables.job.c
        query = select(table.id, table.dag_id, table.task_id)
        rows = rows_in(connection, query, table.id, self.jobs)
        tasks = {id: (dag_id, task_id) for id, dag_id, task_id in rows}
        jobs = sorted(self.jobs.items())
        return [pair for pair in jobs if _is_more(pair[1], tasks.get(pair[0]))]


def _is_more(job: Job, task: tuple[str | None, str | None] | None) -> bool:
    """Whether the job says more than its row, which has this task; None: it has no row."""
    if task is None:
        return True
    pairs = zip((job.dag_id, job.task_id), task, strict=True)
    return any((new or "") > (old or "") for new, old in pairs)


def add_field_names(connection: Connection, names: Iterable[str]) -> None:
    """Insert the names of fields that are new."""
    ids = {key("field name", name): name for name in set(names) if name}
    rows = ({"id": id, "name": name} for id, name in sorted(ids.items()))
    upsert(connection, tables.field_name, rows)


def _namespaces(connection: Connection, stated: Sequence[Facts]) -> None:
    """Insert the namespaces that are new, or seen earlier than is known."""
    first: dict[int, tuple[str, int]] = {}
    for facts in stated:
        jobs = [run.job for run in _runs(facts)] + ([facts.job] if facts.job else [])
        names = {dataset.namespace for dataset in facts.datasets} | {job.namespace for job in jobs}
        for name in names:
            id = key("namespace", name)
            first[id] = name, min(facts.at, first.get(id, (name, facts.at))[1])
    table = tables.namespace
    query = select(table.c.id, table.c.first_at)
    there = dict(map(tuple, rows_in(connection, query, table.c.id, first)))
    rows = (
        {"id": id, "name": name, "first_at": at}
        for id, (name, at) in sorted(first.items())
        if id not in there or at < there[id]
    )
    upsert(connection, table, rows, {"first_at": least})


def _runs(facts: Facts) -> list[ReportedRun]:
    return [*facts.parents, facts.run] if facts.run else facts.parents


def _lineage_bodies(connection: Connection, stated: Sequence[Facts]) -> list[LineageBody]:
    """Insert the bodies that are new; returns them."""
    first: dict[int, tuple[int, LineageBody]] = {}
    for facts in stated:
        bodies = [output.lineage_body for output in facts.outputs]
        for lineage_body in bodies + ([facts.reading] if facts.reading else []):
            at, _ = first.get(lineage_body.id, (facts.at, lineage_body))
            first[lineage_body.id] = min(at, facts.at), lineage_body
    if not first:
        return []
    table = tables.lineage_body
    there = {row.id: row.first_at for row in connection.execute(_BODIES, {"b_ids": sorted(first)})}
    for id, (at, _) in first.items():
        if id in there and at < there[id]:
            connection.execute(update(table).where(table.c.id == id).values(first_at=at))
    fresh = {id: pair for id, pair in sorted(first.items()) if id not in there}
    upsert(
        connection,
        table,
        (
            {
                "id": id,
                "checksum": lineage_body.checksum,
                "first_at": at,
                "body": lineage_body.packed,
            }
            for id, (at, lineage_body) in fresh.items()
        ),
    )
    return [lineage_body for _, lineage_body in fresh.values()]


def _occurrences(stated: Iterable[Facts]) -> tuple[list[Occurrence], dict[int, int]]:
    """The occurrences in the facts, and the dataset of each output."""
    occurrences: list[Occurrence] = []
    datasets: dict[int, int] = {}
    for facts in stated:
        job = facts.job.id if facts.job else None
        run = facts.run.id if facts.run else b""
        for output, lineage_body, replaces in facts.outputs:
            job_output = job_output_id(facts.job, output)
            datasets[job_output] = output.id
            occurrences.append(
                Occurrence(job_output, job, facts.at, run, lineage_body.id, replaces)
            )
    return occurrences, datasets


def _readings(connection: Connection, stated: Iterable[Facts]) -> None:
    """A run's reading is stored once, at the first time it was reported."""
    table = tables.reading
    for facts in stated:
        if not (facts.reading and facts.job):
            continue
        run = facts.run.id if facts.run else b""
        row = {"job": facts.job.id, "at": facts.at, "run": run, "lineage_body": facts.reading.id}
        same = [table.c[name] == row[name] for name in ("job", "run", "lineage_body")]
        there = connection.execute(select(table.c.at).where(*same)).scalar() if run else None
        if there is None:
            upsert(connection, table, [row])
        elif facts.at < there:
            connection.execute(update(table).where(*same).values(at=facts.at))

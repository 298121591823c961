"""Writes what happened to datasets as a whole, and finds the outputs whose edges it affects."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from heapq import heappop, heappush
from typing import Any

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import symlinks, tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.db.lifecycle import (
    changes_of,
    first_written,
    last_seen,
    outputs_of,
    outputs_of_jobs,
    there_until,
)
from airflow_colgraph.store.db.symlinks import members_of
from airflow_colgraph.store.db.upsert import upsert
from airflow_colgraph.store.ingest.dataset_readers import moved_to, own_edges, read_by
from airflow_colgraph.store.ingest.openlineage import Facts
from airflow_colgraph.store.model.clock import OPEN
from airflow_colgraph.store.model.intervals import EdgeKey
from airflow_colgraph.store.model.lifecycle import (
    ALTERED,
    DECLARED,
    RENAMED,
    RETIRED,
    UNSTATED,
    End,
    LifecycleChange,
)
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.runs import Job, job_output_id

_change, _edge, _field = tables.lifecycle.c, tables.edge.c, tables.field.c
_output = tables.job_output.c


def write(connection: Connection, stated: Iterable[Facts]) -> None:
    """Insert the changes that are new."""
    rows = [_row(facts, change) for facts in stated for change in facts.changes]
    rows += [_declared(facts.declared, facts.at) for facts in stated if facts.declared]
    key = [column.key for column in tables.lifecycle.primary_key]
    upsert(connection, tables.lifecycle, sorted(rows, key=lambda row: [row[name] for name in key]))


def _row(facts: Facts, change: LifecycleChange) -> dict[str, Any]:
    dataset, kind, previous, is_after_write = change
    renamed = job_output_id(facts.job, dataset) if kind == RENAMED else None
    return {
        "subject": dataset.id,
        "at": facts.at + is_after_write,
        "change": kind,
        "run": facts.run.id if facts.run else b"",
        "previous": previous.id if previous else 0,
        "job_output": renamed,
    }


def _declared(job: Job, at: int) -> dict[str, Any]:
    kept = {"run": b"", "previous": 0, "job_output": None}
    return {"subject": job.id, "at": at, "change": DECLARED, **kept}


def name_fields(connection: Connection, datasets: Collection[int]) -> bool:
    """Give renamed datasets the fields that are known under their former names.

    `datasets`: those that have new fields, or were renamed. Returns whether any field is new.
    """
    is_new = False
    left = set(datasets)
    while left:
        former = left.union(*symlinks.groups(connection, left, ever=True))
        renamed = select(_change.previous, _change.subject).where(_change.change == RENAMED)
        pairs = set(map(tuple, rows_in(connection, renamed, _change.previous, former)))
        left = {new for old, new in pairs if _name_fields(connection, old, new)}
        is_new = is_new or bool(left)
    return is_new


def _name_fields(connection: Connection, old: int, new: int) -> bool:
    members = members_of(connection, {old, new}, ever=True)
    table = tables.dataset
    named = select(_field.dataset, _field.name)
    names = {name for _, name in rows_in(connection, named, _field.dataset, members[old])}
    there = set(map(tuple, rows_in(connection, named, _field.dataset, members[new])))
    owners = rows_in(connection, select(table), table.c.id, members[new])
    fields = sorted(Field(row.namespace, row.name, name) for row in owners for name in names)
    missing = [field for field in fields if (field.dataset.id, field.field) not in there]
    rows = ({"id": f.id, "dataset": f.dataset.id, "name": f.field} for f in missing)
    upsert(connection, tables.field, rows)
    return bool(missing)


def are_there(connection: Connection) -> bool:
    """Whether the store has any change that ends edges: most questions here are about these."""
    query = select(_change.at).where(_change.change != ALTERED).limit(1)
    return connection.execute(query).first() is not None


def affected(connection: Connection, stated: Sequence[Facts], renamed: Collection[int]) -> set[int]:
    """The outputs of datasets with changes that these facts mention as written, or changed.

    `renamed`: the datasets that have other symlinks now.
    """
    named = set(renamed)
    named |= {output.output.id for facts in stated for output in facts.outputs}
    named |= {report.dataset.id for facts in stated for report in facts.schemas}
    for facts in stated:
        for dataset, _, previous, _ in facts.changes:
            named |= {dataset.id} if previous is None else {dataset.id, previous.id}
    jobs = {facts.declared.id for facts in stated if facts.declared}
    jobs |= retired(connection, {facts.job.id for facts in stated if facts.job})
    return outputs_of_jobs(connection, jobs) | outputs_of(
        connection, with_changes(connection, named)
    )


def every_affected(connection: Connection) -> set[int]:
    """The outputs of all datasets with changes, and of all jobs that declared theirs."""
    subjects = set(connection.execute(select(_change.subject)).scalars())
    subjects |= set(connection.execute(select(_change.previous)).scalars())
    of_jobs = outputs_of_jobs(connection, subjects)
    return of_jobs | outputs_of(connection, with_changes(connection, subjects))


def retired(connection: Connection, jobs: Iterable[int]) -> set[int]:
    """Those of the jobs that were ever retired."""
    query = select(_change.subject).where(_change.change == RETIRED)
    return {id for (id,) in rows_in(connection, query, _change.subject, jobs)}


def with_changes(connection: Connection, datasets: Iterable[int]) -> set[int]:
    """Those of the datasets that changed as a whole, with all their names."""
    members = members_of(connection, set(datasets))
    ids = set(members).union(*members.values())
    changed: set[int] = set()
    for column in (_change.subject, _change.previous):
        query = select(column).distinct().where(_change.change != ALTERED)
        changed.update(id for (id,) in rows_in(connection, query, column, ids))
    return {id for names in members.values() if names & changed for id in names}


def dependents(
    connection: Connection, job_outputs: Collection[int], inputs: Collection[int]
) -> set[int]:
    """The outputs to derive again, as edges of some outputs and with some inputs changed.

    These are the outputs under the new names of datasets that were renamed, and those of datasets
    that were dropped, which may be needed no longer, or again.
    """
    owners = _datasets(connection, _output.id, _output.dataset, job_outputs)
    names = set(owners).union(*members_of(connection, owners).values())
    renamed = select(_change.job_output).where(_change.change == RENAMED)
    outputs = {id for (id,) in rows_in(connection, renamed, _change.previous, names)}
    read = _datasets(connection, _field.id, _field.dataset, inputs)
    return outputs | outputs_of(connection, with_changes(connection, read))


def _datasets(connection: Connection, key: Any, dataset: Any, ids: Iterable[int]) -> set[int]:
    return {id for (id,) in rows_in(connection, select(dataset).distinct(), key, ids)}


class DatasetLifecycle:
    """The changes of one output's dataset, under all its names."""

    def __init__(
        self, connection: Connection, job_output: int, reported_until: Mapping[bytes, int]
    ) -> None:
        """Read the changes; `reported_until`: when each run reported the output last."""
        self._reported_until = reported_until
        self._connection = connection
        self._job_output = job_output
        query = select(_output.dataset, _output.job).where(_output.id == job_output)
        dataset, self._job = connection.execute(query).one()
        self._names = members_of(connection, {dataset})[dataset]
        self._changes = changes_of(connection, self._names)
        self._needed_until: dict[int, int] = {}
        renamed = select(_change.at).where(_change.change == RENAMED).limit(1)
        self._has_renames = connection.execute(renamed).first() is not None

    def ends(self, reports: Sequence[Any]) -> list[End]:
        """What ended the edges that the runs in `reports` (time, run, ..) reported, in order.

        A run that dropped what it has written may have created it again: then it reported the
        output later, or, if nothing has run since, its schema was seen.
        """
        last_run = reports[-1][1]
        until = dict(self._reported_until)
        if last_run:
            until[last_run] = max(last_seen(self._connection, self._names), until.get(last_run, 0))
        began = {run: at for at, run, *_ in reports if run}
        ends = {
            End(at, of_columns=change == UNSTATED)
            for at, change, run in self._changes
            if not (run in began and began[run] < at < until.get(run, 0))
        }
        ends |= {End(at, is_replaced=True) for at in self._replaced_at()}
        query = select(_change.at, _change.change).where(_change.subject == self._job)
        query = query.where(_change.change.in_((DECLARED, RETIRED)))
        rows = self._connection.execute(query) if self._job is not None else ()
        of_job = {
            End(at, is_declared=change == DECLARED, is_retired=change == RETIRED)
            for at, change in rows
        }
        return sorted(ends | of_job)

    def _replaced_at(self) -> set[int]:
        """When another dataset got the name, unless it was computed from this one."""
        query = select(_change.at, _change.job_output).where(_change.change == RENAMED)
        query = query.where(_change.subject.in_(self._names), _change.previous.not_in(self._names))
        rows = self._connection.execute(query).all()
        own = list(own_edges(self._connection, self._names)) if rows else []
        return {
            at
            for at, job_output in rows
            if not any(id == job_output and first <= at < closed for id, first, closed in own)
        }

    def lasts_until(self, at: int) -> int:
        """Until when edges to the dataset last that its end at a time closes.

        They last while something is there that was computed from it, until it is written again.
        """
        if at not in self._needed_until:
            rewritten = first_written(self._connection, self._names, at)
            needed = self._until_readers_end(at)
            self._needed_until[at] = max(at, min(rewritten, needed))
        return self._needed_until[at]

    def _until_readers_end(self, at: int) -> int:
        """When the last rows are gone that were computed from this dataset, also through others.

        Each dataset is reached as long as the edges on the way to it hold, the longest first. What
        was computed goes on under the new name of a dataset that was renamed.
        """
        until = at
        reached = [(-OPEN, id) for id in self._names]  # negative: the heap's least is the longest
        done: dict[int, int] = {}
        while reached and until < OPEN:
            longest, dataset = heappop(reached)
            held = -longest
            if done.get(dataset, at - 1) >= held or (held <= until and not self._has_renames):
                continue
            done[dataset] = held
            # What reads the dataset itself later is computed from its next rows.
            is_own = dataset in self._names
            readers = read_by(self._connection, dataset, at, at + 1 if is_own else held)
            ways = [(reader, min(held, closed), seen) for reader, closed, seen in readers]
            if not is_own and self._has_renames:
                ways += moved_to(self._connection, dataset, at, held)
            for reader, lasts, seen_at in ways:
                if reader not in self._names:
                    until = max(until, min(lasts, self._there_until(reader, seen_at)))
                heappush(reached, (-lasts, reader))
        return until

    def _there_until(self, dataset: int, written_at: int) -> int:
        names = members_of(self._connection, {dataset})[dataset]
        return there_until(self._connection, names, written_at)

    def carried(self) -> dict[Any, dict[int, set[EdgeKey]]]:
        """The edges of the dataset's former names, by the run (or the time) and the time."""
        query = select(_change.at, _change.run, _change.previous)
        query = query.where(_change.job_output == self._job_output, _change.change == RENAMED)
        edges: dict[Any, dict[int, set[EdgeKey]]] = {}
        for at, run, previous in self._connection.execute(query).all():
            if previous not in self._names:
                moved = edges.setdefault(bytes(run) or at, {}).setdefault(at, set())
                moved.update(self._moved(previous, at))
        return edges

    def _moved(self, previous: int, at: int) -> set[EdgeKey]:
        """The edges that the former name had at the time, to the same fields of the new one."""
        kept = symlinks.resolve(self._connection, {previous, *self._names})
        table = tables.dataset
        query = select(table).where(table.c.id == kept[min(self._names)])
        row = self._connection.execute(query).one()
        new = Field(row.namespace, row.name, "")
        query = (
            select(_field.name, _edge.kind, _edge.input, _edge.transformation)
            .join_from(tables.field, tables.edge, _edge.output == _field.id)
            .where(_field.dataset == kept[previous])
            .where(_edge.first_seen < at, _edge.closed_at >= at)
        )
        return {
            EdgeKey(new._replace(field=name).id, kind, input, transformation)
            for name, kind, input, transformation in self._connection.execute(query)
        }

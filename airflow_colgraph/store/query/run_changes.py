"""What changed in the runs of the jobs upstream: failed or missing runs, volume, code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import log2
from typing import Any, NamedTuple

from sqlalchemy import bindparam, select
from sqlalchemy.engine import Connection
from sqlalchemy.sql import Select

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.runs import STATES
from airflow_colgraph.store.query.cone import Cone
from airflow_colgraph.store.query.run_facts import RunFacts, run_facts, usual

BEFORE, SINCE = 8, 30  # runs of each job that are looked at
ENOUGH = 4  # gaps between runs, to know which one is usual
GRACE = 0.02  # of the usual gap, in which a run is late and not missing
MARGIN = 0.25  # a volume is unusual if it is so far outside what it was
FAILED = {STATES.index("FAIL"), STATES.index("ABORT")}


class JobRun(NamedTuple):
    """A run of a job."""

    at: int
    id: bytes
    state: int


class RunChange(NamedTuple):
    """A change of a dataset's runs; `strength` is less than 1 for what is only a little unusual."""

    kind: str
    dataset: int
    at: int
    job: int
    run: bytes
    before: str
    after: str
    strength: float = 1.0


class Runs:
    """The latest runs of the jobs that write the datasets of two cones."""

    def __init__(
        self, connection: Connection, before: Cone, after: Cone, writers: Mapping[int, int]
    ) -> None:
        """`writers`: each job output, with the dataset that it writes."""
        self._before, self._after = before, after
        output = tables.job_output.c
        self._datasets: dict[int, set[int]] = {}  # by job
        query = select(output.id, output.job).where(output.job.is_not(None))
        for id, job in rows_in(connection, query, output.id, writers):
            self._datasets.setdefault(job, set()).add(writers[id])
        self._runs = {job: _runs_of(connection, job, before.at, after.at) for job in self._datasets}
        ids = {run.id for runs in self._runs.values() for run in runs}
        self._facts = run_facts(connection, ids)

    def changes(self, names: Mapping[int, Field]) -> Iterator[RunChange]:
        """Every change, of each job and each dataset that it writes."""
        for job, runs in sorted(self._runs.items()):
            for dataset in sorted(self._datasets[job]):
                read_at = self._after.passed_on.get(dataset, self._after.at)
                yield from _states(job, dataset, runs, self._before.at, read_at)
                key = names[dataset].namespace, names[dataset].name
                yield from self._volumes(job, dataset, key, runs)
                yield from self._versions(job, dataset, runs)
        yield from self._sources(names)

    def _sources(self, names: Mapping[int, Field]) -> Iterator[RunChange]:
        """Volumes of the datasets that no job writes, as their readers tell."""
        written = {each for some in self._datasets.values() for each in some}
        for dataset in sorted(set(self._after.owner.values()) - written):
            key = names[dataset].namespace, names[dataset].name
            volumes = [
                each
                for job, runs in sorted(self._runs.items())
                for each in self._volumes(job, dataset, key, runs)
            ]
            yield from sorted(volumes, key=lambda each: each.at)[:1]

    def _volumes(
        self, job: int, dataset: int, key: tuple[str, str], runs: Sequence[JobRun]
    ) -> Iterator[RunChange]:
        counted = [(run, self._facts[run.id].rows[key]) for run in runs if self._has(run, key)]
        old = [rows for run, rows in counted if run.at <= self._before.at]
        new = [(run, rows) for run, rows in counted if run.at > self._before.at]
        range_ = usual(old)
        if range_ is None or not new:
            return
        least, median, most = range_
        unusual = [not least * (1 - MARGIN) <= rows <= most * (1 + MARGIN) for _, rows in new]
        if not unusual[-1]:
            return
        first = max((i + 1 for i, is_unusual in enumerate(unusual) if not is_unusual), default=0)
        run, rows = new[first]
        ratio = abs(log2((rows + 1) / (median + 1)))
        words = f"{median:,.0f}", f"{rows:,.0f}"
        strength = min(1.0, 0.6 + 0.4 * ratio)
        yield RunChange("volume-changed", dataset, run.at, job, run.id, *words, strength)

    def _has(self, run: JobRun, key: tuple[str, str]) -> bool:
        return run.id in self._facts and key in self._facts[run.id].rows

    def _versions(self, job: int, dataset: int, runs: Sequence[JobRun]) -> Iterator[RunChange]:
        for kind, part in (("code-changed", "code"), ("engine-changed", "engine")):
            versioned = [
                (run, version)
                for run in runs
                if (version := getattr(self._facts.get(run.id, RunFacts()), part))
            ]
            old = [version for run, version in versioned if run.at <= self._before.at]
            new = [(run, version) for run, version in versioned if run.at > self._before.at]
            if old and new and old[-1] != new[-1][1]:
                run = next(run for run, version in new if version != old[-1])
                yield RunChange(kind, dataset, run.at, job, run.id, old[-1], new[-1][1])


def _last_runs(where: Any, most: int) -> Select[Any]:
    run = tables.run
    query = select(run.c.started_at, run.c.id, run.c.state)
    query = query.where(run.c.job == bindparam("job"), where)
    order = (tables.stretch(run).desc(), run.c.started_at.desc(), run.c.id.desc())
    return query.order_by(*order).limit(most)


_AT = tables.run.c.started_at
_RUNS = (  # built once: there are two queries for each job
    _last_runs(bindparam("since") >= _AT, BEFORE),
    _last_runs((bindparam("since") < _AT) & (bindparam("until") >= _AT), SINCE),
)


def _runs_of(connection: Connection, job: int, since: int, until: int) -> list[JobRun]:
    """The last runs before and since a time, in the order of time."""
    rows = [
        row
        for query in _RUNS
        for row in reversed(
            connection.execute(query, {"job": job, "since": since, "until": until}).all()
        )
    ]
    return [JobRun(row.started_at, bytes(row.id), row.state) for row in rows]


def _states(
    job: int, dataset: int, runs: Sequence[JobRun], since: int, read_at: int
) -> Iterator[RunChange]:
    """The latest run failed, or there is none where the runs before let expect one."""
    so_far = [run for run in runs if run.at <= read_at]
    good = [run for run in so_far if run.state not in FAILED]
    last_good = clock.iso(good[-1].at) if good else ""
    failed = so_far[so_far.index(good[-1]) + 1 :] if good else so_far
    if failed and failed[-1].at > since:
        words = STATES[failed[0].state].lower()
        yield RunChange("run-failed", dataset, failed[0].at, job, failed[0].id, last_good, words)
        return
    due = _overdue(so_far, read_at)
    if due is not None and due > since:
        words = f"none since; expected {clock.iso(due)}"
        yield RunChange("run-missing", dataset, due, job, b"", last_good, words)


def _overdue(runs: Sequence[JobRun], at: int) -> int | None:
    """When the next run was to be expected, if it is late by more than runs usually are."""
    gaps = sorted(later.at - run.at for run, later in pairwise(runs))
    if len(gaps) < ENOUGH:
        return None
    gap = gaps[len(gaps) // 2]
    due = runs[-1].at + gap
    usual_age = max(_age(runs, at - number * gap) for number in range(1, ENOUGH))
    is_late = at - runs[-1].at > usual_age + gap / 2 and at > due + gap * GRACE
    return due if is_late else None


def _age(runs: Sequence[JobRun], at: int) -> int:
    """How long before the time the latest run was; 0 if none was."""
    return at - max((run.at for run in runs if run.at <= at), default=at)

"""What the lineage of jobs lacks, as their latest runs reported it, or those of one DAG run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Set
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.db.last_reports import is_shown, last_told
from airflow_colgraph.store.db.symlinks import members_of
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.gaps import Gaps, of_body, together
from airflow_colgraph.store.model.lineage_body import Field, unpack
from airflow_colgraph.store.query.dag_filter import Dags


class JobGaps(NamedTuple):
    """What the lineage of a job's run lacks, when this was reported last, and for what outputs.

    `outputs` is empty if it concerns the application as a whole.
    """

    job: str
    dag_id: str | None
    task_id: str | None
    at: str
    outputs: tuple[tuple[str, str], ...]
    gaps: Gaps


def of_datasets(
    connection: Connection,
    datasets: Collection[Field],
    dags: Dags,
    at: int = clock.OPEN,
) -> list[tuple[JobGaps, list[Field]]]:
    """The gaps in what the latest runs, as of a time, of the jobs reported that write the datasets.

    Each with the datasets that it concerns. One that is not in the store has none.
    """
    members = members_of(connection, {dataset.id for dataset in datasets})
    every = {id for ids in members.values() for id in ids}
    output, table = tables.job_output.c, tables.dataset.c
    query = select(output.job, output.dataset).where(output.job.is_not(None))
    jobs: dict[int, set[int]] = {}
    for row in rows_in(connection, query, output.dataset, every):
        jobs.setdefault(row.dataset, set()).add(row.job)
    own_names = select(table.id, table.namespace, table.name)
    rows = rows_in(connection, own_names, table.id, every)
    names = {row.id: (row.namespace, row.name) for row in rows}
    reports = _reports(connection, {job for ids in jobs.values() for job in ids}, dags, at=at)
    concerned: dict[JobGaps, list[Field]] = {}
    for dataset in datasets:
        own = members[dataset.id]
        for job in {job for id in own for job in jobs.get(id, ())} & reports.keys():
            gaps = _of_job(reports[job], {names[id] for id in own if id in names})
            if gaps:
                concerned.setdefault(gaps, []).append(dataset)
    return sorted(concerned.items(), key=lambda item: (item[0].job, item[0].at))


def of_tasks(
    connection: Connection, dag_id: str, task_id: str = "", run_id: str = ""
) -> list[JobGaps]:
    """The gaps in what a DAG's tasks, or one of them, reported: latest, or in one DAG run."""
    job = tables.job.c
    query = select(job.id).where(job.dag_id == dag_id)
    if task_id:
        query = query.where(job.task_id == task_id)
    jobs = connection.execute(query).scalars().all()
    answers = [_of_job(rows) for rows in _reports(connection, jobs, None, run_id).values()]
    return sorted((gaps for gaps in answers if gaps), key=lambda gaps: (gaps.job, gaps.at))


class LackingJob(NamedTuple):
    """A job whose latest run's lineage lacks something: its DAG, and the outputs."""

    dag_id: str | None
    outputs: frozenset[tuple[str, str]] | None  # None: it concerns all of them

    def concerns(self, names: Iterable[tuple[str, str]]) -> bool:
        """Whether the lineage of a dataset with these names lacks something."""
        return self.outputs is None or not self.outputs.isdisjoint(names)


def lacking_tasks(connection: Connection) -> dict[str, int]:
    """Of how many tasks of each DAG the latest run's lineage lacks something."""
    dag_ids = (job.dag_id for job in lacking_jobs(connection).values())
    return Counter(dag_id for dag_id in dag_ids if dag_id is not None)


def lacking_jobs(connection: Connection) -> dict[int, LackingJob]:
    """The jobs whose latest run's lineage lacks something.

    Outputs that are taken as computed from all their inputs do not count.
    """
    gap, job = tables.gap, tables.job
    query = (
        select(job.c.dag_id, job.c.id, gap.c.body)
        .join_from(gap, job, job.c.id == gap.c.job)
        .where(is_shown())
    )
    jobs: dict[int, LackingJob] = {}
    for dag_id, id, packed in connection.execute(query):
        body = unpack(packed)
        if of_body(body).is_missing:
            outputs = frozenset((output[0], output[1]) for output in body["outputs"])
            before = jobs[id].outputs if id in jobs else outputs
            is_of_all = not outputs or before is None
            jobs[id] = LackingJob(dag_id, None if is_of_all else outputs | (before or outputs))
    return jobs


def _reports(
    connection: Connection,
    jobs: Iterable[int],
    dags: Dags,
    run_id: str = "",
    at: int = clock.OPEN,
) -> dict[int, list[Any]]:
    """What each job reported in the runs that count, the latest last."""
    gap, job = tables.gap, tables.job
    query = select(gap.c.job, gap.c.first_at, gap.c.last_at, gap.c.body)
    query = query.add_columns(job.c.name, job.c.dag_id, job.c.task_id)
    query = query.join_from(gap, job, job.c.id == gap.c.job).order_by(gap.c.last_at, gap.c.id)
    every = rows_in(connection, query, gap.c.job, jobs)
    rows = [row for row in every if dags is None or row.dag_id in dags]
    spans = {id: _span(connection, id, run_id, at) for id in {row.job for row in rows}}
    reports_of: dict[int, list[Any]] = {}
    for row in rows:
        start, end = spans[row.job]
        if row.last_at >= start and row.first_at <= end:
            reports_of.setdefault(row.job, []).append(row)
    return reports_of


def _of_job(rows: list[Any], of: Set[tuple[str, str]] | None = None) -> JobGaps | None:
    """The gaps in one list; `of`: only those that concern one of these datasets."""
    reports = [(row, unpack(row.body)) for row in rows]
    outputs = {
        id(body): {(output[0], output[1]) for output in body["outputs"]} for _, body in reports
    }
    if of is not None:
        reports = [
            (row, body) for row, body in reports if not outputs[id(body)] or outputs[id(body)] & of
        ]
    if not reports:
        return None
    row = reports[-1][0]
    named = sorted({output for _, body in reports for output in outputs[id(body)]})
    lacks = together(of_body(body) for _, body in reports)
    return JobGaps(row.name, row.dag_id, row.task_id, clock.iso(row.last_at), tuple(named), lacks)


def _span(connection: Connection, job: int, run_id: str, at: int) -> tuple[int, int]:
    """From when to when the job's runs in a DAG run took place; without one its latest by a time.

    Mapped instances are runs of one DAG run.
    """
    run, parent = tables.run.c, tables.run.alias("parent")
    times = select(run.started_at, run.ended_at).where(run.job == job)
    if run_id:
        times = times.join(parent, parent.c.id == run.parent).where(parent.c.name == run_id)
    else:
        last = connection.execute(last_told(job, at)).first()
        if last is None:
            return clock.OPEN, clock.OPEN
        same = run.id == last.id if last.parent is None else run.parent == last.parent
        times = times.where(same)
    spans = connection.execute(times).all()
    if not spans:
        return clock.OPEN, clock.OPEN
    ends = [clock.OPEN if row.ended_at is None else row.ended_at for row in spans]
    return min(row.started_at for row in spans), max(ends if run_id else [*ends, at])

"""Which runs of jobs reported what, and which runs belong together: for the plan of a rerun."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.engine import Connection
from sqlalchemy.sql import Select

from airflow_colgraph.store.db import lifecycle, symlinks, tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.db.pruned import refuse_pruned
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.intervals import DATASET
from airflow_colgraph.store.model.lifecycle import ENDS_DATASET
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.runs import COMPLETE
from airflow_colgraph.store.model.walk import walk
from airflow_colgraph.store.query import name_cache
from airflow_colgraph.store.query.dag_runs import join_dag_run

_REPORTS = (
    select(
        tables.occurrence.c.at,
        tables.occurrence.c.run,
        tables.occurrence.c.job_output,
        tables.job_output.c.dataset,
        tables.occurrence.c.lineage_body,
        tables.occurrence.c.replaces,
        tables.job.c.name.label("job"),
        tables.job.c.id.label("job_id"),
    )
    .join_from(
        tables.occurrence,
        tables.job_output,
        tables.job_output.c.id == tables.occurrence.c.job_output,
    )
    .join(tables.job, tables.job.c.id == tables.job_output.c.job)
)


def outputs_reachable(connection: Connection, datasets: set[int]) -> set[int]:
    """The job outputs that ever came from the datasets, or that rename them, over all hops."""
    edge = tables.edge.c
    query = select(edge.job_output, edge.output).distinct().where(edge.kind == DATASET)
    renamings = lifecycle.renamed(connection)

    def edges_of(inputs: set[int]) -> list[tuple[int, int]]:
        rows = rows_in(connection, query, edge.input, inputs)
        moved = [(row.job_output, row.after) for row in renamings if row.before in inputs]
        return [*map(tuple, rows), *moved]

    every = walk(datasets, edges_of, lambda rows: {output for _, output in rows})
    return {job_output for _, rows in every for job_output, _ in rows}


class Renaming(NamedTuple):
    """When a dataset got another name, and the output and the run (empty: none) that did it."""

    at: int
    before: Field
    after: Field
    job_output: int
    run: bytes


def renamings(connection: Connection) -> list[Renaming]:
    """The datasets that got other names, under the names that edges are stored under."""
    rows = lifecycle.renamed(connection)
    ids = {id for row in rows for id in (row.before, row.after)}
    nodes = name_cache.of(connection).read_nodes(connection, ids)
    return [
        Renaming(row.at, nodes[row.before].field, nodes[row.after].field, row.job_output, row.run)
        for row in rows
    ]


def ends_of_datasets(connection: Connection, since: int) -> list[tuple[int, Field]]:
    """When, from a time on, datasets were dropped, emptied or lost their names to others.

    The datasets are those of edges.
    """
    change = tables.lifecycle.c
    is_end = change.change.in_(ENDS_DATASET)  # RENAMED: of what had the new name before
    query = select(change.at, change.subject, change.previous)
    rows = connection.execute(query.where(is_end, change.at >= since)).all()
    kept = symlinks.resolve(connection, {id for _, *ids in rows for id in ids if id})
    nodes = name_cache.of(connection).read_nodes(connection, kept.values())
    ends = {(row.at, kept[id]) for row in rows for id in row[1:] if id}
    # A rename from one name of a dataset to another one ends nothing.
    same = {
        (row.at, kept[row.subject])
        for row in rows
        if row.previous and kept[row.subject] == kept[row.previous]
    }
    return [(at, nodes[id].field) for at, id in sorted(ends - same)]


def other_names_over_time(connection: Connection, dataset: Field) -> list[str]:
    """What a dataset was called before and is called now, a text each, in order of time."""
    texts = []
    for each in sorted(renamings(connection)):
        if each.after == dataset:
            texts.append(f"renamed from {' '.join(each.before[:2])} at {clock.iso(each.at)}")
        elif each.before == dataset:
            texts.append(f"renamed to {' '.join(each.after[:2])} at {clock.iso(each.at)}")
    return texts


def reports_of(connection: Connection, outputs: set[int], since: int | None) -> list[Any]:
    """The reports of runs since a time or, without one, of the DAG run that wrote last.

    Where that has not succeeded, those of the DAG run that last did, too: a task that failed
    reports less than it makes.

    Raises:
        QuestionError: Runs since that time were pruned.
    """
    refuse_pruned(connection, since)
    o, output, run = tables.occurrence.c, tables.job_output.c, tables.run
    if since is not None:
        return list(rows_in(connection, _REPORTS.where(o.at >= since), o.job_output, outputs))
    last = run.alias("last")
    query: Select[Any] = _REPORTS.join(run, run.c.id == o.run).join(
        last, last.c.id == output.last_run
    )
    query, dag_run = join_dag_run(query, run)
    query, last_dag_run = join_dag_run(query, last)
    same = (run.c.id == last.c.id) | (dag_run.id == last_dag_run.id)
    reports = list(rows_in(connection, query.where(same), o.job_output, outputs))
    unfinished = select(output.id).join(last, last.c.id == output.last_run)
    unfinished = unfinished.where(last.c.state != COMPLETE)
    for row in list(rows_in(connection, unfinished, output.id, outputs)):
        reports += _succeeded(connection, row.id)
    return reports


def are_retired(connection: Connection, reports: Sequence[Any]) -> list[bool]:
    """Whether the job of each report was retired since."""
    times = lifecycle.retired_at(connection)
    return [any(row.at < end for end in times.get(row.job_id, ())) for row in reports]


def _succeeded(connection: Connection, job_output: int) -> Sequence[Any]:
    """The reports of the DAG run in which the job last succeeded and wrote the dataset."""
    o, run = tables.occurrence.c, tables.run
    query = select(run.c.id, run.c.parent).join_from(run, tables.occurrence, run.c.id == o.run)
    query = query.where(o.job_output == job_output, run.c.state == COMPLETE)
    last = connection.execute(query.order_by(o.at.desc()).limit(1)).first()
    if last is None:
        return ()
    same = run.c.id == last.id
    if last.parent is not None:
        same |= run.c.parent == last.parent
    query = _REPORTS.join(run, run.c.id == o.run).where(o.job_output == job_output, same)
    return connection.execute(query).all()


def run_rows(connection: Connection, ids: Iterable[bytes]) -> dict[bytes, Any]:
    """The rows of runs, with the task and the name of the DAG run."""
    run, job = tables.run, tables.job
    query = (
        select(run.c.id, run.c.state, run.c.started_at, run.c.ended_at, run.c.report)
        .add_columns(job.c.name.label("job"))
        .add_columns(job.c.dag_id, job.c.task_id)
        .join_from(run, job, job.c.id == run.c.job)
    )
    query, dag_run = join_dag_run(query, run)
    query = query.add_columns(dag_run.id.label("parent"), dag_run.name.label("name"))
    rows = rows_in(connection, query, run.c.id, map(bytes, ids))
    return {bytes(row.id): row for row in rows}


def attempts_of(connection: Connection, parents: set[bytes]) -> set[bytes]:
    """All ids of DAG runs: to OpenLineage a DAG run is another run whenever tasks are cleared."""
    run, other = tables.run, tables.run.alias("other")
    same = (other.c.job == run.c.job) & (other.c.name == run.c.name)
    query = select(other.c.id).join_from(run, other, same)
    return parents | {bytes(row.id) for row in rows_in(connection, query, run.c.id, parents)}


def runs_below(connection: Connection, parents: Iterable[bytes]) -> set[bytes]:
    """The ids of the runs whose parents these are."""
    run = tables.run.c
    return {bytes(row.id) for row in rows_in(connection, select(run.id), run.parent, parents)}


def has_reported(row: Any) -> bool:
    """Whether a run of `run_rows` has reported a dataset that it wrote."""
    return bool(row.report != tables.NOT_REPORTED)

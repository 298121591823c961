"""What a reader wants to know first: how much there is, what changed, what is used most, and DAGs.

`dags` are the DAGs that the reader may read, None: all; a None among them stands for jobs without a
DAG. Jobs of other DAGs are left out everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import case, exists, func, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.lifecycle import change_without_write
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.compare import delta
from airflow_colgraph.store.model.intervals import DATASET
from airflow_colgraph.store.model.lifecycle import WITHOUT_WRITE
from airflow_colgraph.store.model.name_shape import shape
from airflow_colgraph.store.model.runs import COMPLETE
from airflow_colgraph.store.query.body_contents import read_bodies
from airflow_colgraph.store.query.dag_filter import Dags, of_dags
from airflow_colgraph.store.query.gaps import lacking_tasks
from airflow_colgraph.store.query.task_reports import failed_tasks

LATEST = 12  # changes that are listed
WINDOW = 20 * LATEST  # changes among which those of names of one shape are found
MOST_USED = 8
DAGS = 50  # that are listed: the latest ones


def counts(connection: Connection, dags: Dags) -> dict[str, int]:
    """How many datasets, fields and jobs there are."""
    every = [select(func.count()).select_from(table) for table in (tables.dataset, tables.field)]
    every.append(of_dags(select(func.count()).select_from(tables.job), dags))
    datasets, fields, jobs = (connection.execute(query).scalar() or 0 for query in every)
    return {"datasets": datasets, "fields": fields - datasets, "jobs": jobs}


def changes(connection: Connection, dags: Dags) -> list[dict[str, Any]]:
    """The datasets that changed last, and those that their job's latest run no longer wrote.

    A job that writes to a new path in each run is one entry: the latest dataset, and as `others`
    how many of its datasets have a name of the same shape, `like`.
    """
    latest = [*_changed(connection, dags), *_gone(connection, dags)]
    return sorted(latest, key=lambda change: (change["at"], change["name"]), reverse=True)[:LATEST]


def _changed(connection: Connection, dags: Dags) -> list[dict[str, Any]]:
    """The datasets whose lineage or schema changed last: since when they are as they are.

    Those that were only dropped, emptied or altered have that as their state.
    """
    output, body = tables.job_output, tables.lineage_body
    dataset, job = tables.dataset, tables.job
    query = (
        select(dataset.c.namespace, dataset.c.name, body.c.first_at)
        .add_columns(output.c.id, output.c.last_lineage_body.label("last"))
        .add_columns(_change_of(output).label("change"))
        .add_columns(job.c.id.label("job_id"), job.c.name.label("job"), job.c.dag_id, job.c.task_id)
        .join_from(output, body, body.c.id == output.c.last_lineage_body)
        .join(dataset, dataset.c.id == output.c.dataset)
        .join(job, job.c.id == output.c.job)
        .order_by(body.c.first_at.desc(), dataset.c.name)
        .limit(WINDOW)
    )
    entries = []
    for row, *others in _alike(connection.execute(of_dags(query, dags)))[:LATEST]:
        before, since = _body_before(connection, row.id, row.last)
        entries.append(
            {
                **_names(row, others),
                "at": clock.iso(row.first_at),
                "before": clock.iso(row.first_at - 1 if since is None else since),
                "state": WITHOUT_WRITE.get(row.change, "new" if before is None else "changed"),
                "difference": None
                if before is None or row.change is not None
                else delta([before], read_bodies(connection, [row.last]).values()).counts,
            }
        )
    return entries


def _change_of(output: Any) -> Any:
    """The change that the last report of an output is, if it is no write: else null."""
    return change_without_write(output.c.dataset, output.c.last_at, output.c.last_run)


def _alike(rows: Iterable[Any]) -> list[list[Any]]:
    """The rows of each job whose datasets' names have one shape, in the order of their first."""
    groups: dict[tuple[int, str, str], list[Any]] = {}
    for row in rows:
        groups.setdefault((row.job_id, row.namespace, shape(row.name)), []).append(row)
    return list(groups.values())


def _names(row: Any, others: list[Any]) -> dict[str, Any]:
    names = {key: getattr(row, key) for key in ("namespace", "name", "job", "dag_id", "task_id")}
    return {**names, "others": len(others), "like": shape(row.name) if others else None}


def _body_before(
    connection: Connection, job_output: int, last: int
) -> tuple[dict[str, Any] | None, int | None]:
    """The latest other body of the output, and the last run's time with it; None: there is none."""
    o = tables.occurrence.c
    other = select(o.lineage_body, o.at).where(o.job_output == job_output, o.lineage_body != last)
    row = connection.execute(other.order_by(o.at.desc()).limit(1)).first()
    if row is None:
        return None, None
    return read_bodies(connection, [row.lineage_body])[row.lineage_body], row.at


def _gone(connection: Connection, dags: Dags) -> list[dict[str, Any]]:
    """The datasets that a job wrote before, but not in its latest run, nor any other job since."""
    output, job, dataset, last = tables.job_output, tables.job, tables.dataset, tables.run
    other, ends = output.alias("other"), _latest_runs().subquery("ends")
    query = (
        select(dataset.c.namespace, dataset.c.name, output.c.last_at, ends.c.at)
        .add_columns(job.c.id.label("job_id"), job.c.name.label("job"), job.c.dag_id, job.c.task_id)
        .join_from(output, ends, (ends.c.job == output.c.job) & (output.c.last_at < ends.c.at))
        .join(last, last.c.id == output.c.last_run)
        .join(dataset, dataset.c.id == output.c.dataset)
        .join(job, job.c.id == output.c.job)
        .where(ends.c.state == COMPLETE, ends.c.run != last.c.id)
        .where(_change_of(output).is_(None))
        # Instances of a mapped task are runs of one DAG run, and each may write a dataset.
        .where(ends.c.parent.is_(None) | last.c.parent.is_(None) | (ends.c.parent != last.c.parent))
        .where(~exists().where(other.c.dataset == dataset.c.id, other.c.last_at >= ends.c.at))
        .distinct()
    )
    query = of_dags(query, dags)
    every = query.subquery()  # each of its times has one entry at least, so the latest are enough
    latest_ends = select(every.c.at).distinct().order_by(every.c.at.desc()).limit(LATEST)
    shown = connection.execute(latest_ends).scalars().all()
    query = query.where(ends.c.at >= min(shown, default=0))
    rows = connection.execute(
        query.order_by(ends.c.at.desc(), output.c.last_at.desc(), dataset.c.name)
    )
    return [
        {
            **_names(row, others),
            "at": clock.iso(row.at),
            "before": clock.iso(row.last_at),
            "state": "gone",
            "difference": None,
        }
        for row, *others in _alike(rows)[:LATEST]
    ]


def used_by(dags: Dags) -> Any:
    """The number of other datasets computed from the `dataset` of a query, by the latest runs.

    Each costs one search in an index. Of a join with GROUP BY, SQLite scans every edge.
    """
    dataset, edge, output, job = tables.dataset, tables.edge, tables.job_output, tables.job
    users = (
        select(func.count(edge.c.output.distinct()))
        .where(edge.c.input == dataset.c.id, edge.c.kind == DATASET)
        .where(edge.c.closed_at == clock.OPEN, edge.c.output != dataset.c.id)
    )
    if dags is not None:
        users = users.join_from(edge, output, output.c.id == edge.c.job_output)
        users = of_dags(users.outerjoin(job, job.c.id == output.c.job), dags)
    return users.correlate(dataset).scalar_subquery()


def _latest_runs() -> Any:
    """The runs that reported an output of each job last, and when.

    As a subquery it is evaluated once. Joined with all outputs of a job that wrote 10,000 datasets
    in as many runs, it was evaluated for each of them.
    """
    output, run = tables.job_output, tables.run
    since, latest = output.alias("since"), output.alias("latest")
    times = select(since.c.job, func.max(since.c.last_at).label("at")).group_by(since.c.job)
    end = times.subquery("times")
    return (
        select(end.c.job, end.c.at, run.c.id.label("run"), run.c.parent, run.c.state)
        .join_from(end, latest, (latest.c.job == end.c.job) & (latest.c.last_at == end.c.at))
        .join(run, run.c.id == latest.c.last_run)
        .distinct()
    )


def most_used(connection: Connection, dags: Dags) -> list[dict[str, Any]]:
    """The datasets from which most others are computed, by the latest runs."""
    dataset = tables.dataset
    number = used_by(dags).label("datasets")
    query = select(dataset.c.namespace, dataset.c.name, number)
    query = query.order_by(number.desc(), dataset.c.name, dataset.c.namespace).limit(MOST_USED)
    return [
        {"namespace": namespace, "name": name, "datasets": datasets}
        for namespace, name, datasets in connection.execute(query)
        if datasets
    ]


def count_dags(connection: Connection, dags: Dags) -> int:
    """How many DAGs have reported an output."""
    output, job = tables.job_output, tables.job
    query = select(func.count(job.c.dag_id.distinct()))
    query = query.join_from(output, job, job.c.id == output.c.job)
    return connection.execute(of_dags(query, dags)).scalar() or 0


def dags_without_outputs(
    connection: Connection, dags: Dags, limit: int = DAGS
) -> list[dict[str, Any]]:
    """The DAGs that ran last of those that never reported an output.

    `failed` are their tasks whose latest run failed or was aborted.
    """
    job, run, output = tables.job, tables.run, tables.job_output
    reporting = select(job.c.dag_id).join_from(output, job, job.c.id == output.c.job)
    last = select(func.max(run.c.started_at)).where(run.c.job == job.c.id)
    at = func.max(last.correlate(job).scalar_subquery())
    query = (
        select(job.c.dag_id, at.label("at"))
        .where(job.c.dag_id.is_not(None))
        .where(job.c.dag_id.not_in(reporting.where(job.c.dag_id.is_not(None)).distinct()))
        .group_by(job.c.dag_id)
        .having(at.is_not(None))
        .order_by(at.desc(), job.c.dag_id)
        .limit(limit)
    )
    rows = connection.execute(of_dags(query, dags)).all()
    failed = failed_tasks(connection, [row.dag_id for row in rows])
    return [
        {"dag_id": row.dag_id, "at": clock.iso(row.at), "failed": failed.get(row.dag_id, [])}
        for row in rows
    ]


def dags_with_coverage(
    connection: Connection, dags: Dags, limit: int = DAGS
) -> list[dict[str, Any]]:
    """The DAGs that reported last, and of how many of their outputs column lineage is known.

    `lacking` is the number of their tasks whose latest run reported that lineage is missing, and
    `failed` are those whose latest run failed or was aborted.
    """
    output, job, edge = tables.job_output, tables.job, tables.edge
    written = case((_change_of(output).is_(None), output.c.dataset))
    has_columns = exists().where(edge.c.job_output == output.c.id, edge.c.kind != DATASET)
    query = (
        select(job.c.dag_id, func.max(output.c.last_at).label("at"))
        .add_columns(func.count(written.distinct()).label("outputs"))
        .add_columns(func.count(case((has_columns, written)).distinct()).label("columns"))
        .join_from(output, job, job.c.id == output.c.job)
        .where(job.c.dag_id.is_not(None))
        .group_by(job.c.dag_id)
        .order_by(func.max(output.c.last_at).desc())
        .limit(limit)
    )
    rows = connection.execute(of_dags(query, dags)).all()
    lacking = lacking_tasks(connection)
    failed = failed_tasks(connection, [row.dag_id for row in rows])
    return [
        {
            "dag_id": row.dag_id,
            "at": clock.iso(row.at),
            "outputs": row.outputs,
            "columns": row.columns,
            "lacking": lacking.get(row.dag_id, 0),
            "failed": failed.get(row.dag_id, []),
        }
        for row in rows
    ]

"""What feeds jobs, and which jobs feed datasets, as `lineage` facets state it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import rows_in
from airflow_colgraph.store.model.lifecycle import DECLARED, RETIRED
from airflow_colgraph.store.model.lineage_body import unpack


class JobSource(NamedTuple):
    """An input of a job, or a job that is an input of a dataset; types are DATASET and JOB."""

    type: str
    namespace: str
    name: str
    field: str  # of the input
    target_field: str
    transformations: list[list[Any]]


def sources_of(connection: Connection, target: int) -> list[JobSource]:
    """What feeds a job or a dataset, by the latest facet of each job that states it."""
    table = tables.job_source.c
    query = select(table.by, table.last_at, table.id, table.body).where(table.target == target)
    bodies = {by: (at, body) for by, at, _, body in sorted(map(tuple, connection.execute(query)))}
    declared = _last_change(connection, bodies, DECLARED)
    retired = _last_change(connection, bodies, RETIRED)
    sources: dict[tuple[str, ...], JobSource] = {}
    for by, (at, packed) in bodies.items():
        body = unpack(packed)
        if (body["declared"] and at < declared.get(by, at)) or at < retired.get(by, at):
            continue  # a later event of the job no longer has the entry, or the job has ended
        for target_field, kind, namespace, name, field, steps in body["inputs"]:
            each = JobSource(kind, namespace, name, field, target_field, steps)
            sources.setdefault(each[:5], each)
    return [sources[key] for key in sorted(sources)]


def _last_change(connection: Connection, jobs: Iterable[int], change: int) -> dict[int, int]:
    """When each job last declared all its lineage, or was retired."""
    table = tables.lifecycle.c
    query = select(table.subject, func.max(table.at)).where(table.change == change)
    return dict(map(tuple, rows_in(connection, query.group_by(table.subject), table.subject, jobs)))

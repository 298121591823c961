"""Marquez's web page besides lineage: versions, events, facets, tags and counts over time.

Events and facets are those of whole events, so there are some in a store that keeps these
(`colgraph db keep-events`). Tags of datasets are listed, and shown by our own page and routes only.
"""

from __future__ import annotations

import time
import uuid
from bisect import bisect_left
from itertools import pairwise
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response
from sqlalchemy import func, select
from sqlalchemy.engine import Connection

from airflow_colgraph.api.access import Reader, TheStore, require_all
from airflow_colgraph.api.job_json import EPOCH, run_json
from airflow_colgraph.api.pagination import Limit, Offset
from airflow_colgraph.api.responses import as_json
from airflow_colgraph.api.worker_threads import StoreRoute
from airflow_colgraph.store.db import tables
from airflow_colgraph.store.errors import UnknownNode
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.clock import OPEN
from airflow_colgraph.store.model.lineage_body import Field, key
from airflow_colgraph.store.model.runs import STATES
from airflow_colgraph.store.query import dataset_details, event_archive, job_runs
from airflow_colgraph.store.query.lookup import find_dataset
from airflow_colgraph.store.query.tags import tags_of

router = APIRouter(prefix="/api/v1", tags=["marquez"], route_class=StoreRoute)

HOUR, DAY = 3_600_000, 86_400_000
Period = Annotated[str, Query(pattern="^(DAY|WEEK)$", description="24 hours, or 7 days.")]


@router.get("/namespaces/{namespace:path}/datasets/{dataset:path}/versions")
def dataset_versions(
    store: TheStore,
    access: Reader,
    namespace: str,
    dataset: str,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """The fields that a dataset had over time, the latest first."""
    with store.connection() as connection:
        node = find_dataset(connection, namespace, dataset)
        every = _versions(connection, node)
        rows = [_version(connection, node, version) for version in every[offset : offset + limit]]
    return as_json({"versions": rows, "totalCount": len(every)})


@router.get("/namespaces/{namespace:path}/datasets/{dataset:path}/versions/{version}")
def dataset_version(
    store: TheStore, access: Reader, namespace: str, dataset: str, version: uuid.UUID
) -> Response:
    """The fields that a dataset had in one version."""
    with store.connection() as connection:
        node = find_dataset(connection, namespace, dataset)
        for stored in _versions(connection, node):
            if _version_id(node, stored) == version:
                return as_json(_version(connection, node, stored))
    raise UnknownNode(f"Version {version} of {dataset} is not in the store.")


def _versions(connection: Connection, dataset: Field) -> list[dataset_details.Version]:
    """Each distinct list of fields that was reported, the latest first."""
    versions: dict[tuple[tuple[str, str | None], ...], dataset_details.Version] = {}
    for version in dataset_details.versions(connection, dataset):
        same = tuple(version.fields.items())
        before = versions.pop(same, version)
        first_at = min(version.first_at, before.first_at)
        versions[same] = version._replace(
            first_at=first_at, last_run=version.last_run or before.last_run
        )
    return list(versions.values())[::-1]


def _version_id(dataset: Field, version: dataset_details.Version) -> uuid.UUID:
    parts = [part for pair in version.fields.items() for part in (pair[0], pair[1] or "")]
    high, low = (key(*dataset, *extra, *parts) & (2**64 - 1) for extra in ((), ("version",)))
    return uuid.UUID(int=(high << 64) | low, version=5)


def _version(
    connection: Connection, dataset: Field, version: dataset_details.Version
) -> dict[str, Any]:
    runs = job_runs.runs(connection, ids=[version.last_run]) if version.last_run else []
    id = str(_version_id(dataset, version))
    return {
        "id": {"namespace": dataset.namespace, "name": dataset.name, "version": id},
        "type": "DB_TABLE",
        "name": dataset.name,
        "physicalName": dataset.name,
        "createdAt": clock.iso(version.first_at),
        "version": id,
        "namespace": dataset.namespace,
        "sourceName": "default",
        "fields": [
            {"name": name, "type": kind, "tags": [], "description": None}
            for name, kind in version.fields.items()
        ],
        "tags": [],
        "lastModifiedAt": clock.iso(version.last_at),
        "description": None,
        "lifecycleState": "",
        "createdByRun": run_json(runs[0]) if runs else None,
        "facets": {},
    }


@router.get("/events/lineage")
def lineage_events(
    store: TheStore,
    access: Reader,
    before: str = "now+36500d",
    after: str = EPOCH,
    sortDirection: Annotated[str, Query(pattern="^(?i:asc|desc)$")] = "desc",  # Marquez' spelling
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """The stored events, from `after` on and before `before`."""
    require_all(access)
    span = clock.parse(after), clock.parse(before)
    newest_first = sortDirection.lower() == "desc"
    with store.connection() as connection:
        every = event_archive.read(
            connection, *span, limit=limit, offset=offset, newest_first=newest_first
        )
        answer = {"events": list(every), "totalCount": event_archive.count(connection, *span)}
    return as_json(answer)


@router.get("/jobs/runs/{run}/facets")
def run_facets(
    store: TheStore,
    access: Reader,
    run: uuid.UUID,
    type: Annotated[str, Query(pattern="^(?i:run|job)$")] = "run",
) -> Response:
    """The facets of a run, or of its job, from the stored events."""
    facets: dict[str, Any] = {}
    with store.connection() as connection:
        rows = [
            row for row in job_runs.runs(connection, ids=[run.bytes]) if access.sees(row.dag_id)
        ]
        if not rows:
            raise UnknownNode(f"Run {run} is not in the store.")
        since = clock.parse(rows[0].started_at)
        for event in event_archive.read(connection, since, run=run.bytes):
            facets.update((event.get(type.lower()) or {}).get("facets") or {})
    return as_json({"runId": str(run), "facets": facets})


@router.get("/tags")
def tags(store: TheStore, access: Reader) -> Response:
    """Every tag that is set on some field or dataset."""
    require_all(access)
    with store.connection() as connection:
        every = {set_tag.tag for set_tag in tags_of(connection) if set_tag.held(OPEN - 1)}
    names = [tag.text for tag in sorted(every)]
    return as_json({"tags": [{"name": name, "description": None} for name in names]})


@router.get("/stats/lineage-events")
def event_counts(
    store: TheStore, access: Reader, period: Period, timezone: str = "UTC"
) -> Response:
    """How many runs started, completed, failed and were aborted in each hour or day, in UTC."""
    require_all(access)
    edges = _edges(period)
    table = tables.run
    counts = {name: [0] * (len(edges) - 1) for name in ("fail", "start", "complete", "abort")}
    query = select(table.c.started_at, table.c.ended_at, table.c.state).where(
        (table.c.started_at >= edges[0]) | (table.c.ended_at >= edges[0])
    )
    with store.connection() as connection:
        for started, ended, state in connection.execute(query):
            for at, what in ((started, "start"), (ended, STATES[state].lower())):
                if at is not None and what in counts and edges[0] <= at < edges[-1]:
                    counts[what][bisect_left(edges, at + 1) - 1] += 1
    return as_json(
        [
            {
                "startInterval": clock.iso(edges[number]),
                "endInterval": clock.iso(edges[number + 1]),
                **{name: of[number] for name, of in counts.items()},
            }
            for number in range(len(edges) - 1)
        ]
    )


@router.get("/stats/{asset}")
def asset_counts(
    store: TheStore,
    access: Reader,
    asset: Annotated[str, Path(pattern="^(jobs|datasets|sources)$")],
    period: Period,
    timezone: str = "UTC",
) -> Response:
    """How many jobs or datasets were known by the end of each hour or day, in UTC."""
    require_all(access)
    edges = _edges(period)
    first_at: dict[int, int] = {}
    with store.connection() as connection:
        for query in _FIRST[asset]:
            for id, at in connection.execute(query):
                if at is not None:
                    first_at[id] = min(at, first_at.get(id, at))
    times = sorted(first_at.values())
    return as_json(
        [
            {
                "startInterval": clock.iso(begin),
                "endInterval": clock.iso(end),
                "count": bisect_left(times, end),
            }
            for begin, end in pairwise(edges)
        ]
    )


def _first(column: Any, *conditions: Any) -> Any:
    """The first of the runs that the index on jobs and times finds."""
    run = tables.run
    query = select(column).where(*conditions).order_by(tables.stretch(run), run.c.started_at)
    return query.limit(1).scalar_subquery()


_JOB, _RUN, _OUTPUT, _SCHEMA = tables.job.c, tables.run.c, tables.job_output.c, tables.schema.c
_FIRST: dict[str, list[Any]] = {
    "jobs": [select(_JOB.id, _first(_RUN.started_at, _RUN.job == _JOB.id))],
    "datasets": [
        select(_SCHEMA.dataset, func.min(_SCHEMA.first_at)).group_by(_SCHEMA.dataset),
        select(
            _OUTPUT.dataset,
            _first(
                _RUN.started_at + func.coalesce(_RUN.reported_after, 0),
                _RUN.job == _OUTPUT.job,
                _RUN.job_output == _OUTPUT.id,
            ),
        ),
        select(_OUTPUT.dataset, func.min(tables.run_output.c.at))
        .join_from(
            tables.job_output, tables.run_output, tables.run_output.c.job_output == _OUTPUT.id
        )
        .group_by(_OUTPUT.dataset),
    ],
    "sources": [],
}


def _edges(period: str) -> list[int]:
    """The borders of the last 24 hours, or of the last 7 days, in milliseconds."""
    length, count = (HOUR, 24) if period == "DAY" else (DAY, 7)
    last = int(time.time() * 1000) // length * length + length
    return [last - length * number for number in range(count, -1, -1)]

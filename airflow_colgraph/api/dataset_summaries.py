"""The table of all datasets, by page."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response

from airflow_colgraph.api.access import Reader, TheStore
from airflow_colgraph.api.pagination import Limit, Offset
from airflow_colgraph.api.responses import as_json
from airflow_colgraph.api.worker_threads import StoreRoute
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.runs import run_text
from airflow_colgraph.store.query import dataset_summaries as query
from airflow_colgraph.store.query.last_writes import LastWrite

router = APIRouter(prefix="/api/v1", tags=["catalog"], route_class=StoreRoute)

Only = Literal["", "failed", "lineage-missing", "not-used"]
Sort = Literal[
    "name", "namespace", "written_at", "writer", "state", "columns_known", "used_by", "tags"
]


@router.get("/dataset-summaries")
def dataset_summaries(
    store: TheStore,
    access: Reader,
    q: Annotated[
        str, Query(max_length=500, description="Words of the name, writer's name or tags.")
    ] = "",
    only: Annotated[Only, Query(description="What the datasets are kept to.")] = "",
    sort: Annotated[Sort, Query(description="What they are in the order of.")] = "name",
    descending: bool = False,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """Each dataset with its last writer and that job's state, coverage, uses and tags."""
    with store.connection() as connection:
        page = query.summaries(
            connection,
            access.dags,
            q,
            only,
            sort,
            descending=descending,
            limit=limit,
            offset=offset,
        )
    more = offset + limit if page.total > offset + limit else None
    rows = [summary(row) for row in page.rows]
    return as_json({"datasets": rows, "total": page.total, "prefix": page.prefix, "next": more})


def summary(row: query.Summary) -> dict[str, Any]:
    """A row of the table as JSON; `write.state` is that of the job's latest run."""
    last = None if row.write is None else {**write(row.write), "state": row.state}
    coverage = row.coverage or (None, None)
    return {
        **{
            key: getattr(row, key)
            for key in ("namespace", "name", "is_lacking", "is_removed", "used_by", "tags")
        },
        **dict(zip(("columns", "columns_known"), coverage, strict=True)),
        "write": last,
    }


def write(last: LastWrite) -> dict[str, Any]:
    """The last write of a dataset as JSON."""
    return {
        "at": clock.iso(last.at),
        "run": run_text(last.run),
        "job_namespace": last.job_namespace,
        **{key: getattr(last, key) for key in ("job", "dag_id", "task_id")},
    }

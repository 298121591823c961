"""The overview: what a reader wants to know first."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from airflow_colgraph.api.access import Reader, TheStore
from airflow_colgraph.api.responses import as_json
from airflow_colgraph.api.worker_threads import StoreRoute
from airflow_colgraph.store.query import overview as query

router = APIRouter(prefix="/api/v1", tags=["catalog"], route_class=StoreRoute)


@router.get("/overview")
def overview(
    store: TheStore,
    access: Reader,
    dags: Annotated[int, Query(ge=1, le=100_000, description="How many DAGs.")] = query.DAGS,
    without_outputs: Annotated[
        bool, Query(description="Also the DAGs that ran and never reported an output.")
    ] = False,
) -> Response:
    """How much there is, what changed last, what is used most, and the DAGs that ran last."""
    with store.connection() as connection:
        answer: dict[str, Any] = {
            "counts": query.counts(connection, access.dags),
            "changes": query.changes(connection, access.dags),
            "used": query.most_used(connection, access.dags),
            "dags": query.dags_with_coverage(connection, access.dags, dags),
            "dag_count": query.count_dags(connection, access.dags),
        }
        if without_outputs:
            answer["dags_without_outputs"] = query.dags_without_outputs(
                connection, access.dags, dags
            )
    return as_json(answer)

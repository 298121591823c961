"""Questions of a dataset's owner: which fields nobody uses."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from airflow_colgraph.api.access import Reader, TheStore, hidden_jobs
from airflow_colgraph.api.responses import as_json
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.query.unused import DAYS
from airflow_colgraph.store.query.unused import unused as unused_fields

router = APIRouter(prefix="/api/v1", tags=["questions"])

Limit = Annotated[int, Query(ge=1, le=100_000, description="The maximum number of rows.")]


@router.get("/unused")
def unused(
    store: TheStore,
    access: Reader,
    days: Annotated[
        int, Query(ge=1, le=36_500, description="Only uses in the last so many days count.")
    ] = DAYS,
    namespace: str = "",
    name: str = "",
    limit: Limit = 1000,
) -> Response:
    """The fields that no job has used for some days; jobs of hidden DAGs count, without names."""
    with store.connection() as connection:
        found = unused_fields(
            connection,
            clock.parse(f"now-{days}d"),
            namespace=namespace,
            name=name,
            hidden=hidden_jobs(connection, access),
        )
    rows = [one._asdict() for one in found[:limit]]
    return as_json({"unused": rows, "count": len(found), "truncated": len(found) > limit})

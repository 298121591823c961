"""POST /api/v1/lineage: where OpenLineage's http transport sends its events."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from airflow_colgraph.api.access import Ingester, TheStore
from airflow_colgraph.api.request_body import json_body

router = APIRouter(tags=["ingest"])


EVENT = {"type": "object"}
BODY = {
    "required": True,
    "content": {
        "application/json": {"schema": {"oneOf": [EVENT, {"type": "array", "items": EVENT}]}}
    },
}


@router.post(
    "/api/v1/lineage",
    status_code=201,
    response_class=Response,
    openapi_extra={"requestBody": BODY},
)
@router.post(
    "/api/v1/lineage/batch",
    status_code=201,
    response_class=Response,
    openapi_extra={"requestBody": BODY},
)
async def ingest(request: Request, store: TheStore, access: Ingester) -> Response:
    """Store one OpenLineage event or a list of them, all or none; 201 once they are stored."""
    events = await json_body(request)
    await run_in_threadpool(store.add, events)
    return Response(status_code=201)

"""What an orchestrator and a monitoring system ask: is it alive, is it ready, how does it do."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST

from airflow_colgraph import __version__
from airflow_colgraph.api.access import Reader, TheStore, require_all
from airflow_colgraph.api.metrics import Metrics
from airflow_colgraph.api.responses import RETRY, as_json
from airflow_colgraph.api.worker_threads import StoreRoute
from airflow_colgraph.store.errors import StoreError
from airflow_colgraph.store.readiness import checks, disk

router = APIRouter(tags=["probes"], route_class=StoreRoute)


@router.get("/health")
def health(store: TheStore) -> Response:
    """Whether the store can be read and, for SQLite, its disk has room; everybody may ask."""
    try:
        with store.connection() as connection:
            connection.exec_driver_sql("SELECT id FROM colgraph_change")  # the smallest table
    except StoreError:
        raise StoreError("The store cannot be read.") from None
    if disk(store):
        raise StoreError("The store has no room.")
    return as_json({"status": "ok", "version": __version__})


@router.get("/livez")
async def livez() -> Response:
    """Whether the process answers; the store is not asked, and everybody may ask."""
    return as_json({"status": "ok"})


@router.get("/readyz")
def readyz(store: TheStore) -> Response:
    """Whether the store has the tables of this version, takes writes and has room; else 503."""
    problems = {name: problem for name, problem in checks(store).items() if problem}
    if not problems:
        return as_json({"status": "ok"})
    answer = as_json({"status": "not ready", "error": " ".join(problems.values()), **problems}, 503)
    answer.headers.update(RETRY)
    return answer


@router.get("/metrics", response_class=PlainTextResponse)
def metrics(request: Request, store: TheStore, access: Reader) -> Response:
    """Requests, events and the age of the newest lineage, in Prometheus' text format.

    Only for callers who may see everything, as it names the namespaces of all jobs.
    """
    require_all(access)
    counted: Metrics = request.app.state.metrics
    text = counted.text(store, request.app.state.threads.active)
    return Response(text, media_type=CONTENT_TYPE_LATEST)

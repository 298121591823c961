"""The REST API and the page inside Airflow's API server: Airflow's users see what they may see."""

from __future__ import annotations

import logging

from airflow.api_fastapi.app import get_auth_manager
from airflow.api_fastapi.core_api.security import get_user
from anyio import from_thread
from fastapi import FastAPI, HTTPException, Request
from fastapi.security import HTTPAuthorizationCredentials
from sqlalchemy.exc import SQLAlchemyError

from airflow_colgraph.api.access import INGEST, Access
from airflow_colgraph.api.app import create_app
from airflow_colgraph.api.rate_limit import rate_limited
from airflow_colgraph.store.errors import StoreError
from airflow_colgraph.store.store import Store
from airflow_colgraph.views import base_path, store_url

log = logging.getLogger(__name__)


# What can be cut down to what a user may see, besides CDAP's routes; the rest is for
# `colgraph serve`.
ROUTES = {
    "columns",
    "datasets",
    "diff",
    "downstream",
    "fields",
    "graph",
    "history",
    "impact",
    "jobs",
    "operations",
    "outputs",
    "paths",
    "properties",
    "runs",
    "sizes",
    "statistics",
    "tasks",
    "upstream",
    "writes",
}


def authorize(request: Request, scope: str) -> Access:
    """The Airflow user's right to read: what the DAGs do that the user may read.

    Who asks is known by Airflow's own cookie or token; 401 without. A job of a DAG that Airflow
    does not know (any more) counts as one that the user may not read.
    """
    if scope == INGEST:
        raise HTTPException(403, "Events are not taken here: send them to the store's own URL.")
    if not _is_cut_down(request):
        raise HTTPException(403, "Airflow does not answer this; `colgraph serve` does.")
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    given = HTTPAuthorizationCredentials(scheme=kind, credentials=token) if token else None
    user = from_thread.run(get_user, request, None, given)
    dags = get_auth_manager().get_authorized_dag_ids(user=user, method="GET")
    return Access(frozenset(dags))


def _is_cut_down(request: Request) -> bool:
    path = str(getattr(request.scope.get("route"), "path", ""))
    return path.startswith("/v3/") or (path.startswith("/api/v1/") and path.split("/")[3] in ROUTES)


def app() -> FastAPI:
    """The app over the configured store; one that cannot be opened yet only warns."""
    store = Store.open(store_url(), migrate=False)
    try:
        store.migrate()
    except (StoreError, SQLAlchemyError) as error:
        log.warning("colgraph: the lineage store cannot be opened: %s", str(error).split("\n")[0])
    return create_app(store, rate_limited(authorize), base_path())

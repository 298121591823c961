"""The REST API as a FastAPI app over a store.

    uvicorn.run(create_app(Store.open("sqlite:///colgraph.db")))

`colgraph serve` runs it alone; the Airflow plugin mounts it behind Airflow's authentication.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from airflow_colgraph import __version__
from airflow_colgraph.api import (
    catalog,
    dataset_summaries,
    gaps,
    ingest,
    lineage,
    operations,
    overview,
    probes,
    questions,
    runs,
    tags,
    tasks,
)
from airflow_colgraph.api.access import Authorize, everyone
from airflow_colgraph.api.compat import (
    cdap,
    cdap_design,
    datahub,
    marquez,
    marquez_delete,
    marquez_lineage,
)
from airflow_colgraph.api.metrics import Measured, Metrics
from airflow_colgraph.api.page import add_page
from airflow_colgraph.api.read_audit import AuditedReads, writing_reads
from airflow_colgraph.api.request_guard import RequestGuard
from airflow_colgraph.api.request_log import RequestLog
from airflow_colgraph.api.responses import add_error_handlers
from airflow_colgraph.api.worker_threads import StoreRoute, WorkerThreads
from airflow_colgraph.store.admin.read_audit import ReadAudit
from airflow_colgraph.store.model.tag_travel import DEFAULT_RULES, TravelRule
from airflow_colgraph.store.query.carried_tags import carried_tags
from airflow_colgraph.store.store import Store

ROUTERS = (
    ingest.router,
    lineage.router,
    catalog.router,
    operations.router,
    runs.router,
    tasks.router,
    tags.router,
    overview.router,
    dataset_summaries.router,
    gaps.router,
    questions.router,
    probes.router,
    marquez.router,
    marquez_delete.router,
    marquez_lineage.router,
    cdap.router,
    cdap_design.router,
    datahub.router,
)

_ERROR = {
    "application/json": {
        "schema": {
            "type": "object",
            "properties": {"error": {"type": "string"}},
            "required": ["error"],
        }
    }
}
ERRORS: dict[int | str, dict[str, Any]] = {
    "4XX": {"description": "The request is wrong or not allowed.", "content": _ERROR},
    "5XX": {"description": "The store cannot answer.", "content": _ERROR},
}

COMPRESSED = 20_000  # bytes of an answer from which on it is compressed, if the client can read it
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Headers:
    """Adds HEADERS to every response."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an app."""
        self.app = app
        self.headers = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add the headers to the response."""

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *self.headers]
            await send(message)

        await self.app(scope, receive, send_on)


class Head:
    """Answers HEAD as GET is answered, without the body."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an app."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Ask for the answer, and pass on its head."""

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        if scope["type"] == "http" and scope["method"] == "HEAD":
            await self.app({**scope, "method": "GET"}, receive, send_on)
        else:
            await self.app(scope, receive, send)


def create_app(
    store: Store,
    authorize: Authorize = everyone,
    airflow: str | None = None,
    is_served: Callable[[str], bool] | None = None,
    tag_rules: Sequence[TravelRule] = DEFAULT_RULES,
    threads: WorkerThreads | None = None,
    audit_reads: Sequence[str] = (),
) -> FastAPI:
    """Create the REST API and the web UI over a store.

    Args:
        store: An open `Store`; the app never closes it.
        authorize: Called with the request and a scope (`read`, `ingest`, `tag`, `admin`); returns
            the `Access` that lists the DAGs whose lineage the caller may see, or raises an
            HTTPException with 401 or 403. `api_key_auth.require_api_key` and
            `rate_limit.rate_limited` make such functions; the default allows everything.
        airflow: The base URL of Airflow, or the path that it is mounted below, for links to task
            instances; without it runs have no links.
        is_served: Whether a Host header's name is one of this server's; others get 421. Without
            it all are: then `authorize` has to ask for credentials that a browser does not add.
        tag_rules: How tags travel; of the rules that fit a tag the last one counts.
        threads: Where the routes run, and for how long. Default: 40 threads, no limit.
        audit_reads: Patterns of KEY or KEY=VALUE: an answer that names a column with such a tag is
            written to the audit log. `app.state.read_audit` is then the `ReadAudit`, else None.

    Returns:
        A FastAPI app with our routes, those of `api.compat` (Marquez, CDAP, DataHub), `/health`,
        `/livez`, `/readyz`, `/metrics`, the OpenAPI document at `/api/v1/openapi.json` and the UI
        at `/`. Every error is the JSON object `{"error": message}`.
        It does not raise: the database is first used by a request.

    Events are OpenLineage's (specification 2-0-2); the routes of `api.compat` have the paths and
    the JSON of the named systems' own servers.
    """
    app = FastAPI(
        title="airflow_colgraph",
        summary="Column-level lineage across jobs and over time",
        version=__version__,
        docs_url=None,  # FastAPI's page loads its scripts from another host
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        responses=ERRORS,
        lifespan=writing_reads,
    )
    app.state.store = store
    app.state.authorize = authorize
    app.state.airflow = airflow
    app.state.tag_rules = tag_rules
    app.state.threads = threads or WorkerThreads()
    app.state.metrics = Metrics()
    app.router.route_class = StoreRoute
    add_error_handlers(app)
    for router in ROUTERS:
        app.include_router(router)

    app.state.read_audit = None
    if audit_reads:
        look_up = partial(carried_tags, patterns=audit_reads)
        app.state.read_audit = ReadAudit(store, look_up, app.state.metrics.reads)
        app.add_middleware(AuditedReads, reads=app.state.read_audit)
    app.add_middleware(Measured, metrics=app.state.metrics)
    app.add_middleware(GZipMiddleware, minimum_size=COMPRESSED, compresslevel=1)
    app.add_middleware(RequestGuard, is_served=is_served)
    app.add_middleware(Headers)
    app.add_middleware(Head)
    app.add_middleware(RequestLog)

    add_page(app)
    return app

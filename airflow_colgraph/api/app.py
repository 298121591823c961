"""The REST API as a FastAPI app over a store.

    uvicorn.run(create_app(Store.open("sqlite:///colgraph.db")))

`colgraph serve` runs it by itself; Airflow mounts it with Airflow's own users.
"""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from airflow_colgraph import __version__
from airflow_colgraph.api import catalog, ingest, lineage, operations, runs, tasks
from airflow_colgraph.api.access import Authorize, TheStore, everyone
from airflow_colgraph.api.answers import as_json, say_errors
from airflow_colgraph.api.compat import (
    cdap,
    cdap_document,
    datahub,
    marquez,
    marquez_lineage,
    marquez_web,
    marquez_writes,
)
from airflow_colgraph.api.page import add_page
from airflow_colgraph.store.store import Store

ROUTERS = (
    ingest.router,
    lineage.router,
    catalog.router,
    operations.router,
    runs.router,
    tasks.router,
    marquez_web.router,  # its longer paths come first
    marquez.router,
    marquez_lineage.router,
    marquez_writes.router,
    cdap.router,
    cdap_document.router,
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
    "4XX": {"description": "What is asked or sent is wrong, or not allowed.", "content": _ERROR},
    "5XX": {"description": "The store cannot answer now.", "content": _ERROR},
}

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Headers:
    """Adds HEADERS to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        """Around an app."""
        self.app = app
        self.headers = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and the answer back with the headers."""

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *self.headers]
            await send(message)

        await self.app(scope, receive, send_on)


def create_app(
    store: Store, authorize: Authorize = everyone, airflow: str | None = None
) -> FastAPI:
    """The app over the store; `authorize` says who may do and see what (see `api.access`).

    `airflow` is where links to tasks lead: Airflow's address, or the path that it is below.
    """
    app = FastAPI(
        title="airflow_colgraph",
        summary="Column-level lineage across jobs and over time",
        version=__version__,
        docs_url=None,  # the page would load its scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        responses=ERRORS,
    )
    app.state.store = store
    app.state.authorize = authorize
    app.state.airflow = airflow
    say_errors(app)
    for router in ROUTERS:
        app.include_router(router)

    app.add_middleware(Headers)

    @app.get("/health", tags=["catalog"])
    def health(store: TheStore) -> Response:
        """That the server answers and the store can be read."""
        with store.connection() as connection:
            connection.exec_driver_sql("SELECT 1")
        return as_json({"status": "ok", "version": __version__})

    add_page(app)
    return app

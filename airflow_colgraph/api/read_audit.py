"""The columns that an answer names, for the audit of reads.

A route calls `name_columns` with the fields of its answer. Without an audit that costs nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from contextvars import ContextVar

from anyio import to_thread
from fastapi import FastAPI
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from airflow_colgraph.api.request_log import caller_of
from airflow_colgraph.store.admin.read_audit import ReadAudit
from airflow_colgraph.store.model.lineage_body import Field, Statement
from airflow_colgraph.store.model.lineage_graph import Edge, Graph
from airflow_colgraph.store.query.tag_spread import Step

SECONDS = 5.0  # that a server which ends gives to the rows that wait

_NAMED: ContextVar[set[Field] | None] = ContextVar("colgraph_named_columns", default=None)


def name_columns(*groups: Iterable[Field]) -> None:
    """Say that the answer to this request names the fields; those without a name are left out."""
    named = _NAMED.get()
    if named is not None:
        for fields in groups:
            named.update(fields)


def name_fields(dataset: Field, names: Iterable[str]) -> None:
    """Say the same of fields of a dataset."""
    if _NAMED.get() is not None:
        name_columns(dataset._replace(field=name) for name in names)


def name_graph(graph: Graph) -> None:
    """Say the same of the ends of a graph's edges, and of what was asked for."""
    name_edges(graph.edges)
    name_columns(graph.starts)


def name_edges(edges: Iterable[Edge | Statement | Step]) -> None:
    """Say the same of the ends of edges."""
    if _NAMED.get() is not None:
        name_columns(end for edge in edges for end in (edge.input, edge.output))


@asynccontextmanager
async def writing_reads(app: FastAPI) -> AsyncIterator[None]:
    """The lifespan of an app: after the last request, write the rows that wait.

    A signal ends the process of a server afterwards, with its threads.
    """
    yield
    if app.state.read_audit is not None:
        await to_thread.run_sync(app.state.read_audit.drain, SECONDS)


class AuditedReads:
    """Notes which columns the successful answers of an app have named, and to whom."""

    def __init__(self, app: ASGIApp, reads: ReadAudit) -> None:
        """Wrap an app."""
        self._app, self._reads = app, reads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and note what its answer names."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        named: set[Field] = set()
        codes: list[int] = []

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                codes.append(message["status"])
            await send(message)

        token = _NAMED.set(named)
        try:
            await self._app(scope, receive, send_on)
        finally:
            _NAMED.reset(token)
            if named and codes and codes[0] < 300:
                route = str(getattr(scope.get("route"), "path", "other")).replace(":text}", "}")
                self._reads.note(caller_of(scope), route, named)
        return None

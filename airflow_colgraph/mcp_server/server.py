"""The MCP server over the REST API: on standard input and output, or below `colgraph serve`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from fastapi import FastAPI, HTTPException
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import ToolAnnotations
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from airflow_colgraph import __version__
from airflow_colgraph.api.access import READ, Authorize
from airflow_colgraph.api.request_guard import RequestGuard
from airflow_colgraph.api.responses import error
from airflow_colgraph.api.worker_threads import WorkerThreads
from airflow_colgraph.mcp_server.rest import Rest
from airflow_colgraph.mcp_server.texts import TextTools
from airflow_colgraph.mcp_server.tools import Tools

PATH = "/mcp"
INSTRUCTIONS = (
    "Column-level lineage of Spark and SQL jobs. Find the dataset first; names are exact. "
    "An answer says by `complete` whether anything was left out, and by `to_see_more` how to ask "
    "for it."
)


def mcp_server(
    app: ASGIApp, address: str | None, texts: TextTools, *, allow_tags: bool = False
) -> MCPServer[None]:
    """An MCP server (specification of the Model Context Protocol) whose tools ask the REST API.

    Args:
        app: The app of `api.create_app`, which decides what a caller may see.
        address: Where the web page is served, for links.
        texts: The tools about texts.
        allow_tags: Whether there is a tool that sets tags. All others change nothing.
    """
    server = MCPServer[None](
        "colgraph", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING"
    )
    tools = Tools(Rest(app), address)
    for tool in (*tools.reading(), *texts.reading()):
        server.add_tool(tool, annotations=ToolAnnotations(read_only_hint=True))
    if allow_tags:
        server.add_tool(tools.set_tag, annotations=ToolAnnotations(destructive_hint=True))
    return server


Lifespan = Callable[[Any], AbstractAsyncContextManager[Any]]


def _within(app: FastAPI, transport: Starlette) -> Lifespan:
    """The transport's lifespan within that of the API."""
    api, own = app.router.lifespan_context, transport.router.lifespan_context

    @asynccontextmanager
    async def both(served: Starlette) -> AsyncIterator[Any]:
        async with api(app), own(served) as state:
            yield state

    return both


class WithMcp:
    """The REST API and, at `/mcp`, the tools by streamable HTTP behind the same keys."""

    def __init__(
        self,
        app: FastAPI,
        server: MCPServer[None],
        authorize: Authorize,
        threads: WorkerThreads,
        is_served: Callable[[str], bool] | None,
    ) -> None:
        """Wrap the REST API; the other arguments are as for `api.create_app`."""
        self._app = app
        self._transport = server.streamable_http_app(
            streamable_http_path=PATH,
            json_response=True,
            stateless_http=True,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        self._transport.router.lifespan_context = _within(app, self._transport)
        self._guarded = RequestGuard(self._authorized, is_served)
        self._authorize = authorize
        self._threads = threads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the API or to the tools."""
        if scope["type"] == "lifespan":
            await self._transport(scope, receive, send)
        elif scope["path"] == PATH:
            await self._guarded(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _authorized(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._threads.run(self._authorize, Request(scope), READ)
        except HTTPException as refusal:
            answer = error(refusal.status_code, str(refusal.detail), dict(refusal.headers or {}))
            await answer(scope, receive, send)
        else:
            await self._transport(scope, receive, send)

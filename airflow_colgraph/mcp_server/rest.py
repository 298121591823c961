"""Questions to the REST API in this process: an agent sees what its key may see, and no more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx
from mcp.server.mcpserver.exceptions import ToolError
from starlette.types import ASGIApp


class Rest:
    """The routes of `api.create_app`, asked without a network."""

    def __init__(self, app: ASGIApp) -> None:
        """`app` is the REST API."""
        self._transport = httpx.ASGITransport(app)

    async def get(self, route: str, headers: Mapping[str, str] | None, **query: Any) -> Any:
        """The JSON that a route of `/api/v1` answers; parameters that are None are left out.

        Raises:
            ToolError: The API's own sentence, e.g. with names that are like a wrong one.
        """
        asked = {name: value for name, value in query.items() if value is not None}
        return await self._ask("GET", route, headers, params=asked)

    async def post(self, route: str, headers: Mapping[str, str] | None, body: Any) -> Any:
        """The JSON that a route answers to a body; ToolError as of `get`."""
        return await self._ask("POST", route, headers, json=body)

    async def _ask(
        self, method: str, route: str, headers: Mapping[str, str] | None, **more: Any
    ) -> Any:
        key = {name: value for name, value in (headers or {}).items() if name == "authorization"}
        url = f"http://localhost/api/v1/{route}"
        async with httpx.AsyncClient(transport=self._transport) as http:
            response = await http.request(method, url, headers=key, **more)
        if response.is_success:
            return response.json()
        raise ToolError(str(response.json().get("error", response.reason_phrase)))

"""Requests that another site's page made a browser send are refused before any route sees them.

A page cannot read the answers of another origin, but it can send requests; and with a host name of
its own that leads here (DNS rebinding) it is of the same origin. So a server without credentials
answers only to names that are its own, and a write comes from no other origin.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from airflow_colgraph.api.responses import error

SAFE = {"GET", "HEAD", "OPTIONS"}
PROBES = ("/livez", "/readyz")  # Kubernetes asks for them by a pod's address
_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\s:/?#@\[\]]+))(?::\d*)?")


def host_name(header: str) -> str:
    """The name or address in a Host header, without the port; empty if it is none.

    >>> host_name("LocalHost:8765"), host_name("[::1]:8765"), host_name("a@b")
    ('localhost', '::1', '')
    """
    match = _HOST.fullmatch(header)
    return (match[1] or match[2]).lower() if match else ""


def is_other_origin(headers: Headers) -> bool:
    """Whether the request says that it comes from another site's page."""
    if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        return True
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower()


class RequestGuard:
    """Answers 421 for a Host that is not served, 403 for a write of another origin."""

    def __init__(self, app: ASGIApp, is_served: Callable[[str], bool] | None = None) -> None:
        """Wrap an app; `is_served` takes the name in the Host header, None: all are served."""
        self.app = app
        self.is_served = is_served

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            hosts = headers.getlist("host")  # none: then it is no browser
            is_served = None if scope["path"] in PROBES else self.is_served
            if is_served and not all(map(is_served, map(host_name, hosts))):
                refusal = error(421, "The server has another name: start it with --allowed-host.")
                return await refusal(scope, receive, send)
            if scope["method"] not in SAFE and is_other_origin(headers):
                refusal = error(403, "A page of another origin may not write.")
                return await refusal(scope, receive, send)
        return await self.app(scope, receive, send)

"""A line for each request, with an id that goes in and out by X-Request-ID, as text or as JSON.

A line names the route, never the values in its path or query. A fault that repeats is logged once
in REPEATED seconds, with the number of times.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from contextvars import ContextVar
from time import monotonic
from typing import Any
from uuid import uuid4

import orjson
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger(__name__)

REPEATED = 60.0  # seconds
ABOUT = "colgraph_request"  # in a scope: what is known of the request, shared by its copies
_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_REQUEST_ID: ContextVar[str] = ContextVar("colgraph_request_id", default="")
_TEXT = "%(asctime)s %(levelname)s %(message)s%(before)s"
_FIELDS = ("request_id", "method", "route", "status", "seconds", "key")


def remember(scope: Scope, **values: str) -> None:
    """Keep something about the request for its line: its `route`, or the name of the `key`."""
    scope.get(ABOUT, {}).update(values)


def caller_of(scope: Scope) -> str:
    """The name of the key or login of a request, else the id of Airflow's user; may be empty."""
    about = scope.get(ABOUT, {})
    return about.get("key") or about.get("caller") or ""


class RequestLog:
    """Gives each request an id, and logs its answer: faults as warnings, others as information."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an app."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, add the id to the answer, and log it."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        sent = Headers(scope=scope).get("x-request-id", "")
        id = sent if _ID.fullmatch(sent) else uuid4().hex
        scope[ABOUT] = {"route": "other", "key": ""}
        started, codes = monotonic(), [499]  # of a client that has gone

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                codes.append(message["status"])
                message["headers"] = [*message.get("headers", ()), (b"x-request-id", id.encode())]
            await send(message)

        token = _REQUEST_ID.set(id)
        try:
            await self._app(scope, receive, send_on)
        finally:
            _log(scope, codes[-1], monotonic() - started)
            _REQUEST_ID.reset(token)
        return None


def _log(scope: Scope, status: int, seconds: float) -> None:
    about, method = scope[ABOUT], scope["method"]
    level = logging.WARNING if status >= 500 else logging.INFO
    if not log.isEnabledFor(level):
        return
    route, key = about["route"], about["key"]
    values = {"method": method, "route": route, "status": status, "key": key}
    extra = {
        **values,
        "seconds": round(seconds, 4),
        "fault": f"{method} {route} {status}" if status >= 500 else "",
    }
    log.log(
        level, "%s %s %d %.3f s key=%s", method, route, status, seconds, key or "-", extra=extra
    )


class WithRequestId(logging.Filter):
    """Adds the id of the request that a record belongs to; an end by SIGTERM is no fault."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is logged."""
        record.request_id = _REQUEST_ID.get()
        return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))


class Repeats(logging.Filter):
    """Lets a warning through once in REPEATED seconds; `before` says how often it was held back."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        """`clock` gives seconds."""
        super().__init__()
        self._clock = clock
        self._seen: dict[str, tuple[float, int]] = {}  # since when, and how many were held back

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is logged."""
        if record.levelno < logging.WARNING:
            return True
        text = record.getMessage()
        fault = getattr(record, "fault", "") or f"{record.name} {text}"
        now = self._clock()
        since, count = self._seen.get(fault, (now - REPEATED, 0))
        if now - since < REPEATED:
            self._seen[fault] = since, count + 1
            return False
        if len(self._seen) > 1000:  # they differ: no fault that repeats
            self._seen.clear()
        self._seen[fault] = now, 0
        if count:
            record.before = f" (and {count} times before)"
        return True


class JsonLines(logging.Formatter):
    """A record as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, Any] = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage() + getattr(record, "before", ""),
        }
        values = ((name, getattr(record, name, "")) for name in _FIELDS)
        line.update({name: value for name, value in values if value != ""})
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return orjson.dumps(line, default=str).decode()


class TextLines(logging.Formatter):
    """A record as a line of text, with the id of its request."""

    def __init__(self) -> None:
        """As Airflow's lines: the time first."""
        super().__init__(_TEXT, defaults={"before": ""})

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        id = getattr(record, "request_id", "")
        return f"{super().format(record)}{f' request={id}' if id else ''}"


FORMATS: dict[str, Callable[[], logging.Formatter]] = {"text": TextLines, "json": JsonLines}


def configure(form: str, level: str) -> None:
    """Log on standard error in a form of FORMATS."""
    handler = logging.StreamHandler()
    handler.setFormatter(FORMATS[form]())
    handler.addFilter(WithRequestId())
    handler.addFilter(Repeats())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    quiet = ("alembic", "uvicorn", "uvicorn.error", "httpx2", "httpcore2", "authlib")
    for name in quiet:  # what they do, at the most verbose with secrets, not what goes wrong
        logging.getLogger(name).setLevel(logging.WARNING)

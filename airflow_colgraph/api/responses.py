"""Responses: JSON, cacheable JSON, and the one shape of an error."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from itertools import accumulate, takewhile
from typing import Any, Protocol, TypeVar

import orjson
from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException as StarletteHTTPException

from airflow_colgraph.api.read_audit import name_graph
from airflow_colgraph.exports.field_lookup import AmbiguousField
from airflow_colgraph.exports.formats.edge_rows import edge_rows
from airflow_colgraph.exports.formats.graph_json import graph_json
from airflow_colgraph.exports.formats.registry import GRAPH_FORMATS
from airflow_colgraph.openlineage.answers import REFUSED_EVENT
from airflow_colgraph.store.errors import (
    EventError,
    NamespaceRefused,
    QuestionError,
    StoreError,
    StoreFull,
    UnknownNode,
)
from airflow_colgraph.store.model.lineage_graph import Graph

T = TypeVar("T")


class Converter(Protocol):
    """A graph as plain data; with so many of its edges."""

    def __call__(self, graph: Graph, most: int | None = None, /) -> dict[str, Any]:
        """Convert the graph."""


BOUNDED: dict[str, Converter] = {"json": edge_rows, "compact": graph_json}
MOST_SHOWN = 1000  # characters of an error
MOST_BYTES = 2_000_000  # of an answer in JSON that has a list without pages
RETRY = {"Retry-After": "5"}  # seconds
OF_THE_EVENT = {REFUSED_EVENT: "true"}
HEADERS = {403: OF_THE_EVENT, 503: RETRY}  # of the store's errors
STATUS: dict[type[StoreError], int] = {
    EventError: 400,
    NamespaceRefused: 403,
    AmbiguousField: 409,
    QuestionError: 400,
    UnknownNode: 404,
    StoreFull: 507,
    StoreError: 503,
}


def as_json(value: Any, status: int = 200) -> Response:
    """The value as JSON; named tuples are lists, so routes turn them into dicts first."""
    return Response(orjson.dumps(value), status, media_type="application/json")


def immutable(request: Request, value: Any) -> Response:
    """JSON with an ETag: 304 without a body if the client already has it."""
    body = orjson.dumps(value)
    tag = f'"{blake2b(body, digest_size=12).hexdigest()}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type="application/json")


def as_bounded_json(value: dict[str, Any], *lists: str) -> Response:
    """The value as JSON of at most MOST_BYTES: the last rows of its lists may be left out.

    Then `left_out` is their number and `truncated` is true. Each list has an equal part of what is
    left of the bytes by those before it.
    """
    left_out = int(value.get("left_out", 0))
    whole = {**value, "truncated": bool(value.get("truncated") or left_out), "left_out": left_out}
    body = orjson.dumps(whole)
    if len(body) <= MOST_BYTES:
        return Response(body, media_type="application/json")
    rest = {**whole, **{name: [] for name in lists}, "left_out": MOST_BYTES}
    room = MOST_BYTES - len(orjson.dumps(rest))
    for left, name in zip(range(len(lists), 0, -1), lists, strict=True):
        kept = first_rows(value[name], room // left)
        room -= len(orjson.dumps(kept))
        left_out += len(value[name]) - len(kept)
        rest[name] = kept
    return as_json({**rest, "truncated": True, "left_out": left_out})


def first_rows(rows: Sequence[T], room: int) -> Sequence[T]:
    """As many of the rows as have so many bytes in a list."""
    ends = accumulate(len(orjson.dumps(row)) + 1 for row in rows)
    return rows[: sum(1 for _ in takewhile(lambda end: end <= room, ends))]


def half(rows: Sequence[T]) -> tuple[Sequence[T], int]:
    """The first rows, with half of an answer's bytes, and how many there are after them.

    The other half is for what belongs to them.
    """
    kept = first_rows(rows, MOST_BYTES // 2)
    return kept, len(rows) - len(kept)


def _bounded_graph(graph: Graph, convert: Converter, more: dict[str, Any]) -> Response:
    """The graph as JSON of at most MOST_BYTES: the edges nearest to the start are kept."""
    kept = len(graph.edges)
    body = orjson.dumps({**convert(graph), **more})
    while len(body) > MOST_BYTES and kept:
        kept = int(kept * min(0.95, MOST_BYTES / len(body)))
        body = orjson.dumps({**convert(graph, kept), **more})
    return Response(body, media_type="application/json")


def graph_response(graph: Graph, format_: str = "json", **more: Any) -> Response:
    """The graph in one of GRAPH_FORMATS; `more` are further keys of the JSON."""
    name_graph(graph)
    if format_ in BOUNDED:
        return _bounded_graph(graph, BOUNDED[format_], more)
    if format_ not in GRAPH_FORMATS:
        raise QuestionError(f"Format is {format_!r}. Expected one of: {', '.join(GRAPH_FORMATS)}.")
    chosen = GRAPH_FORMATS[format_]
    headers = {"X-Truncated": "true"} if graph.truncated else {}
    return Response(chosen.render(graph), headers=headers, media_type=chosen.media_type)


def error(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    """An error as JSON: `{"error": message}`; what it quotes of a caller is shortened."""
    if len(message) > MOST_SHOWN:
        message = f"{message[:MOST_SHOWN]}..."
    body = orjson.dumps({"error": message})
    return Response(body, status, headers, media_type="application/json")


def add_error_handlers(app: FastAPI) -> None:
    """Answer every error of the app in that shape, never with a stack trace."""

    @app.exception_handler(StoreError)
    async def store_error(_: Request, problem: StoreError) -> Response:
        status = next(STATUS[kind] for kind in type(problem).__mro__ if kind in STATUS)
        return error(status, str(problem), HEADERS.get(status))

    @app.exception_handler(StarletteHTTPException)
    async def http_error(_: Request, problem: HTTPException) -> Response:
        return error(problem.status_code, str(problem.detail), dict(problem.headers or {}))

    @app.exception_handler(RequestValidationError)
    async def validation_error(_: Request, problem: RequestValidationError) -> Response:
        lines = [f"{'.'.join(map(str, e['loc'][1:]))}: {e['msg']}" for e in problem.errors()]
        return error(400, "; ".join(lines) + ".")

    @app.exception_handler(Exception)
    async def internal_error(_: Request, problem: Exception) -> Response:
        return error(500, "Internal server error; see the server's log.")

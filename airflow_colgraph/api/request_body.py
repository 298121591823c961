"""The body of a request: JSON within limits, gzip too."""

from __future__ import annotations

import json
import math
import zlib
from decimal import Decimal
from typing import Any

import orjson
from fastapi import HTTPException, Request
from starlette.requests import ClientDisconnect

MOST = 32 * 1024 * 1024  # bytes, after decompression


async def json_body(request: Request, most: int | None = None) -> Any:
    """The request's body of at most so many bytes (None: MOST), as parsed JSON.

    HTTPException 413 if it is too large, compressed or not; 415 for a type other than JSON, which
    another site's page cannot send unasked, or an encoding other than gzip; 400 if it is not JSON.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, f"Content-Type is {kind[:100]!r}. Expected application/json.")
    encoding = request.headers.get("content-encoding", "identity").lower()
    if encoding not in ("identity", "gzip"):
        raise HTTPException(415, f"Content-Encoding is {encoding!r}. Expected gzip or none.")
    most = most or MOST
    unzip = zlib.decompressobj(wbits=31) if encoding == "gzip" else None
    body = bytearray()
    try:
        async for chunk in request.stream():
            if unzip is not None:
                try:
                    chunk = unzip.decompress(chunk, most + 1 - len(body))
                except zlib.error as problem:
                    raise HTTPException(400, f"The body is not gzip: {problem}.") from None
            body += chunk
            if len(body) > most or (unzip is not None and unzip.unconsumed_tail):
                raise HTTPException(413, f"The body has more than {most} bytes. Send fewer events.")
    except ClientDisconnect:
        raise HTTPException(400, "The body ended too early.") from None  # nobody reads it
    if unzip is not None and not unzip.eof:
        raise HTTPException(400, "The body is not gzip: it ends too early.")
    try:
        return orjson.loads(bytes(body))
    except orjson.JSONDecodeError as problem:
        try:
            return _with_odd_values(bytes(body))
        except (ValueError, RecursionError):
            raise HTTPException(400, f"The body is not JSON: {problem}.") from None


def _with_odd_values(body: bytes) -> Any:
    """The body with lone surrogates, NaN and infinities, which are for its reader to refuse.

    orjson refuses the whole body, so one odd value in a list of events would lose the others.
    """
    text = body.decode("utf-8", "surrogateescape")
    return json.loads(text, parse_float=_float, parse_constant=Decimal)


def _float(text: str) -> float | Decimal:
    """The number; as a Decimal, which is no value of JSON's, if it is beyond a float."""
    number = float(text)
    return number if math.isfinite(number) else Decimal(text)

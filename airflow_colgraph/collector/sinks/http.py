"""Events posted to an http(s) address, as OpenLineage's own HTTP transport does."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Protocol
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from airflow_colgraph.collector.sinks.ndjson import Event, line_of
from airflow_colgraph.collector.sinks.outbox import Busy, Refused
from airflow_colgraph.collector.sinks.token import Token
from airflow_colgraph.openlineage.answers import REFUSED_EVENT
from airflow_colgraph.openlineage.redaction import without_userinfo

TIMEOUT_SECONDS = 5.0
BUSY = {408, 425, 429, 500, 502, 503, 504, 507}  # the same request may well succeed later
OF_THE_EVENT = {400, 413, 422}  # another event may be taken, as where REFUSED_EVENT is said
MOST_ANSWER = 2000  # bytes


class Headers(Protocol):
    """The headers of an answer."""

    def get(self, name: str) -> str | None:
        """The value of a header, if it is there."""


class NoRedirects(HTTPRedirectHandler):
    """A redirected POST would become a GET, and its token go to another host."""

    def redirect_request(self, *_: object) -> None:
        """Take the redirect as the answer: an HTTPError."""


class HttpSink:
    """Posts each event by itself; only an answer of 2xx means that it was taken."""

    def __init__(self, url: str, token: Token = str) -> None:
        """Only remember where to post: the first event shows whether anyone listens."""
        self._url = url
        self._token = token

    def write(self, event: Event) -> None:
        """Post one event, once; Busy if the server is away, Refused if it does not take it."""
        where = without_userinfo(self._url)
        try:
            self._post(line_of(event))
        except HTTPError as error:
            why = f"{where} answered {error.code}."
            is_refused = error.code in OF_THE_EVENT or error.headers.get(REFUSED_EVENT) is not None
            answer = _answer(error) if is_refused else ""
            error.close()
            if error.code in BUSY:
                raise Busy(why, retry_after(error.headers)) from None
            if is_refused:
                raise Refused(why, answer) from None
            raise OSError(why) from None
        except (OSError, HTTPException) as error:
            cause = getattr(error, "reason", None) or error or type(error).__name__
            raise Busy(f"{where} cannot be reached: {cause}") from None

    def _post(self, body: bytes) -> None:
        headers = {"Content-Type": "application/json"}
        if token := self._token():
            headers["Authorization"] = f"Bearer {token}"
        request = Request(self._url, body, headers)
        opener = build_opener(NoRedirects)
        with opener.open(request, timeout=TIMEOUT_SECONDS) as response:
            if not 200 <= response.status < 300:
                raise HTTPError(self._url, response.status, "", response.headers, None)

    def flush(self, until: float, *, is_last: bool = False) -> bool:
        """Nothing is pending between two events."""
        return True

    def close(self) -> None:
        """Nothing is held open between two events."""


def _answer(error: HTTPError) -> str:
    """The beginning of what the server says about an event."""
    with suppress(OSError, HTTPException):
        return error.read(MOST_ANSWER).decode(errors="replace")
    return ""


def retry_after(headers: Headers) -> float | None:
    """The seconds to wait that the header Retry-After names, as a number or as a date."""
    text = (headers.get("Retry-After") or "").strip()
    if text.isdecimal():
        return float(text)
    try:
        at = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError):
        return None
    at = at if at.tzinfo else at.replace(tzinfo=timezone.utc)
    return max(0.0, (at - datetime.now(timezone.utc)).total_seconds())

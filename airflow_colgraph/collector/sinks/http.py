"""Events posted to an http(s) address, as OpenLineage's own HTTP transport does."""

from __future__ import annotations

import time
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from airflow_colgraph.collector.redaction import without_userinfo
from airflow_colgraph.collector.sinks.ndjson import Event, line_of
from airflow_colgraph.collector.sinks.token import Token

TIMEOUT_SECONDS = 5.0
TRIES = 3
PAUSE_SECONDS = 0.5
BUSY = {429, 502, 503, 504}  # answers after which the same request may well succeed


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
        """Post one event; a server that is busy or away is asked again, for a short while."""
        for left in reversed(range(TRIES)):
            try:
                self._post(line_of(event))
                return
            except HTTPError as error:
                error.close()
                if not left or error.code not in BUSY:
                    raise OSError(f"{without_userinfo(self._url)} answered {error.code}.") from None
            except (OSError, HTTPException) as error:
                if not left:
                    why = getattr(error, "reason", None) or error or type(error).__name__
                    raise OSError(
                        f"{without_userinfo(self._url)} cannot be reached: {why}"
                    ) from None
            time.sleep(PAUSE_SECONDS)

    def _post(self, body: bytes) -> None:
        headers = {"Content-Type": "application/json"}
        if token := self._token():
            headers["Authorization"] = f"Bearer {token}"
        request = Request(self._url, body, headers)
        opener = build_opener(NoRedirects)
        with opener.open(request, timeout=TIMEOUT_SECONDS) as response:
            if not 200 <= response.status < 300:
                raise HTTPError(self._url, response.status, "", response.headers, None)

    def close(self) -> None:
        """Nothing is held open between two events."""

"""One JSON document to an HTTP endpoint: with a token, again if it is busy, no redirects."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urlsplit

from airflow_colgraph.store.model.shown_url import HIDDEN, shown_url, without_parts

TIMEOUT = 30.0
PAUSES = (0.5, 2.0, 8.0)  # seconds before each further try
BUSY = {408, 425, 429, 500, 502, 503, 504}


class SendError(OSError):
    """An endpoint that did not take a document; the text is one line. `status` 0: no answer."""

    def __init__(self, text: str, status: int = 0) -> None:
        """The status is the HTTP status, if there was an answer."""
        super().__init__(text)
        self.status = status


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **named: Any) -> None:
        """Refuse: the token is meant for this address only."""


def check_url(url: str) -> str:
    """The URL, which must be http or https with a host and without a password in it."""
    try:
        parts = urlsplit(url)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname)
        fine = fine and (parts.port is None or parts.port > 0)
        secret = "@" in parts.netloc
    except ValueError:
        fine = secret = False
    if not fine:
        raise SendError(
            f"'{shown_url(url)}' is not a URL. Expected http://host:port or https://host."
        )
    if secret:
        raise SendError("The URL contains a user or a password. Use a token instead.")
    return url.rstrip("/")


def send(
    method: str,
    url: str,
    document: Any = None,
    *,
    token: str = "",
    headers: dict[str, str] | None = None,
    pauses: tuple[float, ...] = PAUSES,
) -> Any:
    """The JSON that the endpoint answers, or None; SendError if it does not take the document."""
    body = None if document is None else json.dumps(document).encode()
    all_headers = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        **(headers or {}),
    }
    if token:
        all_headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(check_url(url), body, all_headers, method=method)
    opener = urllib.request.build_opener(_Stay)
    for pause in (*pauses, None):
        try:
            with opener.open(request, timeout=TIMEOUT) as answer:
                return _json(answer.read())
        except urllib.error.HTTPError as error:
            failed = _refused(method, url, error, token)
            if error.code not in BUSY or pause is None:
                raise failed from None
        except (OSError, http.client.HTTPException) as error:
            if pause is None:
                reason = without_parts(str(getattr(error, "reason", None) or error), url)
                raise SendError(f"{method} {shown_url(url)}: no answer ({reason}).") from None
        time.sleep(pause)
    raise AssertionError("the last try returns or raises")


def _refused(method: str, url: str, error: urllib.error.HTTPError, token: str) -> SendError:
    with error:
        text = " ".join(error.read(2_000).decode("utf-8", "replace").split())
    text = without_parts(text.replace(token, HIDDEN) if token else text, url)
    detail = f": {text[:200]}" if text else ""
    where = error.headers.get("Location") if error.code in range(300, 400) else None
    hint = f" It moved to {shown_url(where)}; use that URL." if where else ""
    return SendError(
        f"{method} {shown_url(url)}: {error.code} {error.reason}{detail}.{hint}", error.code
    )


def _json(body: bytes) -> Any:
    try:
        return json.loads(body) if body.strip() else None
    except ValueError:
        return None

"""The two cookies of a login: while it runs, and of the session that it begins."""

from __future__ import annotations

import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import NamedTuple

import orjson
from fastapi import Request, Response

# Browsers take a cookie of such a name from this host only, for all of it, and over TLS.
LOGIN, SESSION = "__Host-colgraph_login", "__Host-colgraph_session"
LOGIN_SECONDS = 600
_QUERY = re.compile(r"\?[!-~]{0,2000}")


class PendingLogin(NamedTuple):
    """What the browser keeps between the way to the provider and the way back."""

    state: str
    nonce: str
    verifier: str
    back: str  # the query of the page to return to


def begin(back: str) -> PendingLogin:
    """A new login, from a page of this server: only the query of its address is kept."""
    state, nonce, verifier = (secrets.token_urlsafe(48) for _ in range(3))
    return PendingLogin(state, nonce, verifier, back if _QUERY.fullmatch(back) else "")


def packed(login: PendingLogin) -> str:
    """The login as a cookie's value."""
    return urlsafe_b64encode(orjson.dumps(login._asdict())).decode().rstrip("=")


def pending(request: Request) -> PendingLogin | None:
    """The login that the browser has begun; None if there is none."""
    try:
        text = request.cookies.get(LOGIN, "").encode("ascii")
        login = PendingLogin(**orjson.loads(urlsafe_b64decode(text + b"==")))
    except (ValueError, TypeError):
        return None
    return login if all(isinstance(part, str) for part in login) else None


def put(response: Response, name: str, value: str, seconds: int) -> None:
    """Have the browser keep a cookie that neither a script nor another site's page can use."""
    response.set_cookie(
        name, value, max_age=seconds, path="/", secure=True, httponly=True, samesite="lax"
    )


def drop(response: Response, name: str) -> None:
    """Have the browser forget a cookie."""
    put(response, name, "", 0)

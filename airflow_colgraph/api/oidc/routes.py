"""`/auth/login`, `/auth/callback`, `/auth/user` and `/auth/logout`: a browser's login."""

from __future__ import annotations

import logging
from collections.abc import Callable
from hmac import compare_digest
from math import ceil
from typing import TypeVar
from urllib.parse import urlencode

from fastapi import APIRouter, HTTPException, Request, Response
from starlette.responses import RedirectResponse

from airflow_colgraph.api.oidc import cookies
from airflow_colgraph.api.oidc.provider import Provider, ProviderDown, TokenRefused, shown
from airflow_colgraph.api.rate_limit import RateLimit, network
from airflow_colgraph.api.responses import as_json
from airflow_colgraph.store.admin import sessions
from airflow_colgraph.store.store import Store

log = logging.getLogger(__name__)
T = TypeVar("T")

PER_MINUTE = 300  # steps of logins from one address, which may be a proxy's
NO_STORE = {"Cache-Control": "no-store"}
AGAIN = "Log in again: this login was not begun in this browser, or more than ten minutes ago."


class LoginRoutes:
    """The routes of a login; a session is the store's."""

    def __init__(self, store: Store, provider: Provider) -> None:
        """Nothing is asked yet."""
        self._store, self._provider = store, provider
        self._settings = provider.settings
        self._limit = RateLimit(PER_MINUTE)

    def router(self) -> APIRouter:
        """The routes below `/auth`."""
        router = APIRouter(prefix="/auth", include_in_schema=False)
        router.add_api_route("/login", self.login, methods=["GET"])
        router.add_api_route("/callback", self.callback, methods=["GET"])
        router.add_api_route("/user", self.user, methods=["GET"])
        router.add_api_route("/logout", self.logout, methods=["POST"])
        return router

    def login(self, request: Request, back: str = "") -> Response:
        """Send the browser to the provider; afterwards to the page with the query `back`."""
        self._require_few(request)
        login = cookies.begin(back)
        secrets = login.state, login.nonce, login.verifier
        response = RedirectResponse(
            _answer(lambda: self._provider.login_address(*secrets)), 303, NO_STORE
        )
        cookies.put(response, cookies.LOGIN, cookies.packed(login), cookies.LOGIN_SECONDS)
        return response

    def callback(
        self, request: Request, state: str = "", code: str = "", error: str = "", iss: str = ""
    ) -> Response:
        """Begin a session with the code that the provider sends."""
        self._require_few(request)
        login = cookies.pending(request)
        if login is None or not compare_digest(login.state.encode(), state.encode()):
            raise HTTPException(400, AGAIN, NO_STORE)
        if iss and iss != self._settings.issuer:
            raise HTTPException(400, "The answer is of another provider.", NO_STORE)
        if error or not code:
            refusal = f"The provider refuses the login: {shown(error or 'no_code')}."
            raise HTTPException(401, refusal, NO_STORE)
        claims = _answer(lambda: self._provider.exchange(code, login.verifier, login.nonce))
        sessions.end(self._store, request.cookies.get(cookies.SESSION, ""))
        response = RedirectResponse(f"{self._settings.home}{login.back}", 303, NO_STORE)
        seconds = int(self._settings.hours * 3600)
        cookies.put(response, cookies.SESSION, self._session(claims, seconds), seconds)
        cookies.drop(response, cookies.LOGIN)
        return response

    def user(self, request: Request) -> Response:
        """Who is logged in; `name` is null if nobody is."""
        session = sessions.session_of(self._store, request.cookies.get(cookies.SESSION, ""))
        return as_json({"name": session.name if session else None})

    def logout(self, request: Request) -> Response:
        """End the session, here and with the provider."""
        sessions.end(self._store, request.cookies.get(cookies.SESSION, ""))
        home, address = self._settings.home, self._provider.logout_address()
        client = {"client_id": self._settings.client_id, "post_logout_redirect_uri": home}
        separator = "&" if "?" in address else "?"
        goal = f"{address}{separator}{urlencode(client)}" if address else home
        response = RedirectResponse(goal, 303, NO_STORE)
        cookies.drop(response, cookies.SESSION)
        return response

    def _session(self, claims: dict[str, object], seconds: int) -> str:
        """The secret of a new session; 403 if the claims allow nothing."""
        settings = self._settings
        name, grants = settings.name(claims), settings.grants(claims)
        if not grants:
            log.warning("%s logged in, and has no role", name)
            raise HTTPException(403, "Nothing is allowed to this login: it has no role.", NO_STORE)
        log.warning("%s logged in", name)
        caller = sessions.caller(settings.issuer, str(claims["sub"]))
        return sessions.begin(self._store, name, caller, grants, seconds)

    def _require_few(self, request: Request) -> None:
        wait = self._limit.wait(network(request.client.host if request.client else ""))
        if wait:
            headers = {"Retry-After": str(ceil(wait))}
            raise HTTPException(429, "Too many logins; try again later.", headers)


def _answer(ask: Callable[[], T]) -> T:
    """What the provider answers, as HTTP's errors."""
    try:
        return ask()
    except TokenRefused as refusal:
        raise HTTPException(401, str(refusal), NO_STORE) from None
    except ProviderDown as problem:
        raise HTTPException(503, str(problem), {**NO_STORE, "Retry-After": "5"}) from None

"""Access by login: the session of a browser's cookie, or an access token of the provider."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import HTTPException, Request

from airflow_colgraph.api.access import Access, Authorize, NotAllowed
from airflow_colgraph.api.api_key_auth import bearer
from airflow_colgraph.api.oidc import cookies
from airflow_colgraph.api.oidc.provider import Provider, ProviderDown, TokenRefused
from airflow_colgraph.store.admin import sessions
from airflow_colgraph.store.model.grants import Grant, granted
from airflow_colgraph.store.store import Store

REQUIRED = "Log in, or send an API key: Authorization: Bearer KEY (colgraph db key add NAME)."
CHALLENGE = {"WWW-Authenticate": "Bearer"}


def require_login(store: Store, provider: Provider, keys: Authorize) -> Authorize:
    """Callers with a session or a token of the provider, or whom `keys` accepts.

    A header `Authorization` counts before the cookie. 401 without a login, 403 if its roles do not
    allow the scope.
    """

    def authorize(request: Request, scope: str) -> Access:
        token = bearer(request)
        if provider.issued(token):
            return _of_token(provider, token, scope)
        if "authorization" in request.headers:
            return keys(request, scope)
        session = sessions.session_of(store, request.cookies.get(cookies.SESSION, ""))
        if session is None:
            raise HTTPException(401, REQUIRED, CHALLENGE)
        return _access(session.name, session.caller, session.grants, scope)

    return authorize


def _of_token(provider: Provider, token: str, scope: str) -> Access:
    try:
        claims = provider.access_claims(token)
    except TokenRefused as refusal:
        raise HTTPException(401, str(refusal), CHALLENGE) from None
    except ProviderDown as problem:
        raise HTTPException(503, str(problem), {"Retry-After": "5"}) from None
    settings = provider.settings
    caller = sessions.caller(settings.issuer, claims["sub"])
    return _access(settings.name(claims), caller, settings.grants(claims), scope)


def _access(name: str, caller: str, grants: Sequence[Grant], scope: str) -> Access:
    grant = granted(grants, scope)
    if grant is None:
        raise NotAllowed(f"The roles of the login do not allow {scope}.", caller)
    return Access(caller=caller, name=name, namespaces=grant.namespaces)

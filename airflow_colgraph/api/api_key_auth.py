"""Access by API key: `Authorization: Bearer colgraph_...`, or by a token of one run."""

from __future__ import annotations

from functools import partial
from hashlib import sha256

from fastapi import HTTPException, Request

from airflow_colgraph.api.access import Access, Authorize, NotAllowed
from airflow_colgraph.run_tokens import TokenError, is_run_token, verified
from airflow_colgraph.store.admin import api_keys
from airflow_colgraph.store.store import Store


def require_api_key(store: Store) -> Authorize:
    """Only callers with a key of the store, or a token that a key of the scope `sign` signed.

    401 without one, 403 if it is for something else.
    """

    def authorize(request: Request, scope: str) -> Access:
        kind, _, secret = request.headers.get("authorization", "").partition(" ")
        secret = secret.strip()
        if kind.lower() == "bearer" and is_run_token(secret):
            return _of_one_run(store, secret)
        key = api_keys.key_of(store, secret) if kind.lower() == "bearer" else None
        name, scopes = key or ("", frozenset())
        if not scopes:
            raise HTTPException(
                401,
                "An API key is required: Authorization: Bearer KEY (colgraph db key add NAME).",
                {"WWW-Authenticate": "Bearer"},
            )
        caller = sha256(secret.encode()).hexdigest()
        if scope not in scopes:
            raise NotAllowed(f"The API key does not allow {scope}.", caller)
        return Access(caller=caller, name=name)

    return authorize


def _of_one_run(store: Store, token: str) -> Access:
    try:
        run = verified(token, partial(api_keys.is_signer, store))
    except TokenError as error:
        raise HTTPException(401, str(error), {"WWW-Authenticate": "Bearer"}) from None
    caller = f"run {run.run_id} of {'/'.join(run.job)}"
    return Access(caller=caller, run=run, name=caller)

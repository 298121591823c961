"""Access by API key: `Authorization: Bearer colgraph_...`, or by a token of one run."""

from __future__ import annotations

from fastapi import HTTPException, Request

from airflow_colgraph.api.access import Access, Authorize, NotAllowed
from airflow_colgraph.run_tokens import TokenError, is_run_token, verified
from airflow_colgraph.store.admin import api_keys
from airflow_colgraph.store.admin.api_keys import ValidKey
from airflow_colgraph.store.admin.key_use import KeyUse
from airflow_colgraph.store.store import Store

REQUIRED = "An API key is required: Authorization: Bearer KEY (colgraph db key add NAME)."


def bearer(request: Request) -> str:
    """The secret in the header `Authorization: Bearer`; empty if there is none."""
    kind, _, secret = request.headers.get("authorization", "").partition(" ")
    return secret.strip() if kind.lower() == "bearer" else ""


def require_api_key(store: Store) -> Authorize:
    """Only callers with a key of the store, or a token that a key of the scope `sign` signed.

    401 without one, 403 if it is for something else.
    """
    use = KeyUse(store)

    def authorize(request: Request, scope: str) -> Access:
        secret = bearer(request)
        if is_run_token(secret):
            return _of_one_run(store, secret, use)
        key = api_keys.key_of(store, secret) if secret else None
        if key is None:
            raise HTTPException(401, REQUIRED, {"WWW-Authenticate": "Bearer"})
        use.note(key.hash)
        caller, grant = key.hash.hex(), key.grant
        if scope not in grant.scopes:
            detail = f"The API key does not allow {scope}."
            raise NotAllowed(detail, caller, grant.limits.rate)
        return Access(
            caller=caller, name=key.name, namespaces=grant.namespaces, limits=grant.limits
        )

    return authorize


def _of_one_run(store: Store, token: str, use: KeyUse) -> Access:
    signers: list[ValidKey] = []

    def is_signer(public_key: bytes) -> bool:
        signers.extend(filter(None, [api_keys.signer_of(store, public_key)]))
        return bool(signers)

    try:
        run = verified(token, is_signer)
    except TokenError as error:
        raise HTTPException(401, str(error), {"WWW-Authenticate": "Bearer"}) from None
    use.note(signers[0].hash)
    caller, grant = f"run {run.run_id} of {'/'.join(run.job)}", signers[0].grant
    return Access(
        caller=caller, run=run, name=caller, namespaces=grant.namespaces, limits=grant.limits
    )

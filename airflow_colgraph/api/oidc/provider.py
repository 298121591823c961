"""The provider: its addresses and keys, the exchange of a code, and the check of its tokens.

OpenID Connect Core 1.0, Discovery 1.0, PKCE (RFC 7636) and `iss` of the answer (RFC 9207).
"""

from __future__ import annotations

import json
import re
import time
from base64 import urlsafe_b64decode
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, NamedTuple

import httpx2
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.httpx_client import OAuth2Client
from authlib.oauth2.claims import JWTClaims
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet

from airflow_colgraph.api.oidc.settings import Settings, is_secure

# Signatures by a key that only the provider has: neither `none` nor one by a shared secret.
ALGORITHMS = [
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA", "Ed25519"),
]
ASYMMETRIC = {"RSA", "EC", "OKP"}
LEEWAY = 60  # seconds that the clocks of two machines may differ
TIMEOUT = 4.0  # seconds for an answer of the provider
FRESH = 3600.0  # seconds for which addresses and keys are kept
AGAIN = 60.0  # seconds between two looks for a key that is not among them
DISCOVERY = "/.well-known/openid-configuration"
ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")
_CODE = re.compile(r"[A-Za-z0-9_.-]{1,60}")


class ProviderDown(Exception):
    """The provider cannot be asked; the text is one line without a secret."""


class TokenRefused(Exception):
    """A code or a token is not valid; the text is one line without it."""


class _Metadata(NamedTuple):
    addresses: Mapping[str, Any]
    keys: KeySet
    at: float


class Provider:
    """Asks the provider of the settings; safe to share between threads."""

    def __init__(
        self,
        settings: Settings,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Nothing is asked yet. `clock` is for what is kept, `now` for the times in tokens."""
        self.settings = settings
        self._clock, self._now = clock, now
        self._lock = Lock()
        self._metadata: _Metadata | None = None

    def login_address(self, state: str, nonce: str, verifier: str) -> str:
        """Where a browser logs in; ProviderDown if the provider does not say."""
        endpoint = self._known().addresses["authorization_endpoint"]
        with self._client() as client:
            address, _ = client.create_authorization_url(
                endpoint, state=state, code_verifier=verifier, nonce=nonce
            )
        return str(address)

    def logout_address(self) -> str:
        """Where a browser logs out of the provider; empty if the provider has no such address."""
        try:
            return str(self._known().addresses.get("end_session_endpoint") or "")
        except ProviderDown:
            return ""

    def exchange(self, code: str, verifier: str, nonce: str) -> dict[str, Any]:
        """The claims of the ID token for a code.

        Raises:
            TokenRefused: The provider refuses the code, or the ID token is not valid.
            ProviderDown: The provider cannot be asked.
        """
        addresses = self._known().addresses
        try:
            with self._client(_method(addresses, self.settings)) as client:
                token = client.fetch_token(
                    addresses["token_endpoint"],
                    grant_type="authorization_code",
                    code=code,
                    code_verifier=verifier,
                )
        except AuthlibBaseError as error:
            raise TokenRefused(f"The provider refuses the login: {shown(error.error)}.") from None
        except (httpx2.HTTPError, ValueError) as error:
            raise ProviderDown(_why("token endpoint", error)) from None
        text = token.get("id_token")
        if not isinstance(text, str):
            raise TokenRefused("The provider sent no ID token.")
        params = {
            "nonce": nonce,
            "client_id": self.settings.client_id,
            "access_token": token.get("access_token"),
        }
        return self._verified(text, CodeIDToken, self.settings.client_id, params)

    def access_claims(self, token: str) -> dict[str, Any]:
        """The claims of an access token for `audience`; errors as of `exchange`."""
        return self._verified(token, JWTClaims, self.settings.audience, {})

    def issued(self, token: str) -> bool:
        """Whether a token says that it is an access token of the provider; nothing is checked."""
        if not self.settings.audience or token.count(".") != 2:
            return False
        try:
            claims = unverified_claims(token)
        except ValueError:
            return False
        return claims.get("iss") == self.settings.issuer

    def _verified(
        self, text: str, kind: type[JWTClaims], audience: str, params: dict[str, Any]
    ) -> dict[str, Any]:
        options: Any = {
            "iss": {"essential": True, "value": self.settings.issuer},
            "aud": {"essential": True, "value": audience},
            "exp": {"essential": True},
            "sub": {"essential": True},
        }
        try:
            token = self._decoded(text)
            claims = kind(token.claims, token.header, options, params)
            claims.validate(int(self._now()), LEEWAY)
        except (JoseError, AuthlibBaseError) as error:
            raise TokenRefused(f"The token is not valid: {shown(error.error)}.") from None
        except (ValueError, TypeError, KeyError, AttributeError):
            raise TokenRefused("The token is not valid: it is malformed.") from None
        return dict(claims)

    def _decoded(self, text: str) -> jwt.Token:
        metadata = self._known()
        try:
            return jwt.decode(text, metadata.keys, ALGORITHMS)
        except InvalidKeyIdError:  # the provider may have a new key
            return jwt.decode(text, self._known(newer_than=metadata).keys, ALGORITHMS)

    def _known(self, newer_than: _Metadata | None = None) -> _Metadata:
        """The provider's addresses and keys; asked again after a while, or for a new key."""
        with self._lock:
            kept, now = self._metadata, self._clock()
            age = AGAIN if kept is newer_than else FRESH
            if kept is None or now - kept.at >= age:
                kept = self._metadata = self._asked(now)
            return kept

    def _asked(self, now: float) -> _Metadata:
        issuer = self.settings.issuer
        addresses = _document(f"{issuer.rstrip('/')}{DISCOVERY}")
        if addresses.get("issuer") != issuer:
            raise ProviderDown(f"{DISCOVERY} of the provider names another issuer.")
        for name in ENDPOINTS:
            if not is_secure_endpoint(addresses.get(name)):
                raise ProviderDown(f"{name!r} of the provider is no https:// address.")
        keys = _document(addresses["jwks_uri"]).get("keys")
        try:
            rows = [row for row in keys or () if row["kty"] in ASYMMETRIC]
            return _Metadata(addresses, KeySet.import_key_set({"keys": rows}), now)
        except (JoseError, ValueError, TypeError, KeyError):
            raise ProviderDown("The provider has no key that verifies its tokens.") from None

    def _client(self, method: str = "none") -> OAuth2Client:
        settings = self.settings
        return OAuth2Client(
            settings.client_id,
            settings.client_secret or None,
            scope=" ".join(settings.scopes),
            redirect_uri=settings.callback,
            code_challenge_method="S256",
            token_endpoint_auth_method=method,
            timeout=TIMEOUT,
        )


def unverified_claims(token: str) -> dict[str, Any]:
    """What a token says without a check of its signature; ValueError if it is none."""
    claims = json.loads(urlsafe_b64decode(token.split(".")[1].encode("ascii") + b"=="))
    if not isinstance(claims, dict):
        raise ValueError("The token has no claims.")
    return claims


def is_secure_endpoint(address: Any) -> bool:
    """Whether an address that the provider names may be asked; it may have a query."""
    return isinstance(address, str) and is_secure(address.partition("?")[0])


def shown(code: object) -> str:
    """A code of an error as it may be shown: nothing of a token or a page is one."""
    return str(code) if _CODE.fullmatch(str(code)) else "an error"


def _method(addresses: Mapping[str, Any], settings: Settings) -> str:
    """How this client proves who it is; without a secret PKCE alone does."""
    if not settings.client_secret:
        return "none"
    methods = addresses.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
    return "client_secret_basic" if "client_secret_basic" in methods else "client_secret_post"


def _document(address: str) -> dict[str, Any]:
    try:
        answer = httpx2.get(address, timeout=TIMEOUT)
        answer.raise_for_status()
        document = answer.json()
    except (httpx2.HTTPError, ValueError) as error:
        raise ProviderDown(_why(address, error)) from None
    if not isinstance(document, dict):
        raise ProviderDown(f"{address} is no JSON object.")
    return document


def _why(what: str, error: Exception) -> str:
    return f"The login provider cannot be asked ({what}: {type(error).__name__})."

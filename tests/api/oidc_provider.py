"""A login provider on this machine, of Authlib's own parts for servers: code flow with PKCE.

`tamper` changes the claims of the next tokens, and `forge` how they are signed.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from authlib.oauth2.rfc6749 import (
    AuthorizationCodeGrant,
    AuthorizationServer,
    ClientMixin,
    OAuth2Error,
    OAuth2Request,
)
from authlib.oauth2.rfc6749.requests import BasicOAuth2Payload
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core import OpenIDCode
from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET, AUDIENCE = "colgraph", "s3cret-of-the-client", "lineage-api"
LOGGED_OUT = "<!doctype html><title>Provider</title><p>Logged out of the provider</p>"
Claims = dict[str, Any]
USERS: dict[str, Claims] = {
    "anna": {"email": "anna@example.org", "groups": ["readers"]},
    "bo": {"email": "bo@example.org", "groups": ["readers", "team-a"]},
    "cy": {"email": "cy@example.org", "realm": {"roles": ["admins"]}},
    "dan": {"email": "dan@example.org"},
}


class Client(ClientMixin):
    """The only client."""

    def __init__(self, redirect_uri: str) -> None:
        self.redirect_uri = redirect_uri

    def get_client_id(self) -> str:
        return CLIENT

    def get_default_redirect_uri(self) -> str:
        return self.redirect_uri

    def get_allowed_scope(self, scope: str) -> str:
        return scope

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return redirect_uri == self.redirect_uri

    def check_client_secret(self, client_secret: str) -> bool:
        return client_secret == SECRET

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method == "client_secret_basic"

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type == "authorization_code"


class Request(OAuth2Request):
    """A request, as Authlib's server has it."""

    def __init__(self, method: str, path: str, headers: Any, body: Claims) -> None:
        super().__init__(method, f"https://provider.example.org{path}", headers=headers)
        self.payload = BasicOAuth2Payload({**dict(parse_qsl(urlsplit(path).query)), **body})
        self._fields = body

    @property
    def args(self) -> Claims:
        return self.payload.data

    @property
    def form(self) -> Claims:
        return self._fields


class Code(SimpleNamespace):
    """A code that was issued, with what it is bound to."""

    def get_redirect_uri(self) -> str:
        return str(self.redirect_uri)

    def get_scope(self) -> str:
        return str(self.scope)

    def get_nonce(self) -> str:
        return str(self.nonce)

    def get_auth_time(self) -> int:
        return int(time.time())

    def get_acr(self) -> None:
        return None

    def get_amr(self) -> None:
        return None


class Provider(AuthorizationServer):
    """The server; `tokens` are those of its clients, `requests` the paths that were asked."""

    def __init__(self, redirect_uri: str) -> None:
        super().__init__(["openid", "profile", "email"])
        self.client = Client(redirect_uri)
        self.issuer = ""
        self.key = RSAKey.generate_key(2048, {"kid": "1", "use": "sig"})
        self.codes: dict[str, Code] = {}
        self.nonces: set[str] = set()
        self.requests: list[str] = []
        self.issued: list[str] = []
        self.tamper: Callable[[Claims], Claims] = dict
        self.forge: Callable[[Claims], str] | None = None
        provider = self

        class Grant(AuthorizationCodeGrant):
            TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic"]  # noqa: RUF012

            def save_authorization_code(self, code: str, request: OAuth2Request) -> None:
                data = request.payload.data
                provider.nonces.add(data["nonce"])
                provider.codes[code] = Code(
                    code=code,
                    user=request.user,
                    redirect_uri=data["redirect_uri"],
                    scope=data["scope"],
                    nonce=data["nonce"],
                    code_challenge=data.get("code_challenge"),
                    code_challenge_method=data.get("code_challenge_method"),
                )
                provider.issued.append(code)

            def query_authorization_code(self, code: str, client: Client) -> Code | None:
                return provider.codes.get(code)

            def delete_authorization_code(self, authorization_code: Code) -> None:
                provider.codes.pop(authorization_code.code)

            def authenticate_user(self, authorization_code: Code) -> str:
                return str(authorization_code.user)

        class IdToken(OpenIDCode):
            def exists_nonce(self, nonce: str, request: OAuth2Request) -> bool:
                return nonce in provider.nonces

            def encode_id_token(self, token: Claims, request: OAuth2Request) -> str:
                nonce = request.authorization_code.get_nonce()
                return provider.token(request.user, CLIENT, nonce=nonce)

        self.register_grant(Grant, [CodeChallenge(required=True), IdToken(require_nonce=True)])
        self.register_token_generator("default", self._bearer)

    def token(self, user: str, audience: str, **more: Any) -> str:
        """A token of the provider for the audience."""
        now = int(time.time())
        times = {"iat": now, "exp": now + 600}
        claims = {"iss": self.issuer, "sub": user, "aud": audience, **times, **USERS[user], **more}
        claims = self.tamper(claims)
        text = self.forge(claims) if self.forge else self.signed(claims)
        self.issued.append(text)
        return text

    def signed(self, claims: Claims, **header: Any) -> str:
        return jwt.encode({"alg": "RS256", "kid": self.key.kid, **header}, claims, self.key)

    def _bearer(self, user: str, **_: Any) -> Claims:
        access = self.token(user, AUDIENCE)
        return {"token_type": "Bearer", "access_token": access, "scope": "openid"}

    def query_client(self, client_id: str) -> Client | None:
        return self.client if client_id == CLIENT else None

    def save_token(self, token: Claims, request: OAuth2Request) -> None:
        """Its tokens are signed, and not kept."""

    def send_signal(self, name: str, *args: Any, **kwargs: Any) -> None:
        """Nobody listens."""

    def create_oauth2_request(self, request: OAuth2Request) -> OAuth2Request:
        return request

    def handle_response(self, status: int, body: Any, headers: Any) -> tuple[int, Any, Any]:
        return status, body, headers

    def document(self) -> Claims:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "end_session_endpoint": f"{self.issuer}/logout",
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        }

    def authorize(self, request: Request) -> tuple[int, Any, Any]:
        """A page to log in, or the way back with a code for the user of the form."""
        user = request.form.get("user")
        try:
            grant = self.get_consent_grant(request, end_user=None)
        except OAuth2Error as error:
            return 400, {"error": error.error}, []
        if user in USERS:
            return self.create_authorization_response(request, grant_user=user, grant=grant)
        if user:
            return self.create_authorization_response(request, grant_user=None, grant=grant)
        buttons = "".join(
            f"<button name=user value={name}>{escape(name)}</button>" for name in USERS
        )
        return 200, f"<!doctype html><title>Provider</title><form method=post>{buttons}</form>", []


class Handler(BaseHTTPRequestHandler):
    """The provider over HTTP."""

    provider: Provider

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", 0))
        self._answer(dict(parse_qsl(self.rfile.read(length).decode())))

    def log_message(self, *_: Any) -> None:
        """Quiet."""

    def _answer(self, body: Claims) -> None:
        provider, path = self.provider, urlsplit(self.path).path
        provider.requests.append(path)
        request = Request(self.command, self.path, self.headers, body)
        if path == "/authorize":
            status, content, headers = provider.authorize(request)
        elif path == "/token":
            status, content, headers = provider.create_token_response(request)
        elif path == "/keys":
            status, content, headers = 200, {"keys": [provider.key.as_dict(private=False)]}, []
        elif path == "/.well-known/openid-configuration":
            status, content, headers = 200, provider.document(), []
        else:
            status, content, headers = 200, LOGGED_OUT, []
        self._send(status, content, dict(headers))

    def _send(self, status: int, content: Any, headers: dict[str, str]) -> None:
        is_text = isinstance(content, str)
        text = content if is_text else json.dumps(content)
        kind = "text/html" if is_text else "application/json"
        self.send_response(status)
        for name, value in {"Content-Type": kind, **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())


@contextmanager
def provider_at(redirect_uri: str) -> Iterator[Provider]:
    """A provider that runs within the block; its address is `issuer`."""
    provider = Provider(redirect_uri)
    handler = type("Bound", (Handler,), {"provider": provider})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

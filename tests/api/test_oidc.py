"""Login with a real provider over HTTP: the code flow, what it refuses, and what roles allow."""

import base64
import hmac
import json
import logging
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from joserfc import jwt
from joserfc.jwk import RSAKey

from airflow_colgraph import run_tokens
from airflow_colgraph.api.api_key_auth import require_api_key
from airflow_colgraph.api.app import create_app
from airflow_colgraph.api.oidc import routes
from airflow_colgraph.api.oidc.cookies import LOGIN, SESSION
from airflow_colgraph.api.oidc.login import Login
from airflow_colgraph.api.oidc.settings import read
from airflow_colgraph.api.page import add_page
from airflow_colgraph.run_tokens import RunScope
from airflow_colgraph.store.admin import api_keys
from airflow_colgraph.store.db import tables
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.store import Store
from tests.api.conftest import log
from tests.api.oidc_provider import AUDIENCE, CLIENT, SECRET, Provider, provider_at
from tests.store.samples import copy_event, memory_store, run_id

URL = "https://lineage.example.org"
SETTINGS = """
issuer = "{issuer}"
client_id = "colgraph"
client_secret_file = "secret"
url = "https://lineage.example.org"
audience = "lineage-api"

[[roles]]
claim = "groups"
value = "readers"
scopes = ["read"]

[[roles]]
claim = "groups"
value = "team-a"
scopes = ["ingest", "tag"]
namespaces = ["jobs", "n"]

[[roles]]
claim = "realm.roles"
value = "admins"
scopes = ["read", "admin"]
"""
Claims = dict[str, Any]
EVENT = copy_event("load", 50, "t", {"a": "raw.a"})


@pytest.fixture(scope="module")
def running() -> Iterator[Provider]:
    with provider_at(f"{URL}/auth/callback") as provider:
        yield provider


@pytest.fixture
def provider(running: Provider) -> Provider:
    running.tamper, running.forge = dict, None
    running.key = RSAKey.generate_key(2048, {"kid": "1", "use": "sig"})
    running.requests.clear()
    running.issued.clear()
    return running


@pytest.fixture
def store() -> Store:
    store = memory_store()
    store.add(log())
    return store


@pytest.fixture
def app(store: Store, provider: Provider, tmp_path: Path) -> FastAPI:
    (tmp_path / "secret").write_text(f"{SECRET}\n")
    (tmp_path / "oidc.toml").write_text(SETTINGS.format(issuer=provider.issuer))
    login = Login(store, read(tmp_path / "oidc.toml"), require_api_key(store))
    app = create_app(store, login.authorize)
    login.add_to(app)
    return app


@pytest.fixture
def client(app: FastAPI) -> TestClient:
    return browser(app)


def browser(app: FastAPI) -> TestClient:
    return TestClient(app, URL, raise_server_exceptions=False, follow_redirects=False)


def authorized(client: TestClient, user: str, back: str = "") -> str:
    """The way back that the provider sends the browser to."""
    begun = client.get("/auth/login", params={"back": back})
    assert begun.status_code == 303, begun.text
    page = httpx2.get(begun.headers["location"])
    assert "<form" in page.text
    return httpx2.post(begun.headers["location"], data={"user": user}).headers["location"]


def login(client: TestClient, user: str, back: str = "") -> Any:
    return client.get(authorized(client, user, back))


def refusal(client: TestClient, user: str = "anna") -> tuple[int, str]:
    answer = login(client, user)
    assert SESSION not in client.cookies
    return answer.status_code, answer.json()["error"]


def read_status(client: TestClient, **headers: str) -> int:
    return client.get("/api/v1/datasets", headers=headers).status_code


def test_a_browser_logs_in_reads_and_logs_out(client: TestClient, store: Store) -> None:
    assert read_status(client) == 401
    answer = login(client, "anna", "?namespace=n&name=mart")
    assert answer.headers["location"] == f"{URL}/?namespace=n&name=mart"
    assert answer.headers["cache-control"] == "no-store"
    assert read_status(client) == 200
    assert client.get("/auth/user").json() == {"name": "login:anna@example.org"}
    secret = client.cookies[SESSION]
    out = client.post("/auth/logout")
    query = parse_qs(urlsplit(out.headers["location"]).query)
    assert query == {"client_id": [CLIENT], "post_logout_redirect_uri": [f"{URL}/"]}
    assert read_status(client) == 401
    assert read_status(client, Cookie=f"{SESSION}={secret}") == 401  # a copy is of no use either
    assert client.get("/auth/user").json() == {"name": None}


def test_the_page_knows_whether_people_may_log_in(app: FastAPI, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<head></head><body>page</body>")
    with_login, without = FastAPI(), FastAPI()
    with_login.state.has_login = app.state.has_login
    pages = []
    for each in (with_login, without):
        add_page(each, tmp_path)
        pages.append(browser(each).get("/").text)
    meta = '<meta name="colgraph-login" content="auth">'
    assert pages == [f"<head>{meta}</head><body>page</body>", "<head></head><body>page</body>"]


def test_the_cookies_are_for_this_host_only(client: TestClient) -> None:
    way_back = authorized(client, "anna")
    begun = client.get("/auth/login").headers["set-cookie"]
    for cookie in (begun, login(client, "anna").headers["set-cookie"]):
        assert cookie.startswith("__Host-colgraph_")
        words = {word.strip().lower() for word in cookie.split(";")}
        assert {"httponly", "secure", "samesite=lax", "path=/"} <= words
        assert not any(word.startswith("domain") for word in words)
    assert way_back.startswith(f"{URL}/auth/callback?")


def test_the_request_has_state_nonce_and_a_challenge(client: TestClient) -> None:
    queries = []
    for _ in range(2):
        begun = client.get("/auth/login", headers={"Host": "evil.example.org"})
        queries.append(parse_qs(urlsplit(begun.headers["location"]).query))
    first, second = queries
    assert first["redirect_uri"] == [f"{URL}/auth/callback"]
    assert (first["response_type"], first["code_challenge_method"]) == (["code"], ["S256"])
    for name in ("state", "nonce", "code_challenge"):
        assert len(first[name][0]) >= 43
        assert first[name] != second[name]


@pytest.mark.parametrize("user", ["dan", "nobody"])
def test_who_has_no_role_or_is_refused_gets_no_session(
    client: TestClient, store: Store, user: str
) -> None:
    status, error = refusal(client, user)
    assert (status, error) == {
        "dan": (403, "Nothing is allowed to this login: it has no role."),
        "nobody": (401, "The provider refuses the login: access_denied."),
    }[user]
    with store.connection() as connection:
        assert connection.execute(tables.session.select()).all() == []


def test_a_way_back_is_of_use_once_and_in_one_browser(app: FastAPI, client: TestClient) -> None:
    """Neither can somebody be logged in as another by a link, nor a code be used again."""
    way_back = authorized(client, "anna")
    other = browser(app)
    assert other.get(way_back).status_code == 400
    other.get("/auth/login")
    assert other.get(way_back).status_code == 400
    assert client.get(way_back).status_code == 303
    assert client.get(way_back).status_code == 400


def test_a_code_that_was_used_is_refused(client: TestClient) -> None:
    way_back = authorized(client, "anna")
    begun = client.cookies[LOGIN]
    assert client.get(way_back).status_code == 303
    client.cookies.clear()
    again = client.get(way_back, headers={"Cookie": f"{LOGIN}={begun}"})
    error = {"error": "The provider refuses the login: invalid_grant."}
    assert (again.status_code, again.json()) == (401, error)


def test_the_verifier_is_checked_by_the_provider(client: TestClient) -> None:
    way_back = authorized(client, "anna")
    content = client.cookies[LOGIN]
    begun = json.loads(base64.urlsafe_b64decode(content + "=="))
    changed = json.dumps({**begun, "verifier": "x" * 64}).encode()
    cookie = base64.urlsafe_b64encode(changed).decode().rstrip("=")
    client.cookies.clear()
    answer = client.get(way_back, headers={"Cookie": f"{LOGIN}={cookie}"})
    assert answer.json() == {"error": "The provider refuses the login: invalid_grant."}


def test_an_answer_of_another_provider_is_refused(client: TestClient) -> None:
    way_back = authorized(client, "anna")
    answer = client.get(f"{way_back}&iss=https%3A%2F%2Fevil.example.org")
    assert (answer.status_code, SESSION in client.cookies) == (400, False)


def test_a_session_is_never_one_that_was_there_before(client: TestClient) -> None:
    client.cookies.set(SESSION, "planted", domain="lineage.example.org")
    login(client, "anna")
    first = client.cookies.get(SESSION, domain="lineage.example.org", path="/")
    client.cookies.clear()
    client.cookies.set(SESSION, first, domain="lineage.example.org", path="/")
    login(client, "anna")
    assert read_status(client) == 200
    client.cookies.clear()
    codes = [read_status(client, Cookie=f"{SESSION}={value}") for value in ("planted", first)]
    assert codes == [401, 401]


@pytest.mark.parametrize(
    "back",
    [
        "https://evil.example.org",
        "//evil.example.org",
        "/\\evil.example.org",
        "@evil.example.org",
        ".evil.example.org",
        "?a\r\nSet-Cookie: x=1",
        "?" + "a" * 3000,
    ],
)
def test_nobody_is_sent_elsewhere(client: TestClient, back: str) -> None:
    answer = login(client, "anna", back)
    assert answer.headers["location"] == f"{URL}/"
    assert "x=1" not in answer.headers["set-cookie"]


def unsigned(claims: Claims) -> str:
    header, body = (
        base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")
        for part in ({"alg": "none"}, claims)
    )
    return f"{header}.{body}."


def with_hmac(secret: Callable[[Provider], bytes]) -> Callable[[Provider], Callable[..., str]]:
    def make(provider: Provider) -> Callable[[Claims], str]:
        def forge(claims: Claims) -> str:
            header = {"alg": "HS256", "kid": "1"}
            head, body = (
                base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=")
                for part in (header, claims)
            )
            mac = hmac.new(secret(provider), head + b"." + body, sha256).digest()
            return b".".join((head, body, base64.urlsafe_b64encode(mac).rstrip(b"="))).decode()

        return forge

    return make


def other_key(_: Provider) -> Callable[[Claims], str]:
    key = RSAKey.generate_key(2048, {"kid": "1"})
    return lambda claims: jwt.encode({"alg": "RS256", "kid": "1"}, claims, key)


def embedded_key(_: Provider) -> Callable[[Claims], str]:
    key = RSAKey.generate_key(2048, {"kid": "evil"})
    header = {"alg": "RS256", "kid": "evil", "jwk": key.as_dict(private=False)}
    return lambda claims: jwt.encode(header, claims, key)


FORGED: dict[str, Callable[[Provider], Callable[[Claims], str]]] = {
    "none": lambda _: unsigned,
    "the client's secret": with_hmac(lambda _: SECRET.encode()),
    "the public key as a secret": with_hmac(lambda p: p.key.as_pem(private=False)),
    "another key": other_key,
    "a key in the token": embedded_key,
    "no token": lambda _: lambda claims: "a.b.c",
    "no JSON": lambda _: lambda claims: "x",
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
def test_a_token_that_the_provider_has_not_signed_is_refused(
    client: TestClient, provider: Provider, forge: Callable[[Provider], Callable[..., str]]
) -> None:
    provider.forge = forge(provider)
    status, error = refusal(client)
    assert (status, error.startswith("The token is not valid: ")) == (401, True), error
    bearer = provider.token("anna", AUDIENCE)
    assert read_status(client, Authorization=f"Bearer {bearer}") == 401


NOW = int(time.time())
WRONG: dict[str, Claims] = {
    "issuer": {"iss": "https://evil.example.org"},
    "audience": {"aud": "another-client"},
    "no audience": {"aud": None},
    "party": {"aud": [CLIENT, "other"], "azp": "other"},
    "no party": {"aud": [CLIENT, "other"]},
    "nonce": {"nonce": "another"},
    "no nonce": {"nonce": None},
    "no subject": {"sub": None},
    "expired": {"exp": NOW - 120},
    "no end": {"exp": None},
    "not yet": {"nbf": NOW + 3600},
    "issued later": {"iat": NOW + 3600},
    "access token": {"at_hash": "x"},
}


@pytest.mark.parametrize("changed", WRONG.values(), ids=WRONG)
def test_a_token_with_wrong_claims_is_refused(
    client: TestClient, provider: Provider, changed: Claims
) -> None:
    def tamper(claims: Claims) -> Claims:
        merged = {**claims, **changed}
        return {name: value for name, value in merged.items() if value is not None}

    provider.tamper = tamper
    status, error = refusal(client)
    assert (status, error.startswith("The token is not valid: ")) == (401, True), error


def test_clocks_may_differ_a_little(client: TestClient, provider: Provider) -> None:
    now = int(time.time())
    provider.tamper = lambda claims: {**claims, "iat": now + 30, "exp": now - 30}
    assert login(client, "anna").status_code == 303


def test_a_new_key_of_the_provider_is_fetched_but_not_for_each_token(
    app: FastAPI, client: TestClient, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert login(client, "anna").status_code == 303
    assert provider.requests.count("/keys") == 1
    provider.key = RSAKey.generate_key(2048, {"kid": "2", "use": "sig"})
    assert login(browser(app), "anna").status_code == 401
    assert provider.requests.count("/keys") == 1  # asked less than a minute ago
    monkeypatch.setattr("airflow_colgraph.api.oidc.provider.AGAIN", -1.0)
    assert login(browser(app), "anna").status_code == 303
    assert provider.requests.count("/keys") == 2


def test_a_provider_that_is_away_is_said(client: TestClient, provider: Provider) -> None:
    issuer, provider.issuer = provider.issuer, "https://other.example.org"
    try:
        answer = client.get("/auth/login")
    finally:
        provider.issuer = issuer
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert answer.json()["error"].endswith("names another issuer.")


def test_roles_allow_scopes_by_namespace(client: TestClient) -> None:
    def write(event: Claims) -> tuple[int, str]:
        answer = client.post("/api/v1/lineage", json=event)
        return answer.status_code, answer.json()["error"] if answer.content else ""

    login(client, "anna")
    assert write(EVENT) == (403, "The roles of the login do not allow ingest.")
    login(client, "bo")
    assert write(EVENT) == (201, "")
    elsewhere = {**EVENT, "job": {"namespace": "team-b", "name": "load"}}
    assert write(elsewhere) == (403, "The namespace 'team-b' may not be written.")
    login(client, "cy")
    assert client.delete("/api/v1/namespaces/n/datasets/t").status_code == 200


def test_what_is_changed_has_the_name_of_the_login(client: TestClient, store: Store) -> None:
    login(client, "bo")
    tag = {"namespace": "n", "name": "raw", "tag": "pii"}
    assert client.post("/api/v1/dataset-tags", json=[tag]).json() == {"changed": 1}
    with store.connection() as connection:
        (change,) = connection.execute(tables.tag_change.select()).all()
    assert change.by == "login:bo@example.org"


def test_a_page_of_another_site_neither_writes_nor_logs_out(client: TestClient) -> None:
    login(client, "bo")
    for headers in ({"Origin": "https://evil.example.org"}, {"Sec-Fetch-Site": "same-site"}):
        assert client.post("/api/v1/lineage", json=EVENT, headers=headers).status_code == 403
        assert client.post("/auth/logout", headers=headers).status_code == 403
    assert client.get("/auth/logout").status_code == 405
    assert read_status(client) == 200


def test_a_session_ends(client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    login(client, "anna")
    later = clock.parse("now") + 8 * 3_600_000
    monkeypatch.setattr(clock, "parse", lambda text: later)
    assert read_status(client) == 401
    with store.connection() as connection:
        assert len(connection.execute(tables.session.select()).all()) == 1
    login(client, "anna")
    with store.connection() as connection:
        assert len(connection.execute(tables.session.select()).all()) == 1  # the old one is gone


def test_access_tokens_of_the_provider(client: TestClient, provider: Provider) -> None:
    def status(token: str) -> int:
        return read_status(client, Authorization=f"Bearer {token}")

    assert status(provider.token("anna", AUDIENCE)) == 200
    assert status(provider.token("dan", AUDIENCE)) == 403
    assert status(provider.token("anna", CLIENT)) == 401  # an ID token is no access token
    assert status(provider.token("anna", AUDIENCE, exp=int(time.time()) - 120)) == 401


def test_keys_and_tokens_of_runs_count_as_before(client: TestClient, store: Store) -> None:
    key = api_keys.add(store, "people", ["read"])
    assert read_status(client, Authorization=f"Bearer {key}") == 200
    assert read_status(client, Authorization="Bearer colgraph_wrong") == 401
    secret = run_tokens.new_key()
    api_keys.add_signer(store, "workers", run_tokens.public_key(secret))
    event = {**EVENT, "run": {"runId": run_id(50)}}
    job = (event["job"]["namespace"], event["job"]["name"])
    token = run_tokens.sign(secret, RunScope(job, run_id(50)), 60)
    headers = {"Authorization": f"Bearer {token}"}
    assert client.post("/api/v1/lineage", json=event, headers=headers).status_code == 201
    login(client, "anna")  # a wrong key is not made up for by the cookie
    assert read_status(client, Authorization="Bearer colgraph_wrong") == 401


def test_logins_are_limited(
    provider: Provider, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setattr(routes, "PER_MINUTE", 3)
    client: TestClient = request.getfixturevalue("client")
    answers = [client.get("/auth/callback?state=x&code=y") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [400, 400, 400, 429]
    assert int(answers[3].headers["retry-after"]) <= 20
    assert "/token" not in provider.requests


def test_no_secret_is_logged_shown_or_stored(
    client: TestClient, provider: Provider, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    answers = []
    with caplog.at_level(logging.INFO):
        answers.append(login(client, "anna"))
        secrets = [client.cookies[SESSION]]
        provider.tamper = lambda claims: {**claims, "nonce": "another"}
        answers.append(login(client, "anna"))
        answers.append(login(client, "nobody"))
        client.get("/auth/user")
    secrets += [SECRET, *provider.issued]
    assert len(provider.issued) >= 6
    ours = [record for record in caplog.records if record.name != "httpx2"]  # the test's browser
    shown = "".join(record.getMessage() for record in ours)
    shown += "".join(answer.text for answer in answers)
    with store.connection() as connection:
        shown += str(connection.execute(tables.session.select()).all())
    assert [secret for secret in secrets if secret in shown] == []
    assert "login:anna@example.org logged in" in caplog.text


BAD = {
    "a login over HTTP": ('issuer = "http://login.example.org"', "'issuer' is no https://"),
    "a page over HTTP": ('url = "http://lineage.example.org"', "'url' is no https://"),
    "ID tokens as access tokens": ('audience = "colgraph"', "these are no access tokens"),
    "an unknown option": ("secret = 1", "There is no option 'secret'"),
    "another type": ("client_id = 1", "'client_id' has another type"),
    "a secret that is not there": ('client_secret_file = "x"', "No such file"),
    "a secret that is empty": ('client_secret_file = "empty"', "empty is empty."),
    "no roles": ("roles = []", "'roles' is missing"),
    "a scope": (
        'roles = [{claim = "a", value = "b", scopes = ["all"]}]',
        "Expected of a role's scopes some of: read, ingest, tag, admin.",
    ),
    "a pattern": (
        'roles = [{claim = "a", value = "b", scopes = ["tag"], namespaces = ["a*b"]}]',
        "Expected a namespace",
    ),
}


@pytest.mark.parametrize(("line", "why"), BAD.values(), ids=BAD)
def test_what_is_wrong_with_settings_is_said(tmp_path: Path, line: str, why: str) -> None:
    options = {
        "issuer": '"https://login.example.org"',
        "client_id": '"colgraph"',
        "url": '"https://lineage.example.org"',
        "roles": '[{claim = "a", value = "*", scopes = ["read"]}]',
    }
    name, _, value = line.partition(" = ")
    text = "\n".join(f"{name} = {value}" for name, value in {**options, name: value}.items())
    (tmp_path / "oidc.toml").write_text(text)
    (tmp_path / "empty").touch()
    with pytest.raises(QuestionError) as caught:
        read(tmp_path / "oidc.toml")
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_secret_is_in_no_text_of_the_settings(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(SECRET)
    (tmp_path / "oidc.toml").write_text(SETTINGS.format(issuer="https://login.example.org"))
    settings = read(tmp_path / "oidc.toml")
    assert settings.client_secret == SECRET
    assert SECRET not in repr(settings)

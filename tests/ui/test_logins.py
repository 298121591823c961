"""Users who log in to a real Airflow with their passwords: what each may see, route by route.

`make test` asks the default auth manager's users; `make logins` also those of its teams, and of FAB
in an environment of its own.
"""

import json
import re
import time
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count
from typing import Any, NamedTuple

import httpx
import jwt
import pytest
from fastapi.testclient import TestClient

from airflow_colgraph.api.access import Access
from airflow_colgraph.api.app import create_app
from airflow_colgraph.store.store import Store
from dev.demo_airflow import Airflow
from tests.ui.deployments import CACHE_SECONDS, PATH, add_fab_user, deployment, store_url, token_of
from tests.ui.roles import LOG, NO_LOGIN, NOBODY, OPEN, ROLES, SEES

pytestmark = [pytest.mark.airflow, pytest.mark.xdist_group("airflow")]

Claims = dict[str, Any]
SECRET = "AIRFLOW__API_AUTH__JWT_SECRET"
ADDRESSES = count(2)  # of this machine: refused requests are limited by address


class Users(NamedTuple):
    """An Airflow and the tokens of the users who have logged in."""

    manager: str
    airflow: Airflow
    tokens: dict[str, str]

    def client(self, headers: dict[str, str] | None = None) -> httpx.Client:
        """Asks the plugin's routes, from an address that nobody else has."""
        transport = httpx.HTTPTransport(local_address=f"127.0.1.{next(ADDRESSES)}")
        url = f"{self.airflow.address}/colgraph"
        return httpx.Client(base_url=url, transport=transport, headers=headers, timeout=60)

    def as_user(self, user: str) -> httpx.Client:
        """Asks as someone who has logged in."""
        if user == NO_LOGIN:
            return self.client()
        return self.client({"Authorization": f"Bearer {self.tokens[user]}"})


SIMPLE = "simple"
TEAMS = pytest.param("simple with teams", marks=pytest.mark.logins)
FAB = pytest.param("FAB", marks=pytest.mark.logins)
PUBLIC = pytest.param("FAB with a public role", marks=pytest.mark.logins)


@pytest.fixture(scope="module", params=[SIMPLE, TEAMS, FAB])
def users(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Users]:
    manager = request.param
    if manager == SIMPLE:
        yield logged_in(manager, request.getfixturevalue("airflow"))
        return
    with deployment(manager, tmp_path_factory.mktemp("airflow")) as airflow:
        yield logged_in(manager, airflow)


def logged_in(manager: str, airflow: Airflow) -> Users:
    named = [user for user in ROLES[manager] if user != NO_LOGIN]
    return Users(manager, airflow, {user: token_of(airflow, user) for user in named})


def ask(client: httpx.Client, route: tuple[str, str]) -> httpx.Response:
    method, (request, _) = route[0], SEES[route]
    return client.request(method, request, json=[] if method == "POST" else None)


@pytest.mark.parametrize("users", [SIMPLE, TEAMS, FAB, PUBLIC], indirect=True)
def test_each_user_sees_the_lineage_of_the_dags_that_the_role_may_read(users: Users) -> None:
    store = Store.open(store_url(users.airflow.home.parent))

    @cache
    def expected(dags: frozenset[str]) -> dict[tuple[str, str], tuple[int, str]]:
        client = TestClient(create_app(store, lambda *_: Access(dags), PATH))
        asked = [route for route in SEES if SEES[route][1] != NOBODY]  # others delete
        answers = {route: ask(client, route) for route in asked}
        told = {route: (answer.status_code, answer.text) for route, answer in answers.items()}
        return {route: told.get(route, (403, "")) for route in SEES}

    found, wanted = {}, {}
    for user, dags in ROLES[users.manager].items():
        with users.as_user(user) as client:
            for route, (status, text) in expected(dags).items():
                answer = ask(client, route)
                found[user, route] = answer.status_code, "" if status == 403 else answer.text
                wanted[user, route] = status, text
    store.close()
    assert found == wanted


def refusals(client: httpx.Client, **cookies: str) -> dict[tuple[str, str], int]:
    """The statuses that are not those of a route without a login."""
    for name, value in cookies.items():
        client.cookies.set(name, value)
    answers = {route: ask(client, route) for route in SEES}
    for route, answer in answers.items():
        assert not {"cases", "elsewhere", "mart", "Traceback"} & set(
            re.findall(r"\w+", answer.text)
        )
        assert answer.json().keys() - {"version"} == ({"status"} if is_open(route) else {"error"})
    return {route: answer.status_code for route, answer in answers.items()}


def is_open(route: tuple[str, str]) -> bool:
    return SEES[route][1] == OPEN


def only_open(status: int) -> dict[tuple[str, str], int]:
    return {route: 200 if is_open(route) else status for route in SEES}


def test_without_a_login_only_probes_answer(users: Users) -> None:
    with users.client() as client:
        assert refusals(client) == only_open(401)


def expired(claims: Claims, secret: str) -> str:
    past = time.time() - 3600
    return signed({**claims, "iat": past - 60, "nbf": past - 60, "exp": past}, secret)


def signed(claims: Claims, secret: str) -> str:
    return jwt.encode(claims, secret, algorithm="HS512")


def with_the_payload_of_another(claims: Claims, secret: str) -> str:
    header, _, signature = signed({**claims, "sub": "0"}, secret).split(".")
    return f"{header}.{signed(claims, secret).split('.')[1]}.{signature}"


# How somebody without a login makes a token of a user's claims: the answer.
FORGED: dict[str, tuple[Callable[[Claims, str], str], int]] = {
    "expired": (expired, 401),
    "signed with another secret": (lambda claims, _: signed(claims, "x" * 64), 403),
    "without a signature": (lambda claims, _: jwt.encode(claims, None, algorithm="none"), 403),
    "with the payload of another": (with_the_payload_of_another, 403),
    "for another audience": (lambda claims, key: signed({**claims, "aud": "other"}, key), 403),
    "not valid yet": (lambda claims, key: signed({**claims, "nbf": time.time() + 3600}, key), 403),
    "no token": (lambda *_: "token", 403),
}


@pytest.mark.parametrize("kind", FORGED)
def test_a_token_that_is_forged_or_has_expired_is_no_login(users: Users, kind: str) -> None:
    forge, status = FORGED[kind]
    claims = jwt.decode(users.tokens["admin"], options={"verify_signature": False})
    secret = users.airflow.variables[SECRET]
    with users.client({"Authorization": f"Bearer {signed(claims, secret)}"}) as client:
        assert client.get("/api/v1/datasets").status_code == 200  # made in the same way
    with users.client({"Authorization": f"Bearer {forge(claims, secret)}"}) as client:
        assert refusals(client) == only_open(status)
    with users.client() as client:
        assert refusals(client, _token=forge(claims, secret)) == only_open(status)


def test_a_token_is_of_no_use_after_the_logout(users: Users) -> None:
    token = token_of(users.airflow, "admin")
    headers = {"Authorization": f"Bearer {token}"}
    with users.client(headers) as client:
        assert client.get("/api/v1/datasets").status_code == 200
        httpx.get(f"{users.airflow.address}/api/v2/auth/logout", headers=headers)
        assert refusals(client) == only_open(403)


# What a browser says of a request that another site's page makes it send, with its cookies.
CROSS_SITE = (
    {"Origin": "http://evil.test", "Sec-Fetch-Site": "cross-site", "Content-Type": "text/plain"},
    {"Origin": "null", "Content-Type": "application/x-www-form-urlencoded"},
    {"Sec-Fetch-Site": "same-site", "Content-Type": "application/json"},
)
METHODS = ("POST", "PUT", "PATCH", "DELETE")


def test_another_sites_page_writes_nothing_with_the_cookie_of_a_user(users: Users) -> None:
    event = json.dumps(LOG[0])
    requests = sorted({request for request, _ in SEES.values()})
    with users.client() as client:
        client.cookies.set("_token", users.tokens["admin"])
        before = client.get("/api/v1/statistics")
        assert before.status_code == 200
        for headers in CROSS_SITE:
            read = client.get("/api/v1/datasets", headers=headers)
            assert "access-control-allow-origin" not in read.headers
            for method in METHODS:
                for request in requests:
                    answer = client.request(method, request, headers=headers, content=event)
                    assert (answer.status_code, answer.json()) == (
                        403,
                        {"error": "A page of another origin may not write."},
                    )
        for method in METHODS:  # the page's own site, and programs
            for request in requests:
                answer = client.request(method, request, content=event)
                assert answer.status_code in (403, 405), (method, request)
        assert client.get("/api/v1/statistics").text == before.text


@pytest.mark.parametrize("users", [FAB], indirect=True)
def test_a_token_is_of_no_use_after_the_user_is_deleted(users: Users) -> None:
    add_fab_user(users.airflow, "gone", "Viewer")
    with users.client({"Authorization": f"Bearer {token_of(users.airflow, 'gone')}"}) as client:
        assert client.get("/api/v1/datasets").status_code == 200
        headers = {"Authorization": f"Bearer {users.airflow.token}"}
        address = f"{users.airflow.address}/auth/fab/v1/users/gone"
        assert httpx.delete(address, headers=headers).status_code == 204
        time.sleep(CACHE_SECONDS + 1)
        assert refusals(client) == only_open(403)

"""A token of one run: what it allows a driver to send, and what it does not."""

import time
from collections.abc import Callable
from typing import Any

import jwt
import pytest
from fastapi.testclient import TestClient

from airflow_colgraph import run_tokens
from airflow_colgraph.api.api_key_auth import require_api_key
from airflow_colgraph.api.app import create_app
from airflow_colgraph.run_tokens import RunScope, TokenError
from airflow_colgraph.store.admin import api_keys
from airflow_colgraph.store.store import Store
from tests.store.samples import copy_event, memory_store, run_id

Event = dict[str, Any]
KEY = run_tokens.new_key()
TASK = run_id(900)
PARENT = {
    "run": {"runId": TASK},
    "job": {"namespace": "jobs", "name": "shop.load"},
    "root": {"run": {"runId": run_id(901)}, "job": {"namespace": "jobs", "name": "shop"}},
}
SCOPE = RunScope(
    ("jobs", "shop.load.spark"),
    TASK,
    ("jobs", "shop.load"),
    (run_id(901), "jobs", "shop"),
    ("shop", "manual", "load", "3"),
)
OWN = {"dag_id": "shop", "run_id": "manual", "task_id": "load", "map_index": 3, "try_number": 1}


def of_the_run(**changed: Any) -> Event:
    """What the driver of the task's job sends."""
    return copy_event("shop.load.spark", 10, "raw", {"a": "csv.a"}, parent={**PARENT, **changed})


def token(seconds: float = 3600, key: str = KEY) -> str:
    return run_tokens.sign(key, SCOPE, seconds)


@pytest.fixture
def store() -> Store:
    store = memory_store()
    api_keys.add_signer(store, "airflow", run_tokens.public_key(KEY))
    store.add(copy_event("shop.other.spark", 5, "other", {"a": "csv.a"}))
    return store


@pytest.fixture
def post(store: Store) -> Callable[..., tuple[int, str]]:
    client = TestClient(create_app(store, require_api_key(store)), raise_server_exceptions=False)

    def send(body: Any, token: str) -> tuple[int, str]:
        headers = {"Authorization": f"Bearer {token}"}
        answer = client.post("/api/v1/lineage", json=body, headers=headers)
        return answer.status_code, answer.json()["error"] if answer.content else ""

    return send


def datasets(store: Store) -> int:
    with store.connection() as connection:
        return connection.exec_driver_sql("SELECT count(*) FROM colgraph_job").scalar() or 0


def test_the_events_of_the_run_are_stored(post: Any, store: Store) -> None:
    before = datasets(store)
    assert post(of_the_run(), token()) == (201, "")
    assert post([of_the_run(), of_the_run()], token()) == (201, "")
    assert datasets(store) > before


JOB = "The token is only for the job 'shop.load.spark' in 'jobs'."
RUN = f"The token is only for the run {TASK}."
LINK = f"The token is only for the run {TASK}: it has another parent or root."
REFUSED: dict[str, tuple[Event | list[Any] | str, str]] = {
    "another job": (copy_event("shop.other.spark", 10, "x", {}, parent=PARENT), JOB),
    "another namespace": (
        {**of_the_run(), "job": {"namespace": "n", "name": "shop.load.spark"}},
        JOB,
    ),
    "another parent run": (of_the_run(run={"runId": run_id(7)}), RUN),
    "no parent": (copy_event("shop.load.spark", 10, "x", {}), RUN),
    "the task's own run": (
        {**of_the_run(), "run": {"runId": TASK, "facets": {"parent": PARENT}}},
        RUN,
    ),
    "another parent job": (of_the_run(job={"namespace": "jobs", "name": "shop.other"}), LINK),
    "another root": (
        of_the_run(
            root={"run": {"runId": run_id(7)}, "job": {"namespace": "jobs", "name": "other"}}
        ),
        LINK,
    ),
    "another DAG": (
        copy_event(
            "shop.load.spark", 10, "x", {}, parent=PARENT, airflow={"dag": {"dag_id": "other"}}
        ),
        "The token is for a Spark job, which is no task of Airflow's.",
    ),
    **{
        f"another {name}": (
            copy_event(
                "shop.load.spark", 10, "x", {}, parent=PARENT, colgraph_task={**OWN, name: value}
            ),
            f"The token is only for the run {TASK}: it names another task.",
        )
        for name, value in (("dag_id", "o"), ("run_id", "o"), ("task_id", "o"), ("map_index", 4))
    },
    "a task that is no object": (
        copy_event("shop.load.spark", 10, "x", {}, parent=PARENT, colgraph_task="shop"),
        f"The token is only for the run {TASK}: it names another task.",
    ),
    "the run of another job": (
        {**of_the_run(), "run": {"runId": run_id(5), "facets": {"parent": PARENT}}},
        "The token is for one job: the run of an event is another's.",
    ),
    "one of a list": ([of_the_run(), copy_event("other", 10, "x", {})], f"Event 2 of 2: {JOB}"),
    "an event without a run": ({"eventTime": "2026-11-20T12:00:00Z", "dataset": {}}, JOB),
    "no event": ("text", JOB),
}


@pytest.mark.parametrize("what", REFUSED)
def test_the_events_of_another_run_are_refused_in_one_line(
    post: Any, store: Store, what: str
) -> None:
    body, why = REFUSED[what]
    before = datasets(store)
    assert post(body, token()) == (403, why)
    assert datasets(store) == before


def test_the_task_that_the_token_names_is_the_jobs(post: Any, store: Store) -> None:
    """The sink's events had no task: what a token allows did not say of which DAG they are."""
    event = copy_event("shop.load.spark", 10, "x", {"a": "raw.a"}, parent=PARENT, colgraph_task=OWN)
    assert post(event, token()) == (201, "")
    with store.connection() as connection:
        query = "SELECT name, dag_id, task_id FROM colgraph_job WHERE dag_id IS NOT NULL"
        jobs = sorted(map(tuple, connection.exec_driver_sql(query)))
    assert jobs == [
        ("shop", "shop", None),
        ("shop.load", "shop", "load"),
        ("shop.load.spark", "shop", "load"),
    ]


def test_it_expires(post: Any) -> None:
    assert post(of_the_run(), token(-run_tokens.LEEWAY - 1)) == (401, "The token has expired.")
    assert post(of_the_run(), token(-run_tokens.LEEWAY / 2)) == (201, "")


def test_a_key_that_was_revoked_or_is_unknown_signs_nothing(post: Any, store: Store) -> None:
    why = "No key of the store has signed the token, or it was revoked."
    assert post(of_the_run(), token(key=run_tokens.new_key())) == (401, why)
    api_keys.revoke(store, "airflow")
    assert post(of_the_run(), token()) == (401, why)


def test_a_key_is_no_token_and_no_api_key(post: Any, store: Store) -> None:
    public = run_tokens.public_key(KEY)
    for secret in (KEY, public.hex(), run_tokens._encoded(public)):
        assert post(of_the_run(), secret)[0] == 401


def forged(claims: dict[str, Any], **headers: Any) -> str:
    """Signed with another key, in the name of the one that is known."""
    return jwt.encode(
        claims,
        run_tokens._private(run_tokens.new_key()),
        algorithm="EdDSA",
        headers={**jwt.get_unverified_header(token()), **headers},
    )


def claims_of(text: str) -> dict[str, Any]:
    found: dict[str, Any] = jwt.decode(text, options={"verify_signature": False})
    return found


def with_public_key_as_secret(claims: dict[str, Any]) -> str:
    headers = {"kid": jwt.get_unverified_header(token())["kid"]}
    return jwt.encode(claims, run_tokens.public_key(KEY), algorithm="HS256", headers=headers)


def unsigned(claims: dict[str, Any]) -> str:
    headers = {"kid": jwt.get_unverified_header(token())["kid"]}
    return jwt.encode(claims, None, algorithm="none", headers=headers)


def resigned(**changed: Any) -> str:
    claims = {**claims_of(token()), **changed}
    claims = {name: value for name, value in claims.items() if value is not None}
    headers = {"kid": jwt.get_unverified_header(token())["kid"]}
    return jwt.encode(claims, run_tokens._private(KEY), algorithm="EdDSA", headers=headers)


FORGED: dict[str, Callable[[], str]] = {
    "another key's signature": lambda: forged(claims_of(token())),
    "the public key as a secret": lambda: with_public_key_as_secret(claims_of(token())),
    "no signature": lambda: unsigned(claims_of(token())),
    "another payload": lambda: ".".join(
        [token().split(".")[0], resigned(sub=run_id(7)).split(".")[1], token().split(".")[2]]
    ),
    "another audience": lambda: resigned(aud="other"),
    "no end": lambda: resigned(exp=None),
    "no run": lambda: resigned(sub=None),
    "from the future": lambda: resigned(iat=int(time.time()) + 3600),
    "text": lambda: "a.b.c",
    "not ASCII": lambda: jwt.encode({}, "x" * 32, headers={"kid": "\u00e9"}),
    "a short key": lambda: jwt.encode({}, "x" * 32, headers={"kid": "AAAA"}),
}


@pytest.mark.parametrize("how", FORGED)
def test_a_forged_token_is_401(post: Any, how: str) -> None:
    assert post(of_the_run(), resigned()) == (201, "")
    status, why = post(of_the_run(), FORGED[how]())
    assert status == 401
    assert why.endswith(".")
    assert "\n" not in why


def test_it_allows_nothing_else(store: Store) -> None:
    client = TestClient(create_app(store, require_api_key(store)), raise_server_exceptions=False)
    headers = {"Authorization": f"Bearer {token()}"}
    posts = {"/api/v1/lineage", "/api/v1/lineage/batch"}
    tried = 0
    for route in client.app.routes:  # type: ignore[attr-defined]
        if not route.path.startswith(("/api/v1/", "/v3/")) or route.path.endswith("openapi.json"):
            continue
        for method in route.methods:
            if method == "POST" and route.path in posts:
                continue
            answer = client.request(method, route.path, headers=headers)
            assert answer.status_code == 403, (method, route.path)
            tried += 1
    assert tried > 50


@pytest.mark.parametrize(
    "key", ["", "colgraph_x", "colgraph_sign_", "colgraph_sign_\u00e9", "colgraph_sign_AAAA"]
)
def test_a_key_that_is_none_is_one_line(key: str) -> None:
    with pytest.raises(TokenError, match=r"^The key .*\.$"):
        run_tokens.sign(key, SCOPE, 10)

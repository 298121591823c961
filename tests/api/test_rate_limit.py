import pytest
from fastapi.testclient import TestClient

from airflow_colgraph.api import rate_limit
from airflow_colgraph.api.access import everyone
from airflow_colgraph.api.api_key_auth import require_api_key
from airflow_colgraph.api.app import create_app
from airflow_colgraph.api.rate_limit import RateLimit, rate_limited
from airflow_colgraph.store.admin import api_keys
from airflow_colgraph.store.store import Store


def stopped() -> float:
    """A clock for tests that a slow machine does not change."""
    return 0.0


def asks(client: TestClient, key: str, times: int) -> list[int]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return [client.get("/api/v1/statistics", headers=headers).status_code for _ in range(times)]


def test_each_key_has_its_own_limit(store: Store) -> None:
    one, other = (api_keys.add(store, name, ["read"]) for name in ("one", "other"))
    client = TestClient(create_app(store, rate_limited(require_api_key(store), 3, clock=stopped)))
    assert asks(client, one, 5) == [200, 200, 200, 429, 429]
    assert asks(client, other, 2) == [200, 200]
    answer = client.get("/api/v1/statistics", headers={"Authorization": f"Bearer {one}"})
    assert answer.json() == {"error": "Too many requests; try again later."}
    assert answer.headers["Retry-After"] == "20"
    assert client.get("/health").status_code == 200


def test_keys_cannot_be_guessed_for_long(store: Store) -> None:
    """Whatever key is tried, it is the address that is told to wait; then not even a valid key."""
    valid = api_keys.add(store, "valid", ["read"])
    client = TestClient(create_app(store, rate_limited(require_api_key(store), clock=stopped)))
    codes = [asks(client, f"colgraph_{number}", 1)[0] for number in range(70)]
    assert codes == [401] * rate_limit.REFUSED_PER_MINUTE + [429] * (
        70 - rate_limit.REFUSED_PER_MINUTE
    )
    assert asks(client, valid, 1) == [429]


def test_a_client_without_a_key_is_limited_by_its_address(store: Store) -> None:
    client = TestClient(create_app(store, rate_limited(everyone, 2, clock=stopped)))
    assert asks(client, "", 3) == [200, 200, 429]


def test_only_so_many_callers_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limit, "MOST", 2)
    limit = RateLimit(1, lambda: 0.0)
    assert [limit.wait(who) for who in "abca"] == [0.0, 0.0, 0.0, 0.0]
    assert limit.wait("c") > 0

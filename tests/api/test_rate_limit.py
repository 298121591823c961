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


def test_wrong_keys_are_counted_apart(store: Store) -> None:
    """By address, and valid keys of the same address are let in all the while."""
    valid = api_keys.add(store, "valid", ["read"])
    client = TestClient(create_app(store, rate_limited(require_api_key(store), clock=stopped)))
    most = rate_limit.REFUSED_PER_MINUTE
    codes = [asks(client, f"colgraph_{number}", 1)[0] for number in range(most + 10)]
    assert codes == [401] * most + [429] * 10
    assert asks(client, "", 1) == [429]
    assert asks(client, valid, 2) == [200, 200]


def test_a_key_that_may_not_is_counted_as_a_caller(store: Store) -> None:
    writer = api_keys.add(store, "writer", ["ingest"])
    client = TestClient(create_app(store, rate_limited(require_api_key(store), 3, clock=stopped)))
    assert asks(client, writer, 5) == [403, 403, 403, 429, 429]
    assert asks(client, "wrong", 1) == [401]


def test_a_key_is_one_caller_however_it_is_written(store: Store) -> None:
    key = api_keys.add(store, "one", ["read"])
    client = TestClient(create_app(store, rate_limited(require_api_key(store), 3, clock=stopped)))
    ways = [f"Bearer {key}", f"Bearer  {key}", f"bearer {key} ", f"BEARER    {key}"]
    codes = [
        client.get(
            "/api/v1/statistics",
            headers={"Authorization": way, "Cookie": f"a={number}", "X-Forwarded-For": way[:3]},
        ).status_code
        for number, way in enumerate(ways)
    ]
    assert codes == [200, 200, 200, 429]


def test_an_unknown_header_makes_no_new_caller(store: Store) -> None:
    """Without keys it is the address that counts, whatever credentials a request makes up."""
    client = TestClient(create_app(store, rate_limited(everyone, 2, clock=stopped)))
    assert [asks(client, made_up, 1)[0] for made_up in ("a", "b", "c")] == [200, 200, 429]


def test_addresses_of_one_ipv6_network_are_one_client() -> None:
    assert rate_limit.network("2001:db8::1") == rate_limit.network("2001:db8::ffff:1")
    assert rate_limit.network("2001:db8:0:1::1") != rate_limit.network("2001:db8::1")
    assert rate_limit.network("::ffff:192.0.2.1") == "192.0.2.1"
    assert [rate_limit.network(one) for one in ("testclient", "")] == ["testclient", ""]


def test_a_client_without_a_key_is_limited_by_its_address(store: Store) -> None:
    client = TestClient(create_app(store, rate_limited(everyone, 2, clock=stopped)))
    assert asks(client, "", 3) == [200, 200, 429]


def test_only_so_many_callers_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limit, "MOST", 2)
    limit = RateLimit(1, lambda: 0.0)
    assert [limit.wait(who) for who in "abca"] == [0.0, 0.0, 0.0, 0.0]
    assert limit.wait("c") > 0

"""When keys were last used: written seldom, and never at a request's cost."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from airflow_colgraph.api.api_key_auth import require_api_key
from airflow_colgraph.api.app import create_app
from airflow_colgraph.store.admin import api_keys, key_use
from airflow_colgraph.store.admin.key_use import KeyUse
from airflow_colgraph.store.errors import StoreUnavailable
from airflow_colgraph.store.store import Store


def used(store: Store, name: str = "people") -> str | None:
    return {key.name: key.used_at for key in api_keys.every(store)}[name]


def wait_until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_the_last_use_is_listed(store: Store) -> None:
    secret = api_keys.add(store, "people", ["read"])
    api_keys.add(store, "others", ["read"])
    client = TestClient(create_app(store, require_api_key(store)))
    assert used(store) is None
    client.get("/api/v1/datasets", headers={"Authorization": "Bearer colgraph_wrong"})
    assert used(store) is None
    client.get("/api/v1/datasets", headers={"Authorization": f"Bearer {secret}"})
    wait_until(lambda: used(store))
    assert used(store, "others") is None


def test_it_is_written_once_a_minute_by_all_servers(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    api_keys.add(store, "people", ["read"])
    with store.connection() as connection:
        hash = connection.exec_driver_sql("SELECT hash FROM colgraph_api_key").scalar()
    now, writes = [0.0], list[Any]()

    def mark(*arguments: Any) -> None:
        api_keys.mark_used(*arguments)
        writes.append(used(store))

    monkeypatch.setattr(key_use, "mark_used", mark)
    use = KeyUse(store, lambda: now[0])
    for second in (0.0, 1.0, 59.0, 60.0, 61.0, 119.0):
        now[0] = second
        use.note(bytes(hash))
        use.drain()
    assert len(writes) == 2
    assert writes[0] == writes[1]  # less than a minute has passed for the store's own rule


def test_no_request_waits_for_it_or_fails(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    secret = api_keys.add(store, "people", ["read"])
    busy = threading.Event()

    def mark(*_: Any) -> None:
        assert busy.wait(60)
        raise StoreUnavailable("The store is busy.")

    monkeypatch.setattr(key_use, "mark_used", mark)
    client = TestClient(create_app(store, require_api_key(store)))
    headers = {"Authorization": f"Bearer {secret}"}

    def messages() -> list[str]:
        return [entry.getMessage() for entry in caplog.records if entry.name == key_use.__name__]

    with caplog.at_level(logging.INFO, key_use.__name__):
        codes = [client.get("/api/v1/datasets", headers=headers).status_code for _ in range(3)]
        assert codes == [200] * 3
        assert not messages()
        busy.set()
        wait_until(messages)
    assert messages() == ["The last use of 1 API keys was not written: The store is busy."]
    assert used(store) is None

"""API keys that expire, and their rotation without a request that is refused."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient

from airflow_colgraph import run_tokens
from airflow_colgraph.api.api_key_auth import require_api_key
from airflow_colgraph.api.app import create_app
from airflow_colgraph.cli import main
from airflow_colgraph.store.admin import api_keys
from airflow_colgraph.store.errors import QuestionError, UnknownNode
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.store import Store

DAY = 86_400_000
NOW = 1_795_000_000_000
Move = Callable[[int], None]


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Move:
    """Sets the clock to so many milliseconds after NOW."""

    def move(milliseconds: int) -> None:
        seconds = (NOW + milliseconds) / 1000
        monkeypatch.setattr(clock, "time", SimpleNamespace(time=lambda: seconds))

    move(0)
    return move


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(f"sqlite:///{tmp_path}/colgraph.db")


def status(store: Store, key: str) -> int:
    client = TestClient(create_app(store, require_api_key(store)))
    headers = {"Authorization": f"Bearer {key}"}
    return client.get("/api/v1/datasets", headers=headers).status_code


def states(store: Store) -> list[tuple[str, bool, bool]]:
    """By key: its name, and whether it will expire or is revoked."""
    keys = api_keys.every(store)
    return [(key.name, key.expires_at is not None, key.revoked_at is not None) for key in keys]


def test_a_key_expires_and_leaves_its_name(store: Store, at: Move) -> None:
    key = api_keys.add(store, "people", ["read"], NOW + DAY)
    assert (status(store, key), states(store)) == (200, [("people", True, False)])
    at(DAY - 1)
    with pytest.raises(QuestionError, match="already"):
        api_keys.add(store, "people", ["read"])
    assert status(store, key) == 200
    at(DAY)
    assert (status(store, key), states(store)) == (401, [("people", False, True)])
    with pytest.raises(UnknownNode):
        api_keys.rotate(store, "people", NOW + 9 * DAY)
    other = api_keys.add(store, "people", ["read"])
    assert (status(store, key), status(store, other)) == (401, 200)


def test_a_key_is_rotated_without_a_gap(store: Store, at: Move) -> None:
    first = api_keys.add(store, "people", ["read"])
    at(1)
    second = api_keys.rotate(store, "people", NOW + DAY)
    assert [status(store, key) for key in (first, second)] == [200, 200]
    former = f"people (created {clock.iso(NOW)})"
    assert states(store) == [("people", False, False), (former, True, False)]
    at(2)
    third = api_keys.rotate(store, "people", NOW + DAY, expires=NOW + 3 * DAY)
    assert [status(store, key) for key in (first, second, third)] == [200, 200, 200]
    api_keys.revoke(store, former)
    assert [status(store, key) for key in (first, second, third)] == [401, 200, 200]
    at(DAY)
    assert [status(store, key) for key in (first, second, third)] == [401, 401, 200]
    at(3 * DAY)
    assert status(store, third) == 401


def test_rotation_lengthens_no_life(store: Store, at: Move) -> None:
    first = api_keys.add(store, "people", ["read"], NOW + DAY)
    api_keys.rotate(store, "people", NOW + 9 * DAY)
    at(DAY)
    assert status(store, first) == 401


def test_tokens_of_both_signing_keys_are_accepted(store: Store, at: Move) -> None:
    first, second = (run_tokens.public_key(run_tokens.new_key()) for _ in range(2))
    api_keys.add_signer(store, "workers", first)
    assert api_keys.is_signing(store, "workers")
    api_keys.rotate_signer(store, "workers", second, NOW + DAY)
    assert [api_keys.signer_of(store, key) is not None for key in (first, second)] == [True, True]
    at(DAY)
    assert [api_keys.signer_of(store, key) is not None for key in (first, second)] == [False, True]


def test_a_key_that_would_have_expired_is_not_made(store: Store, at: Move) -> None:
    key = api_keys.add(store, "people", ["read"])
    for make in (
        lambda: api_keys.add(store, "others", ["read"], NOW),
        lambda: api_keys.rotate(store, "people", NOW, NOW),
    ):
        with pytest.raises(QuestionError, match=r"^The key would have expired at 2026-"):
            make()
    assert (status(store, key), states(store)) == (200, [("people", False, False)])


def test_rotation_by_command_prints_the_secret_once(tmp_path: Path) -> None:
    file = tmp_path / "colgraph.db"

    def run(*words: str) -> str:
        result = CliRunner().invoke(main, ["--store", f"sqlite:///{file}", "db", "key", *words])
        assert result.exit_code == 0, result.output
        return result.output.strip()

    keys = [run("add", "people", "--expires", "now+90d"), run("rotate", "people")]
    signing = [run("add", "workers", "--scope", "sign"), run("rotate", "workers", "--until", "now")]
    assert [key.startswith(run_tokens.PREFIX) for key in signing] == [True, True]
    listed = run("list")
    assert [line.partition("  ")[2].partition(" 20")[0] for line in listed.splitlines()] == [
        "read  valid  never used",
        "read  valid until",
        "sign  valid  never used",
        "sign  revoked",
    ]
    shown = run("list", "--format", "json")
    with closing(sqlite3.connect(file)) as connection:
        shown += repr(connection.execute("SELECT * FROM colgraph_api_key").fetchall())
    for secret in keys + signing:
        assert secret not in listed + shown

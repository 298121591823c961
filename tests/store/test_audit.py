"""Who changed tags and keys: rows of the audit log, in each database and without secrets."""

from typing import Any

import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient

from airflow_colgraph.api.api_key_auth import require_api_key
from airflow_colgraph.api.app import create_app
from airflow_colgraph.cli import main
from airflow_colgraph.store.admin import api_keys, audit
from airflow_colgraph.store.errors import QuestionError, UnknownNode
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.store import Store
from tests.store.samples import copy_event

USERS = "dataset n users"
LATER = "2099-01-01T00:00:00.000Z"


def rows(store: Store, *actions: str) -> list[tuple[str, str, str, str]]:
    with store.connection() as connection:
        return [row[1:] for row in audit.read(connection, actions=actions)]


def colgraph(store: Store, *words: str) -> str:
    address = store.engine.url.render_as_string(hide_password=False)
    result = CliRunner().invoke(main, ["--store", address, *words])
    assert result.exit_code == 0, result.output
    return result.output


def test_changes_of_tags_by_the_command_are_audited(store: Store) -> None:
    store.add(copy_event("load", 1, "users", {"email": "csv.e", "phone": "csv.p"}))
    name = ("--name", "users", "--by", "ann")
    colgraph(store, "tags", "add", "pii", "gdpr=7", *name, "--field", "email", "--field", "phone")
    colgraph(store, "tags", "add", "gold", *name)
    colgraph(store, "tags", "remove", "pii", *name, "--field", "phone")
    assert rows(store) == [
        ("tags-add", USERS, "ann", "email, phone (gdpr=7, pii)"),
        ("tags-add", USERS, "ann", "the dataset (gold)"),
        ("tags-remove", USERS, "ann", "phone (pii)"),
    ]
    line = "ann  tags-remove dataset n users: phone (pii)"
    assert line in colgraph(store, "audit", "--action", "tags-remove")


def test_changes_of_tags_over_rest_are_audited(store: Store) -> None:
    store.add([copy_event("load", 1, name, {"email": "csv.e"}) for name in ("users", "staff")])
    client = TestClient(create_app(store, require_api_key(store)))
    login = {"Authorization": f"Bearer {api_keys.add(store, 'steward', ['tag'])}"}
    change: dict[str, Any] = {"namespace": "n", "field": "email", "tag": "pii"}
    both = [{**change, "name": name} for name in ("users", "staff")]
    bad = {**change, "name": "none"}
    assert client.post("/api/v1/dataset-tags", json=both).status_code == 401
    assert client.post("/api/v1/dataset-tags", json=[*both, bad], headers=login).status_code == 404
    assert rows(store, "tags-add") == []
    assert client.post("/api/v1/dataset-tags", json=both, headers=login).status_code == 200
    assert sorted(rows(store, "tags-add")) == [
        ("tags-add", f"dataset n {name}", "steward", "email (pii)") for name in ("staff", "users")
    ]


def test_tags_that_events_report_are_not_in_it(store: Store) -> None:
    tags = {"tags": [{"key": "pii", "value": "true", "field": "email"}]}
    event = copy_event("load", 1, "users", {"email": "csv.e"})
    event["outputs"][0]["facets"]["tags"] = tags
    store.add(event)
    assert rows(store) == []


def test_changes_of_keys_are_audited_without_secrets(store: Store) -> None:
    words = ("--scope", "ingest", "--namespace", "s3://a*", "--expires", LATER, "--by", "ann")
    secrets = [
        colgraph(store, "db", "key", "add", "team", *words),
        colgraph(store, "db", "key", "rotate", "team", "--until", "now+1d", "--by", "bob"),
        colgraph(store, "db", "key", "add", "airflow", "--scope", "sign", "--by", "ann"),
        colgraph(store, "db", "key", "rotate", "airflow", "--by", "ann"),
    ]
    colgraph(store, "db", "key", "revoke", "team", "--by", "eve")
    added, rotated, signer, rotated_signer, revoked = rows(store)
    assert added == ("key-add", "key team", "ann", f"ingest; writes s3://a*; until {LATER}")
    assert rotated[:3] == ("key-rotate", "key team", "bob")
    assert rotated[3].startswith("ingest; writes s3://a*; the former one until 20")
    assert signer == ("key-add", "key airflow", "ann", "sign")
    assert rotated_signer[:3] == ("key-rotate", "key airflow", "ann")
    assert revoked == ("key-revoke", "key team", "eve", "revoked")
    text = str(rows(store))
    assert all(len(secret) > 20 and secret.strip() not in text for secret in secrets)


def test_who_is_the_login_name_by_default(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "operator")
    store.add(copy_event("load", 1, "users", {"email": "csv.e"}))
    colgraph(store, "tags", "add", "pii", "--name", "users")
    colgraph(store, "db", "key", "add", "team")
    colgraph(store, "db", "key", "rotate", "team")
    colgraph(store, "db", "key", "revoke", "team")
    assert [row[2] for row in rows(store)] == ["operator"] * 4


def test_what_is_refused_has_no_row(store: Store) -> None:
    api_keys.add(store, "team", ["read"])
    before = rows(store)
    with pytest.raises(QuestionError, match="There is a key"):
        api_keys.add(store, "team", ["read"])
    with pytest.raises(UnknownNode):
        api_keys.revoke(store, "none")
    with pytest.raises(UnknownNode):
        api_keys.rotate(store, "none", clock.parse("now"))
    assert rows(store) == before

"""Reads of tagged columns as rows of the audit log, in each database."""

from functools import partial

import pytest
from click.testing import CliRunner

from airflow_colgraph.cli import main
from airflow_colgraph.store.admin import audit, read_audit
from airflow_colgraph.store.admin.read_audit import ReadAudit
from airflow_colgraph.store.admin.tags import write
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.tags import Tag, TagChange
from airflow_colgraph.store.query.carried_tags import carried_tags
from airflow_colgraph.store.store import Store
from tests.store.samples import copy_event, event, output

PII = partial(carried_tags, patterns=["pii"])
EMAIL = Field("n", "users", "email")


def tagged(store: Store) -> None:
    store.add(copy_event("shop.load", 10, "users", {"email": "csv.e", "id": "csv.id"}))
    write(store, [TagChange(EMAIL, Tag("pii", "true"), 1, True, "USER", "ann")])


def rows(store: Store) -> list[audit.Action]:
    with store.connection() as connection:
        return audit.read(connection, actions=[read_audit.READ])


def test_reads_of_one_millisecond_are_all_kept(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    tagged(store)
    monkeypatch.setattr(read_audit, "time", lambda: 2_000_000_000.0)
    servers = [ReadAudit(store, PII), ReadAudit(store, PII)]
    for server in servers:
        for person in ("ann", "bob"):
            for route in ("/a", "/b"):
                server.note(person, route, {EMAIL, Field("n", "users", "id")})
                server.note(person, route, {EMAIL})
    for server in servers:
        server.drain()
    assert len({row.at for row in rows(store)}) == len(rows(store)) == 8
    assert {(row.subject, row.by, row.result) for row in rows(store)} == {
        ("dataset n users", person, f"email (pii) by {route}")
        for person in ("ann", "bob")
        for route in ("/a", "/b")
    }


def test_a_column_is_read_under_any_name_of_its_dataset(store: Store) -> None:
    tagged(store)
    names = {"symlinks": {"identifiers": [{"namespace": "h", "name": "db.users", "type": "TABLE"}]}}
    store.add(event("shop.load", 11, [output("users", {"email": "csv.e"}, **names)]))
    audit_of = ReadAudit(store, PII)
    audit_of.note("ann", "/a", {Field("h", "db.users", "email")})
    audit_of.drain()
    (row,) = rows(store)
    assert row.subject.endswith("users")


def test_columns_of_many_datasets_are_looked_up_at_once(store: Store) -> None:
    tagged(store)
    audit_of = ReadAudit(store, PII)
    audit_of.note(
        "ann", "/a", {EMAIL, *(Field("n", f"t{number}", "c") for number in range(70_000))}
    )
    audit_of.drain()
    assert len(rows(store)) == 1


def test_the_command_lists_one_kind(store: Store) -> None:
    tagged(store)
    audit_of = ReadAudit(store, PII)
    audit_of.note("ann", "/a", {EMAIL})
    audit_of.drain()
    address = store.engine.url.render_as_string(hide_password=False)

    def listed(*words: str) -> str:
        result = CliRunner().invoke(main, ["--store", address, "audit", *words])
        assert result.exit_code == 0, result.output
        return result.output

    assert "ann  read dataset n users: email (pii) by /a" in listed("--action", "read")
    assert listed("--action", "forget", "--action", "retire") == ""

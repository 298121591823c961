"""What a DROP has removed, by what was seen before: no earlier test dropped what was not there."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from airflow_colgraph.collector.model import Dataset, NamedDataset
from airflow_colgraph.collector.naming.catalogs import Catalog, catalog_table
from airflow_colgraph.collector.spark.catalog import PLACE
from airflow_colgraph.collector.spark.drops import dropped_in_session, dropped_table, expect_drop
from airflow_colgraph.collector.spark.translate import is_delta_state
from tests.collector.test_plan_notes import Java

THERE = NamedDataset(Dataset("file", "/there"))
GUESSED = NamedDataset(Dataset("file", "/guessed"))
IDENTIFIER = Java(namespace=["db"], name="t")
SOME, NONE = (Java(isDefined=found, get="db") for found in (True, False))
IN_SESSION = Java(database=SOME, table="t")


class Session:
    """As far as drops ask a `Catalog`, whose session has one command to run."""

    def __init__(self, command: Java, exists: bool = True) -> None:
        tables = Java(tableExists=exists)
        state = Java(analyzer=Java(execute=command), catalog=tables)
        self.session = Java(sessionState=state)
        self.seen: dict[Any, Any] = {}
        self.expected_drops: dict[Any, Any] = {}

    def parsed(self, text: str) -> str:
        return text

    def by_name(self, catalog: str, parts: list[str]) -> NamedDataset:
        return GUESSED

    def created_table(self, identifier: Java) -> NamedDataset:
        return THERE

    def loaded_table(self, plugin: Java, identifier: Java) -> NamedDataset:
        self.seen[("ice", "db", "t")] = THERE  # as a Catalog remembers what it has loaded
        return THERE

    loaded_view = loaded_table


def command(kind: str, if_exists: bool, exists: bool) -> tuple[Any, Any]:
    """A session that runs a DROP, and what the listener's rule does with it."""
    plugin = Java(name="ice", tableExists=exists, viewExists=exists)
    child = Java(catalog=plugin, identifier=IDENTIFIER)
    drop = Java(kind, child=child, tableName=IN_SESSION, ifExists=if_exists)
    session: Any = Session(drop, exists)

    def heard() -> NamedDataset | None:
        if kind == "DropTableCommand":
            return dropped_in_session(session, IN_SESSION, if_exists)
        return dropped_table(session, plugin, IDENTIFIER, if_exists)

    return session, heard


KINDS = ("DropTable", "DropIcebergView", "DropTableCommand")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("if_exists", [False, True])
def test_a_drop_that_is_looked_at_before_is_where_it_was(kind: str, if_exists: bool) -> None:
    session, heard = command(kind, if_exists, exists=True)
    expect_drop(session, "DROP ..")
    expect_drop(session, "DROP ..")  # made again before the first one is heard of
    assert [heard(), heard()] == [THERE, THERE]
    assert session.seen == {}


@pytest.mark.parametrize("kind", KINDS)
def test_a_drop_of_what_is_not_there_is_none(kind: str) -> None:
    session, heard = command(kind, if_exists=True, exists=False)
    session.seen[("ice", "db", "t")] = THERE
    expect_drop(session, "DROP ..")
    assert heard() is None


@pytest.mark.parametrize("kind", KINDS)
def test_a_drop_that_fails_is_not_expected(kind: str) -> None:
    session, _ = command(kind, if_exists=False, exists=False)
    expect_drop(session, "DROP ..")
    assert session.expected_drops == {}


def test_another_command_is_left_alone() -> None:
    session: Any = Session(Java("DropTempViewCommand"))
    expect_drop(session, "DROP VIEW v")
    assert session.expected_drops == {}


@pytest.mark.parametrize("kind", KINDS)
def test_a_drop_that_only_the_jvm_hears_of(kind: str) -> None:
    _, heard = command(kind, if_exists=False, exists=False)
    assert heard() == (THERE if kind == "DropTableCommand" else GUESSED)
    session, heard = command(kind, if_exists=True, exists=False)
    assert heard() is None
    session.seen[("ice", "db", "t")] = session.seen[("spark_catalog", "db", "t")] = THERE
    assert [heard(), heard()] == [THERE, None]


def test_iceberg_in_the_place_of_the_session_catalog_names_its_tables() -> None:
    properties = {"type": "hadoop", "warehouse": "/own"}
    place = ("spark_catalog", ("default", "t"), "/own/default/t")
    own = catalog_table(
        Catalog(warehouse="/w"), "org.apache.iceberg.spark.SparkCatalog", properties, *place
    )
    assert [(link.namespace, link.name) for link in own.symlinks] == [("file:/own", "default.t")]
    wraps = "org.apache.iceberg.spark.SparkSessionCatalog"
    assert catalog_table(Catalog(warehouse="/w"), wraps, properties, *place).symlinks == ()


def test_a_catalog_s_place_is_known_only_if_its_warehouse_is_one() -> None:
    places = ("/w", "s3a://b/w", "file:/w", "abfss://c@a.dfs/w", "name", "my warehouse", "a.b")
    assert [bool(PLACE.match(place)) for place in places] == [True] * 4 + [False] * 3


def test_what_delta_lists_for_itself_is_told_by_its_classes_and_fields() -> None:
    fields = '"partitionValues" .. "modificationTime" .. "dataChange"'
    asked: Any = SimpleNamespace(reads={}, rdds={})
    assert is_delta_state(asked, f'"LogicalRDD" {fields}')
    assert is_delta_state(asked, '"cls":"org.apache.spark.sql.delta.actions.AddFile"')
    assert not is_delta_state(asked, '"LogicalRDD" "partitionValues"')
    assert not is_delta_state(SimpleNamespace(reads={(1,): None}, rdds={}), fields)  # type: ignore[arg-type]

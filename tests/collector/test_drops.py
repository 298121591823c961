"""What a DROP has removed, by what was seen before.

No earlier test dropped what was not there, nor what an earlier application had made: the session of
a test had made each table itself, where the catalog remembers its place.
"""

from __future__ import annotations

from typing import Any

import pytest

from airflow_colgraph.collector.model import Dataset, NamedDataset
from airflow_colgraph.collector.naming.catalogs import ICEBERG, Catalog, catalog_table, is_separate
from airflow_colgraph.collector.spark.ddl import expect_drop
from airflow_colgraph.collector.spark.drops import Drops, Expected, is_creation, is_drop
from airflow_colgraph.collector.spark.writes import WRITES
from tests.collector.test_plan_notes import Java

THERE = NamedDataset(Dataset("file", "/there"))
GUESSED = NamedDataset(Dataset("file", "/guessed"))
KINDS = ("DropTable", "DropTableCommand", "DropIcebergView")


class Session:
    """What drops ask of a `Catalog`, whose session has one DROP to run."""

    def __init__(self, kind: str, *, exists: bool, if_exists: bool, stays: bool = False) -> None:
        identifier = Java(namespace=["db"], name="t")
        database = Java(isDefined=True, get="db")
        plugin = Java(name="ice", tableExists=exists, viewExists=exists)
        child = Java(catalog=plugin, identifier=identifier)
        table = Java(database=database, table="t")
        self.command = Java(kind, child=child, tableName=table, ifExists=if_exists)
        state = Java(analyzer=Java(execute=self.command), catalog=Java(tableExists=exists))
        self.session = Java(sessionState=state)
        self.drops = Drops()
        self.kind = kind
        self.catalog = "spark_catalog" if kind == "DropTableCommand" else "ice"
        self.stays = stays  # the table's files, after it

    def parsed(self, text: str) -> str:
        return text

    def by_name(self, catalog: str, parts: list[str]) -> NamedDataset:
        if self.stays:  # it was made again before the listener was told
            self.see()
        return GUESSED

    def created_table(self, identifier: Java) -> NamedDataset:
        self.see()
        return THERE

    def loaded_table(self, plugin: Java, identifier: Java) -> NamedDataset:
        self.see()
        return THERE

    loaded_view = loaded_table

    def see(self) -> None:
        self.drops.saw(self.catalog, DB_T, None if self.stays else THERE)

    def expect(self) -> Any:
        return expect_drop(self, "DROP ..")  # type: ignore[arg-type]

    def dropped(self) -> NamedDataset | None:
        """What the listener's rule reports."""
        target = WRITES[self.kind](self.command, self.kind, self)  # type: ignore[arg-type]
        return target.write.named if target and target.write else None


DB_T = ("db", "t")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("if_exists", [False, True])
def test_a_drop_that_was_looked_at_is_where_the_table_was(kind: str, if_exists: bool) -> None:
    session = Session(kind, exists=True, if_exists=if_exists)
    session.expect()
    session.expect()  # made again before the listener is told of the first one
    assert [session.dropped() for _ in range(3)] == [THERE, THERE, None if if_exists else GUESSED]


@pytest.mark.parametrize("kind", KINDS)
def test_a_drop_of_what_is_not_there_has_no_dataset(kind: str) -> None:
    session = Session(kind, exists=False, if_exists=True)
    session.see()  # and it was dropped by another application
    session.expect()
    assert session.dropped() is None


@pytest.mark.parametrize("kind", KINDS)
def test_a_drop_that_failed_is_not_awaited(kind: str) -> None:
    """The first try at this kept such an entry, which the next DROP of the name was given."""
    session = Session(kind, exists=False, if_exists=True)
    forget = session.expect()
    forget()
    forget()
    session.see()
    assert session.dropped() == THERE
    assert Session(kind, exists=False, if_exists=False).expect() is None


def test_a_failed_drop_among_others_leaves_those_in_their_order() -> None:
    session = Session("DropTable", exists=True, if_exists=True)
    missing = Session("DropTable", exists=False, if_exists=True)
    missing.drops = session.drops
    missing.expect()
    session.expect()
    missing.expect()()
    assert [session.dropped(), session.dropped()] == [None, THERE]


@pytest.mark.parametrize("kind", KINDS)
def test_a_drop_that_only_the_jvm_knows_of(kind: str) -> None:
    assert Session(kind, exists=False, if_exists=False).dropped() == GUESSED
    session = Session(kind, exists=False, if_exists=True)
    assert session.dropped() is None
    session.see()
    assert [session.dropped(), session.dropped()] == [THERE, None]


@pytest.mark.parametrize("kind", KINDS)
def test_a_drop_whose_catalog_tells_no_place_is_an_output_without_a_name(kind: str) -> None:
    """A REST catalog that did not answer in time was asked nothing more: no event, no report."""
    session = Session(kind, exists=True, if_exists=False)
    session.by_name = lambda catalog, parts: None  # type: ignore[assignment]
    target = WRITES[kind](session.command, kind, session)  # type: ignore[arg-type]
    assert target is not None
    assert (target.write, target.sink) == (None, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_a_drop_of_an_external_table_ends_no_dataset(kind: str) -> None:
    session = Session(kind, exists=True, if_exists=False, stays=True)
    session.expect()
    assert session.dropped() is None
    session.see()  # and only the JVM knows of the next one
    assert session.dropped() is None
    assert session.dropped() is None  # which was not seen before


@pytest.mark.parametrize(("exists", "expected"), [(True, THERE), (False, GUESSED)])
def test_a_view_that_is_gone_before_it_is_reported_has_its_place(
    exists: bool, expected: NamedDataset
) -> None:
    """The listener is told late, and a view that is only planned is never made."""
    session = Session("DropIcebergView", exists=exists, if_exists=False)
    plugin = Java(name="ice", viewExists=exists)
    child = Java(catalog=plugin, identifier=Java(namespace=["db"], name="t"))
    names = Java(size=0)
    command = Java(
        "CreateIcebergView", child=child, query=Java(), columnAliases=names, replace=False
    )
    target = WRITES["CreateIcebergView"](command, "CreateIcebergView", session)  # type: ignore[arg-type]
    assert target is not None
    assert target.write is not None
    assert (target.write.named, target.write.lifecycle) == (expected, "CREATE")


def test_a_temporary_view_is_left_alone() -> None:
    assert Session("DropTempViewCommand", exists=True, if_exists=True).expect() is None


def test_names_in_spark_s_own_catalog_have_no_case() -> None:
    drops = Drops()
    drops.saw("spark_catalog", ["Mart", "T"], THERE)
    drops.saw("ice", ["Mart", "T"], THERE)
    assert drops.take("spark_catalog", ["mart", "t"]) is not None
    assert drops.take("ice", ["mart", "t"]) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DROP TABLE t", True),
        (" -- a\n/* b * c **/ drop\n view if exists v", True),
        ("DROP DATABASE d", False),
        ("EXPLAIN DROP TABLE t", False),
        ("DROP TABLES", False),
        ("/* DROP TABLE t */ SELECT 1", False),
    ],
)
def test_which_texts_drop_a_table(text: str, expected: bool) -> None:
    assert is_drop(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-- a\n create table if  not exists t (a INT)", True),
        ("CREATE TABLE t (a INT)", False),
        ("CREATE VIEW IF NOT EXISTS t AS SELECT 1", False),
    ],
)
def test_which_texts_create_a_table_unless_it_exists(text: str, expected: bool) -> None:
    assert is_creation(text) is expected


def test_what_is_expected_is_taken_once_and_forgotten_if_it_fails() -> None:
    creations: Expected[bool] = Expected()
    forget = creations.expect("ice", ["db", "t"], False)
    creations.expect("ice", ["db", "t"], True)
    forget()
    forget()
    assert [creations.take("ice", ["db", "t"]) for _ in range(2)] == [True, None]


PROPERTIES = {"type": "hadoop", "warehouse": "/own"}
IN_SESSION = ("spark_catalog", ("default", "t"), "/own/default/t")


def test_iceberg_in_the_place_of_the_session_catalog_names_its_tables() -> None:
    """Its symlink was that of Spark's warehouse, which a table's ghost there had, too."""
    own = catalog_table(Catalog(warehouse="/w"), ICEBERG, PROPERTIES, *IN_SESSION)
    assert [(link.namespace, link.name) for link in own.symlinks] == [("file:/own", "default.t")]
    wraps = "org.apache.iceberg.spark.SparkSessionCatalog"
    assert catalog_table(Catalog(warehouse="/w"), wraps, PROPERTIES, *IN_SESSION).symlinks == ()


@pytest.mark.parametrize(
    ("name", "implementation", "properties", "expected"),
    [
        ("ice", ICEBERG, {}, True),
        ("spark_catalog", ICEBERG, PROPERTIES, True),
        ("spark_catalog", ICEBERG, {"type": "rest"}, True),
        ("spark_catalog", ICEBERG, {}, False),  # Hive's metastore, as Spark's own
        ("spark_catalog", "org.apache.iceberg.spark.SparkSessionCatalog", PROPERTIES, False),
        ("spark_catalog", "", {}, False),
    ],
)
def test_which_catalogs_keep_their_tables_elsewhere(
    name: str, implementation: str, properties: dict[str, str], expected: bool
) -> None:
    assert is_separate(name, implementation, properties) is expected

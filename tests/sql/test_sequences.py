"""The statements that write a table: what is another result, and what only other words."""

from typing import Any

import pytest

from airflow_colgraph.sql.database import Place
from airflow_colgraph.sql.facets import Naming, datasets
from airflow_colgraph.sql.script import script

PLACE = Place("spark", "", "m", 2)
SCHEMAS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("m", "orders"): ("id", "day", "amount"),
    ("m", "t"): ("day", "total"),
}
NEW = "CREATE TABLE t (day DATE, total INT);"
ADD = "INSERT INTO t SELECT day, amount FROM orders;"
AS = "CREATE TABLE t AS SELECT day, amount AS total FROM orders;"
READ = "CREATE TABLE r AS SELECT total FROM t;"


def output(text: str, table: str = "m.t") -> dict[str, Any]:
    """The facets of the last write of a table."""
    _, outputs, _ = datasets(script(text, PLACE, SCHEMAS), Naming("n", PLACE), {})
    facets: dict[str, Any] = [each["facets"] for each in outputs if each["name"] == table][-1]
    return facets


def steps(text: str, table: str = "m.t") -> dict[str, str]:
    """The steps of the last write of a table that has any."""
    _, outputs, _ = datasets(script(text, PLACE, SCHEMAS), Naming("n", PLACE), {})
    facets = [each["facets"] for each in outputs if each["name"] == table]
    *_, last = [each["colgraph_digests"] for each in facets if "colgraph_digests" in each]
    return {each["name"]: each["digest"] for each in last["steps"]}


NAMES = {
    "a plain statement": (ADD, []),
    "twice": (ADD * 2, ["2 INSERT"]),
    "made and filled": (NEW + ADD, ["CREATE TABLE, INSERT"]),
    "made of a query": (AS, ["CREATE TABLE, INSERT"]),
    "made again": (f"DROP TABLE IF EXISTS t;{AS}", ["CREATE TABLE, INSERT"]),
    "replaced": (AS.replace("TABLE", "OR REPLACE TABLE"), ["CREATE TABLE, INSERT"]),
    "kept if it is there": (
        NEW.replace("TABLE", "TABLE IF NOT EXISTS") + ADD,
        ["CREATE TABLE IF NOT EXISTS, INSERT"],
    ),
    "a view": (AS.replace("TABLE", "VIEW"), ["CREATE VIEW"]),
    "overwritten": (ADD.replace("INTO", "OVERWRITE"), ["INSERT OVERWRITE"]),
    "emptied and filled": (f"TRUNCATE TABLE t;{ADD}", ["INSERT OVERWRITE"]),
    "emptied by DELETE and filled": (f"DELETE FROM t;{ADD}", ["INSERT OVERWRITE"]),
    "a partition overwritten": (
        "INSERT OVERWRITE t PARTITION (day = '2026-01-01') SELECT amount FROM orders",
        ["INSERT OVERWRITE PARTITION", "TABLE"],
    ),
    "many": (
        "".join((ADD + "UPDATE t SET total = 1;") * 9),
        [f"{', '.join(['INSERT', 'UPDATE'] * 5)} and 8 more"],
    ),
}


@pytest.mark.parametrize(("text", "names"), NAMES.values(), ids=NAMES)
def test_the_statements_that_write_a_table(text: str, names: list[str]) -> None:
    assert sorted(steps(text)) == names


OTHERS = {
    "a default": ("total INT", "total INT DEFAULT 3"),
    "NOT NULL": ("total INT", "total INT NOT NULL"),
    "partitions": (");INSERT", ") PARTITIONED BY (day);INSERT"),
    "other partitions": ("PARTITIONED BY (day)", "PARTITIONED BY (total)"),
}


@pytest.mark.parametrize(("old", "new"), OTHERS.values(), ids=OTHERS)
def test_a_table_that_is_defined_in_another_way(old: str, new: str) -> None:
    text = NEW + ADD if old in NEW + ADD else (NEW + ADD).replace(");I", f") {old};I")
    before, after = steps(text), steps(text.replace(old, new))
    assert before.keys() == after.keys()
    assert before != after


def test_a_materialized_view_is_another_definition() -> None:
    view = AS.replace("TABLE", "VIEW")
    assert steps(view) != steps(view.replace("VIEW", "MATERIALIZED VIEW"))


def test_a_comment_is_no_other_definition() -> None:
    assert steps(NEW + ADD) == steps(NEW.replace("INT", "INT COMMENT 'x'") + ADD)


def test_a_table_that_is_read_before_all_its_rows_are_there() -> None:
    assert steps(NEW + ADD + READ, "m.r") != steps(NEW + READ + ADD, "m.r")
    assert steps(NEW + ADD + READ, "m.r") == steps(AS + READ, "m.r")


TYPES = {
    "as they are stated": (NEW + ADD, {"day": "date", "total": "int"}),
    "changed": (f"{NEW}ALTER TABLE t ALTER COLUMN total TYPE BIGINT;{ADD}", {"total": "bigint"}),
    "of a new name": (f"{NEW}{ADD}ALTER TABLE t RENAME COLUMN total TO x;", {"x": "int"}),
    "of another table": (f"{NEW}ALTER TABLE t RENAME TO u;{AS}", {"day": None, "total": None}),
}


@pytest.mark.parametrize(("text", "types"), TYPES.values(), ids=TYPES)
def test_types(text: str, types: dict[str, str | None]) -> None:
    stated = {field["name"]: field.get("type") for field in output(text)["schema"]["fields"]}
    assert {**stated, **types} == stated


def test_types_of_a_table_that_is_made_anew_are_not_those_of_the_former_one() -> None:
    lineage = script("CREATE OR REPLACE TABLE t AS SELECT day FROM orders", PLACE, SCHEMAS)
    _, (made,), _ = datasets(
        lineage, Naming("n", PLACE), {("m", "t"): {"day": "date", "total": "int"}}
    )
    assert made["facets"]["schema"]["fields"] == [{"name": "day"}]


def test_columns_that_are_dropped_or_renamed_afterwards() -> None:
    for action, left in (
        ("DROP COLUMN total", ["day"]),
        ("RENAME COLUMN total TO x", ["day", "x"]),
    ):
        lineage = script(f"{NEW}{ADD}ALTER TABLE t {action}", PLACE, SCHEMAS)
        columns = [write.relation.columns for write in lineage.writes if write.relation]
        assert [[name for name, _ in each] for each in columns] == [left]


def test_a_table_that_is_written_and_then_renamed() -> None:
    """Its lineage stayed under the former name, so a swap of tables had none."""
    text = f"{AS.replace(' t ', ' new ')}DROP TABLE t;ALTER TABLE new RENAME TO t"
    lineage = script(text, PLACE, SCHEMAS)
    (columns,) = [
        write.relation.columns
        for write in lineage.writes
        if write.table == ("m", "t") and write.relation
    ]
    assert {name: {each.column for each, _ in of} for name, of in columns} == {
        "day": {"day"},
        "total": {"amount"},
    }
    assert steps(text) == steps(AS)

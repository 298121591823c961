"""Salts in the names of columns that SQL text, schemas and dbt quote.

No earlier test had such a name in SQL text: the tests of secrets planted them into Spark's plans.
"""

from __future__ import annotations

import json

import pytest

from airflow_colgraph.openlineage.redaction import shown_name
from airflow_colgraph.sql.database import Place
from airflow_colgraph.sql.facets import Naming, datasets, diagnosed
from airflow_colgraph.sql.parse import statements
from airflow_colgraph.sql.script import script

NAME = "sha2(concat(s3cretB, card), 256)"
SECOND = "sha2(concat(s3cretC, card), 256)"
QUOTES = {"spark": "``", "mysql": "``", "bigquery": "``", "postgres": '""', "tsql": "[]"}
SALTED = f"""
    CREATE TABLE made AS SELECT "{NAME}" AS x, "{NAME}" FROM raw;
    INSERT INTO other ("{NAME}", y) SELECT r."{NAME}", sha2(concat('s3cretB', card), 256) FROM raw r
"""


def lineage(text: str, dialect: str, columns: list[str]) -> tuple[str, set[str]]:
    """A script's datasets as JSON, and its edges; `columns` are those of its table `raw`."""
    place = Place(dialect, "shop", "public")
    types = {place.whole(["raw"]): dict.fromkeys(columns, "text")}
    resolved = script(text, place, {name: tuple(own) for name, own in types.items()})
    found = datasets(resolved, Naming("db", place), types)
    assert found[2] is None, "all columns are resolved"
    edges = {
        f"{output['name'].rpartition('.')[2]}.{name} <- {source['field']}"
        for output in found[1]
        for name, entry in output["facets"]["columnLineage"]["fields"].items()
        for source in entry["inputFields"]
    }
    return json.dumps(found), edges


@pytest.mark.parametrize("dialect", QUOTES)
@pytest.mark.parametrize("name", [NAME, shown_name(NAME)], ids=["the database's", "the store's"])
def test_a_column_that_is_named_after_its_expression_has_no_salt(dialect: str, name: str) -> None:
    opening, closing = QUOTES[dialect]
    text = SALTED.replace(f'"{NAME}"', f"{opening}{NAME}{closing}")
    shown, edges = lineage(text, dialect, [name, "card"])
    assert "s3cret" not in shown
    assert edges == {
        "made.x <- sha2(***)",
        "made.sha2(***) <- sha2(***)",
        "other.sha2(***) <- sha2(***)",
        "other.y <- card",
    }


def test_names_that_are_shown_alike_have_the_collector_s_numbers() -> None:
    shown, _ = lineage(
        "INSERT INTO other (x) SELECT card FROM raw", "spark", [NAME, SECOND, "card"]
    )
    assert '"sha2(***)"' in shown
    assert '"sha2(***) (2)"' in shown


def test_names_of_tables_and_other_columns_stay() -> None:
    text = 'SELECT t."count(1)", "t(x)"."md5(a)" FROM "a(md5(b))" AS "t(x)"'
    (node,) = statements(text, "postgres")
    assert node.sql("postgres") == text.replace("md5(a)", "md5(***)")


def test_a_part_that_is_reported_with_its_text_has_no_salt() -> None:
    facet = diagnosed({"Unread": 1}, where={"Unread": ["sha2(concat('s3cretB', card), 256)"]})
    assert "s3cret" not in json.dumps(facet)
    assert facet["unresolved"][0]["where"] == ["sha2(concat('***', card), 256)"]

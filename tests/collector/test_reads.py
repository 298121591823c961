"""What a database's relation reads, by the shapes that its options take (U8)."""

import pytest

from airflow_colgraph.collector.model import Dataset
from airflow_colgraph.collector.spark.reads import jdbc_source

URL = "jdbc:postgresql://h/db"
SPACE = "postgres://h:5432"

TABLES = {
    "U8 a name": ("authors", "db.authors"),
    "U8 a name with a schema": ("shop.authors", "db.shop.authors"),
    "U8 a name in another case": ("Shop.AUTHORS", "db.Shop.AUTHORS"),
    "U8 a quoted name with a space": ('"my authors"', 'db."my authors"'),
}
QUERIES = {
    "U8 a query in brackets": ("(SELECT * FROM authors)", "SELECT * FROM authors"),
    "U8 with an alias": ("(SELECT id FROM authors) q", "SELECT id FROM authors"),
    "U8 with AS": ("(SELECT id FROM authors) AS q", "SELECT id FROM authors"),
    "U8 with brackets inside": (
        "(SELECT count(*) FROM (SELECT 1) x) q",
        "SELECT count(*) FROM (SELECT 1) x",
    ),
    "U8 over several lines": ("(\n SELECT id\n FROM authors\n)", "SELECT id\n FROM authors"),
    "U8 a table with an alias": ("authors AS a", "SELECT * FROM authors AS a"),
    "U8 a join": ("a JOIN b ON a.x = b.x", "SELECT * FROM a JOIN b ON a.x = b.x"),
    "U8 two tables": ("a, b", "SELECT * FROM a, b"),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_a_dataset(name: str) -> None:
    source, dataset = TABLES[name]
    named, properties = jdbc_source(URL, source)
    assert named.dataset == Dataset(SPACE, dataset)
    assert properties == {"url": URL, "dbtable": source}


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_stands_for_its_tables_until_it_is_read(name: str) -> None:
    source, text = QUERIES[name]
    named, properties = jdbc_source(URL, source)
    assert named.dataset.namespace == SPACE
    assert named.dataset.name.startswith("query:")
    assert properties == {"url": URL, "query": text, "database": "db"}

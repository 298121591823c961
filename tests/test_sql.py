"""SQL text to lineage, and events in which a query's tables take the query's place (U5)."""

import copy
from typing import Any

import pytest

from airflow_colgraph.sql import jdbc_queries as sql


def lines(found: sql.Lineage | None) -> set[str]:
    assert found is not None

    def edge_lines(name: str, inputs: sql.Inputs) -> set[str]:
        return {
            f"{name} <- {'.'.join(source.table)}.{source.column} {step.subtype}"
            f"{' masking' if step.masking else ''}"
            for source, step in inputs
        } or {f"{name} <-"}

    columns = set[str]().union(*(edge_lines(name, of) for name, of in found.columns.items()))
    return columns | (edge_lines("*", found.rows) if found.rows else set())


CASES: dict[str, tuple[str, list[str], set[str]]] = {
    "a star over one table": (
        "SELECT * FROM shop.authors WHERE age > 3",
        ["id", "name"],
        {
            "id <- shop.authors.id IDENTITY",
            "name <- shop.authors.name IDENTITY",
            "* <- shop.authors.age FILTER",
        },
    ),
    "a join": (
        "SELECT a.k, concat(b.j1, c.j2) AS v FROM a JOIN b ON a.k = b.k JOIN c USING (k)",
        ["k", "v"],
        {
            "k <- a.k IDENTITY",
            "v <- b.j1 TRANSFORMATION",
            "v <- c.j2 TRANSFORMATION",
            "* <- a.k JOIN",
            "* <- b.k JOIN",
            "* <- c.k JOIN",
        },
    ),
    "groups in a common table expression": (
        "WITH c AS (SELECT cid, sum(amount) AS s, count(id) AS n FROM orders "
        "WHERE state = 'x' GROUP BY cid) SELECT cid, s * 2 AS t, n FROM c ORDER BY s",
        ["cid", "t", "n"],
        {
            "cid <- orders.cid IDENTITY",
            "t <- orders.amount AGGREGATION",
            "n <- orders.id AGGREGATION masking",
            "* <- orders.state FILTER",
            "* <- orders.cid GROUP_BY",
            "* <- orders.amount SORT",
        },
    ),
    "choices and windows": (
        "SELECT CASE WHEN a > 1 THEN b ELSE c END AS x, coalesce(b, 0) AS y, "
        "row_number() OVER (PARTITION BY a ORDER BY c) AS r, sum(b) OVER (PARTITION BY a) AS s, "
        "md5(c) AS m, 1 AS one FROM t",
        ["x", "y", "r", "s", "m", "one"],
        {
            "x <- t.a CONDITIONAL",
            "x <- t.b TRANSFORMATION",
            "x <- t.c TRANSFORMATION",
            "y <- t.b TRANSFORMATION",
            "y <- t.b CONDITIONAL",
            "r <- t.a WINDOW",
            "r <- t.c WINDOW",
            "s <- t.b AGGREGATION",
            "s <- t.a WINDOW",
            "m <- t.c TRANSFORMATION masking",
            "one <-",
        },
    ),
    "subqueries and a union": (
        "SELECT a, (SELECT max(z) FROM u WHERE u.id = t.id) AS m FROM t "
        "WHERE b IN (SELECT b FROM w) UNION ALL SELECT c, d FROM v",
        ["a", "m"],
        {
            "a <- t.a IDENTITY",
            "a <- v.c IDENTITY",
            "m <- u.z AGGREGATION",
            "m <- u.id FILTER",
            "m <- t.id FILTER",
            "m <- v.d IDENTITY",
            "* <- t.b FILTER",
            "* <- w.b FILTER",
        },
    ),
    "names that Spark spells otherwise": (
        'SELECT "Name" AS n FROM (SELECT "Name" FROM "Odd Table") x',
        ["N"],
        {"N <- Odd Table.Name IDENTITY"},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_lineage_of_a_text_is_whole(name: str) -> None:
    text, columns, expected = CASES[name]
    assert lines(sql.lineage(text, "postgres", columns)) == expected


@pytest.mark.parametrize("text", ["SELECT FROM WHERE (", "", "DROP"])
def test_text_that_is_no_query_has_no_lineage(text: str) -> None:
    assert sql.lineage(text, "postgres") is None
    assert sql.lineage("SELECT 1 AS a", "no-such-dialect") is None


def test_the_dialect_is_the_urls() -> None:
    urls = [
        "jdbc:postgresql://h/d",
        "jdbc:sqlserver://h",
        "jdbc:mysql://h/d",
        "jdbc:oracle:thin:@h",
    ]
    assert [sql.dialect_of(url) for url in urls] == ["postgres", "tsql", "mysql", "oracle"]


SPACE = "postgres://db:5432"


def field(name: str, column: str, subtype: str, kind: str = "DIRECT") -> dict[str, Any]:
    step = {"type": kind, "subtype": subtype, "description": "", "masking": False}
    return {"namespace": SPACE, "name": name, "field": column, "transformations": [step]}


def event(text: str) -> dict[str, Any]:
    options = {"url": "jdbc:postgresql://db/shop", "query": text, "database": "shop"}
    pairs = [{"name": name, "value": value} for name, value in options.items()]
    facets = {
        "schema": {"fields": [{"name": "id"}, {"name": "s"}]},
        "colgraph_properties": {"options": pairs},
    }
    lineage = {
        "fields": {
            "id": {"inputFields": [field("query:1", "id", "IDENTITY")]},
            "t": {"inputFields": [field("query:1", "s", "TRANSFORMATION")]},
        },
        "dataset": [field("query:1", "id", "FILTER", "INDIRECT")],
    }
    output = {"namespace": "file", "name": "/out", "facets": {"columnLineage": lineage}}
    read = {"namespace": SPACE, "name": "query:1", "facets": facets}
    return {"inputs": [read], "outputs": [output]}


def test_tables_take_the_place_of_a_query_in_an_event() -> None:
    before = event("SELECT cid AS id, sum(v) AS s FROM public.o WHERE ok GROUP BY cid")
    kept = copy.deepcopy(before)
    after = sql.resolved(before)
    assert before == kept
    assert after["inputs"] == [{"namespace": SPACE, "name": "shop.public.o", "facets": {}}]
    (output,) = after["outputs"]
    edge_lines = output["facets"]["columnLineage"]
    by_group = field("shop.public.o", "cid", "GROUP_BY", "INDIRECT")
    by_group["transformations"].insert(
        0, {"type": "INDIRECT", "subtype": "FILTER", "description": "", "masking": False}
    )
    assert edge_lines == {
        "fields": {
            "id": {"inputFields": [field("shop.public.o", "cid", "IDENTITY")]},
            "t": {"inputFields": [field("shop.public.o", "v", "AGGREGATION")]},
        },
        "dataset": [by_group, field("shop.public.o", "ok", "FILTER", "INDIRECT")],
    }


AMBIGUOUS = {  # text -> the edges of the columns `id` and `s`, and what is reported
    "SELECT o.id, amount AS s FROM orders o JOIN people p ON o.pid = p.person": (
        ["shop.orders.id"],
        [{"class": "AmbiguousColumn", "count": 1, "where": ["amount"]}],
    ),
    "SELECT * FROM orders o JOIN people p ON o.pid = p.person": (
        [],
        [{"class": "Star", "count": 1, "where": ["*"]}],
    ),
    "SELECT o.*, p.s FROM orders o JOIN people p ON o.pid = p.person": (
        ["shop.orders.id", "shop.people.s"],
        [],
    ),
    "SELECT * FROM (SELECT * FROM orders WHERE ok) o": (["shop.orders.id", "shop.orders.s"], []),
}


@pytest.mark.parametrize("text", AMBIGUOUS)
def test_a_column_of_one_of_several_tables_is_reported_and_not_guessed(text: str) -> None:
    """No earlier text had an unqualified column, or a star, over two tables."""
    edges, reported = AMBIGUOUS[text]
    after = sql.resolved(event(text))
    fields = after["outputs"][0]["facets"]["columnLineage"]["fields"]
    sources = [
        f"{one['name']}.{one['field']}" for of in fields.values() for one in of["inputFields"]
    ]
    assert sources == edges
    facets = after["run"].get("facets") or {}
    assert (facets.get("colgraph_diagnostics") or {"unresolved": []})["unresolved"] == reported


def test_what_a_query_cannot_tell_is_added_to_what_the_event_says() -> None:
    """The collector's own diagnostics would have been lost."""
    before = event("SELECT id, s FROM orders, people")
    before["run"] = {
        "facets": {"colgraph_diagnostics": {"unresolved": [{"class": "X", "count": 2}]}}
    }
    diagnostics = sql.resolved(before)["run"]["facets"]["colgraph_diagnostics"]
    assert [one["class"] for one in diagnostics["unresolved"]] == ["X", "AmbiguousColumn"]


def test_a_table_of_which_only_the_rows_are_counted_is_an_input() -> None:
    """Every earlier text named a column of each of its tables."""
    after = sql.resolved(event("SELECT count(*) AS id, 1 AS s FROM public.o"))
    assert [one["name"] for one in after["inputs"]] == ["shop.public.o"]


def test_an_event_whose_query_cannot_be_read_stays_as_it_is() -> None:
    broken = event("SELECT FROM (")
    assert sql.resolved(broken) == broken

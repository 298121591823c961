"""Digests of SQL text: what makes a difference, and what is only written otherwise."""

from typing import Any

import pytest

from airflow_colgraph.sql.database import Place
from airflow_colgraph.sql.facets import Naming, datasets
from airflow_colgraph.sql.script import script

PLACE = Place("postgres", "shop", "public")
SCHEMAS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("shop", "public", "orders"): ("id", "day", "amount", "net", "status", "customer", "email"),
    ("shop", "public", "customers"): ("id", "region"),
}
QUERY = """
WITH paid AS (SELECT day, customer, amount * 2 AS twice, email FROM orders WHERE status = 'paid')
SELECT p.day, sum(twice) + 1 AS total, 'eur' AS currency, max(upper(c.region)) AS region,
  (SELECT max(id) FROM customers WHERE id < 9) AS last,
  sum(sum(twice)) OVER (ORDER BY p.day ROWS 2 PRECEDING) AS running
FROM paid p JOIN customers c ON p.customer = c.id
WHERE p.twice > 1 AND p.day > '2026-01-01'
GROUP BY p.day
ORDER BY p.day
"""
TABLE = f"CREATE TABLE daily AS {QUERY}"


def digests(text: str) -> tuple[dict[str, str], dict[str, str]]:
    """Those of the columns and of the steps of what a script writes last."""
    *_, write = script(text, PLACE, SCHEMAS).writes
    assert write.digests is not None
    return dict(write.digests.columns), dict(write.digests.steps)


def differing(before: str, after: str) -> list[str]:
    """The columns and the steps whose digests differ."""
    pairs = zip(digests(before), digests(after), strict=True)
    return sorted(
        name
        for old, new in pairs
        for name in old.keys() | new.keys()
        if old.get(name) != new.get(name)
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("status = 'paid'", "STATUS   = 'paid' -- only those\n"),
        ("FROM paid p JOIN", "FROM paid AS p INNER JOIN"),
        ("p.twice > 1 AND p.day > '2026-01-01'", "p.day > '2026-01-01' AND (p.twice > 1)"),
        ("amount * 2 AS twice", "(amount * 2) AS twice"),
        ("sum(twice) + 1", "SUM(paid.twice) + 1"),
        ("p.day > '2026-01-01'", "p.day > '2026-01-02'"),
    ],
)
def test_other_words_for_the_same(old: str, new: str) -> None:
    assert old in TABLE
    after = TABLE.replace(old, new)
    after = after.replace("paid.twice", "p.twice")
    assert differing(TABLE, after) == []


def test_one_step_is_as_two() -> None:
    once = "CREATE TABLE t AS SELECT sum(amount * 2) AS total FROM orders"
    for inner in (
        "WITH a AS (SELECT amount * 2 AS twice FROM orders) SELECT sum(twice) AS total FROM a",
        "SELECT sum(b.twice) AS total FROM (SELECT amount * 2 AS twice FROM orders) b",
    ):
        assert differing(once, f"CREATE TABLE t AS {inner}") == []


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("amount * 2", "amount * 3", ["FILTER", "running", "total"]),
        ("sum(twice) + 1", "avg(twice) + 1", ["total"]),
        ("'eur'", "'usd'", ["currency"]),
        ("upper(", "lower(", ["region"]),
        ("max(id)", "min(id)", ["last"]),
        ("2 PRECEDING", "3 PRECEDING", ["running"]),
        ("'paid'", "'open'", ["FILTER"]),
        ("id < 9", "id < 8", ["FILTER"]),
        (" JOIN", " LEFT JOIN", ["INNER JOIN", "LEFT JOIN"]),
        ("p.customer = c.id", "p.customer < c.id", ["INNER JOIN"]),
        ("GROUP BY p.day", "GROUP BY p.day HAVING sum(twice) > 5", ["FILTER"]),
        ("ORDER BY p.day\n", "ORDER BY p.day DESC\n", ["SORT"]),
        ("ORDER BY p.day\n", "ORDER BY p.day LIMIT 10", ["LIMIT 10"]),
        ("SELECT p.day", "SELECT DISTINCT p.day", ["DISTINCT"]),
    ],
)
def test_the_same_columns_in_another_way(old: str, new: str, names: list[str]) -> None:
    assert old in TABLE
    assert differing(TABLE, TABLE.replace(old, new)) == names


ALIKE = [
    ("orders o LEFT JOIN customers c ON {}", "customers c RIGHT JOIN orders o ON {}"),
    ("orders o LEFT JOIN customers c USING (id)", "customers c RIGHT OUTER JOIN orders o ON {}"),
    (
        "orders o LEFT JOIN customers c ON {} LEFT JOIN customers d ON o.id = d.id",
        "customers c RIGHT JOIN orders o ON {} LEFT JOIN customers d USING (id)",
    ),
    (
        "orders o LEFT JOIN orders c ON o.id = c.id WHERE c.day > 'x'",
        "orders c RIGHT JOIN orders o USING (id) WHERE c.day > 'x'",
    ),
    ("orders o JOIN customers c USING (id)", "orders o JOIN customers c ON {}"),
    (
        "orders o FULL JOIN orders c USING (id, day)",
        "orders o FULL JOIN orders c ON o.day = c.day AND o.id = c.id",
    ),
    ("orders o WHERE o.id BETWEEN 1 AND 9", "orders o WHERE o.id <= 9 AND (o.id >= 1)"),
    ("orders o WHERE NOT o.id BETWEEN 1 AND 9", "orders o WHERE NOT (o.id >= 1 AND o.id <= 9)"),
    ("orders o LIMIT 5", "orders o FETCH FIRST 5 ROWS ONLY"),
    ("orders o LIMIT 1 OFFSET 2", "orders o OFFSET 2 ROWS FETCH NEXT ROW ONLY"),
]
UNLIKE = [
    ("orders o LEFT JOIN customers c ON {}", "orders o RIGHT JOIN customers c ON {}"),
    ("orders o LEFT JOIN customers c ON {}", "customers c LEFT JOIN orders o ON {}"),
    (
        "orders o RIGHT JOIN orders c ON o.id = c.id WHERE c.day > 'x'",
        "orders c RIGHT JOIN orders o ON o.id = c.id WHERE c.day > 'x'",
    ),
    ("orders o JOIN customers c USING (id)", "orders o JOIN customers c ON o.customer = c.id"),
    (
        "orders o FULL JOIN customers c USING (id) LEFT JOIN customers d USING (id)",
        "orders o FULL JOIN customers c USING (id) LEFT JOIN customers d ON o.id = d.id",
    ),
    ("orders o WHERE o.id BETWEEN 1 AND 9", "orders o WHERE o.id >= 1 AND o.id < 9"),
    ("orders o WHERE o.id BETWEEN 1 AND 9", "orders o WHERE o.id BETWEEN 9 AND 1"),
    ("orders o WHERE o.id BETWEEN 1 AND 9", "orders o WHERE o.id BETWEEN SYMMETRIC 1 AND 9"),
    ("orders o WHERE o.id BETWEEN 1 AND 9", "orders o WHERE NOT o.id BETWEEN 1 AND 9"),
    ("orders o LIMIT 5", "orders o FETCH FIRST 6 ROWS ONLY"),
    ("orders o ORDER BY id LIMIT 5", "orders o ORDER BY id FETCH FIRST 5 ROWS WITH TIES"),
]

BOTH = "CREATE TABLE t AS SELECT {} FROM orders o LEFT JOIN customers c ON o.id = c.id"
THREE = f"{BOTH} LEFT JOIN customers d ON {{}} = d.id"
SWAPPED = [  # columns of one name of two tables
    (BOTH.format("o.id - c.id AS x"), BOTH.format("c.id - o.id AS x")),
    (BOTH.format("coalesce(o.id, c.id) AS x"), BOTH.format("coalesce(c.id, o.id) AS x")),
    (
        BOTH.format("o.day") + " WHERE o.id = 1 AND c.id = 2",
        BOTH.format("o.day") + " WHERE o.id = 2 AND c.id = 1",
    ),
    (THREE.format("o.day", "o.id"), THREE.format("o.day", "c.id")),
    (
        "CREATE TABLE t AS SELECT day FROM orders o"
        " WHERE EXISTS (SELECT 1 FROM customers c WHERE c.id < o.id)",
        "CREATE TABLE t AS SELECT day FROM orders o"
        " WHERE EXISTS (SELECT 1 FROM customers c WHERE o.id < c.id)",
    ),
    (
        "UPDATE orders o SET net = o.id - c.id FROM customers c WHERE c.region = o.day",
        "UPDATE orders o SET net = c.id - o.id FROM customers c WHERE c.region = o.day",
    ),
    (
        "MERGE INTO orders o USING customers c ON o.customer = c.region"
        " WHEN MATCHED AND o.id < c.id THEN UPDATE SET net = 1",
        "MERGE INTO orders o USING customers c ON o.customer = c.region"
        " WHEN MATCHED AND c.id < o.id THEN UPDATE SET net = 1",
    ),
    (
        "INSERT INTO orders (id) SELECT 1 ON CONFLICT (id) DO UPDATE SET net = net - excluded.net",
        "INSERT INTO orders (id) SELECT 1 ON CONFLICT (id) DO UPDATE SET net = excluded.net - net",
    ),
    (  # joins in a change, and in parentheses
        "UPDATE orders SET net = 1 FROM customers c JOIN daily d ON c.id = d.id",
        "UPDATE orders SET net = 1 FROM customers c LEFT JOIN daily d ON c.id = d.id",
    ),
    (
        "DELETE FROM orders USING customers c JOIN daily d ON c.id = d.id",
        "DELETE FROM orders USING customers c JOIN daily d ON c.id = d.day",
    ),
    (
        "CREATE TABLE t AS SELECT o.day FROM orders o LEFT JOIN"
        " (customers c JOIN daily d ON c.id = d.id) ON o.id = c.id",
        "CREATE TABLE t AS SELECT o.day FROM orders o LEFT JOIN"
        " (customers c LEFT JOIN daily d ON c.id = d.id) ON o.id = c.id",
    ),
]
UNSWAPPED = [
    (
        BOTH.format("o.id - c.id AS x"),
        "CREATE TABLE t AS SELECT p.id - q.id AS x FROM customers q RIGHT JOIN orders p USING (id)",
    ),
    ("CREATE TABLE t AS SELECT id + 1 AS x FROM orders", BOTH.format("o.id + 1 AS x")),
    (BOTH.format("o.id + 1 AS x"), BOTH.format("o.id + 1 AS x, c.id + 1 AS y")),
    (
        BOTH.format("o.id + 1 AS x"),
        BOTH.replace(" ON o.id = c.id", " USING (id)").format("id+1 AS x"),
    ),
]


@pytest.mark.parametrize(("before", "after"), SWAPPED)
def test_which_table_a_column_is_of(before: str, after: str) -> None:
    assert differing(before, after)


@pytest.mark.parametrize(("before", "after"), UNSWAPPED)
def test_the_same_table_with_more_beside_it(before: str, after: str) -> None:
    assert digests(before)[0]["x"] == digests(after)[0]["x"]


@pytest.mark.parametrize(("before", "after"), ALIKE)
def test_two_ways_to_say_the_same(before: str, after: str) -> None:
    assert _of_rows(before) == _of_rows(after)


@pytest.mark.parametrize(("before", "after"), UNLIKE)
def test_ways_that_only_look_the_same(before: str, after: str) -> None:
    assert _of_rows(before) != _of_rows(after)


def _of_rows(rows: str) -> dict[str, str]:
    """The digests of what affects the rows of a FROM."""
    _, steps = digests(f"CREATE TABLE t AS SELECT o.day FROM {rows}".replace("{}", "o.id = c.id"))
    return steps


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("SELECT a.day, b.amount", "SELECT b.day, a.amount", ["amount", "day"]),
        ("a.status = 'x'", "b.status = 'x'", ["FILTER"]),
        ("orders a", "orders first", []),
    ],
)
@pytest.mark.parametrize(
    "tables", ["", "WITH a AS (SELECT * FROM orders), b AS (SELECT * FROM orders) "]
)
def test_the_sides_of_a_self_join(tables: str, old: str, new: str, names: list[str]) -> None:
    """The same columns of another place in FROM are of other rows."""
    joined = "a LEFT JOIN b" if tables else "orders a LEFT JOIN orders b"
    before = f"CREATE TABLE t AS {tables}SELECT a.day, b.amount FROM {joined} ON a.id = b.customer"
    before += " WHERE a.status = 'x'"
    after = before.replace(old, new)
    if new == "orders first":
        after = after.replace("a.", "first.")
    assert differing(before, after) == names


def test_the_sides_of_a_correlated_subquery() -> None:
    query = "SELECT (SELECT max(i.amount) FROM orders i WHERE i.id < o.id) AS x FROM orders o"
    before = f"CREATE TABLE t AS {query}"
    assert differing(before, before.replace("i.id < o.id", "o.id < i.id")) == ["FILTER"]
    assert differing(before, before.replace("o.", "q.").replace("orders o", "orders q")) == []


@pytest.mark.parametrize(
    ("query", "old", "new", "name"),
    [
        ("SELECT id FROM orders LIMIT 5", " LIMIT 5", "", "LIMIT 5"),
        ("SELECT id FROM orders TABLESAMPLE BERNOULLI (5)", "(5)", "(9)", "SAMPLE"),
        ("SELECT a FROM (VALUES (1), (2)) x(a)", "(2)", "(3)", "VALUES"),
        ("SELECT o.id FROM orders o JOIN (VALUES (1)) x(a) ON a = id", "(1)", "(2)", "VALUES"),
        ("SELECT g FROM generate_series(1, 10) g", "10", "20", "TABLE"),
        ("SELECT u FROM orders, unnest(string_to_array(status, ',')) u", "','", "';'", "UNNEST"),
        ("SELECT x FROM orders, LATERAL f(status, 1) x", "1", "2", "LATERAL"),
        (
            "SELECT sum(id) OVER w AS s FROM orders WINDOW w AS (ORDER BY day)",
            "y)",
            "y DESC)",
            "WINDOW",
        ),
    ],
)
def test_what_else_decides_on_rows(query: str, old: str, new: str, name: str) -> None:
    before, after = f"CREATE TABLE t AS {query}", f"CREATE TABLE t AS {query.replace(old, new)}"
    assert before != after
    assert differing(before, after) == [name]


def test_parentheses_and_names_of_rows_in_the_text_make_no_difference() -> None:
    plain = "CREATE TABLE t AS SELECT id AS a FROM orders, (VALUES (1)) x(b)"
    other = "CREATE TABLE t AS SELECT (id) AS a FROM orders, (VALUES (1)) y(c)"
    assert differing(plain, other) == []


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        (
            "INSERT INTO orders (id, net) SELECT id, 1 FROM customers ON CONFLICT (id) DO NOTHING",
            "INSERT INTO orders (id, net) SELECT id, 1 FROM customers"
            " ON CONFLICT (id) DO UPDATE SET net = excluded.net",
            ["ON CONFLICT"],
        ),
        (
            "INSERT INTO orders (id) VALUES (1)",
            "INSERT INTO orders (id) VALUES (2)",
            ["VALUES"],
        ),
        (
            "INSERT INTO daily (b, a) SELECT id + 1, id + 2 FROM orders",
            "INSERT INTO daily (b, a) SELECT id + 1, id + 3 FROM orders",
            ["?"],
        ),
        (
            "UPDATE orders SET amount = net + 1 WHERE id = 1",
            "UPDATE orders SET amount = net + 2 WHERE id = 2",
            ["FILTER", "amount"],
        ),
        (
            "MERGE INTO orders o USING customers c ON o.customer = c.id"
            " WHEN MATCHED AND c.region = 'n' THEN UPDATE SET day = c.region",
            "MERGE INTO orders o USING customers c ON o.customer = c.id"
            " WHEN MATCHED AND c.region = 's' THEN UPDATE SET day = c.region",
            ["MERGE"],
        ),
        (
            "CREATE TABLE t AS SELECT id + 1 AS x FROM orders UNION SELECT id FROM customers",
            "CREATE TABLE t AS SELECT id + 1 AS x FROM orders UNION ALL SELECT id FROM customers",
            ["UNION", "UNION ALL"],
        ),
        (
            "CREATE TABLE t AS SELECT id AS x FROM orders UNION ALL SELECT id * 2 FROM customers",
            "CREATE TABLE t AS SELECT id AS x FROM orders UNION ALL SELECT id * 3 FROM customers",
            ["x"],
        ),
        (  # through a temporary table
            "CREATE TEMP TABLE s AS SELECT id * 2 AS x FROM orders; INSERT INTO t SELECT x FROM s",
            "CREATE TEMP TABLE s AS SELECT id * 3 AS x FROM orders; INSERT INTO t SELECT x FROM s",
            ["x"],
        ),
    ],
)
def test_other_statements(before: str, after: str, names: list[str]) -> None:
    if names == ["?"]:  # the columns of a table, by position
        old, new = (dict(_facet(text)) for text in (before, after))
        assert {name for name in old if old[name] != new[name]} == {"a"}
    else:
        assert differing(before, after) == names


def _facet(text: str) -> list[tuple[str, str]]:
    _, (output,), _ = datasets(script(text, PLACE, SCHEMAS), Naming("n", PLACE), {})
    entries: list[dict[str, Any]] = output["facets"]["colgraph_digests"]["columns"]
    return [(entry["name"], entry["digest"]) for entry in entries]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT md5('{}' || email) AS hidden FROM orders",
        "SELECT password = '{}' AS x FROM (SELECT email AS password FROM orders) o",
        "SELECT '{}' AS api_token FROM orders",
    ],
)
def test_a_secret_is_in_no_digest(query: str) -> None:
    first, second = (f"CREATE TABLE t AS {query.format(text)}" for text in ("one", "two"))
    assert differing(first, second) == []

"""Statements and scripts to lineage: one case, one script, the whole lineage."""

from textwrap import dedent

import pytest

from airflow_colgraph.sql.database import Place
from airflow_colgraph.sql.script import script, tables_of
from tests.sql.texts import POSTGRES, found, lines

CASES = {
    "an INSERT in the table's order": (
        "INSERT INTO mart SELECT id, customer, sum(amount) FROM raw WHERE state = 'x' "
        "GROUP BY 1, 2",
        """
        shop.public.mart
          id <- shop.public.raw.id IDENTITY
          customer <- shop.public.raw.customer IDENTITY
          total <- shop.public.raw.amount AGGREGATION
          * <- shop.public.raw.customer GROUP_BY
          * <- shop.public.raw.id GROUP_BY
          * <- shop.public.raw.state FILTER
        """,
    ),
    "an INSERT of listed columns, unqualified in a join": (
        "INSERT INTO mart (total, customer) SELECT v, name FROM orders JOIN customers USING (cid)",
        """
        shop.public.mart
          total <- shop.public.orders.v IDENTITY
          customer <- shop.public.customers.name IDENTITY
          * <- shop.public.customers.cid JOIN
          * <- shop.public.orders.cid JOIN
        """,
    ),
    "ON CONFLICT DO UPDATE": (
        "INSERT INTO other SELECT id, state FROM raw "
        "ON CONFLICT (id) DO UPDATE SET note = excluded.note || other.note WHERE other.id > 1",
        """
        shop.public.other
          id <- shop.public.raw.id IDENTITY
          note <- shop.public.other.id CONDITIONAL
          note <- shop.public.other.note TRANSFORMATION
          note <- shop.public.raw.state IDENTITY
          note <- shop.public.raw.state TRANSFORMATION
        """,
    ),
    "two INSERTs stay apart": (
        "INSERT INTO mart (id) SELECT id FROM raw;"
        "INSERT INTO other (note) SELECT name FROM customers",
        """
        shop.public.mart
          id <- shop.public.raw.id IDENTITY
        shop.public.other
          note <- shop.public.customers.name IDENTITY
        """,
    ),
    "temporary tables and views are gone through": (
        "CREATE TEMP TABLE t AS SELECT id, upper(state) AS s FROM raw WHERE amount > 0;"
        "CREATE TEMPORARY VIEW u AS SELECT s, id AS k FROM t;"
        "INSERT INTO t (id) SELECT cid FROM customers;"
        "CREATE TABLE made AS SELECT s, md5(k::text) AS m FROM u; DROP TABLE t",
        """
        shop.public.made CREATE
          s <- shop.public.raw.state TRANSFORMATION
          m <- shop.public.raw.id TRANSFORMATION masking
          * <- shop.public.raw.amount FILTER
        """,
    ),
    "an INSERT into a temporary table adds to it": (
        "CREATE TEMP TABLE t (a int); INSERT INTO t SELECT id FROM raw;"
        "INSERT INTO t SELECT cid FROM customers; INSERT INTO mart (id) SELECT a FROM t",
        """
        shop.public.mart
          id <- shop.public.customers.cid IDENTITY
          id <- shop.public.raw.id IDENTITY
        """,
    ),
    "a view is a dataset of its own": (
        "CREATE OR REPLACE VIEW v (k, c) AS SELECT id, customer FROM raw; "
        "CREATE TABLE made AS SELECT * FROM v",
        """
        shop.public.v OVERWRITE
          k <- shop.public.raw.id IDENTITY
          c <- shop.public.raw.customer IDENTITY
        shop.public.made CREATE
          k <- shop.public.v.k IDENTITY
          c <- shop.public.v.c IDENTITY
        """,
    ),
    "UPDATE with FROM": (
        "UPDATE mart SET total = v * 2 FROM orders WHERE mart.id = orders.id AND orders.cid > 3",
        """
        shop.public.mart
          id <- shop.public.mart.id IDENTITY
          customer <- shop.public.mart.customer IDENTITY
          total <- shop.public.orders.v TRANSFORMATION
          * <- shop.public.mart.id JOIN
          * <- shop.public.orders.cid FILTER
          * <- shop.public.orders.id JOIN
        """,
    ),
    "DELETE": (
        "DELETE FROM other WHERE id IN (SELECT id FROM raw WHERE state = 'gone')",
        """
        shop.public.other
          id <- shop.public.other.id IDENTITY
          note <- shop.public.other.note IDENTITY
          * <- shop.public.other.id FILTER
          * <- shop.public.raw.id FILTER
          * <- shop.public.raw.state FILTER
        """,
    ),
    "MERGE": (
        "MERGE INTO mart m USING raw r ON m.id = r.id "
        "WHEN MATCHED AND r.state = 'd' THEN DELETE "
        "WHEN MATCHED AND r.amount > 0 THEN UPDATE SET total = m.total + r.amount "
        "WHEN NOT MATCHED THEN INSERT (id, customer) VALUES (r.id, r.customer)",
        """
        shop.public.mart
          total <- shop.public.mart.total TRANSFORMATION
          total <- shop.public.raw.amount CONDITIONAL
          total <- shop.public.raw.amount TRANSFORMATION
          id <- shop.public.mart.id IDENTITY
          id <- shop.public.raw.id IDENTITY
          customer <- shop.public.mart.customer IDENTITY
          customer <- shop.public.raw.customer IDENTITY
          * <- shop.public.mart.id JOIN
          * <- shop.public.raw.id JOIN
          * <- shop.public.raw.state FILTER
        """,
    ),
    "a statement inside a query": (
        "WITH gone AS (DELETE FROM orders WHERE v < 0 RETURNING id, cid) "
        "INSERT INTO other (id, note) SELECT id, cid::text FROM gone",
        """
        shop.public.orders
          id <- shop.public.orders.id IDENTITY
          cid <- shop.public.orders.cid IDENTITY
          v <- shop.public.orders.v IDENTITY
          * <- shop.public.orders.v FILTER
        shop.public.other
          id <- shop.public.orders.id IDENTITY
          note <- shop.public.orders.cid TRANSFORMATION
          * <- shop.public.orders.v FILTER
        """,
    ),
    "a recursive query": (
        "WITH RECURSIVE up (k, path) AS (SELECT id, customer FROM raw WHERE state = 'root' "
        "UNION ALL SELECT o.cid, up.path || o.v FROM up JOIN orders o ON o.id = up.k) "
        "INSERT INTO mart (id, customer) SELECT k, path FROM up",
        """
        shop.public.mart
          id <- shop.public.orders.cid IDENTITY
          id <- shop.public.raw.id IDENTITY
          customer <- shop.public.orders.v TRANSFORMATION
          customer <- shop.public.raw.customer IDENTITY
          customer <- shop.public.raw.customer TRANSFORMATION
          * <- shop.public.orders.cid JOIN
          * <- shop.public.orders.id JOIN
          * <- shop.public.raw.id JOIN
          * <- shop.public.raw.state FILTER
        """,
    ),
    "windows, DISTINCT and HAVING": (
        "CREATE TABLE w AS SELECT DISTINCT customer AS c, rank() OVER w AS r, "
        "sum(sum(amount)) OVER (PARTITION BY state) AS s, count(*) FILTER (WHERE state = 'x') AS n "
        "FROM raw GROUP BY customer, state HAVING max(id) > 1 WINDOW w AS (ORDER BY state)",
        """
        shop.public.w CREATE
          c <- shop.public.raw.customer IDENTITY
          r <- shop.public.raw.state WINDOW
          s <- shop.public.raw.amount AGGREGATION
          s <- shop.public.raw.state WINDOW
          n <- shop.public.raw.state FILTER
          * <- shop.public.raw.amount GROUP_BY
          * <- shop.public.raw.customer GROUP_BY
          * <- shop.public.raw.id FILTER
          * <- shop.public.raw.state GROUP_BY
        """,
    ),
    "tables that are listed with commas": (
        "CREATE TABLE j AS SELECT v, name FROM orders o, customers c WHERE o.cid = c.cid AND v > 1",
        """
        shop.public.j CREATE
          v <- shop.public.orders.v IDENTITY
          name <- shop.public.customers.name IDENTITY
          * <- shop.public.customers.cid JOIN
          * <- shop.public.orders.cid JOIN
          * <- shop.public.orders.v FILTER
        """,
    ),
    "set operations": (
        "CREATE TABLE s AS (SELECT id, state FROM raw EXCEPT SELECT id, note FROM other) "
        "UNION ALL SELECT cid, name FROM customers ORDER BY 2",
        """
        shop.public.s CREATE
          id <- shop.public.customers.cid IDENTITY
          id <- shop.public.raw.id IDENTITY
          state <- shop.public.customers.name IDENTITY
          state <- shop.public.raw.state IDENTITY
          * <- shop.public.customers.name SORT
          * <- shop.public.other.id JOIN
          * <- shop.public.other.note JOIN
          * <- shop.public.raw.id GROUP_BY
          * <- shop.public.raw.id JOIN
          * <- shop.public.raw.state GROUP_BY
          * <- shop.public.raw.state JOIN
          * <- shop.public.raw.state SORT
        """,
    ),
    "a lateral subquery and an outer reference": (
        "CREATE TABLE l AS SELECT r.id, x.m FROM raw r CROSS JOIN LATERAL "
        "(SELECT max(v) AS m FROM orders WHERE cid = r.customer) x",
        """
        shop.public.l CREATE
          id <- shop.public.raw.id IDENTITY
          m <- shop.public.orders.v AGGREGATION
          * <- shop.public.orders.cid FILTER
          * <- shop.public.raw.customer FILTER
        """,
    ),
    "DROP, TRUNCATE and ALTER": (
        "DROP TABLE IF EXISTS other; TRUNCATE mart; ALTER TABLE raw RENAME TO raw2",
        """
        shop.public.other DROP
        shop.public.mart TRUNCATE
        shop.public.raw2 RENAME
        """,
    ),
    "COPY of a query into a file": (
        "COPY (SELECT id, upper(note) AS n FROM other) TO '/tmp/out.csv'",
        """
        /tmp/out.csv
          id <- shop.public.other.id IDENTITY
          n <- shop.public.other.note TRANSFORMATION
        """,
    ),
    "the schema that the script sets": (
        "SET search_path = stage; CREATE TABLE x AS SELECT t.a FROM t",
        """
        shop.stage.x CREATE
          a <- shop.stage.t.a IDENTITY
        """,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_lineage_of_a_script_is_whole(name: str) -> None:
    text, expected = CASES[name]
    lineage = found(text)
    assert lines(lineage) == dedent(expected).strip()
    assert (lineage.unresolved, lineage.opaque) == ({}, {})


DIALECTS = {
    "unload": (
        Place("redshift", "shop", "public"),
        "UNLOAD ('SELECT id FROM raw WHERE state = ''x''') TO 's3://bucket/out/' IAM_ROLE 'arn'",
        """
        s3://bucket/out/
          id <- shop.public.raw.id IDENTITY
          * <- shop.public.raw.state FILTER
        """,
    ),
    "mysql": (
        Place("mysql", "", "shop", levels=2),
        "REPLACE INTO mart SELECT id, customer, amount FROM raw; "
        "UPDATE mart m JOIN orders o ON o.id = m.id SET m.total = o.v",
        """
        shop.mart
          id <- shop.raw.id IDENTITY
          customer <- shop.raw.customer IDENTITY
          total <- shop.raw.amount IDENTITY
        shop.mart
          id <- shop.mart.id IDENTITY
          customer <- shop.mart.customer IDENTITY
          total <- shop.orders.v IDENTITY
          * <- shop.mart.id JOIN
          * <- shop.orders.id JOIN
        """,
    ),
    "sqlite": (
        Place("sqlite", levels=1),
        "INSERT OR REPLACE INTO other SELECT id, state FROM main.raw",
        """
        other
          id <- raw.id IDENTITY
          note <- raw.state IDENTITY
        """,
    ),
    "snowflake": (
        Place("snowflake", "SHOP", "PUBLIC"),
        "create or replace table made as select id as k, k + 1 as j from raw "
        "qualify row_number() over (partition by customer order by id) = 1",
        """
        SHOP.PUBLIC.MADE OVERWRITE
          K <- SHOP.PUBLIC.RAW.ID IDENTITY
          J <- SHOP.PUBLIC.RAW.ID TRANSFORMATION
          * <- SHOP.PUBLIC.RAW.CUSTOMER FILTER
          * <- SHOP.PUBLIC.RAW.ID FILTER
        """,
    ),
    "bigquery": (
        Place("bigquery", "shop", "public"),
        "CREATE TABLE `made` AS "
        "SELECT * EXCEPT (state) REPLACE (upper(customer) AS customer) FROM raw",
        """
        shop.public.made CREATE
          id <- shop.public.raw.id IDENTITY
          customer <- shop.public.raw.customer TRANSFORMATION
          amount <- shop.public.raw.amount IDENTITY
        """,
    ),
    "trino": (
        Place("trino", "shop", "public"),
        "INSERT INTO hive.x.t (a, b) SELECT id, count(DISTINCT note) FROM other GROUP BY id",
        """
        hive.x.t
          a <- shop.public.other.id IDENTITY
          b <- shop.public.other.note AGGREGATION masking
          * <- shop.public.other.id GROUP_BY
        """,
    ),
    "tsql": (
        Place("tsql", "shop", "dbo"),
        "SELECT id, state INTO #t FROM public.raw; "
        "UPDATE m SET total = t.id FROM mart m JOIN #t t ON t.id = m.id",
        """
        shop.dbo.mart
          id <- shop.dbo.mart.id IDENTITY
          customer <- shop.dbo.mart.customer IDENTITY
          total <- shop.public.raw.id IDENTITY
          * <- shop.dbo.mart.id JOIN
          * <- shop.public.raw.id JOIN
        """,
    ),
    "duckdb": (
        Place("duckdb", "shop", "public"),
        "CREATE TABLE made AS FROM raw SELECT id, amount ORDER BY ALL",
        """
        shop.public.made CREATE
          id <- shop.public.raw.id IDENTITY
          amount <- shop.public.raw.amount IDENTITY
          * <- shop.public.raw.amount SORT
          * <- shop.public.raw.id SORT
        """,
    ),
}


@pytest.mark.parametrize("name", DIALECTS)
def test_a_dialect(name: str) -> None:
    place, text, expected = DIALECTS[name]
    lineage = found(text, place)
    assert lines(lineage) == dedent(expected).strip()
    assert (lineage.unresolved, lineage.opaque) == ({}, {})


OPAQUE = {
    "CALL refresh_mart('2024-01-01')": {"CALL": 1},
    "DO LANGUAGE plpython3u $$ plpy.execute('s3cret') $$": {"DO": 1},
    "EXECUTE prepared(1)": {"EXECUTE": 1},
    "INSERT INTO mart SELECT FROM WHERE (": {"Unparsed": 1},
    "MERGE 's3cret": {"Unparsed": 1},
}


@pytest.mark.parametrize("text", OPAQUE)
def test_what_can_not_be_looked_into_is_counted_and_the_rest_is_read(
    text: str, caplog: pytest.LogCaptureFixture
) -> None:
    lineage = found(f"INSERT INTO mart (id) SELECT id FROM raw; {text}")
    assert lineage.opaque == OPAQUE[text]
    if "'s3cret" not in text or "$$" in text:
        assert [write.table[-1] for write in lineage.writes] == ["mart"]
    assert "s3cret" not in caplog.text


def test_what_depends_on_an_unknown_schema_is_counted() -> None:
    star = found("INSERT INTO mart SELECT * FROM raw", known=False)
    assert star.unresolved == {"Star": 1, "TargetColumns": 1}
    assert lines(star) == "shop.public.mart"
    either = found("CREATE TABLE m AS SELECT a FROM t, u", known=False)
    assert either.unresolved == {"AmbiguousColumn": 1}
    wrong = found("CREATE TABLE m AS SELECT nothing FROM raw")
    assert wrong.unresolved == {"Column": 1}


def test_statements_that_move_no_rows_are_nothing() -> None:
    text = (
        "BEGIN; SET statement_timeout = 5; CREATE INDEX i ON raw (id); GRANT SELECT ON raw TO me;"
        "ANALYZE raw; COMMENT ON TABLE raw IS 'x'; VACUUM; "
        "CREATE FUNCTION f() RETURNS int AS $$ SELECT 1 $$ LANGUAGE sql; COMMIT"
    )
    lineage = found(text)
    assert (lineage.writes, lineage.reads, lineage.opaque) == ([], [], {})


def test_a_query_only_reads() -> None:
    lineage = found("SELECT name FROM customers WHERE cid IN (SELECT cid FROM orders)")
    assert lineage.writes == []
    assert set(lineage.reads) == {("shop", "public", "customers"), ("shop", "public", "orders")}


def test_the_tables_whose_schemas_it_takes() -> None:
    text = "WITH c AS (SELECT 1 FROM raw) INSERT INTO mart SELECT * FROM c, stage.t"
    assert set(tables_of(text, POSTGRES)) == {
        ("shop", "public", "raw"),
        ("shop", "public", "mart"),
        ("shop", "stage", "t"),
    }


def test_a_table_behind_an_expression_of_its_name_is_one_whose_schema_it_takes() -> None:
    """No earlier script had a common table expression that reads the table of its name."""
    names = {
        name[-1] for name in tables_of("WITH t AS (SELECT * FROM t) SELECT * FROM t", POSTGRES)
    }
    assert names == {"t"}
    for text, read in (
        ("WITH RECURSIVE t AS (SELECT 1 UNION ALL SELECT * FROM t) SELECT * FROM t", set()),
        ("WITH a AS (SELECT * FROM b), b AS (SELECT * FROM a) SELECT * FROM b", {"b"}),
        ("SELECT * FROM (WITH t AS (SELECT 1) SELECT * FROM t) x JOIN t ON true", {"t"}),
        ("WITH t AS (SELECT 1) SELECT * FROM public.t", {"t"}),
    ):
        assert {name[-1] for name in tables_of(text, POSTGRES)} == read, text


def test_what_is_not_known_is_named_with_its_statement() -> None:
    """Only kinds and numbers were compared, so that the names could be left out."""
    text = "SELECT 1;\n\n-- a table\nCREATE TABLE m AS\nSELECT nothing, raw.nix FROM raw; CALL f()"
    lineage = found(text)
    assert lineage.where == {
        "Column": ["nothing (statement 2, line 4)", "raw.nix (statement 2, line 4)"],
        "CALL": ["statement 3, line 5"],
    }


def test_a_union_of_thousands_is_no_recursion() -> None:
    many = " UNION ALL ".join(["SELECT id FROM raw"] * 3000)
    lineage = script(f"INSERT INTO mart (id) {many}", POSTGRES, {})
    assert lineage.opaque or len(lineage.writes) == 1


def test_a_table_of_another_catalog_keeps_its_name() -> None:
    """Spark's `ice.db.t` was taken for the table `db.t` of the usual catalog."""
    text = "INSERT INTO ice.db.t (a) SELECT a FROM spark_catalog.db.u"
    (write,) = found(text, Place("spark", "", "db", 2), known=False).writes
    assert write.table == ("ice", "db", "t")
    assert write.relation
    assert [source.table for source, _ in write.relation.columns[0][1]] == [("db", "u")]


TYPED = {("shop", "public", "raw"): {"id": "integer", "state": "varchar(5)"}}


@pytest.mark.parametrize(
    ("text", "types"),
    [
        (
            "CREATE TABLE made AS SELECT r.id, CAST(id AS TEXT) AS t, state AS s, upper(state) u "
            "FROM (SELECT * FROM raw) r",
            {"id": "integer", "t": "text", "s": "varchar(5)"},
        ),
        ("SELECT *, id::bigint AS b INTO made FROM raw", {"id": "integer", "state": "varchar(5)"}),
        ("CREATE TABLE made (b, a) AS SELECT CAST(id AS TEXT) AS a, id AS b FROM raw",
         {"b": "text", "a": "integer"}),
        ("CREATE TABLE made AS SELECT id FROM raw UNION ALL SELECT 1.5", {}),
        ("CREATE TEMP TABLE t AS SELECT id FROM raw UNION ALL SELECT 1.5; "
         "CREATE TABLE made AS SELECT id FROM t", {}),
        ("CREATE TABLE made (LIKE raw, z INT)",
         {"id": "integer", "state": "varchar(5)", "z": "int"}),
        ("CREATE TABLE one AS SELECT id AS k FROM raw; CREATE TABLE made AS SELECT k FROM one",
         {"k": "integer"}),
    ],
)  # fmt: skip
def test_copies_and_casts_have_types(text: str, types: dict[str, str]) -> None:
    """The columns of a table that a plan makes had no type, though the catalog says it."""
    lineage = script(text, POSTGRES, TYPED)
    assert lineage.types[("shop", "public", "made")] == types

"""Each claim of docs/sql.md about statements has a statement that shows it."""

import re
from pathlib import Path

import pytest

from tests.sql.texts import PLACES, found, reported

PAGE = (Path(__file__).parents[2] / "docs" / "sql.md").read_text()
# By how a row or a limit of the page begins: a dialect, a statement, and lines of its lineage.
SHOWN = {
    "`INSERT`, `CREATE TABLE AS`": (
        "duckdb",
        "INSERT INTO other BY NAME SELECT state AS note FROM raw",
        "  note <- shop.public.raw.state IDENTITY",
    ),
    "`INSERT ALL`": (
        "tsql",
        "UPDATE mart SET total = 1 OUTPUT inserted.id INTO other (id)",
        "  id <- shop.dbo.mart.id IDENTITY",
    ),
    "a write to a view that the script makes": (
        "oracle",
        "UPDATE (SELECT r.state AS a, o.id AS b FROM raw r JOIN other o ON r.id = o.id) SET a = b",
        "  STATE <- shop.public.OTHER.ID IDENTITY",
    ),
    "generated columns, and defaults": (
        "sqlite",
        "CREATE TABLE t (a INT, b INT AS (a + 1)); INSERT INTO t SELECT amount FROM raw",
        "  b <- raw.amount TRANSFORMATION",
    ),
    "Redshift's `MERGE .. REMOVE DUPLICATES`": (
        "redshift",
        "MERGE INTO other USING raw ON other.id = raw.id REMOVE DUPLICATES",
        "  * <- shop.public.raw.id JOIN",
    ),
    "T-SQL's `INSERT .. SELECT": (
        "tsql",
        "INSERT INTO other (id) SELECT id FROM (DELETE raw OUTPUT deleted.id) AS d",
        "  id <- shop.dbo.raw.id IDENTITY",
    ),
    "T-SQL's `INSERT .. EXEC`": ("tsql", "INSERT INTO other EXEC load_it", "opaque: Execute"),
    "Snowflake's `CREATE STREAM`": (
        "snowflake",
        "CREATE STREAM S ON TABLE RAW",
        "  STATE <- SHOP.PUBLIC.RAW.STATE IDENTITY",
    ),
    "`CLONE`": (
        "bigquery",
        "CREATE TABLE public.x COPY public.raw",
        "  state <- shop.public.raw.state IDENTITY",
    ),
    "`MERGE`": (
        "databricks",
        "MERGE INTO other t USING (SELECT id, state AS note, amount FROM raw) s "
        "ON t.id = s.id WHEN MATCHED THEN UPDATE SET *",
        "  note <- shop.public.raw.state IDENTITY",
    ),
    "`DELETE`": (
        "postgres",
        "DELETE FROM other WHERE id = 1",
        "  * <- shop.public.other.id FILTER",
    ),
    "`COPY`, `UNLOAD`": ("postgres", "COPY (SELECT id FROM raw) TO '/x.csv'", "/x.csv"),
    "`COPY`, `LOAD DATA` and": ("postgres", "COPY raw FROM '/x.csv'", "unresolved: FileColumns"),
    "a query of files": (
        "duckdb",
        "CREATE TABLE x AS SELECT a FROM read_parquet('x.parquet')",
        "  a <- x.parquet.a IDENTITY",
    ),
    "a write to a table that is named by its path": (
        "databricks",
        "MERGE INTO delta.`s3://lake/t` t USING raw ON t.id = raw.id WHEN MATCHED THEN DELETE",
        "s3://lake/t",
    ),
    "`ALTER TABLE .. SWAP WITH`": (
        "snowflake",
        "ALTER TABLE OTHER SWAP WITH RAW",
        "  STATE <- SHOP.PUBLIC.RAW.STATE IDENTITY",
    ),
    "`DROP`": ("postgres", "DROP TABLE other", "shop.public.other DROP"),
    "`EXPLAIN ANALYZE`": (
        "postgres",
        "EXPLAIN ANALYZE INSERT INTO other (id) SELECT id FROM raw",
        "  id <- shop.public.raw.id IDENTITY",
    ),
    "MySQL's comments that are run": (
        "mysql",
        "/*!50001 CREATE VIEW v AS SELECT id FROM raw */",
        "  id <- shop.raw.id IDENTITY",
    ),
    "a function or macro": (
        "duckdb",
        "CREATE MACRO f(x) AS x + 1; CREATE TABLE x AS SELECT f(id) AS a FROM raw",
        "  a <- shop.public.raw.id TRANSFORMATION",
    ),
    "temporary tables": (
        "postgres",
        "CREATE TEMP TABLE t AS SELECT id FROM raw; INSERT INTO other (id) SELECT id FROM t",
        "  id <- shop.public.raw.id IDENTITY",
    ),
    "`SET x": (
        "mysql",
        "SET @x = (SELECT max(id) FROM raw); INSERT INTO other (id) VALUES (@x)",
        "  id <- shop.raw.id AGGREGATION",
    ),
    "`USE`": (
        "oracle",
        "ALTER SESSION SET CURRENT_SCHEMA = stage; INSERT INTO t (id) SELECT id FROM u",
        "  ID <- shop.STAGE.U.ID IDENTITY",
    ),
    "BigQuery's `CREATE MODEL`": (
        "bigquery",
        "CREATE MODEL m OPTIONS (model_type = 'x') AS SELECT id FROM raw",
        "reads shop.public.raw",
    ),
    "Oracle's `INSERT .. VALUES r`": (
        "oracle",
        "begin select * into r from raw; insert into raw values r; end;",
        "  AMOUNT <- shop.public.RAW.AMOUNT IDENTITY",
    ),
    "Oracle's `BULK COLLECT INTO x`": (
        "oracle",
        "BEGIN SELECT id BULK COLLECT INTO a FROM raw; "
        "FORALL i IN 1 .. a.COUNT INSERT INTO other (id) VALUES (a(i)); END;",
        "  ID <- shop.public.RAW.ID IDENTITY",
    ),
    "`EXECUTE IMMEDIATE": (
        "postgres",
        "DO $$ BEGIN INSERT INTO other (id) SELECT id FROM raw; END $$",
        "  id <- shop.public.raw.id IDENTITY",
    ),
    "ClickHouse's `dictGet": (
        "clickhouse",
        "INSERT INTO other SELECT id, dictGet('customers', 'name', cid) FROM orders",
        "  note <- shop.customers.name IDENTITY",
    ),
    "`CALL`": ("postgres", "CALL f()", "opaque: CALL"),
    "a user's function": (
        "postgres",
        "INSERT INTO other (id) SELECT mine(1) FROM raw",
        "opaque: MINE",
    ),
    "`CREATE PROCEDURE`": (
        "postgres",
        "CREATE FUNCTION f() RETURNS int AS $$ DELETE FROM raw $$ LANGUAGE sql",
        "nothing",
    ),
    "`Column`": ("postgres", "INSERT INTO other (id) SELECT nope FROM raw", "unresolved: Column"),
    "`AmbiguousColumn`": (
        "postgres",
        "INSERT INTO t (a) SELECT b FROM u JOIN v ON u.i = v.i",
        "unresolved: AmbiguousColumn",
    ),
    "`Star`": ("snowflake", "CREATE TABLE X AS SELECT $1 AS A FROM NOPE", "unresolved: Position"),
    "`TargetColumns`": (
        "postgres",
        "INSERT INTO nope SELECT id FROM raw",
        "unresolved: TargetColumns",
    ),
    "`UnnamedColumn`": (
        "postgres",
        "CREATE TABLE x AS SELECT id + 1 FROM raw",
        "unresolved: UnnamedColumn",
    ),
    "`Pivot`": (
        "snowflake",
        "CREATE TABLE X AS SELECT * FROM RAW PIVOT (SUM(AMOUNT) FOR STATE IN (ANY))",
        "unresolved: Pivot",
    ),
    "`TemporaryTable`": (
        "tsql",
        "INSERT INTO other (id) SELECT id FROM #t",
        "unresolved: TemporaryTable",
    ),
    "`Unread`": (
        "postgres",
        "SELECT sum(id) OVER (ORDER BY id RANGE BETWEEN amount PRECEDING AND CURRENT ROW) FROM raw",
        "unresolved: Unread",
    ),
    "an `opaque` class": ("postgres", "INSERT INTO", "opaque: Unparsed"),
    "* The members of a struct": (
        "bigquery",
        "CREATE TABLE public.x AS SELECT s.b FROM "
        "(SELECT STRUCT(id AS a, state AS b) AS s FROM public.raw)",
        "  b <- shop.public.raw.state IDENTITY",
    ),
    "* Columns that an `INSERT`": (
        "postgres",
        "INSERT INTO other (id) SELECT id FROM raw",
        "  id <- shop.public.raw.id IDENTITY",
    ),
    "* Statements in a block": (
        "tsql",
        "IF EXISTS (SELECT 1 FROM raw) DELETE FROM other",
        "opaque: IF",
    ),
    "* Filters and joins of a loop": (
        "oracle",
        "BEGIN FOR r IN (SELECT id FROM raw WHERE state = 'x') LOOP "
        "INSERT INTO other (id) VALUES (1); END LOOP; END;",
        "  * <- shop.public.RAW.STATE FILTER",
    ),
    "* All that follows": (
        "tsql",
        "DECLARE @x INT = 0; WHILE @x < 3 BEGIN INSERT INTO other (id) VALUES (@x); "
        "SET @x = (SELECT MAX(id) FROM raw) END",
        "  id <- shop.dbo.raw.id AGGREGATION",
    ),
    "* Cursors without": (
        "oracle",
        "BEGIN OPEN c FOR v; FOR r IN c LOOP INSERT INTO other (id) VALUES (r.id); END LOOP; END;",
        "opaque: FOR",
    ),
    "* In pipe syntax": (
        "bigquery",
        "CREATE TABLE t AS FROM raw AS r |> EXTEND 1 AS x |> WHERE r.id = 3",
        "unresolved: Column",
    ),
}


def claims() -> list[str]:
    """The rows of the page's tables of statements and reports, and its limits."""
    part = PAGE.partition("## What is resolved")[2].partition("## Names")[0]
    rows = [row[2:] for row in re.findall(r"^\| .*", part, re.M)]
    limits = re.findall(r"^\* .*", part.partition("### Limits")[2], re.M)
    return [
        one for one in (*rows, *limits) if not one.startswith(("statement |", "class |", "---"))
    ]


@pytest.mark.parametrize("claim", claims(), ids=lambda claim: claim[:30])
def test_a_claim_of_the_page_is_shown_by_a_statement(claim: str) -> None:
    """The page was written from the rules: nothing held it to what they do."""
    dialect, text, line = next(of for start, of in SHOWN.items() if claim.startswith(start))
    shown = reported(found(text, PLACES[dialect], known="JOIN v" not in text))
    assert any(row.startswith(line) for row in shown.split("\n")), shown


def test_no_statement_is_left_of_a_claim_that_has_gone() -> None:
    assert [start for start in SHOWN if not any(one.startswith(start) for one in claims())] == []

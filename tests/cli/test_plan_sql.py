"""`colgraph plan --sql`: the lineage of a script that no database has run."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from airflow_colgraph.cli import main
from airflow_colgraph.store.store import Store
from tests.graph_answers import edges_of
from tests.store.samples import output

SCRIPT = """
CREATE TEMP TABLE t AS SELECT * FROM orders WHERE amount > 0;
INSERT INTO mart.daily SELECT day, sum(amount), md5(mail) FROM t JOIN crm.customers c USING (cid)
GROUP BY day, mail;
"""
SCHEMAS = {
    "orders": "day DATE, amount NUMERIC(10, 2), cid INT",
    "crm.customers": "cid INT, mail TEXT",
    "mart.daily": "day DATE, total NUMERIC, mail TEXT",
    "/lake/of/spark": "x struct<y:long>",
}
LINEAGE = """\
mart.daily  (postgres mart.daily)
  day   <- orders.day          DIRECT:IDENTITY
  total <- orders.amount       DIRECT:AGGREGATION
  mail  <- crm.customers.mail  DIRECT:TRANSFORMATION masking
  *     <- crm.customers.cid   INDIRECT:JOIN
  *     <- crm.customers.mail  INDIRECT:GROUP_BY
  *     <- orders.amount       INDIRECT:FILTER
  *     <- orders.cid          INDIRECT:JOIN
  *     <- orders.day          INDIRECT:GROUP_BY
"""
SHOP = "postgres://db:5432"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("daily.sql").write_text(SCRIPT)
    Path("schemas.json").write_text(json.dumps(SCHEMAS))
    return tmp_path


def plan(*words: str, store: str = "") -> Result:
    before = ["--store", store] if store else []
    given = [*before, "plan", "--sql", "daily.sql", "--dialect", "postgres", *words]
    return CliRunner().invoke(main, given)


def events() -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path("colgraph-plan.jsonl").read_text().splitlines()]


def store_of(*tables: tuple[str, dict[str, str]], namespace: str = SHOP) -> str:
    """A store that knows some tables, with their columns and types."""
    with Store.open("sqlite:///lineage.db") as store:
        for name, columns in tables:
            fields = [{"name": column, "type": kind} for column, kind in columns.items()]
            dataset = {**output(name, schema={"fields": fields}), "namespace": namespace}
            store.add({"eventTime": "2026-11-20T12:01:00Z", "dataset": dataset})
    return "sqlite:///lineage.db"


def test_the_lineage_and_the_event_of_a_plan() -> None:
    done = plan("--schemas", "schemas.json")
    assert done.exit_code == 0, done.output
    assert LINEAGE in done.output
    (event,) = events()
    assert (event["job"]["namespace"], event["job"]["name"]) == ("default", "daily.sql")
    assert "colgraph_plan" in event["run"]["facets"]
    assert "colgraph_diagnostics" not in event["run"]["facets"]
    (written,) = event["outputs"]
    types = {field["name"]: field["type"] for field in written["facets"]["schema"]["fields"]}
    assert types == {"day": "date", "total": "decimal", "mail": "text"}
    again = plan("--schemas", "schemas.json", "--job-name", "shop.daily", "--namespace", "air")
    assert again.exit_code == 0
    assert [one["job"]["name"] for one in events()] == ["daily.sql", "shop.daily"]


def test_what_is_printed_is_lineage_and_nothing_else_on_standard_output() -> None:
    """Progress was on the same stream, and only a file could be handed on."""
    schemas = ("--schemas", "schemas.json")
    done = plan(*schemas)
    assert done.stdout == LINEAGE
    assert done.stderr == f"colgraph: 1 event is in {Path('colgraph-plan.jsonl').absolute()}\n"
    assert plan(*schemas, "--quiet").output == ""
    (event,) = map(json.loads, plan(*schemas, "--format", "events").stdout.splitlines())
    assert event["job"]["name"] == "daily.sql"
    graph = json.loads(plan(*schemas, "--format", "json").stdout)
    assert {one["output"]["field"] for one in edges_of(graph)} >= {"day", "total", "mail"}
    Path("colgraph-plan.jsonl").unlink()
    piped = plan(*schemas, "--quiet", "--output", "-")
    assert piped.stderr == ""
    checked = CliRunner().invoke(main, ["check", "--base", "-", "-"], input=piped.stdout)
    assert checked.exit_code == 2  # standard input is read once
    Path("base.jsonl").write_text(piped.stdout)
    checked = CliRunner().invoke(main, ["check", "--base", "base.jsonl", "-"], input=piped.stdout)
    assert (checked.exit_code, checked.stdout) == (0, "1 dataset compared: no change\n")
    assert plan(*schemas, "--output", "-", "--format", "table").stdout == LINEAGE
    assert not Path("colgraph-plan.jsonl").exists()


def test_two_files_of_one_name_are_two_jobs() -> None:
    """They were one: the second one closed the edges of the first."""
    for folder in ("shop", "crm"):
        Path(folder, ".git").mkdir(parents=True)
        Path(folder, "sql").mkdir()
        Path(folder, "sql/daily.sql").write_text(SCRIPT)
    Path("sql").mkdir()
    Path("sql/daily.sql").write_text(SCRIPT)
    for file in ("daily.sql", "sql/daily.sql", "shop/sql/daily.sql"):
        plan("--sql", file, "--schemas", "schemas.json", "--quiet")
    assert [one["job"]["name"] for one in events()] == [
        "daily.sql",
        "sql/daily.sql",
        "sql/daily.sql",  # of a checkout beside: the same file of the same repository
    ]


def test_what_does_not_parse_is_named_with_its_line() -> None:
    Path("daily.sql").write_text(f"{SCRIPT};\n\nINSRT INTO t SELECT 1;\nCREATE TABEL x SELEC 1")
    done = plan("--schemas", "schemas.json")
    assert done.exit_code == 2
    first = SCRIPT.count("\n") + 3
    assert [line for line in done.stderr.splitlines() if "error" in line] == [
        f"colgraph: error: daily.sql, line {first + at}: the statement cannot be parsed."
        for at in (0, 1)
    ]
    assert done.stdout.startswith(LINEAGE.splitlines()[0])


def test_it_is_checked_and_not_kept_as_a_run() -> None:
    plan("--schemas", "schemas.json", "--quiet")
    (ran,) = events()
    del ran["run"]["facets"]["colgraph_plan"]
    Path("base.jsonl").write_text(json.dumps(ran))
    Path("colgraph-plan.jsonl").unlink()
    Path("daily.sql").write_text(SCRIPT.replace("md5(mail)", "mail"))
    plan("--schemas", "schemas.json", "--quiet")
    words = ["check", "colgraph-plan.jsonl", "--base", "base.jsonl", "--format", "json"]
    checked = CliRunner().invoke(main, words)
    changes = json.loads(checked.stdout)["changes"]
    assert ("masking-removed", "mail") in {(one["kind"], one["column"]) for one in changes}
    words = ["--store", "sqlite:///kept.db", "ingest", "colgraph-plan.jsonl"]
    kept = CliRunner().invoke(main, words)
    assert "colgraph plan" in kept.output


def test_columns_come_from_the_store_and_the_file_wins() -> None:
    store = store_of(
        ("shop.public.orders", {"day": "date", "amount": "numeric", "cid": "int"}),
        ("shop.crm.customers", {"cid": "int", "mail": "text"}),
        ("shop.mart.daily", {"d": "date", "total": "numeric", "mail": "varchar"}),
    )
    at = ("--database", SHOP, "--default-schema", "shop.public")
    done = plan(*at, store=store)
    assert done.exit_code == 0, done.output
    assert "warning" not in done.output
    (written,) = events()[0]["outputs"]
    assert (written["namespace"], written["name"]) == (SHOP, "shop.mart.daily")
    lineage = written["facets"]["columnLineage"]["fields"]
    assert {name: of["inputFields"][0]["name"] for name, of in lineage.items()} == {
        "d": "shop.public.orders",
        "total": "shop.public.orders",
        "mail": "shop.crm.customers",
    }
    plan(*at, "--schemas", "schemas.json", store=store)
    (written,) = events()[1]["outputs"]
    assert list(written["facets"]["columnLineage"]["fields"]) == ["day", "total", "mail"]


def test_only_a_store_that_is_named_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    store = store_of(("public.orders", {"day": "date"}), namespace="postgres")
    monkeypatch.setenv("COLGRAPH_STORE", store)
    assert "warning" not in plan().output
    for done in (plan("--store", store), plan(store=store)):
        assert "the store knows no columns of crm.customers in postgres" in done.output


def test_what_is_not_known_is_named() -> None:
    Path("daily.sql").write_text(f"{SCRIPT} CALL refresh();")
    done = plan(store=store_of())
    assert done.exit_code == 0
    lines = done.output.splitlines()
    (warning,) = [line for line in lines if "warning" in line]
    assert "the store knows no columns of public.orders, crm.customers in postgres" in warning
    star = next(line for line in lines if line.startswith("colgraph: not resolved: Star (1): "))
    assert "(statement 1, line 2); name the tables' columns in --schemas" in star
    assert any(one.startswith("colgraph: not looked into: CALL (1): statement ") for one in lines)


def test_a_column_that_no_table_has_is_named_with_its_statement() -> None:
    """The earlier test had no column that was not resolved."""
    Path("daily.sql").write_text("SELECT 1; CREATE TABLE t AS SELECT o.dya, nosuch FROM orders o")
    lines = plan("--schemas", "schemas.json").output.splitlines()
    expected = "not resolved: Column (2): o.dya (statement 2, line 1), "
    expected += "nosuch (statement 2, line 1); check its name, or name the tables' columns in"
    assert any(line.startswith(f"colgraph: {expected} --schemas") for line in lines)


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("INSERT INTO mart.daily SELECT day FROM orders", "list the columns in the statement, or"),
        ("DELETE FROM mart.daily WHERE day < DATE '2020-01-01'", "for a SQL script, name them in"),
    ],
)
def test_what_is_undetermined_in_a_check_says_what_to_do(text: str, advice: str) -> None:
    Path("daily.sql").write_text(text)
    others = {name: columns for name, columns in SCHEMAS.items() if name != "mart.daily"}
    results = []
    for schemas in (others, SCHEMAS):
        Path("schemas.json").write_text(json.dumps(schemas))
        Path("colgraph-plan.jsonl").unlink(missing_ok=True)
        plan("--schemas", "schemas.json", "--quiet")
        words = ["check", "--base", "colgraph-plan.jsonl", "colgraph-plan.jsonl"]
        checked = CliRunner().invoke(main, words)
        results.append((checked.exit_code, advice in checked.output))
    assert results == [(2, True), (0, False)]


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "mysql", "tsql", "bigquery"])
def test_the_file_of_schemas_is_used_in_each_dialect(dialect: str) -> None:
    """Every other test of the file plans for PostgreSQL, whose names have three parts."""
    Path("daily.sql").write_text("CREATE TABLE t AS SELECT * FROM orders")
    Path("schemas.json").write_text(json.dumps({"orders": "Day TEXT, Amount INT"}))
    words = ["plan", "--sql", "daily.sql", "--dialect", dialect, "--schemas", "schemas.json"]
    done = CliRunner().invoke(main, words)
    assert "not resolved" not in done.output
    (written,) = events()[0]["outputs"]
    assert list(written["facets"]["columnLineage"]["fields"]) == ["Day", "Amount"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--sql", "daily.sql"], "Give --sql FILE with --dialect D"),
        (["--sql", "daily.sql", "--dialect", "postgres", "--", "a.py"], "and no application"),
        (["--dialect", "postgres", "--", "job.py"], "are of --sql FILE"),
        (["--sql", "daily.sql", "--dialect", "cobol"], "'cobol' is not a dialect"),
        (["--sql", "none.sql", "--dialect", "postgres"], "'none.sql' does not exist"),
        (["--sql", "binary", "--dialect", "postgres"], "binary cannot be read"),
        (["--sql", "daily.sql", "--dialect", "mysql", "--default-schema", "a.b"], "schema only"),
        (
            ["--sql", "daily.sql", "--dialect", "postgres", "--schemas", "wrong.json"],
            "wrong.json: 'orders' is not a table with columns",
        ),
        (
            ["--sql", "daily.sql", "--dialect", "postgres", "--output", "https://there"],
            "a plan sends nothing",
        ),
    ],
)
def test_wrong_use_is_one_line(words: list[str], message: str) -> None:
    Path("binary").write_bytes(b"SELECT '\xff'")
    Path("wrong.json").write_text('{"orders": "id"}')
    done = CliRunner().invoke(main, ["plan", *words])
    assert done.exit_code == 2
    assert message in done.output.replace("\n", " ")
    assert not Path("colgraph-plan.jsonl").exists()


def test_without_sqlglot_the_message_names_it() -> None:
    code = (
        "import sys; sys.modules['sqlglot'] = None; from airflow_colgraph.cli import main; main()"
    )
    words = ["plan", "--sql", "daily.sql", "--dialect", "postgres"]
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=False
    )
    assert done.stderr.splitlines() == [
        "colgraph: error: --sql needs sqlglot: pip install 'colgraph[sql]'"
    ]
    assert done.returncode == 2

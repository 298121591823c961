"""SQL tasks against a real PostgreSQL and a real SQLite, by the providers' own hooks."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from airflow_colgraph import conf
from airflow_colgraph.extractors.spark import operator_lineage
from airflow_colgraph.operators import sql as sql_operators
from airflow_colgraph.operators.deadline import TooSlow
from airflow_colgraph.operators.sql import ColgraphSQLExecuteQueryOperator
from airflow_colgraph.operators.store_writer import known_fields
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.store import Store
from tests.operators.test_inject import context
from tests.spark.postgres import postgres

TABLES = """
CREATE TABLE raw (id INT, customer TEXT, amount NUMERIC, state TEXT);
CREATE TABLE mart (id INT, customer TEXT, total NUMERIC);
CREATE TABLE names (customer TEXT, name TEXT);
CREATE SCHEMA other;
CREATE TABLE other."Odd Names" ("Id" INT, note TEXT);
CREATE MATERIALIZED VIEW seen AS SELECT id AS k, state AS s FROM raw;
"""


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with postgres(TABLES) as port:
        yield port


@pytest.fixture
def shop(port: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """The namespace of the connection `shop`."""
    monkeypatch.setenv("AIRFLOW_CONN_SHOP", f"postgres://postgres:s3cret@127.0.0.1:{port}/postgres")
    return f"postgres://127.0.0.1:{port}"


def done(sql: Any, **given: Any) -> Any:
    """The operator, executed."""
    operator = ColgraphSQLExecuteQueryOperator(task_id="load", conn_id="shop", sql=sql, **given)
    operator.execute(context())
    return operator


def edges(operator: Any) -> set[str]:
    """Its lineage on the task's event, a line for each edge."""
    found = operator_lineage(operator)
    lines = set()
    for output in found.outputs:
        facet = output.facets.get("columnLineage")
        fields = dict(facet.fields) if facet else {}
        entries = [(name, entry.inputFields) for name, entry in fields.items()]
        entries.append(("*", facet.dataset if facet else []))
        for name, inputs in entries:
            lines |= {
                f"{output.name}.{name} <- {one.name}.{one.field} {step.subtype}"
                for one in inputs
                for step in one.transformations
            }
    return lines


@pytest.mark.postgres
def test_unqualified_columns_have_the_tables_that_the_database_says(shop: str) -> None:
    operator = done(
        "INSERT INTO mart SELECT id, name, sum(amount) FROM raw JOIN names USING (customer) "
        "WHERE state = 's3cret' GROUP BY id, name"
    )
    assert edges(operator) == {
        "postgres.public.mart.id <- postgres.public.raw.id IDENTITY",
        "postgres.public.mart.customer <- postgres.public.names.name IDENTITY",
        "postgres.public.mart.total <- postgres.public.raw.amount AGGREGATION",
        "postgres.public.mart.* <- postgres.public.raw.customer JOIN",
        "postgres.public.mart.* <- postgres.public.names.customer JOIN",
        "postgres.public.mart.* <- postgres.public.raw.state FILTER",
        "postgres.public.mart.* <- postgres.public.raw.id GROUP_BY",
        "postgres.public.mart.* <- postgres.public.names.name GROUP_BY",
    }
    found = operator_lineage(operator)
    assert {one.namespace for one in (*found.inputs, *found.outputs)} == {shop}
    (output,) = found.outputs
    assert [field.type for field in output.facets["schema"].fields] == [
        "integer",
        "text",
        "numeric",
    ]
    (link,) = output.facets["symlinks"].identifiers  # what Spark calls `dbtable=mart`
    assert (link.namespace, link.name) == (shop, "postgres.mart")
    assert found.run_facets.keys() == {"colgraph_task"}
    assert "s3cret" not in str(found)


@pytest.mark.postgres
def test_statements_in_a_list_share_what_the_earlier_ones_made(shop: str) -> None:
    operator = done(
        [
            "CREATE TEMP TABLE t AS SELECT k, upper(s) AS u FROM seen",
            'INSERT INTO other."Odd Names" SELECT k, u FROM t',
            "INSERT INTO names (name) SELECT u FROM t",
        ]
    )
    assert edges(operator) == {
        "postgres.other.Odd Names.Id <- postgres.public.seen.k IDENTITY",
        "postgres.other.Odd Names.note <- postgres.public.seen.s TRANSFORMATION",
        "postgres.public.names.name <- postgres.public.seen.s TRANSFORMATION",
    }
    assert [one.name for one in operator_lineage(operator).inputs] == ["postgres.public.seen"]


@pytest.mark.postgres
def test_the_search_path_decides_which_table_is_meant(port: int, shop: str) -> None:
    address = f"host=127.0.0.1 port={port} user=postgres dbname=postgres"
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA stage; CREATE TABLE stage.fresh (a INT, b INT)")
        connection.execute("CREATE TABLE public.raw2 AS SELECT * FROM raw")
        connection.execute("ALTER ROLE postgres SET search_path = stage, public")
        try:
            by_role = done("CREATE TABLE made AS SELECT b, raw2.id FROM fresh, raw2")
        finally:
            connection.execute("ALTER ROLE postgres RESET search_path")
    assert edges(by_role) == {
        "postgres.stage.made.b <- postgres.stage.fresh.b IDENTITY",
        "postgres.stage.made.id <- postgres.public.raw2.id IDENTITY",
    }
    by_statement = done(
        "SET search_path TO stage, public; INSERT INTO names (name) SELECT b FROM fresh JOIN raw "
        "ON fresh.a = id"
    )
    assert edges(by_statement) == {
        "postgres.public.names.name <- postgres.stage.fresh.b IDENTITY",
        "postgres.public.names.* <- postgres.stage.fresh.a JOIN",
        "postgres.public.names.* <- postgres.public.raw.id JOIN",
    }
    assert operator_lineage(by_statement).run_facets.keys() == {"colgraph_task"}


@pytest.mark.postgres
def test_a_procedure_is_reported_and_never_guessed(shop: str) -> None:
    text = "EXECUTE 'INSERT INTO mart SELECT 1, ' || quote_literal('s3cret') || ', 2'"
    lineage = operator_lineage(done(f"DO $$ BEGIN {text}; END $$"))
    assert (lineage.inputs, lineage.outputs) == ([], [])
    assert lineage.run_facets["colgraph_diagnostics"].opaque == [
        {"class": "EXECUTE", "count": 1, "where": ["statement 1, line 1"]}
    ]


@pytest.mark.postgres
def test_a_task_that_fails_has_no_lineage_of_what_was_rolled_back(shop: str) -> None:
    texts = ["INSERT INTO names (name) SELECT state FROM raw", "INSERT INTO nothing SELECT 1"]
    operator = ColgraphSQLExecuteQueryOperator(task_id="load", conn_id="shop", sql=texts)
    with pytest.raises(Exception, match="nothing"):
        operator.execute(context())
    assert operator_lineage(operator).outputs == []


@pytest.mark.postgres
def test_without_the_schemas_in_time_the_task_runs_and_says_so(
    shop: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def slow(*_: Any) -> None:
        raise TooSlow("it took more than 5 seconds")  # as `within` does, see test_deadline.py

    monkeypatch.setattr(sql_operators, "known", slow)
    operator = done("INSERT INTO names (name) SELECT raw.state FROM raw")
    assert edges(operator) == {
        "postgres.public.names.name <- postgres.public.raw.state IDENTITY",
    }
    assert "the schemas are unknown: it took more than 5 seconds" in capsys.readouterr().out


@pytest.mark.postgres
def test_the_event_is_in_the_store_and_joins_what_spark_calls_the_table(
    shop: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW__COLGRAPH__STORE", f"sqlite:///{tmp_path}/store.db")
    conf.store.cache_clear()
    done("INSERT INTO names (name) SELECT state FROM raw")
    with Store.open(f"sqlite:///{tmp_path}/store.db") as store:
        for name in ("postgres.public.names", "postgres.names"):
            found = graph.upstream(store, shop, name, "name")
            assert {edge.input.field for edge in found.edges} == {"state"}


def connection_to(path: Path) -> str:
    return json.dumps({"conn_type": "sqlite", "host": str(path)})


def test_sqlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = tmp_path / "shop.db"
    with sqlite3.connect(database) as connection:
        connection.executescript("CREATE TABLE a (x INT, y INT); CREATE TABLE b (x INT, z INT)")
    monkeypatch.setenv("AIRFLOW_CONN_SHOP", connection_to(database))
    operator = done(
        ["INSERT INTO b SELECT * FROM a", "INSERT INTO a (y) SELECT z FROM b WHERE x > 1"]
    )
    assert edges(operator) == {
        "b.x <- a.x IDENTITY",
        "b.z <- a.y IDENTITY",
        "a.y <- b.z IDENTITY",
        "a.* <- b.x FILTER",
    }
    assert {one.namespace for one in operator_lineage(operator).outputs} == {f"sqlite:{database}"}


def test_an_unknown_database_runs_as_before_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_SHOP", connection_to(tmp_path / "shop.db"))
    monkeypatch.setattr("airflow_colgraph.operators.sql_connections.KINDS", {})
    operator = done("CREATE TABLE a (x INT)")
    assert operator_lineage(operator).outputs == []
    assert "connections of type 'sqlite' are not known" in capsys.readouterr().out
    assert (tmp_path / "shop.db").exists()


def written(name: str, columns: tuple[str, ...]) -> dict[str, Any]:
    """An event of a job that writes a table; with its schema if it has `columns`."""
    fields = [{"name": column, "type": "int"} for column in columns]
    inputs = [{"namespace": "n", "name": "raw", "field": "id"}]
    lineage = {column: {"inputFields": inputs} for column in (*columns, "address.city")}
    facets: dict[str, Any] = {"columnLineage": {"fields": lineage}}
    if columns:
        facets["schema"] = {"fields": fields}
    return {
        "eventType": "COMPLETE",
        "eventTime": "2026-11-20T00:00:00Z",
        "run": {"runId": "01939b2c-0000-7000-8000-000000000001", "facets": {}},
        "job": {"namespace": "n", "name": name},
        "inputs": [],
        "outputs": [{"namespace": "n", "name": name, "facets": facets}],
    }


def test_columns_of_the_store_are_in_the_order_of_the_table(tmp_path: Path) -> None:
    """An INSERT without a list of columns goes by their positions."""
    url = f"sqlite:///{tmp_path}/store.db"
    names = ("total", "id", "address", "customer")
    with Store.open(url) as store:
        store.add(written("mart", names))
        store.add(written("without_schema", ()))
    tables = [("n", "mart"), ("n", "without_schema"), ("n", "raw")]
    found = known_fields(url, tables)
    assert {name: [*columns] for name, columns in found.items()} == {("n", "mart"): [*names]}

"""Events of Airflow's `emit_query_lineage`: their statement becomes column lineage."""

from typing import Any

import pytest

from airflow_colgraph.collector.events.render import render
from airflow_colgraph.queries import has_statement, with_tables

PRODUCER = "https://github.com/apache/airflow/tree/providers-openlineage/2.20.3"


def event(
    text: str,
    outputs: list[str],
    inputs: tuple[str, ...] = (),
    namespace: str = "postgres://db:5432",
    **schemas: list[str],
) -> dict[str, Any]:
    """What `emit_query_lineage` sends at a statement's end."""

    def dataset(name: str) -> dict[str, Any]:
        fields = [{"name": column} for column in schemas.get(name.rpartition(".")[2], ())]
        return {
            "namespace": namespace,
            "name": name,
            "facets": {"schema": {"fields": fields}} if fields else {},
        }

    return {
        "eventType": "COMPLETE",
        "eventTime": "2026-11-20T10:00:00Z",
        "producer": PRODUCER,
        "run": {"runId": "0199aaaa-0000-7000-8000-000000000001", "facets": {}},
        "job": {
            "namespace": "tests",
            "name": "shop.load.manual_query.1",
            "facets": {"sql": {"query": text}},
        },
        "inputs": [dataset(name) for name in inputs],
        "outputs": [dataset(name) for name in outputs],
    }


def edges(resolved: dict[str, Any], output: int = 0) -> list[tuple[str, str, str, str]]:
    """Column, input's dataset and field, subtype; the column `*` is of all rows."""
    facet = resolved["outputs"][output]["facets"]["columnLineage"]
    found = [(name, one) for name, entry in facet["fields"].items() for one in entry["inputFields"]]
    found += [("*", one) for one in facet["dataset"]]
    return [
        (column, one["name"], one["field"], step["subtype"])
        for column, one in found
        for step in one["transformations"]
    ]


def test_a_statement_has_columns_in_the_names_of_the_event() -> None:
    text = """
    INSERT INTO daily (day, total)
    SELECT o.day, sum(o.amount) FROM orders o WHERE o.state = 'paid' GROUP BY o.day"""
    given = event(text, ["shop.public.daily"], ("shop.public.orders",))
    (found,) = with_tables([given])
    orders = "shop.public.orders"
    assert edges(found) == [
        ("day", orders, "day", "IDENTITY"),
        ("total", orders, "amount", "AGGREGATION"),
        ("*", orders, "day", "GROUP_BY"),
        ("*", orders, "state", "FILTER"),
    ]
    assert found["run"] == given["run"]
    assert "columnLineage" not in given["outputs"][0]["facets"]


def test_tables_that_the_event_lacks_are_in_the_outputs_schema() -> None:
    text = "CREATE TABLE mart.t AS SELECT a.x, b.y FROM raw.a JOIN other.raw.b ON a.id = b.id"
    (found,) = with_tables([event(text, ["shop.mart.t"])])
    assert [one["name"] for one in found["inputs"]] == ["shop.raw.a", "other.raw.b"]
    assert ("x", "shop.raw.a", "x", "IDENTITY") in edges(found)
    assert ("y", "other.raw.b", "y", "IDENTITY") in edges(found)


def test_columns_without_a_table_need_the_events_schemas() -> None:
    text = "INSERT INTO t (u, v) SELECT x, y FROM a JOIN b USING (id)"
    (found,) = with_tables([event(text, ["s.t"], ("s.a", "s.b"), a=["id", "x"], b=["id", "y"])])
    assert ("u", "s.a", "x", "IDENTITY") in edges(found)
    assert ("v", "s.b", "y", "IDENTITY") in edges(found)
    (found,) = with_tables([event(text, ["s.t"], ("s.a", "s.b"))])
    assert found["run"]["facets"]["colgraph_diagnostics"]["unresolved"]


def test_each_output_has_its_own_lineage() -> None:
    text = "INSERT INTO one SELECT a FROM x; INSERT INTO two SELECT b FROM y"
    given = event(text, ["d.one", "d.two"], ("d.x", "d.y"), one=["a"], two=["b"])
    (found,) = with_tables([given])
    assert edges(found, 0) == [("a", "d.x", "a", "IDENTITY")]
    assert edges(found, 1) == [("b", "d.y", "b", "IDENTITY")]


@pytest.mark.parametrize(
    ("namespace", "text", "field"),
    [
        ("snowflake://org-acct", "INSERT INTO T (V) SELECT PARSE_JSON(S):k FROM R", "S"),
        ("bigquery", "CREATE TABLE d.T AS SELECT * EXCEPT (a) FROM UNNEST([1]) a, d.R r", None),
        ("databricks://adb-1.net", "INSERT OVERWRITE T SELECT `v` FROM R", "v"),
        ("trino://h:8080", "INSERT INTO T SELECT v FROM R", "v"),
    ],
)
def test_the_dialect_is_that_of_the_namespace(namespace: str, text: str, field: str | None) -> None:
    given = event(text, ["c.d.T"], ("c.d.R",), namespace, T=["V"])
    (found,) = with_tables([given])
    if field is not None:
        assert [edge[1:3] for edge in edges(found)] == [("c.d.R", field)]
    else:
        assert found["run"]["facets"]["colgraph_diagnostics"]["unresolved"]


@pytest.mark.parametrize(
    "changed",
    [
        {"eventType": "FAIL"},
        {"producer": "https://github.com/OpenLineage/OpenLineage/tree/1.54/integration/dbt"},
        {"outputs": []},
        {"outputs": [{"namespace": "n", "name": "t", "facets": {"columnLineage": {}}}]},
        {"job": {"namespace": "tests", "name": "load", "facets": {"sql": None}}},
        {"job": None},
        {"outputs": [{"namespace": "file", "name": "/t"}]},
        {"outputs": [{"namespace": 1}]},
    ],
)
def test_other_events_stay_as_they_are(changed: dict[str, Any]) -> None:
    given = {**event("INSERT INTO t SELECT a FROM b", ["t"]), **changed}
    assert with_tables([given]) == [given]


@pytest.mark.parametrize("text", ["CALL refresh()", "INSERT INTO", "'", "((((", "\0", ""])
def test_what_cannot_be_read_is_reported_or_left_alone(text: str) -> None:
    given = event(text, ["s.t"])
    assert has_statement(given)
    (found,) = with_tables([given])
    assert "columnLineage" not in found["outputs"][0]["facets"]
    assert found["outputs"] == given["outputs"]


def test_it_is_shown_as_text() -> None:
    (found,) = with_tables([event("INSERT INTO t (x) SELECT b.a FROM b", ["s.t"], ("s.b",))])
    assert "x <- s.b.a" in render([found])

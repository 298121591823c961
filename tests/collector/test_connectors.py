"""Connectors that need an account: stand-ins with the methods that their relations have."""

from types import SimpleNamespace
from typing import Any

import pytest

from airflow_colgraph import sql
from airflow_colgraph.collector.events import facets
from airflow_colgraph.collector.model import Read
from airflow_colgraph.collector.spark import connectors as connectors
from airflow_colgraph.collector.spark.reads import RELATIONS
from airflow_colgraph.collector.spark.writes import FORMATS, SINKS

OUTPUT = [[{"name": "ID", "dataType": "long"}], [{"name": "NAME", "dataType": "string"}]]


class Some:
    """A Scala Option."""

    def __init__(self, found: Any = None) -> None:
        self.found = found

    def isDefined(self) -> bool:
        return self.found is not None

    def get(self) -> Any:
        return self.found


def answering(**answers: Any) -> Any:
    """An object in the JVM whose methods answer so."""
    return SimpleNamespace(**{name: lambda found=found: found for name, found in answers.items()})


def read(kind: str, relation: Any) -> Read | None:
    catalog: Any = None
    return RELATIONS[kind](relation, {"output": OUTPUT}, catalog)


def names(found: Read | None) -> list[tuple[str, str]]:
    assert found is not None
    assert [name for name, _ in found.columns] == ["ID", "NAME"]
    return [(named.dataset.namespace, named.dataset.name) for named in found.datasets]


def test_a_bigquery_table_is_read() -> None:
    table = answering(getProject="shop", getDataset="raw", getTable="orders")
    found = read("BigQueryRelation", answering(getTableId=table))
    assert names(found) == [("bigquery", "shop.raw.orders")]


def test_a_bigquery_table_of_no_project_is_not_named() -> None:
    table = answering(getProject=None, getDataset="raw", getTable="orders")
    assert read("BigQueryRelation", answering(getTableId=table)) is None


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"table": "shop:raw.orders"}, "shop.raw.orders"),
        ({"table": "my-shop.raw.orders"}, "my-shop.raw.orders"),
        ({"path": "example.com:shop.raw.orders"}, "example.com:shop.raw.orders"),
        ({"table": "raw.orders$20260131", "parentproject": "shop"}, "shop.raw.orders"),
        ({"table": "orders", "dataset": "raw", "project": "shop"}, "shop.raw.orders"),
        ({"table": "orders", "project": "shop"}, None),
        ({"table": "raw.orders"}, None),
        ({}, None),
    ],
)
@pytest.mark.parametrize("provider", ["BigQueryRelationProvider", "Spark35BigQueryTableProvider"])
def test_a_bigquery_table_is_written(
    provider: str, options: dict[str, str], name: str | None
) -> None:
    found = SINKS[provider](options)
    assert (found.dataset if found else None) == (name and ("bigquery", name))
    assert FORMATS[provider] == "bigquery"


def snowflake(table: str | None = None, query: str | None = None) -> Any:
    given = answering(
        sfURL="acme-eu.snowflakecomputing.com",
        sfDatabase="SHOP",
        sfSchema="RAW",
        table=Some(table and answering(toString=table)),
        query=Some(query),
    )
    return answering(params=given)


@pytest.mark.parametrize(
    ("table", "name"),
    [
        ("ORDERS", "SHOP.RAW.ORDERS"),
        ("MART.ORDERS", "SHOP.MART.ORDERS"),
        ('"Shop"."Raw"."orders"', "Shop.Raw.orders"),
    ],
)
def test_a_snowflake_table_is_read_and_written(table: str, name: str) -> None:
    assert names(read("SnowflakeRelation", snowflake(table))) == [("snowflake://acme-eu", name)]
    place = {"sfurl": "https://acme-eu.snowflakecomputing.com", "sfdatabase": "SHOP"}
    found = SINKS[connectors.SNOWFLAKE]({**place, "sfschema": "RAW", "dbtable": table})
    assert found is not None
    assert found.dataset == ("snowflake://acme-eu", name)


def test_the_tables_of_a_snowflake_query_are_found() -> None:
    text = "SELECT o.ID, upper(c.NAME) AS NAME FROM ORDERS o JOIN MART.CUSTOMERS c ON o.CID = c.ID"
    found = read("SnowflakeRelation", snowflake(query=text))
    assert found is not None
    ((space, name),) = names(found)
    assert name.startswith("query:")
    used = [{"namespace": space, "name": name, "field": "NAME", "transformations": []}]
    used[0]["transformations"] = [{"type": "DIRECT", "subtype": "IDENTITY", "masking": False}]
    lineage = {"fields": {"x": {"inputFields": used}}, "dataset": []}
    output = {"namespace": "n", "name": "out", "facets": {"columnLineage": lineage}}
    event = sql.resolved({"inputs": facets.input_datasets([found]), "outputs": [output]})
    assert {item["name"] for item in event["inputs"]} == {"SHOP.RAW.ORDERS", "SHOP.MART.CUSTOMERS"}
    (source,) = event["outputs"][0]["facets"]["columnLineage"]["fields"]["x"]["inputFields"]
    assert (source["namespace"], source["name"], source["field"]) == (
        "snowflake://acme-eu",
        "SHOP.MART.CUSTOMERS",
        "NAME",
    )

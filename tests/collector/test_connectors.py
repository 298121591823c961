"""Connectors that need an account: stand-ins with the methods that their relations have."""

from types import SimpleNamespace
from typing import Any

import pytest

from airflow_colgraph.collector.events import facets
from airflow_colgraph.collector.model import Read
from airflow_colgraph.collector.spark import connectors as connectors
from airflow_colgraph.collector.spark.catalog import CONNECTED
from airflow_colgraph.collector.spark.reads import RELATIONS
from airflow_colgraph.collector.spark.writes import FORMATS, SINKS
from airflow_colgraph.sql import jdbc_queries as sql

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


# Azure Data Explorer --------------------------------------------------------------------------


def kusto(query: str) -> Any:
    """A Scala case class whose parameters are read as private fields."""
    coordinates = answering(clusterUrl="https://clu.kusto.windows.net", database="db")
    fields = {
        name: SimpleNamespace(setAccessible=lambda _: None, get=lambda _, found=found: found)
        for name, found in {"kustoCoordinates": coordinates, "query": query}.items()
    }
    return answering(getClass=SimpleNamespace(getDeclaredField=fields.__getitem__))


@pytest.mark.parametrize("query", ["orders", " orders\n", "['orders']", '["orders"]'])
def test_a_kusto_table_is_read(query: str) -> None:
    found = read("KustoRelation", kusto(query))
    assert names(found) == [("azurekusto://clu.kusto.windows.net/db", "orders")]


def test_a_kusto_query_stands_for_itself() -> None:
    ((space, name),) = names(read("KustoRelation", kusto("orders | where id > 1")))
    assert (space, name[:6]) == ("azurekusto://clu.kusto.windows.net/db", "query:")


def test_a_kusto_table_is_written() -> None:
    place = {"kustocluster": "clu", "kustodatabase": "db"}
    found = SINKS[connectors.KUSTO]({**place, "kustotable": "orders"})
    assert found is not None
    assert found.dataset == ("azurekusto://clu.kusto.windows.net/db", "orders")
    assert SINKS[connectors.KUSTO](place) is None
    assert FORMATS[connectors.KUSTO] == "kusto"


# MongoDB --------------------------------------------------------------------------------------

MONGO = "mongodb://me:pw@h1:1,h2:2"


@pytest.mark.parametrize(
    ("settings", "purpose", "namespace"),
    [
        ({"connection.uri": MONGO, "database": "db", "collection": "c"}, "read", "db"),
        ({"connection.uri": f"{MONGO}/db.c?w=1"}, "read", "db"),
        ({"connection.uri": f"{MONGO}/other", "database": "db", "collection": "c"}, "read", "db"),
        ({"spark.mongodb.write.connection.uri": f"{MONGO}/db", "collection": "c"}, "write", "db"),
        ({"spark.mongodb.connection.uri": f"{MONGO}/db.c"}, "write", "db"),
        ({"spark.mongodb.write.connection.uri": f"{MONGO}/db.c"}, "read", None),
        ({"connection.uri": MONGO, "database": "db"}, "read", None),
        ({}, "read", None),
    ],
)
def test_a_mongo_collection(settings: dict[str, str], purpose: str, namespace: str | None) -> None:
    found = CONNECTED["MongoTable"](None, lambda name: settings.get(name, ""), purpose)
    expected = namespace and (f"mongodb://h1:1,h2:2/{namespace}", "c")
    assert (found.dataset if found else None) == expected


# Azure Cosmos DB ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["ItemsTable", "ItemsReadOnlyTable"])
def test_a_cosmos_container(kind: str) -> None:
    table = answering(name="com.azure.cosmos.spark.items.acct.db.orders.eu")
    found = CONNECTED[kind](table, lambda name: "", "read")
    assert found is not None
    assert found.dataset == ("azurecosmos://acct.documents.azure.com/dbs/db", "/colls/orders.eu")
    assert CONNECTED[kind](answering(name="other"), lambda name: "", "read") is None


# Kinesis --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "namespace"),
    [
        ({"kinesis.streamname": "s", "kinesis.region": "eu-west-1"}, "eu-west-1.amazonaws.com"),
        ({"streamname": "s", "endpointurl": "https://kinesis.local:443"}, "local"),
        ({"kinesis.streamname": "s"}, None),
        ({"kinesis.region": "eu-west-1"}, None),
    ],
)
def test_a_kinesis_stream(options: dict[str, str], namespace: str | None) -> None:
    found = connectors.kinesis_stream(options)
    expected = namespace and (f"kinesis://kinesis.{namespace}", "s")
    assert (found.dataset if found else None) == expected

"""What the relations of connectors read, and what a save to them writes.

Kafka, Kinesis, BigQuery, Snowflake, Azure Data Explorer (Kusto), MongoDB and Azure Cosmos DB.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from airflow_colgraph.collector.model import NamedDataset, Read
from airflow_colgraph.collector.naming.datasets import (
    bigquery_dataset,
    cosmos_dataset,
    kafka_dataset,
    kinesis_dataset,
    kusto_dataset,
    mongo_dataset,
    snowflake_dataset,
)
from airflow_colgraph.collector.naming.options import lowered
from airflow_colgraph.collector.plan import Row
from airflow_colgraph.collector.registry import register
from airflow_colgraph.collector.spark.catalog import CONNECTED, Catalog, Setting
from airflow_colgraph.collector.spark.jvm import Java, option, private, scala_map
from airflow_colgraph.collector.spark.reads import RELATIONS, attributes_of, query_source
from airflow_colgraph.collector.spark.writes import FORMATS, SINKS
from airflow_colgraph.openlineage.redaction import without_login

# Kafka ----------------------------------------------------------------------------------------


def topics_of(options: Mapping[str, str]) -> tuple[NamedDataset, ...]:
    """The topics that a reader's options name, by lower-cased name; a pattern names none."""
    servers = options.get("kafka.bootstrap.servers")
    if not servers:
        return ()
    topics = [topic.strip() for topic in options.get("subscribe", "").split(",")]
    if "assign" in options:
        topics = list(json.loads(options["assign"]))
    return tuple(NamedDataset(kafka_dataset(servers, topic)) for topic in topics if topic)


@register(RELATIONS, "KafkaRelation")
def _kafka(relation: Java, row: Row, catalog: Catalog) -> Read | None:
    options = scala_map(private(relation, "sourceOptions"))
    named = topics_of(lowered(options))
    return Read(named, attributes_of(row), {}, "kafka") if named else None


@register(SINKS, "KafkaSourceProvider")
def _by_topic(options: dict[str, str]) -> NamedDataset | None:
    if not options.get("topic") or not options.get("kafka.bootstrap.servers"):
        return None
    return NamedDataset(kafka_dataset(options["kafka.bootstrap.servers"], options["topic"]))


# Kinesis --------------------------------------------------------------------------------------


def kinesis_stream(options: Mapping[str, str]) -> NamedDataset | None:
    """The stream that a reader's options name, by lower-cased name.

    `streamName` and `endpointUrl`, as Qubole's connector has them, or `kinesis.streamName` and
    `kinesis.endpointUrl` or `kinesis.region`, as that of AWS Labs.
    """
    name, endpoint, region = (
        options.get(f"kinesis.{option}") or options.get(option) or ""
        for option in ("streamname", "endpointurl", "region")
    )
    if not endpoint and region:
        endpoint = f"https://kinesis.{region}.amazonaws.com"
    return NamedDataset(kinesis_dataset(endpoint, name)) if name and endpoint else None


# BigQuery -------------------------------------------------------------------------------------

# `project:dataset.table`, `project.dataset.table`, `dataset.table` or only `table`, with or without
# a partition (`$20260131`).
BIGQUERY = re.compile(r"(?:(?:([\w.:-]+)[.:])?(\w+)\.)?([^.:$]+)(?:\$\w+)?")


def bigquery_named(options: Mapping[str, str]) -> NamedDataset | None:
    """The table that a reader's or writer's options name, by lower-cased name."""
    match = BIGQUERY.fullmatch(options.get("table") or options.get("path") or "")
    if match is None:
        return None
    project = match[1] or options.get("project") or options.get("parentproject")
    dataset = match[2] or options.get("dataset")
    if not project or not dataset:
        return None
    return NamedDataset(bigquery_dataset(project, dataset, match[3]))


@register(RELATIONS, "BigQueryRelation")
def _bigquery(relation: Java, row: Row, catalog: Catalog) -> Read | None:
    table = relation.getTableId()
    parts = (table.getProject(), table.getDataset(), table.getTable())
    if not all(parts):
        return None
    return Read(
        (NamedDataset(bigquery_dataset(*map(str, parts))),), attributes_of(row), {}, "bigquery"
    )


PROVIDERS = [
    f"{build}BigQuery{kind}Provider"
    for build in ("", "Scala212", "Scala213", *(f"Spark3{minor}" for minor in range(1, 6)))
    for kind in ("Relation", "Table")
]
SINKS |= dict.fromkeys(PROVIDERS, bigquery_named)


# Snowflake ------------------------------------------------------------------------------------

SNOWFLAKE = "net.snowflake.spark.snowflake.DefaultSource"


@register(RELATIONS, "SnowflakeRelation")
def _snowflake(relation: Java, row: Row, catalog: Catalog) -> Read | None:
    parameters = relation.params()
    place = (str(parameters.sfURL()), str(parameters.sfDatabase()), str(parameters.sfSchema()))
    table, query = option(parameters.table()), option(parameters.query())
    if table is not None:
        named = NamedDataset(snowflake_dataset(*place, str(table.toString())))
        return Read((named,), attributes_of(row), {}, "snowflake")
    if query is None:
        return None
    space, name = snowflake_dataset(*place, "query")
    properties = {"url": space, "database": name.rpartition(".")[0]}
    named, more = query_source(space, str(query))
    return Read((named,), attributes_of(row), {**properties, **more}, "snowflake")


@register(SINKS, SNOWFLAKE)
def _by_snowflake_table(options: dict[str, str]) -> NamedDataset | None:
    wanted = ("sfurl", "sfdatabase", "sfschema", "dbtable")
    url, database, schema, table = (options.get(name, "") for name in wanted)
    return NamedDataset(snowflake_dataset(url, database, schema, table)) if url and table else None


# Azure Data Explorer --------------------------------------------------------------------------

KUSTO = "com.microsoft.kusto.spark.datasource.DefaultSource"
KUSTO_TABLE = re.compile(r"""\s*(?:(\w+)|\[["']([^"']+)["']\])\s*""")


@register(RELATIONS, "KustoRelation")
def _kusto(relation: Java, row: Row, catalog: Catalog) -> Read | None:
    """The table, or for a query in Kusto's language the query itself under a name of its own."""
    coordinates = private(relation, "kustoCoordinates")
    place = (str(coordinates.clusterUrl()), str(coordinates.database()))
    query = str(private(relation, "query"))
    table = KUSTO_TABLE.fullmatch(query)
    if table:
        named = NamedDataset(kusto_dataset(*place, table[1] or table[2]))
    else:
        named, _ = query_source(kusto_dataset(*place, "").namespace, query)
    return Read((named,), attributes_of(row), {}, "kusto")


@register(SINKS, KUSTO)
def _by_kusto_table(options: dict[str, str]) -> NamedDataset | None:
    cluster, database, table = (
        options.get(f"kusto{part}", "") for part in ("cluster", "database", "table")
    )
    if not (cluster and database and table):
        return None
    return NamedDataset(kusto_dataset(cluster, database, table))


# MongoDB --------------------------------------------------------------------------------------

MONGO_PATH = re.compile(r"\w[\w+]*://[^/]*/(?P<database>[^.?/]+)(?:\.(?P<collection>[^?/]+))?")


@register(CONNECTED, "MongoTable")
def mongo_collection(table: Java, setting: Setting, purpose: str) -> NamedDataset | None:
    """The collection by the connector's options, with or without `spark.mongodb.read.` in front.

    The path of the connection's URI has the database and collection that no option names.
    """
    prefixes = ("", f"spark.mongodb.{purpose}.", "spark.mongodb.")
    uri, database, collection = (
        next(filter(None, (setting(prefix + option) for prefix in prefixes)), "")
        for option in ("connection.uri", "database", "collection")
    )
    path = MONGO_PATH.match(without_login(uri))
    if path:
        database = database or path["database"]
        collection = collection or path["collection"] or ""
    if not (uri and database and collection):
        return None
    return NamedDataset(mongo_dataset(uri, database, collection))


# Azure Cosmos DB ------------------------------------------------------------------------------

COSMOS = "com.azure.cosmos.spark.items."  # and then account.database.container


@register(CONNECTED, "ItemsTable", "ItemsReadOnlyTable")
def _cosmos(table: Java, setting: Setting, purpose: str) -> NamedDataset | None:
    name = str(table.name())
    parts = name[len(COSMOS) :].split(".", 2)
    if not name.startswith(COSMOS) or len(parts) < 3:
        return None
    return NamedDataset(cosmos_dataset(*parts))


FORMATS |= dict.fromkeys(PROVIDERS, "bigquery")
FORMATS |= {"KafkaSourceProvider": "kafka", SNOWFLAKE: "snowflake", KUSTO: "kusto"}

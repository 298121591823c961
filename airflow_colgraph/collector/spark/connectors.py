"""Kafka, BigQuery and Snowflake: what their relations read, and what a save to them writes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from airflow_colgraph.collector.model import NamedDataset, Read
from airflow_colgraph.collector.naming.datasets import (
    bigquery_dataset,
    kafka_dataset,
    snowflake_dataset,
)
from airflow_colgraph.collector.plan import Row
from airflow_colgraph.collector.registry import register
from airflow_colgraph.collector.spark.catalog import Catalog
from airflow_colgraph.collector.spark.jvm import Java, option, private, scala_map
from airflow_colgraph.collector.spark.reads import RELATIONS, attributes_of, query_source
from airflow_colgraph.collector.spark.writes import FORMATS, SINKS

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
    named = topics_of({name.lower(): value for name, value in options.items()})
    return Read(named, attributes_of(row), {}, "kafka") if named else None


@register(SINKS, "KafkaSourceProvider")
def _by_topic(options: dict[str, str]) -> NamedDataset | None:
    if not options.get("topic") or not options.get("kafka.bootstrap.servers"):
        return None
    return NamedDataset(kafka_dataset(options["kafka.bootstrap.servers"], options["topic"]))


# BigQuery -------------------------------------------------------------------------------------

# `project:dataset.table`, `project.dataset.table`, `dataset.table` or only `table`, with or without
# a partition (`$20260131`).
BIGQUERY = re.compile(r"(?:(?:([\w.:-]+)[.:])?(\w+)\.)?([^.:$]+)(?:\$\w+)?")


def bigquery_named(options: Mapping[str, str]) -> NamedDataset | None:
    """The table that a reader's or writer's options name, by lower-cased name."""
    found = BIGQUERY.fullmatch(options.get("table") or options.get("path") or "")
    if found is None:
        return None
    project = found[1] or options.get("project") or options.get("parentproject")
    dataset = found[2] or options.get("dataset")
    if not project or not dataset:
        return None
    return NamedDataset(bigquery_dataset(project, dataset, found[3]))


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
    given = relation.params()
    place = (str(given.sfURL()), str(given.sfDatabase()), str(given.sfSchema()))
    table, query = option(given.table()), option(given.query())
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


FORMATS |= dict.fromkeys(PROVIDERS, "bigquery")
FORMATS |= {"KafkaSourceProvider": "kafka", SNOWFLAKE: "snowflake"}

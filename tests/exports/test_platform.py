"""OpenLineage's namespaces as DataHub's platforms and environments, and back."""

import json
from typing import Any

import pytest

from airflow_colgraph.exports.datahub.platform import (
    Mapping,
    MappingError,
    Site,
    from_datahub,
    lowercases,
    parse_mapping,
    to_datahub,
)
from airflow_colgraph.exports.datahub.urn import DatasetUrn

# namespace, name -> platform, name; and what comes back where it is not the same
NAMES = [
    ("s3://lake", "raw/orders", "s3", "lake/raw/orders", None),
    ("s3a://lake", "/raw/orders/", "s3", "lake/raw/orders", ("s3://lake", "raw/orders")),
    ("gs://lake", "raw/orders", "gcs", "lake/raw/orders", None),
    ("s3://lake", "/", "s3", "lake", None),
    (
        "abfss://box@acct.dfs.core.windows.net",
        "raw/orders",
        "abs",
        "box/raw/orders",
        ("abs", "box/raw/orders"),
    ),
    ("hdfs://nn:8020", "/demo/orders", "hdfs", "/demo/orders", ("hdfs", "/demo/orders")),
    ("file", "/tmp/orders", "file", "/tmp/orders", None),
    ("file://host", "/tmp/orders", "file", "/tmp/orders", ("file", "/tmp/orders")),
    ("hive://metastore:9083", "mart.daily", "hive", "mart.daily", ("hive", "mart.daily")),
    ("postgres://db:5432", "shop.public.orders", "postgres", "shop.public.orders",
     ("postgres", "shop.public.orders")),
    ("mysql://db:3306", "shop.orders", "mysql", "shop.orders", ("mysql", "shop.orders")),
    ("snowflake://org-acct", "SHOP.PUBLIC.ORDERS", "snowflake", "shop.public.orders",
     ("snowflake", "shop.public.orders")),
    ("bigquery", "proj.shop.orders", "bigquery", "proj.shop.orders", None),
    ("kafka://broker:9092", "demo.orders", "kafka", "demo.orders", ("kafka", "demo.orders")),
    ("redshift://c.eu-west-1:5439", "d.s.t", "redshift", "d.s.t", ("redshift", "d.s.t")),
    ("trino://h:8080", "c.s.t", "trino", "c.s.t", ("trino", "c.s.t")),
    ("sqlserver://h:1433", "d.s.t", "mssql", "d.s.t", ("mssql", "d.s.t")),
    ("awsathena://athena.eu-west-1.amazonaws.com", "c.d.t", "athena", "c.d.t", ("athena", "c.d.t")),
    ("arn:aws:glue:eu-west-1:123", "table/shop/x", "glue", "shop.x", ("glue", "shop.x")),
    ("oracle://h:1521", "x.s.t", "oracle", "x.s.t", ("oracle", "x.s.t")),
    ("our_system", "thing", "our_system", "thing", None),
]  # fmt: skip


@pytest.mark.parametrize("row", NAMES, ids=lambda row: row[0])
def test_names(row: tuple[str, str, str, str, tuple[str, str] | None]) -> None:
    namespace, name, platform, theirs, back = row
    urn = to_datahub(namespace, name, Mapping())
    assert urn == DatasetUrn(platform, theirs, "PROD")
    assert from_datahub(urn, Mapping()) == (back or (namespace, name))


def test_a_mapping_overrides_the_defaults() -> None:
    mapping = Mapping(
        env="QA",
        namespaces={
            "postgres://dev-*": Site(env="DEV"),
            "postgres://dev-2:5432": Site(instance="two"),
            "hive://m:9083": Site(platform="iceberg", instance="lake"),
            "snowflake://org": Site(lowercase=False),
            "pg": Site(platform="postgres", lowercase=True),
        },
    )
    expected = {
        ("postgres://dev-1:5432", "S.t"): DatasetUrn("postgres", "S.t", "DEV"),
        ("postgres://dev-2:5432", "S.t"): DatasetUrn("postgres", "two.S.t", "QA"),
        ("postgres://prod:5432", "S.t"): DatasetUrn("postgres", "S.t", "QA"),
        ("hive://m:9083", "S.t"): DatasetUrn("iceberg", "lake.S.t", "QA"),
        ("hive://n:9083", "S.t"): DatasetUrn("hive", "S.t", "QA"),
        ("snowflake://org", "S.t"): DatasetUrn("snowflake", "S.t", "QA"),
        ("pg", "S.t"): DatasetUrn("postgres", "s.t", "QA"),
    }
    assert {names: to_datahub(*names, mapping) for names in expected} == expected
    lower = {namespace: lowercases(namespace, mapping) for namespace, _ in expected}
    assert [namespace for namespace, yes in lower.items() if yes] == ["pg"]


def test_a_namespace_of_the_mapping_comes_back() -> None:
    mapping = Mapping(
        namespaces={
            "postgres://a:5432": Site(instance="a"),
            "postgres://b:5432": Site(instance="b"),
            "hive://*": Site(env="DEV"),
            "kafka://broker:9092": Site(),
        }
    )
    for names in [
        ("postgres://a:5432", "d.s.t"),
        ("postgres://b:5432", "d.s.t"),
        ("kafka://broker:9092", "orders"),
        ("s3://lake", "x"),
    ]:
        assert from_datahub(to_datahub(*names, mapping), mapping) == names
    assert from_datahub(DatasetUrn("postgres", "c.d.s.t"), mapping) == ("postgres", "c.d.s.t")
    assert from_datahub(DatasetUrn("kafka", "o", "DEV"), mapping) == ("kafka", "o")
    assert from_datahub(DatasetUrn("hive", "o", "DEV"), mapping) == ("hive", "o")


def test_a_mapping_file() -> None:
    text = json.dumps(
        {
            "env": "DEV",
            "orchestrator": "spark",
            "cluster": "lab",
            "namespaces": {"pg": {"platform": "postgres", "lowercase": True}},
        }
    )
    assert parse_mapping(text) == Mapping(
        "DEV", {"pg": Site(platform="postgres", lowercase=True)}, "spark", "lab"
    )
    assert parse_mapping("{}") == Mapping()


BAD: list[tuple[Any, str]] = [
    ("{", "The mapping is not JSON: Expecting property name enclosed in double quotes"),
    ([], "The mapping is not a JSON object."),
    ({"environment": "DEV"}, "The mapping has no 'environment'. Known: env, namespaces, "),
    ({"env": "LIVE"}, "The mapping: environment 'LIVE' is unknown. One of: DEV, TEST, "),
    ({"env": 3}, "The mapping: 'env' is 3, not a str."),
    ({"namespaces": []}, "'namespaces' of the mapping is not a JSON object."),
    ({"namespaces": {"pg": "x"}}, "Namespace 'pg' of the mapping is not a JSON object."),
    ({"namespaces": {"pg": {"name": "x"}}}, "Namespace 'pg' of the mapping has no 'name'. Known: "),
    ({"namespaces": {"pg": {"lowercase": "x"}}},
     "Namespace 'pg' of the mapping: 'lowercase' is 'x', not a bool."),
    ({"namespaces": {"pg": {"platform": "a,b"}}},
     "Namespace 'pg' of the mapping: platform 'a,b' has a comma, bracket or blank."),
]  # fmt: skip


@pytest.mark.parametrize(("given", "message"), BAD, ids=[b[1][:40] for b in BAD])
def test_a_bad_mapping_is_one_line(given: Any, message: str) -> None:
    with pytest.raises(MappingError) as caught:
        parse_mapping(given if isinstance(given, str) else json.dumps(given))
    assert str(caught.value).startswith(message)

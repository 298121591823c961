"""What a path or a table is called, wherever a leaf finds it (U4)."""

from __future__ import annotations

import pytest

from airflow_colgraph.collector.model import Dataset
from airflow_colgraph.collector.naming import datasets as naming

ADLS = "abfss://c@a.dfs.core.windows.net"

FILES = [
    ("s3://b/w/l/", "s3://b", "w/l"),
    ("s3a://b/w/l/", "s3://b", "w/l"),
    ("s3n://b/w/l", "s3://b", "w/l"),
    ("s3://b", "s3://b", "/"),
    ("s3://b/", "s3://b", "/"),
    ("S3A://b/W", "s3://b", "W"),
    ("gs://b/w", "gs://b", "w"),
    (f"{ADLS}/w", ADLS, "w"),
    ("abfs://c@a.dfs.core.windows.net/w", ADLS, "w"),
    ("wasbs://c@x/w", "wasbs://c@x", "w"),
    ("wasb://c@x/w/", "wasbs://c@x", "w"),
    ("hdfs://nn:8020/w/l/", "hdfs://nn:8020", "/w/l"),
    ("hdfs://nn:8020", "hdfs://nn:8020", "/"),
    ("hdfs:///w/l", "hdfs", "/w/l"),
    ("dbfs:/w/l", "dbfs", "/w/l"),
    ("dbfs:///w/l", "dbfs", "/w/l"),
    ("file:/w/l/", "file", "/w/l"),
    ("file:///w/l", "file", "/w/l"),
    ("/w/l", "file", "/w/l"),
    ("", "file", "/"),
    ("/", "file", "/"),
    ("file:/", "file", "/"),
    ("warehouse/l", "file", "warehouse/l"),
    ("ofs://om:9862/vol/bucket/t", "ofs://om:9862", "/vol/bucket/t"),
    ("file:/a b/c#d/50%/Ü?", "file", "/a b/c#d/50%/Ü?"),
    ("hdfs://nn/a?b/c", "hdfs://nn", "/a?b/c"),
    ("file:/line\nbreak", "file", "/line\nbreak"),
]


@pytest.mark.parametrize(("uri", "namespace", "name"), FILES)
def test_files(uri: str, namespace: str, name: str) -> None:
    assert naming.file_dataset(uri) == Dataset(namespace, name)
    assert naming.untrimmed_dataset(uri) == Dataset(namespace, name)


@pytest.mark.parametrize(
    ("uri", "working", "expected"),
    [
        ("s3a://b/t", "hdfs://nn:8020/user/me", "s3a://b/t"),
        ("file:/t", "hdfs://nn:8020/user/me", "file:/t"),
        ("/t", "hdfs://nn:8020/user/me", "hdfs://nn:8020/t"),
        ("t/day=1", "hdfs://nn:8020/user/me", "hdfs://nn:8020/user/me/t/day=1"),
        ("//other:8020/t", "hdfs://nn:8020/user/me", "hdfs://other:8020/t"),
        ("/t", "file:/home/me", "file:/t"),
        ("./a b#c/../t", "file:/home/me", "file:/home/me/t"),
        ("t", "file:/", "file:/t"),
        ("t", "s3a://b/", "s3a://b/t"),
    ],
)
def test_a_location_without_a_file_system(uri: str, working: str, expected: str) -> None:
    assert naming.absolute(uri, working) == expected


def test_a_partition_belongs_to_its_dataset_and_the_location_is_still_known() -> None:
    uri = "s3a://b/orders/day=2026-01-31/hour=07"
    assert naming.file_dataset(uri) == Dataset("s3://b", "orders")
    assert naming.untrimmed_dataset(uri) == Dataset("s3://b", "orders/day=2026-01-31/hour=07")


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("s3a://KEY:SE/CRET@b/w", Dataset("s3://KEY:SE", "CRET@b/w")),  # no URI: `/` ends the host
        ("s3a://KEY:SECRET@b/w", Dataset("s3://b", "w")),
        ("s3a://KEY@b/w", Dataset("s3://b", "w")),
        ("sftp://me:pw@host/in", Dataset("sftp://host", "/in")),
        ("abfss://me:pw@host/in", Dataset("abfss://host", "in")),
        ("https://h/a.csv?sig=SECRET&se=1", Dataset("https://h", "/a.csv")),
        ("https://h?sig=SECRET", Dataset("https://h", "/")),
    ],
)
def test_files_without_credentials(uri: str, expected: Dataset) -> None:
    assert naming.file_dataset(uri) == expected


@pytest.mark.parametrize(
    ("location", "name", "expected"),
    [
        ("s3://b/w", "default.t", Dataset("s3://b/w", "default.t")),
        ("s3a://b/w/", "default.t", Dataset("s3://b/w", "default.t")),
        ("/path", "default.t", Dataset("file:/path", "default.t")),
        ("file:///path/", "default.t", Dataset("file:/path", "default.t")),
        ("/", "default.t", Dataset("file", "default.t")),
        ("hdfs://nn:8020/w", "default.t", Dataset("hdfs://nn:8020/w", "default.t")),
        ("hdfs://nn:8020/w", "", Dataset("hdfs://nn:8020/w", "/")),
        ("dbfs:/w", "default.t", Dataset("dbfs:/w", "default.t")),
    ],
)
def test_tables_in_a_location(location: str, name: str, expected: Dataset) -> None:
    assert naming.in_location(location, name) == expected


CONNECTORS = [
    (naming.bigquery_dataset("p", "d", "t"), "bigquery", "p.d.t"),
    (naming.kafka_dataset("h1:9092,h2:9092", "topic"), "kafka://h1:9092", "topic"),
    (naming.kafka_dataset("SASL_SSL://h1:9092", "topic"), "kafka://h1:9092", "topic"),
    (
        naming.kinesis_dataset("https://kinesis.eu-west-1.amazonaws.com", "s"),
        "kinesis://kinesis.eu-west-1.amazonaws.com",
        "s",
    ),
    (naming.kinesis_dataset("https://localhost:4567/", "s"), "kinesis://localhost:4567", "s"),
    (naming.kinesis_dataset("https://host:443", "s"), "kinesis://host", "s"),
    (naming.mongo_dataset("mongodb://h:27017", "db", "c"), "mongodb://h:27017/db", "c"),
    (
        naming.mongo_dataset("mongodb://me:pw@h1:1,h2:2/?replicaSet=r", "db", "c"),
        "mongodb://h1:1,h2:2/db",
        "c",
    ),
    (naming.kusto_dataset("clu", "db", "t"), "azurekusto://clu.kusto.windows.net/db", "t"),
    (
        naming.kusto_dataset("https://clu.kusto.windows.net", "db", "t"),
        "azurekusto://clu.kusto.windows.net/db",
        "t",
    ),
    (
        naming.cosmos_dataset("https://acct.documents.azure.com:443/", "db", "c"),
        "azurecosmos://acct.documents.azure.com/dbs/db",
        "/colls/c",
    ),
    (
        naming.snowflake_dataset("https://org-acc.snowflakecomputing.com", "DB", "S", "T"),
        "snowflake://org-acc",
        "DB.S.T",
    ),
    (
        naming.snowflake_dataset("xy12345.snowflakecomputing.com:443", "DB", "S", '"my.T"'),
        "snowflake://xy12345.us-west-1.aws",
        "DB.S.my.T",
    ),
    (
        naming.snowflake_dataset("acme-eu", "shop", "Raw", "orders"),
        "snowflake://acme-eu",
        "SHOP.RAW.ORDERS",
    ),
    (
        naming.snowflake_dataset("acme-eu", "shop", "raw", '"orders"'),
        "snowflake://acme-eu",
        "SHOP.RAW.orders",
    ),
    (
        naming.snowflake_dataset("acme-eu", "", "", '"shop"."raw"."orders"'),
        "snowflake://acme-eu",
        '"shop"."raw"."orders"',
    ),
    (
        naming.snowflake_dataset(
            "xy1.eu-central-1.snowflakecomputing.com/?warehouse=w", "D", "S", "X.T"
        ),
        "snowflake://xy1.eu-central-1.aws",
        "D.X.T",
    ),
    (
        naming.snowflake_dataset("xy1.west-europe.azure.snowflakecomputing.com", "D", "S", "A.X.T"),
        "snowflake://xy1.west-europe.azure",
        "A.X.T",
    ),
]


@pytest.mark.parametrize(("dataset", "namespace", "name"), CONNECTORS)
def test_connectors(dataset: Dataset, namespace: str, name: str) -> None:
    assert dataset == Dataset(namespace, name)

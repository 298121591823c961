"""What a table is called in its catalog, by the configurations that decide it."""

from __future__ import annotations

import pytest

from airflow_colgraph.collector.model import Dataset, NamedDataset
from airflow_colgraph.collector.naming import catalogs
from airflow_colgraph.collector.naming.catalogs import Catalog, session_catalog

GLUE = Catalog(glue=("eu-west-1", "123"), metastore_uris="thrift://m:9083", warehouse="/w")
HIVE = Catalog(metastore_uris="thrift://m1:9083,thrift://m2:9083", warehouse="/w")

TABLES = [
    (GLUE, "/w/t", Dataset("arn:aws:glue:eu-west-1:123", "table/db/t")),
    (HIVE, "/elsewhere", Dataset("hive://m1:9083", "db.t")),
    (Catalog(unity=True, warehouse="/w"), "/w/t", Dataset("unity-catalog", "main.db.t")),
    (Catalog(biglake=True), "gs://b/t", Dataset("gcp_lakehouse", "db.t")),
    (Catalog(warehouse="file:/w"), "file:///w/db.db/t", Dataset("file:/w", "db.t")),
    (Catalog(warehouse="s3a://b/w"), "s3://b/w/db.db/t", Dataset("s3://b/w", "db.t")),
    (Catalog(warehouse="s3a://b"), "s3://b/db.db/t", Dataset("s3://b", "db.t")),
    (Catalog(warehouse="/w"), "/elsewhere/t", None),
    (Catalog(warehouse="/w"), "/w2/t", None),
    (Catalog(warehouse="/w"), "/w", None),
    (Catalog(warehouse="s3://a/w"), "s3://b/w/t", None),
    (Catalog(), "/w/t", None),
]


@pytest.mark.parametrize(("catalog", "location", "expected"), TABLES)
def test_table_symlinks(catalog: Catalog, location: str, expected: Dataset | None) -> None:
    assert catalogs.table_symlink(catalog, ("db", "t"), location, "main") == expected


ICEBERG = [
    ({"type": "hadoop", "warehouse": "s3://b/w"}, Dataset("s3://b/w", "db.t")),
    ({"type": "hadoop"}, None),
    ({"type": "hive", "uri": "thrift://m:9083"}, Dataset("hive://m:9083", "db.t")),
    ({"uri": "thrift://m:9083"}, Dataset("hive://m:9083", "db.t")),
    ({}, Dataset("hive://session:9083", "db.t")),
    ({"type": "rest", "uri": "http://r:8181/"}, Dataset("http://r:8181", "db.t")),
    ({"type": "rest", "uri": "https://me:pw@r/api?k=1"}, Dataset("https://r/api", "db.t")),
    ({"type": "rest"}, None),
    (
        {"catalog-impl": "org.apache.iceberg.nessie.NessieCatalog", "uri": "http://n:19120/api/v1"},
        Dataset("http://n:19120/api/v1", "db.t"),
    ),
    ({"type": "nessie", "uri": "http://n/api/v2"}, Dataset("http://n/api/v2", "db.t")),
    (
        {
            "catalog-impl": "org.apache.iceberg.aws.glue.GlueCatalog",
            "glue.account-id": "123",
            "client.region": "eu-west-1",
        },
        Dataset("arn:aws:glue:eu-west-1:123", "table/db/t"),
    ),
    (
        {
            "catalog-impl": "org.apache.iceberg.gcp.bigquery.BigQueryMetastoreCatalog",
            "warehouse": "gs://b/w",
        },
        Dataset("gs://b/w", "db.t"),
    ),
    ({"catalog-impl": "com.example.OwnCatalog"}, None),
]


SESSION = Catalog(metastore_uris="thrift://session:9083")


@pytest.mark.parametrize(("properties", "expected"), ICEBERG)
def test_iceberg_symlinks(properties: dict[str, str], expected: Dataset | None) -> None:
    assert catalogs.iceberg_symlink(properties, ("db", "t"), SESSION) == expected


FACTORY = "hive.metastore.client.factory.class"
IN_GLUE = {FACTORY: catalogs.GLUE_FACTORY}
EU = {"AWS_REGION": "eu-west-1"}
SPARK_GLUE = {"spark.glue.accountId": "123"}
UNITY = {"spark.databricks.unityCatalog.enabled": "true"}

SESSIONS = [
    ({}, {}, {}, Catalog()),
    ({}, {**IN_GLUE, "hive.metastore.glue.catalogid": "9"}, EU, Catalog(glue=("eu-west-1", "9"))),
    (SPARK_GLUE, IN_GLUE, EU, Catalog(glue=("eu-west-1", "123"))),
    (
        {**SPARK_GLUE, **IN_GLUE},
        {"aws.region": "eu-west-2"},
        {},
        Catalog(glue=("eu-west-2", "123")),
    ),
    (SPARK_GLUE, IN_GLUE, {"AWS_DEFAULT_REGION": "a", **EU}, Catalog(glue=("a", "123"))),
    (SPARK_GLUE, IN_GLUE, {}, Catalog()),
    ({}, IN_GLUE, EU, Catalog()),
    (SPARK_GLUE, {}, EU, Catalog()),
    ({f"spark.{FACTORY}": catalogs.BIGLAKE_FACTORY}, {}, {}, Catalog(biglake=True)),
    ({}, {FACTORY: catalogs.BIGLAKE_FACTORY}, {}, Catalog(biglake=True)),
    (UNITY, {}, {"DATABRICKS_RUNTIME_VERSION": "15"}, Catalog(unity=True)),
    ({**UNITY, "spark.databricks.workspaceUrl": "w"}, {}, {}, Catalog(unity=True)),
    (UNITY, {}, {}, Catalog()),
    ({}, {"hive.metastore.uris": "thrift://m:9083"}, {}, Catalog(metastore_uris="thrift://m:9083")),
    ({"spark.sql.warehouse.dir": "/w"}, {}, {}, Catalog(warehouse="/w")),
    ({catalogs.IMPLEMENTATION: "hive"}, {}, {}, Catalog(is_hive=True)),
]


@pytest.mark.parametrize(("spark", "hadoop", "environment", "expected"), SESSIONS)
def test_the_session_catalog(
    spark: dict[str, str], hadoop: dict[str, str], environment: dict[str, str], expected: Catalog
) -> None:
    assert session_catalog(spark, hadoop, environment) == expected
    read = {*catalogs.SPARK_OPTIONS, catalogs.IMPLEMENTATION} | {*catalogs.HADOOP_OPTIONS}
    assert {*spark, *hadoop} <= read


CONFIGURED = [
    (
        Catalog(),
        catalogs.ICEBERG,
        {"type": "hadoop", "warehouse": "/w"},
        "ice",
        "iceberg hadoop /w",
    ),
    (
        Catalog(),
        catalogs.ICEBERG,
        {"type": "rest", "uri": "https://u:p@h/x"},
        "ice",
        "iceberg rest https://h/x",
    ),
    (Catalog(), catalogs.ICEBERG, {"type": "hive"}, "spark_catalog", "iceberg hive"),
    (SESSION, "org.apache.iceberg.spark.SparkSessionCatalog", {}, "spark_catalog", None),
    (Catalog(), catalogs.DELTA, {}, "spark_catalog", "delta delta"),
    (Catalog(), catalogs.UNITY, {"uri": "http://uc:8080"}, "uc", "delta unity http://uc:8080"),
    (
        Catalog(),
        catalogs.JDBC,
        {"url": "jdbc:postgresql://u:p@h/db"},
        "pg",
        "jdbc jdbc jdbc:postgresql://h/db",
    ),
    (Catalog(is_hive=True, warehouse="/w"), "", {}, "spark_catalog", "hive hive /w"),
    (
        Catalog(is_hive=True, metastore_uris="thrift://m:9083,thrift://n:1"),
        "",
        {},
        "spark_catalog",
        "hive hive hive://m:9083",
    ),
    (Catalog(glue=("eu", "1")), "", {}, "spark_catalog", "hive glue"),
    (Catalog(), "", {}, "spark_catalog", None),
    (Catalog(is_hive=True), "com.example.Own", {}, "own", None),
]


@pytest.mark.parametrize(
    ("session", "implementation", "properties", "name", "expected"), CONFIGURED
)
def test_how_a_catalog_is_configured(
    session: Catalog,
    implementation: str,
    properties: dict[str, str],
    name: str,
    expected: str | None,
) -> None:
    """The events of tables had no `catalog` facet, and no consumer's test asked for it."""
    catalog = catalogs.catalog_of(session, implementation, properties, name)
    assert (catalog and " ".join(filter(None, catalog._replace(name="")))) == expected
    assert catalog is None or catalog.name == ("default" if catalog.framework == "hive" else name)


def table(
    properties: dict[str, str], location: str, implementation: str = "", about: str = ""
) -> NamedDataset:
    assert {*properties} <= {*catalogs.CATALOG_OPTIONS}
    return catalogs.catalog_table(
        Catalog(glue=("eu-west-1", "123")),
        implementation,
        properties,
        "cat",
        ["ns", "t"],
        location,
        about,
    )


ARN = "arn:aws:s3tables:eu-west-1:123:bucket/b"
S3_TABLES = [
    {"warehouse": ARN},
    {"catalog-impl": "software.amazon.s3tables.iceberg.S3TablesCatalog", "warehouse": ARN},
    {"type": "rest", "warehouse": "123:s3tablescatalog/b"},
    {"catalog-impl": "org.apache.iceberg.aws.glue.GlueCatalog", "glue.id": "123:s3tablescatalog/b"},
    {"type": "rest", "uri": "https://s3tables.eu-west-1.amazonaws.com/iceberg", "warehouse": ARN},
    {"type": "rest", "rest.signing-name": "s3tables", "warehouse": ARN},
]


@pytest.mark.parametrize("properties", S3_TABLES)
def test_a_table_in_an_s3_table_bucket(properties: dict[str, str]) -> None:
    named = table(properties, "s3://0f1--table-s3/metadata")
    assert named[:2] == ((ARN, "cat.ns.t"), (("s3://0f1--table-s3", "/", "LOCATION"),))
    assert table(properties, "")[:2] == ((ARN, "cat.ns.t"), ())
    assert table(properties, "", about="#files").dataset.name == "cat.ns.t#files"


def test_a_table_bucket_that_nothing_names() -> None:
    named = table({"type": "rest", "signing-name": "s3tables"}, "")
    assert named.dataset.namespace == "arn:aws:s3tables:eu-west-1:123"


def test_a_table_in_snowflakes_rest_catalog() -> None:
    uri = "https://org-acc.snowflakecomputing.com/polaris/api/catalog"
    properties = {"type": "rest", "uri": uri, "warehouse": "wh"}
    named = table(properties, "s3://b/w/t", about="#files")
    dataset = Dataset("snowflake://org-acc", "WH.NS.T#files")
    assert named[:2] == (dataset, (("s3://b", "w/t#files", "TABLE"),))


def test_a_table_in_a_unity_catalog_server() -> None:
    named = table({"uri": "https://me:pw@uc:8080/api"}, "s3://b/w/t", catalogs.UNITY)
    assert named[:2] == (("s3://b", "w/t"), (("unitycatalog://uc:8080", "cat.ns.t", "TABLE"),))
    assert table({}, "s3://b/w/t", catalogs.UNITY)[:2] == (("s3://b", "w/t"), ())


GLUE_CATALOG = {"catalog-impl": "org.apache.iceberg.aws.glue.GlueCatalog"}


@pytest.mark.parametrize(
    ("properties", "namespace"),
    [
        ({}, "arn:aws:glue:eu-west-1:123"),
        ({"glue.id": "9", "glue.region": "eu-west-2"}, "arn:aws:glue:eu-west-2:9"),
    ],
)
def test_a_table_in_glue_by_iceberg(properties: dict[str, str], namespace: str) -> None:
    named = table({**GLUE_CATALOG, **properties}, "s3://b/w/t")
    assert named.symlinks == ((namespace, "table/ns/t", "TABLE"),)


def test_a_glue_catalog_of_an_unknown_account_has_no_name() -> None:
    assert catalogs.iceberg_symlink(GLUE_CATALOG, ["ns", "t"], Catalog()) is None

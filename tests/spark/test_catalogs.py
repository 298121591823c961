"""Names of tables in their catalogs, by the configuration of a real session."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from airflow_colgraph.collector.model import NamedDataset
from airflow_colgraph.collector.naming import catalogs
from airflow_colgraph.collector.spark.catalog import Catalog
from tests.spark.session import Session

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark-catalogs")]

FACTORY = "hive.metastore.client.factory.class"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    settings = {
        f"spark.hadoop.{FACTORY}": catalogs.GLUE_FACTORY,
        "spark.hadoop.aws.region": "eu-west-1",
        "spark.glue.accountId": "123",
    }
    found = Session(Path(tmp_path_factory.mktemp("catalogs")), settings)
    yield found
    found.stop()


@pytest.fixture(autouse=True)
def region(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "DATABRICKS_RUNTIME_VERSION"):
        monkeypatch.delenv(name, raising=False)


def symlinks(dataset: dict[str, Any]) -> list[tuple[str, str]]:
    found = dataset["facets"]["symlinks"]["identifiers"]
    return [(one["namespace"], one["name"]) for one in found]


def test_the_tables_of_an_event_have_their_names_in_glue(session: Session) -> None:
    session.events()
    session.spark.sql("CREATE TABLE mart.g USING parquet AS SELECT * FROM raw.t1")
    (event,) = session.events()
    assert symlinks(event["inputs"][0]) == [("arn:aws:glue:eu-west-1:123", "table/raw/t1")]
    assert symlinks(event["outputs"][0]) == [("arn:aws:glue:eu-west-1:123", "table/mart/g")]


def catalog_of(spark: SparkSession, settings: dict[str, str], factory: str = "") -> Catalog:
    """The catalog of a new session with other settings."""
    other = spark.newSession()
    for name, value in settings.items():
        other.conf.set(name, value)
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    before = hadoop.get(FACTORY)
    hadoop.set(FACTORY, factory)
    try:
        return Catalog(other._jsparkSession, other._jvm)
    finally:
        hadoop.set(FACTORY, before)


def named(catalog: Catalog, table: str) -> NamedDataset:
    parser = catalog.session.sessionState().sqlParser()
    found = catalog.session.sessionState().catalog()
    identifier = parser.parseTableIdentifier(table)
    return catalog.table(found.getTableMetadata(identifier))


def test_databricks_unity_catalog(session: Session) -> None:
    settings = {
        "spark.databricks.unityCatalog.enabled": "true",
        "spark.databricks.workspaceUrl": "adb-1.azuredatabricks.net",
    }
    (link,) = named(catalog_of(session.spark, settings), "raw.t1").symlinks
    assert link == ("unity-catalog", "spark_catalog.raw.t1", "TABLE")


def test_biglake(session: Session) -> None:
    catalog = catalog_of(session.spark, {}, catalogs.BIGLAKE_FACTORY)
    (link,) = named(catalog, "raw.t1").symlinks
    assert link == ("gcp_lakehouse", "raw.t1", "TABLE")


def test_without_any_of_them_the_name_is_that_in_the_warehouse(session: Session) -> None:
    (link,) = named(catalog_of(session.spark, {}), "raw.t1").symlinks
    assert link == (f"file:{session.root}/warehouse", "raw.t1", "TABLE")


ARN = "arn:aws:s3tables:eu-west-1:123:bucket/b"
SNOWFLAKE = "https://org-acc.snowflakecomputing.com/polaris/api/catalog"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"warehouse": ARN}, ((ARN, "lake.ns.t"), ())),
        (
            {"type": "rest", "uri": SNOWFLAKE, "warehouse": "wh"},
            (("snowflake://org-acc", "WH.NS.T"), ()),
        ),
        (
            {
                "catalog-impl": "org.apache.iceberg.aws.glue.GlueCatalog",
                "warehouse": "s3://b/w",
                "glue.id": "9",
                "glue.region": "eu-west-2",
            },
            (("s3://b", "w/ns.db/t"), (("arn:aws:glue:eu-west-2:9", "table/ns/t", "TABLE"),)),
        ),
    ],
)
def test_a_table_of_an_iceberg_catalog(
    session: Session, settings: dict[str, str], expected: NamedDataset
) -> None:
    prefix = "spark.sql.catalog.lake"
    catalog = catalog_of(
        session.spark, {f"{prefix}.{name}": value for name, value in settings.items()}
    )
    named = catalog.by_name("lake", ["ns", "t"])
    assert named is not None
    assert named[:2] == expected


def test_a_table_of_a_unity_catalog_server(session: Session) -> None:
    prefix = "spark.sql.catalog.lake"
    settings = {prefix: catalogs.UNITY, f"{prefix}.uri": "http://uc:8080"}
    catalog = catalog_of(session.spark, {**settings, f"{prefix}.warehouse": "s3://b/w"})
    (link,) = catalog.by_name("lake", ["ns", "t"]).symlinks
    assert link == ("unitycatalog://uc:8080", "lake.ns.t", "TABLE")

"""What a table is called in its catalog, by OpenLineage's naming rules. Pure.

A table's primary identity is its location; its name in the catalog is a symlink. Two kinds of
Iceberg catalogs are the other way round: S3 Tables and Snowflake.

The properties that decide are those that OpenLineage's Spark integration reads. Where it asks a
service over the network (EC2 for the region, STS for the account), only properties and environment
variables are read here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from airflow_colgraph.collector.model import CatalogName, Dataset, NamedDataset, Symlink
from airflow_colgraph.collector.naming.datasets import (
    authority,
    file_dataset,
    in_location,
    snowflake_account,
    untrimmed_dataset,
)
from airflow_colgraph.openlineage.redaction import without_credentials, without_userinfo

Properties = Mapping[str, str]

SESSION_CATALOG = "spark_catalog"
ICEBERG = "org.apache.iceberg.spark.SparkCatalog"
ICEBERG_CLASSES = "org.apache.iceberg."
UNITY = "io.unitycatalog.spark.UCSingleCatalog"
DELTA = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
JDBC = "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog"
CLIENT_FACTORY = "hive.metastore.client.factory.class"
GLUE_FACTORY = "com.amazonaws.glue.catalog.metastore.AWSGlueDataCatalogHiveClientFactory"
BIGLAKE_FACTORY = "com.google.cloud.bigquery.metastore.client.BigLakeMetastoreClientFactory"
GLUE_CATALOG = "hive.metastore.glue.catalogid"

# What is read of Spark's configuration, of Hadoop's, and of each `spark.sql.catalog.NAME.`
SPARK_OPTIONS = (
    *(CLIENT_FACTORY, f"spark.{CLIENT_FACTORY}", GLUE_CATALOG, "spark.glue.accountId"),
    *("spark.databricks.unityCatalog.enabled", "spark.databricks.workspaceUrl"),
    "spark.sql.warehouse.dir",
)
IMPLEMENTATION = "spark.sql.catalogImplementation"  # hive or in-memory; Spark takes no other text
HADOOP_OPTIONS = (CLIENT_FACTORY, GLUE_CATALOG, "aws.region", "hive.metastore.uris")
CATALOG_OPTIONS = (
    *("type", "catalog-impl", "uri", "warehouse", "url"),
    *("client.region", "glue.account-id", "glue.id", "glue.region"),
    *("rest.signing-name", "signing-name"),
)


class Catalog(NamedTuple):
    """What is known about the catalog that Spark's own tables are kept in."""

    biglake: bool = False
    glue: tuple[str, str] | None = None  # region, account
    metastore_uris: str = ""
    unity: bool = False
    warehouse: str = ""
    is_hive: bool = False


def session_catalog(spark: Properties, hadoop: Properties, environment: Properties) -> Catalog:
    """The session catalog by the configurations of Spark and Hadoop.

    `hive.metastore.client.factory.class`, in either configuration, names Glue and BigLake.
    Glue's account is `hive.metastore.glue.catalogid`, else `spark.glue.accountId`; its region is
    AWS_DEFAULT_REGION, AWS_REGION, else Hadoop's `aws.region`. Unity is
    `spark.databricks.unityCatalog.enabled` on Databricks, which is where there is
    DATABRICKS_RUNTIME_VERSION or `spark.databricks.workspaceUrl`.
    """
    factory = (
        hadoop.get(CLIENT_FACTORY)
        or spark.get(CLIENT_FACTORY)
        or spark.get(f"spark.{CLIENT_FACTORY}")
    )
    account = (
        spark.get(GLUE_CATALOG) or spark.get("spark.glue.accountId") or hadoop.get(GLUE_CATALOG)
    )
    names = ("AWS_DEFAULT_REGION", "AWS_REGION")
    region = next(filter(None, map(environment.get, names)), None) or hadoop.get("aws.region")
    is_glue = factory == GLUE_FACTORY
    on_databricks = (
        "DATABRICKS_RUNTIME_VERSION" in environment or "spark.databricks.workspaceUrl" in spark
    )
    return Catalog(
        biglake=factory == BIGLAKE_FACTORY,
        glue=(region, account) if is_glue and region and account else None,
        metastore_uris=hadoop.get("hive.metastore.uris", ""),
        unity=on_databricks and spark.get("spark.databricks.unityCatalog.enabled") == "true",
        warehouse=spark.get("spark.sql.warehouse.dir", ""),
        is_hive=spark.get(IMPLEMENTATION) == "hive",
    )


def catalog_of(
    session: Catalog, implementation: str, properties: Properties, name: str
) -> CatalogName | None:
    """How a catalog is configured; None of one that lasts no longer than its session.

    The terms are those of OpenLineage's Spark integration; no address has credentials in it.
    """
    uri = without_credentials(properties.get("uri", ""))
    warehouse = without_credentials(properties.get("warehouse", ""))
    if implementation.startswith(ICEBERG_CLASSES) and (
        name != SESSION_CATALOG or implementation == ICEBERG
    ):
        return CatalogName("iceberg", _iceberg_kind(properties), name, uri, warehouse)
    if implementation == UNITY or (name == SESSION_CATALOG and session.unity):
        return CatalogName("delta", "unity", name, uri)
    if implementation == DELTA:
        return CatalogName("delta", "delta", name)
    if implementation == JDBC:
        return CatalogName("jdbc", "jdbc", name, without_credentials(properties.get("url", "")))
    if name != SESSION_CATALOG or not (session.is_hive or session.glue or session.biglake):
        return None
    kind = "glue" if session.glue else "gcp_lakehouse" if session.biglake else "hive"
    metastore = session.metastore_uris.split(",")[0]
    address = f"hive://{authority(metastore)}" if metastore else ""
    return CatalogName("hive", kind, "default", address, without_credentials(session.warehouse))


def table_symlink(
    catalog: Catalog, parts: Sequence[str], location: str, catalog_name: str = ""
) -> Dataset | None:
    """The name that a table has in Spark's session catalog, or none: then its location is all.

    `parts` are the table's names without the catalog's: `("db", "table")`. Unity's names have the
    catalog's in front.
    """
    table = ".".join(parts)
    if catalog.biglake:
        return Dataset("gcp_lakehouse", table)
    if catalog.glue:
        return glue_symlink(*catalog.glue, parts)
    if catalog.metastore_uris:
        return hive_symlink(catalog.metastore_uris, table)
    if catalog.unity:
        return Dataset("unity-catalog", ".".join(filter(None, [catalog_name, table])))
    if catalog.warehouse and _is_below(location, catalog.warehouse):
        return in_location(catalog.warehouse, table)
    return None


def hive_symlink(metastore_uris: str, table: str) -> Dataset:
    """A table in a Hive metastore; of several addresses of the metastore the first counts."""
    return Dataset(f"hive://{authority(metastore_uris.split(',')[0])}", table)


def glue_symlink(region: str, account: str, parts: Sequence[str]) -> Dataset:
    """A table in the AWS Glue catalog."""
    return Dataset(f"arn:aws:glue:{region}:{account}", "/".join(["table", *parts]))


def unity_symlink(server: str, catalog_name: str, parts: Sequence[str]) -> Dataset:
    """A table in a Unity Catalog server, named `catalog.schema.table`."""
    return Dataset(f"unitycatalog://{authority(server)}", ".".join([catalog_name, *parts]))


def _is_below(location: str, folder: str) -> bool:
    inner, outer = untrimmed_dataset(location), untrimmed_dataset(folder)
    if inner.namespace != outer.namespace or inner.name == outer.name:
        return False
    return outer.name == "/" or inner.name.startswith(outer.name + "/")


def catalog_table(
    session: Catalog,
    implementation: str,
    properties: Properties,
    catalog_name: str,
    parts: Sequence[str],
    location: str,
    about: str = "",
) -> NamedDataset:
    """A table of a catalog, with its other name: in the catalog, or where it is.

    `implementation` is the class in `spark.sql.catalog.NAME`, `properties` are those below it. A
    table that `has_own_identities` may have no location yet. `about` ends the name of a table about
    the table: `#snapshots`.
    """
    is_iceberg = catalog_name != SESSION_CATALOG or implementation == ICEBERG
    catalog = catalog_of(session, implementation, properties, catalog_name)
    if is_iceberg and has_own_identities(properties):
        named = _named_by_catalog(session, properties, catalog_name, parts, location, about)
        return named._replace(catalog=catalog)
    dataset = file_dataset(location)
    if implementation == UNITY:
        uri = properties.get("uri")
        link = unity_symlink(uri, catalog_name, parts) if uri else None
    elif is_iceberg:
        link = iceberg_symlink(properties, parts, session)
    else:
        link = table_symlink(session, parts, location, catalog_name)
    return NamedDataset(_about(dataset, about), (Symlink(*link),) if link else (), catalog)


def _about(dataset: Dataset, about: str) -> Dataset:
    return dataset._replace(name=dataset.name + about)


# Iceberg --------------------------------------------------------------------------------------


def iceberg_symlink(
    properties: Properties, parts: Sequence[str], session: Catalog
) -> Dataset | None:
    """The name of an Iceberg table in its catalog, by the catalog's `spark.sql.catalog.X.*`.

    `session` has the metastore for a Hive catalog that names none of its own, and the region and
    account for a Glue catalog that does not.
    """
    table = ".".join(parts)
    kind = _iceberg_kind(properties)
    uri = properties.get("uri", "")
    warehouse = properties.get("warehouse", "")
    if kind == "glue":
        region, account = session.glue or ("", "")
        account = properties.get("glue.account-id") or properties.get("glue.id") or account
        region = properties.get("client.region") or properties.get("glue.region") or region
        return glue_symlink(region, account, parts) if region and account else None
    if kind in ("hadoop", "bigquery"):
        return in_location(warehouse, table) if warehouse else None
    if kind in ("rest", "nessie"):
        return Dataset(without_userinfo(uri.strip()).rstrip("/"), table) if uri else None
    if kind == "hive":
        metastore = uri or session.metastore_uris
        return hive_symlink(metastore, table) if metastore else None
    return None


def _iceberg_kind(properties: Properties) -> str:
    implementation = properties.get("catalog-impl", "").rpartition(".")[2].lower()
    for kind in ("glue", "nessie", "bigquery", "rest", "hadoop", "hive"):
        if implementation.startswith(kind):
            return kind
    return "other" if implementation else properties.get("type", "hive").lower()


def default_location(properties: Properties, parts: Sequence[str]) -> str:
    """Where an Iceberg catalog puts a table by default; empty if only its server knows.

    >>> default_location({"type": "hadoop", "warehouse": "wh/"}, ["db", "t"])
    'wh/db/t'
    >>> default_location({"type": "hive", "warehouse": "wh"}, ["db", "t"])
    'wh/db.db/t'
    >>> default_location({"type": "rest", "warehouse": "production"}, ["db", "t"])
    ''
    """
    *namespace, table = parts
    kind = _iceberg_kind(properties)
    warehouse = properties.get("warehouse", "").rstrip("/")
    is_path = warehouse.startswith("/") or ":/" in warehouse
    if not warehouse or (kind == "rest" and not is_path) or kind == "nessie":
        return ""  # Nessie adds a random UUID
    if kind in ("hive", "glue") and namespace:
        namespace = [f"{'.'.join(namespace)}.db"]
    return "/".join([warehouse, *namespace, table])


FEDERATED = re.compile(r"(\d+):s3tablescatalog/(.+)")
BUCKET = re.compile("arn:aws:s3tables:[^:]+:[^:]+:bucket/.+")
S3_TABLES_HOST = re.compile(r"s3tables\.[^.]+\.amazonaws\.com(?::\d+)?")


def is_separate(catalog_name: str, implementation: str, properties: Properties) -> bool:
    """Whether a catalog's tables are elsewhere than those of Spark's session catalog.

    Iceberg's SparkCatalog can take the place of `spark_catalog`; only with the type `hive` are its
    tables where Spark's are, in the folders of the metastore's databases.
    """
    if catalog_name != SESSION_CATALOG:
        return True
    return implementation == ICEBERG and _iceberg_kind(properties) != "hive"


def has_own_identities(properties: Properties) -> bool:
    """Whether an Iceberg catalog's tables are known by its names for them, not by their places."""
    return is_s3_tables(properties) or _is_snowflake(properties)


def _named_by_catalog(
    session: Catalog,
    properties: Properties,
    catalog_name: str,
    parts: Sequence[str],
    location: str,
    about: str,
) -> NamedDataset:
    place = untrimmed_dataset(location)
    if is_s3_tables(properties):
        name = Dataset(_bucket_arn(properties, session), ".".join([catalog_name, *parts]))
        link = Symlink(place.namespace, "/", "LOCATION")  # AWS keeps each table in a bucket
    else:
        account = snowflake_account(properties["uri"])
        full = ".".join(filter(None, [properties.get("warehouse", ""), *parts]))
        name = Dataset(f"snowflake://{account}", full.upper())
        link = Symlink(*_about(place, about))
    return NamedDataset(_about(name, about), (link,) if location else ())


def _is_snowflake(properties: Properties) -> bool:
    host = authority(properties.get("uri", ""))
    return _iceberg_kind(properties) == "rest" and ".snowflakecomputing.com" in host


def is_s3_tables(properties: Properties) -> bool:
    """Whether a catalog's tables are in an S3 table bucket.

    By `catalog-impl`, by a `warehouse` or (with Glue) a `glue.id` that names a table bucket, by the
    host of the `uri`, or by the name that requests are signed with.
    """
    implementation = properties.get("catalog-impl", "")
    warehouse = properties.get("warehouse", "")
    signing = properties.get("rest.signing-name") or properties.get("signing-name") or ""
    return (
        implementation.endswith("S3TablesCatalog")
        or warehouse.startswith("arn:aws:s3tables:")
        or FEDERATED.fullmatch(warehouse) is not None
        or (_iceberg_kind(properties) == "glue" and bool(_federated(properties, "glue.id")))
        or S3_TABLES_HOST.fullmatch(authority(properties.get("uri", ""))) is not None
        or signing.lower() == "s3tables"
    )


def _bucket_arn(properties: Properties, session: Catalog) -> str:
    """The bucket's name in AWS, with `unknown` for a region or an account that nothing names."""
    warehouse = properties.get("warehouse", "").rstrip("/")
    region, account = session.glue or ("unknown", "unknown")
    region = properties.get("client.region") or properties.get("glue.region") or region
    match = _federated(properties, "glue.id") or _federated(properties, "warehouse")
    if match:
        return f"arn:aws:s3tables:{region}:{match[1]}:bucket/{match[2]}"
    if BUCKET.fullmatch(warehouse):
        return warehouse
    return f"arn:aws:s3tables:{region}:{account}"


def _federated(properties: Properties, name: str) -> re.Match[str] | None:
    return FEDERATED.fullmatch(properties.get(name, ""))

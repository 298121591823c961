"""What a connection's tables are called, by the names that Spark's JDBC source gives them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from airflow_colgraph.collector.naming.datasets import snowflake_account
from airflow_colgraph.collector.naming.jdbc import location
from airflow_colgraph.sql.database import Place
from airflow_colgraph.sql.facets import Naming


class Connected(NamedTuple):
    """What a connection and its hook say about the database."""

    kind: str  # Airflow's connection type
    host: str = ""
    port: int | None = None
    database: str = ""
    schema: str | None = None  # the current schema, where the database was asked
    extra: Mapping[str, Any] = {}
    path: tuple[str, ...] = ()  # the schemas after it, where a table without one is looked up


class Kind(NamedTuple):
    """How a kind of connection is read: sqlglot's dialect and the form of its JDBC URL."""

    dialect: str
    url: str = ""
    port: int = 0
    levels: int = 3
    schema: str = ""


SERVER = "jdbc:{scheme}://{host}:{port}/{database}"
# By Airflow's connection type.
KINDS = {
    "postgres": Kind("postgres", SERVER.replace("{scheme}", "postgresql"), 5432, 3, "public"),
    "redshift": Kind("redshift", SERVER.replace("{scheme}", "redshift"), 5439, 3, "public"),
    "mysql": Kind("mysql", SERVER.replace("{scheme}", "mysql"), 3306, 2),
    "clickhouse": Kind("clickhouse", SERVER.replace("{scheme}", "clickhouse"), 8123, 2),
    "sqlite": Kind("sqlite", "jdbc:sqlite:{path}", levels=1),
    "duckdb": Kind("duckdb", "jdbc:duckdb:{path}", levels=2, schema="main"),
    "mssql": Kind("tsql", "jdbc:sqlserver://{host}:{port};databaseName={database}", 1433, 3, "dbo"),
    "oracle": Kind("oracle", "jdbc:oracle:thin:@//{host}:{port}/{service}", 1521, 3),
    "trino": Kind("trino", SERVER.replace("{scheme}", "trino"), 443, 3, "default"),
    "presto": Kind("presto", SERVER.replace("{scheme}", "presto"), 8080, 3, "default"),
    "vertica": Kind("postgres", SERVER.replace("{scheme}", "vertica"), 5433, 3, "public"),
    "snowflake": Kind("snowflake", schema="PUBLIC"),
    "gcpbigquery": Kind("bigquery"),
    "databricks": Kind("databricks", schema="default"),
}


def naming(connection: Connected) -> Naming | None:
    """How the connection's tables are called; None for a kind of database that is not known."""
    kind = KINDS.get(connection.kind)
    if kind is None:
        return None
    rule = SPECIAL.get(connection.kind)
    if rule is not None:
        return rule(connection, kind)
    values = {
        "host": f"[{connection.host}]"
        if ":" in connection.host
        else connection.host or "localhost",
        "port": connection.port or kind.port,
        "database": connection.database,
        "path": connection.host or connection.database,
        "service": connection.extra.get("service_name")
        or connection.extra.get("sid")
        or connection.database,
    }
    at = location(kind.url.format(**values), {})
    schema = connection.schema or kind.schema
    if kind.levels == 2 and not kind.schema:  # there a database is a schema
        return Naming(at.namespace, Place(kind.dialect, "", connection.database, 2))
    catalog = at.database if kind.levels == 3 else ""
    if kind.dialect in ("trino", "presto"):
        catalog, _, inner = (connection.extra.get("catalog") or connection.database).partition("/")
        schema = connection.schema or connection.extra.get("schema") or inner or kind.schema
    return Naming(at.namespace, Place(kind.dialect, catalog, schema, kind.levels, connection.path))


def _snowflake(connection: Connected, kind: Kind) -> Naming:
    account = str(connection.extra.get("account") or connection.host)
    region = str(connection.extra.get("region") or "")
    host = ".".join(part for part in (account, region) if part)
    database = str(connection.extra.get("database") or connection.database)
    schema = connection.schema or kind.schema
    place = Place(kind.dialect, database.upper(), schema.upper())
    return Naming(f"snowflake://{snowflake_account(host)}", place)


def _bigquery(connection: Connected, kind: Kind) -> Naming:
    project = str(
        connection.extra.get("project") or connection.extra.get("project_id") or connection.database
    )
    return Naming("bigquery", Place(kind.dialect, project, connection.schema or ""))


def _databricks(connection: Connected, kind: Kind) -> Naming:
    catalog = str(connection.extra.get("catalog") or "hive_metastore")
    schema = connection.schema or connection.database or kind.schema
    return Naming(f"databricks://{connection.host.lower()}", Place(kind.dialect, catalog, schema))


SPECIAL = {"snowflake": _snowflake, "gcpbigquery": _bigquery, "databricks": _databricks}

"""The columns of tables, from the database's own catalog: one query for each catalog. Pure.

schema_queries([("shop", "public", "orders")], Place("postgres", "shop", "public"))
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from airflow_colgraph.sql.database import Place, TableName

Types = dict[TableName, dict[str, str]]
Query = tuple[str, str]  # the catalog that it is about, and its text

POSTGRES = """\
SELECT n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod)
FROM pg_catalog.pg_attribute a
JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE a.attnum > 0 AND NOT a.attisdropped AND ({where})
ORDER BY 1, 2, a.attnum"""
INFORMATION_SCHEMA = """\
SELECT table_schema, table_name, column_name, data_type
FROM {catalog}information_schema.columns WHERE {where}
ORDER BY table_schema, table_name, ordinal_position"""
REDSHIFT = INFORMATION_SCHEMA.replace("{catalog}information_schema.columns", "svv_columns")
SQLITE = """\
SELECT '', m.name, p.name, p.type FROM sqlite_master m JOIN pragma_table_info(m.name) p
WHERE {where} ORDER BY m.name, p.cid"""
ORACLE = """\
SELECT owner, table_name, column_name, data_type FROM all_tab_columns WHERE {where}
ORDER BY owner, table_name, column_id"""
BIGQUERY = """\
SELECT table_schema, table_name, column_name, data_type
FROM `{project}`.`{dataset}`.INFORMATION_SCHEMA.COLUMNS WHERE {where}
ORDER BY table_name, ordinal_position"""

# By dialect: the query, and the names of the schema and of the table in it.
CATALOGS = {
    "postgres": (POSTGRES, "n.nspname", "c.relname"),
    "redshift": (REDSHIFT, "table_schema", "table_name"),
    "sqlite": (SQLITE, "", "lower(m.name)"),
    "duckdb": (INFORMATION_SCHEMA, "lower(table_schema)", "lower(table_name)"),
    "oracle": (ORACLE, "owner", "table_name"),
    "bigquery": (BIGQUERY, "", "table_name"),
}
BESIDE_EACH_OTHER = ("snowflake", "trino", "presto", "databricks", "tsql")  # catalogs of one server
QUOTES = {"databricks": ("`", "`"), "tsql": ("[", "]")}
MOST_TABLES = 500  # in one query


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _quoted(name: str, dialect: str) -> str:
    start, end = QUOTES.get(dialect, ('"', '"'))
    return f"{start}{name.replace(end, end * 2)}{end}"


def schema_queries(names: Iterable[TableName], place: Place) -> list[Query]:
    """The queries for the columns of these tables: rows of schema, table, column and type."""
    groups: dict[tuple[str, str], list[str]] = {}
    for name in list(names)[:MOST_TABLES]:
        *before, table = name
        schema = before[-1] if before else ""
        catalog = before[-2] if len(before) > 1 else ""
        groups.setdefault((catalog, schema), []).append(table)
    template, schema_column, table_column = CATALOGS.get(
        place.dialect, (INFORMATION_SCHEMA, "table_schema", "table_name")
    )
    by_catalog: dict[tuple[str, str], list[str]] = {}
    for (catalog, schema), tables in groups.items():
        is_folded = table_column.startswith("lower(")
        shown = sorted({table.lower() if is_folded else table for table in tables})
        schema = schema.lower() if is_folded else schema
        condition = f"{table_column} IN ({', '.join(map(_text, shown))})"
        if schema_column and schema:
            condition = f"({schema_column} = {_text(schema)} AND {condition})"
        dataset = schema if place.dialect == "bigquery" else ""
        by_catalog.setdefault((catalog, dataset), []).append(condition)
    queries = []
    for (catalog, dataset), conditions in by_catalog.items():
        if place.dialect not in (*BESIDE_EACH_OTHER, "bigquery") and catalog != place.catalog:
            continue  # of another database, which this connection can't read
        beside = catalog and place.dialect in BESIDE_EACH_OTHER
        queries.append(
            (
                catalog,
                template.format(
                    where=" OR ".join(conditions),
                    catalog=f"{_quoted(catalog, place.dialect)}." if beside else "",
                    project=catalog.replace("`", ""),
                    dataset=dataset.replace("`", ""),
                ),
            )
        )
    return queries


def found_columns(rows: Iterable[Iterable[Any]], catalog: str, names: Iterable[TableName]) -> Types:
    """The columns of the tables that were asked for, in their order, with their types.

    The tables have the catalog's names, which may be in another case than the statement's.
    """
    wanted = {tuple(part.casefold() for part in name) for name in names}
    types: Types = {}
    for schema, table, column, kind in rows:
        parts = [str(part) for part in (catalog, schema, table) if part]
        for length in range(len(parts), 0, -1):
            name = tuple(parts[-length:])
            if tuple(part.casefold() for part in name) in wanted:
                types.setdefault(name, {})[str(column)] = str(kind)
                break
    return types

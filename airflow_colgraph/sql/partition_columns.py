"""Where a table's partition columns are: Hive and Spark have them behind all others. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from airflow_colgraph.sql.database import Place
from airflow_colgraph.sql.names import SPARK, parts_of

LAST = ("hive", *SPARK)
LAKES = ("delta", "iceberg")  # formats whose tables keep the order of the statement
USUAL_FORMATS = {"databricks": "delta"}
USUAL_CATALOGS = ("", "spark_catalog", "hive_metastore")  # the tables of others keep it as well


def definitions(node: exp.Create) -> list[exp.ColumnDef]:
    """The partition columns that are defined besides the others: PARTITIONED BY (day INT)."""
    return [column for column in _partitioned_by(node) if isinstance(column, exp.ColumnDef)]


def in_order(columns: Iterable[str], last: Iterable[str]) -> tuple[str, ...]:
    """The columns of a table, with the partition columns behind the others."""
    behind = tuple(last)
    return (*(name for name in columns if name not in behind), *behind)


def with_partitions(
    columns: Iterable[str], node: exp.Expr, place: Place
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns of a new table, as its rows have them, and those that stay behind all others."""
    if not isinstance(node, exp.Create):
        return tuple(columns), ()
    names = (*columns, *(column.name for column in definitions(node)))
    if _keeps_order(node, place):
        return names, ()
    kinds = (exp.ColumnDef, exp.Identifier) if place.dialect in LAST else (exp.ColumnDef,)
    keys = [key.name.casefold() for key in _partitioned_by(node) if isinstance(key, kinds)]
    own = {name.casefold(): name for name in names}
    last = tuple(own[key] for key in keys if key in own)
    return in_order(names, last), last


def _partitioned_by(node: exp.Create) -> list[exp.Expr]:
    by = next(iter(_properties(node, exp.PartitionedByProperty)), None)
    return by.this.expressions if by is not None and isinstance(by.this, exp.Schema) else []


def _keeps_order(node: exp.Create, place: Place) -> bool:
    """Whether a table is of a lake's format, by its catalog, its name or its properties."""
    table = node.this.this if isinstance(node.this, exp.Schema) else node.this
    *before, _ = parts_of(table)
    catalog, schema = ["", "", *before][-2:]
    if place.dialect.startswith("spark"):  # it has one where the script sets it
        catalog = catalog or place.catalog
    is_elsewhere = place.dialect in SPARK and catalog.casefold() not in USUAL_CATALOGS
    return is_elsewhere or schema.casefold() in LAKES or _is_lake(node, place.dialect)


def _is_lake(node: exp.Create, dialect: str) -> bool:
    """Whether USING, STORED BY or Athena's `table_type` name the format of a lake."""
    formats = [named.name.casefold() for named in _properties(node, exp.FileFormatProperty)]
    others = _properties(node, exp.StorageHandlerProperty)
    handlers = [handler.this.name.casefold() for handler in others]
    types = [
        own.text("value").casefold()
        for own in _properties(node, exp.Property)
        if own.name.casefold() == "table_type"
    ]
    named = [*(formats or [USUAL_FORMATS.get(dialect, "")]), *types]
    is_handled = any(lake in handler for lake in LAKES for handler in handlers)
    return is_handled or not set(LAKES).isdisjoint(named)


def _properties(node: exp.Create, kind: type[exp.Expr]) -> list[exp.Expr]:
    """The properties of CREATE of a kind."""
    properties = node.args.get("properties")
    return [own for own in properties.expressions if type(own) is kind] if properties else []

"""Where a new table's partition columns are: Hive and Spark have them behind all others. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

LAST = ("hive", "spark", "spark2", "databricks")
LAKES = {"delta", "iceberg"}  # formats whose tables keep the order of the statement
USUAL_FORMATS = {"databricks": "delta"}


def definitions(node: exp.Create) -> list[exp.ColumnDef]:
    """The partition columns that are defined besides the others: PARTITIONED BY (day INT)."""
    return [column for column in _partitioned_by(node) if isinstance(column, exp.ColumnDef)]


def in_order(columns: Iterable[str], node: exp.Expr, dialect: str) -> tuple[str, ...]:
    """The columns of a new table, as its rows have them."""
    names = list(columns)
    if dialect not in LAST or not isinstance(node, exp.Create):
        return tuple(names)
    defined = [column.name for column in definitions(node)]
    if _format(node, dialect) in LAKES:
        return (*names, *defined)
    keys = [key.name.casefold() for key in _partitioned_by(node) if isinstance(key, exp.Identifier)]
    own = {name.casefold(): name for name in names}
    moved = [own[key] for key in keys if key in own]
    return (*(name for name in names if name not in moved), *moved, *defined)


def _partitioned_by(node: exp.Create) -> list[exp.Expr]:
    properties = node.args.get("properties")
    by = properties.find(exp.PartitionedByProperty) if properties else None
    return by.this.expressions if by is not None and isinstance(by.this, exp.Schema) else []


def _format(node: exp.Create, dialect: str) -> str:
    properties = node.args.get("properties")
    named = properties.find(exp.FileFormatProperty) if properties else None
    return named.name.casefold() if named is not None else USUAL_FORMATS.get(dialect, "")

"""`colgraph plan --store`: the columns that the store knows of datasets, as Spark's DDL."""

from __future__ import annotations

import re
from typing import Any

from airflow_colgraph.cli.errors import BadInput
from airflow_colgraph.collector.dry_run.known_sources import Row
from airflow_colgraph.exports.schema.model import (
    Array,
    Leaf,
    Map,
    SchemaError,
    Struct,
    Type,
    native,
)
from airflow_colgraph.exports.schema.openlineage import from_openlineage
from airflow_colgraph.exports.store_reader import schemas
from airflow_colgraph.store.store import Store

# The simple types that Spark's DDL has, by all their names.
SIMPLE = re.compile(
    "(tiny|small|big)?int|byte|short|integer|long|float|real|double|boolean|string|binary|variant"
    r"|date|timestamp(_ntz|_ltz)?|(decimal|dec|numeric)(\(\d+(, *-?\d+)?\))?|(var)?char\(\d+\)"
    r"|interval .*"
)


def stored_rows(store: Store) -> list[Row]:
    """The datasets that the store has a schema of, under all their names, with columns as DDL.

    The columns are None where the types are not all known to Spark; BadInput if no types are
    known.
    """
    with store.connection() as connection:
        rows = [(*dataset, ddl(columns)) for dataset, columns in schemas(connection)]
    if not any(row[-1] for row in rows):
        raise BadInput(
            "the store knows no types of any dataset. Name the columns with --schemas FILE, "
            "or run the jobs once with the collector."
        )
    return rows


def ddl(columns: list[dict[str, Any]]) -> str | None:
    """The columns of a schema facet as Spark's DDL; None if one has no type of Spark's.

    >>> ddl([{"name": "id", "type": "long"}, {"name": "a b", "type": "array<string>"}])
    '`id` long, `a b` array<string>'
    >>> ddl([{"name": "id", "type": "serial"}])
    """
    try:
        top = from_openlineage({"fields": columns}).type
    except SchemaError:
        return None
    if not isinstance(top, Struct) or not top.columns:
        return None
    if not all(is_of_spark(column.type) for column in top.columns):
        return None
    return ", ".join(
        f"{quoted(column.name)} {native(column.type, quoted)}" for column in top.columns
    )


def is_of_spark(type_: Type) -> bool:
    """Whether Spark's DDL can state the type."""
    if isinstance(type_, Leaf):
        return SIMPLE.fullmatch(type_.name) is not None
    if isinstance(type_, Array):
        return is_of_spark(type_.element)
    if isinstance(type_, Map):
        return is_of_spark(type_.key) and is_of_spark(type_.value)
    return isinstance(type_, Struct) and all(is_of_spark(column.type) for column in type_.columns)


def quoted(name: str) -> str:
    """A name in backquotes."""
    escaped = name.replace("`", "``")
    return f"`{escaped}`"

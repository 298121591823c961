"""Spark's schema JSON (`df.schema.json()`, `StructType`) in, `Schema` out."""

from __future__ import annotations

from typing import Any

from airflow_colgraph.exports.schema.model import (
    Array,
    Column,
    Leaf,
    Map,
    Schema,
    SchemaError,
    Struct,
    Type,
    listed,
    unique_names,
)


def from_spark(document: dict[str, Any]) -> Schema:
    """The schema that `StructType.json()` printed."""
    return Schema(_type(document, "the schema"), "spark")


def _type(given: Any, where: str) -> Type:
    if isinstance(given, str) and given:
        return Leaf(given.lower())
    kind = given.get("type") if isinstance(given, dict) else None
    try:
        if kind == "struct":
            columns = [_column(c, where) for c in listed(given["fields"], where)]
            return Struct(unique_names(columns, where))
        if kind == "array":
            return Array(_type(given["elementType"], where))
        if kind == "map":
            return Map(_type(given["valueType"], where), _type(given["keyType"], where))
        if kind == "udt":
            return _type(given["sqlType"], where)
    except KeyError as missing:
        raise SchemaError(f"The {kind} of {where} has no {missing}.") from None
    raise SchemaError(f"{where[0].upper()}{where[1:]} is not a Spark type: {str(given)[:80]!r}.")


def _column(given: Any, where: str) -> Column:
    if not isinstance(given, dict) or not isinstance(given.get("name"), str):
        raise SchemaError(f"A field of {where} has no name: {str(given)[:80]!r}.")
    name = given["name"]
    about = given.get("metadata")
    text = about.get("comment") if isinstance(about, dict) else None
    return Column(
        name,
        _type(given.get("type"), f"field '{name}'"),
        bool(given.get("nullable", True)),
        text if isinstance(text, str) else "",
    )

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


def _type(declared: Any, where: str) -> Type:
    if isinstance(declared, str) and declared:
        return Leaf(declared.lower())
    kind = declared.get("type") if isinstance(declared, dict) else None
    try:
        if kind == "struct":
            columns = [_column(c, where) for c in listed(declared["fields"], where)]
            return Struct(unique_names(columns, where))
        if kind == "array":
            return Array(_type(declared["elementType"], where))
        if kind == "map":
            return Map(_type(declared["valueType"], where), _type(declared["keyType"], where))
        if kind == "udt":
            return _type(declared["sqlType"], where)
    except KeyError as missing:
        raise SchemaError(f"The {kind} of {where} has no {missing}.") from None
    raise SchemaError(f"{where[0].upper()}{where[1:]} is not a Spark type: {str(declared)[:80]!r}.")


def _column(declared: Any, where: str) -> Column:
    if not isinstance(declared, dict) or not isinstance(declared.get("name"), str):
        raise SchemaError(f"A field of {where} has no name: {str(declared)[:80]!r}.")
    name = declared["name"]
    about = declared.get("metadata")
    text = about.get("comment") if isinstance(about, dict) else None
    return Column(
        name,
        _type(declared.get("type"), f"field '{name}'"),
        bool(declared.get("nullable", True)),
        text if isinstance(text, str) else "",
    )

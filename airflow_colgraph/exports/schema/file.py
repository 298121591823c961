"""A schema document of any of the three kinds in, `Schema` out; Spark's is read here."""

from __future__ import annotations

import json
from typing import Any

from airflow_colgraph.exports.schema.avro import from_avro
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
from airflow_colgraph.exports.schema.openlineage import from_openlineage


def parse_schema(text: str | bytes) -> Schema:
    """The schema in a JSON text: Spark's StructType, Avro, or an OpenLineage schema facet."""
    try:
        return from_document(json.loads(text))
    except UnicodeDecodeError:
        raise SchemaError("The schema is not UTF-8 text.") from None
    except json.JSONDecodeError as error:
        raise SchemaError(f"The schema is not JSON: line {error.lineno}, {error.msg}.") from None
    except RecursionError:
        raise SchemaError("The schema is nested too deeply.") from None


def from_document(document: Any) -> Schema:
    """The schema in parsed JSON; what it looks like decides which of the three it is."""
    if isinstance(document, dict):
        if document.get("type") == "struct" and "fields" in document:
            return from_spark(document)
        if "type" not in document and {"fields", "schema", "facets"} & set(document):
            return from_openlineage(document)
    if isinstance(document, dict | list | str) and document:
        if isinstance(document, dict) and "type" not in document:
            raise SchemaError(
                "Neither a Spark schema (type and fields), nor an Avro schema (type), "
                "nor an OpenLineage schema facet (fields)."
            )
        return from_avro(document)
    raise SchemaError("A schema is a JSON object; Avro also has names and lists.")


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

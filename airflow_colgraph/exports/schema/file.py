"""A schema document of any of the three kinds in, `Schema` out."""

from __future__ import annotations

import json
from typing import Any

from airflow_colgraph.exports.schema.avro import from_avro
from airflow_colgraph.exports.schema.model import Schema, SchemaError
from airflow_colgraph.exports.schema.openlineage import from_openlineage
from airflow_colgraph.exports.schema.spark import from_spark


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

"""The forms of the rows of events and bodies, for Spark (DDL) and its Python workers (Arrow)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow

# A dict is a struct, a list an array of its only element.
FIELD = {"id": "bigint", "dataset": "bigint", "namespace": "string", "name": "string"}
FIELD["field"] = "string"
EDGE = {"kind": "string", "output": "bigint", "input": "bigint", "transformation": "bigint"}
ROW: dict[str, Any] = {
    "file": "string",
    "error": "string",  # why the line is no event
    "line": "string",
    "bytes": "bigint",
    "malformed": "string",  # parts of the event's facets that are left out
    "at": "bigint",  # milliseconds since 1970, as all times here
    "job": "bigint",
    "run": "string",
    "reading": "bigint",
    "jobs": [
        {
            "id": "bigint",
            "namespace": "string",
            "name": "string",
            "dag_id": "string",
            "task_id": "string",
        }
    ],
    "runs": [
        {
            "id": "string",
            "job": "bigint",
            "parent": "string",
            "started_at": "bigint",
            "ended_at": "bigint",
            "state": "int",
            "attempt": "int",
            "map_index": "int",
            "name": "string",
        }
    ],
    "fields": [FIELD],
    "symlinks": [{"alias": "bigint", "dataset": "bigint"}],
    "schemas": [
        {"id": "bigint", "dataset": "bigint", "columns": [{"name": "string", "type": "string"}]}
    ],
    "descriptions": [{"id": "bigint", "dataset": "bigint", "body": "string"}],
    "tags": [{"id": "bigint", "dataset": "bigint", "job": "bigint", "body": "string"}],
    "gaps": [{"id": "bigint", "job": "bigint", "body": "string"}],
    "outputs": [
        {"job_output": "bigint", "dataset": "bigint", "body": "bigint", "replaces": "boolean"}
    ],
    "bodies": [{"id": "bigint", "checksum": "string", "packed": "binary"}],
}
BODY: dict[str, Any] = {
    "id": "bigint",
    "checksum": "string",
    "body": "string",
    "has_columns": "boolean",
    "edges": [EDGE],
    "fields": [FIELD],
    "transformations": [
        {
            "id": "bigint",
            "type": "string",
            "subtype": "string",
            "masking": "boolean",
            "description": "string",
        }
    ],
}


def ddl(shape: dict[str, Any]) -> str:
    """The columns as Spark's DDL.

    >>> ddl({"a": "int", "b": [{"c": "string"}]})
    '`a` int, `b` array<struct<`c`: string>>'
    """
    return ", ".join(f"`{name}` {_type(part)}" for name, part in shape.items())


def _type(shape: Any) -> str:
    if isinstance(shape, list):
        return f"array<{_type(shape[0])}>"
    if isinstance(shape, dict):
        inner = ", ".join(f"`{name}`: {_type(part)}" for name, part in shape.items())
        return f"struct<{inner}>"
    return str(shape)


def arrow_schema(shape: dict[str, Any]) -> pyarrow.Schema:
    """The columns as an Arrow schema."""
    import pyarrow

    scalars = {
        "string": pyarrow.string(),
        "bigint": pyarrow.int64(),
        "int": pyarrow.int32(),
        "boolean": pyarrow.bool_(),
        "binary": pyarrow.binary(),
    }

    def of(part: Any) -> pyarrow.DataType:
        if isinstance(part, list):
            return pyarrow.list_(of(part[0]))
        if isinstance(part, dict):
            return pyarrow.struct([(name, of(inner)) for name, inner in part.items()])
        return scalars[part]

    return pyarrow.schema([(name, of(part)) for name, part in shape.items()])

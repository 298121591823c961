"""An OpenLineage schema facet in, `Schema` out. Nested types come as fields or as type text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from airflow_colgraph.exports.schema.ddl import parse_type, split
from airflow_colgraph.exports.schema.model import (
    Array,
    Column,
    Map,
    Schema,
    SchemaError,
    Struct,
    Type,
    listed,
    unique_names,
)

# Types whose fields follow as rows of their own.
HOLDERS = {"struct", "record", "array", "map"}


def from_openlineage(document: dict[str, Any]) -> Schema:
    """The schema of a facet, of `{"schema": facet}`, or of a dataset with such a facet."""
    facet = document.get("facets", document)
    facet = facet.get("schema", facet) if isinstance(facet, dict) else facet
    if not isinstance(facet, dict) or not isinstance(facet.get("fields"), list):
        raise SchemaError("The OpenLineage schema facet has no list of fields.")
    return Schema(_struct(facet["fields"], "the schema"), "openlineage")


def _struct(columns: list[Any], where: str) -> Struct:
    return Struct(unique_names([_column(c, where) for c in columns], where))


def _column(column: Any, where: str) -> Column:
    if not isinstance(column, dict) or not isinstance(column.get("name"), str):
        raise SchemaError(f"A field of {where} has no name: {str(column)[:80]!r}.")
    name, text = column["name"], column.get("description")
    return Column(
        name, _type(column, f"field '{name}'"), description=text if isinstance(text, str) else ""
    )


def _type(field: dict[str, Any], where: str) -> Type:
    text = field.get("type") or "unknown"
    if not isinstance(text, str):
        raise SchemaError(f"The type of {where} is not a string: {str(text)[:80]!r}.")
    inner = field.get("fields")
    if not inner:
        return parse_type(text, where)
    inner = listed(inner, where)
    kind = text.strip().lower()
    if kind.startswith("array"):
        if [c.get("name") if isinstance(c, dict) else None for c in inner] == ["_element"]:
            return Array(_type(inner[0], where))
        return Array(_struct(inner, where))
    if kind.startswith("map"):
        parts = {str(c.get("name")): c for c in inner if isinstance(c, dict)}
        if set(parts) == {"key", "value"}:
            return Map(_type(parts["value"], where), _type(parts["key"], where))
    return _struct(inner, where)


def nested(rows: list[list[str]]) -> list[dict[str, Any]]:
    """The facet's fields for dotted names that follow their parent, as the store keeps them."""
    top: list[dict[str, Any]] = []
    open_: list[tuple[str, dict[str, Any]]] = []
    for path, type_ in rows:
        while open_ and not path.startswith(f"{open_[-1][0]}."):
            open_.pop()
        name = path[len(open_[-1][0]) + 1 :] if open_ else path
        column = inner = _spelled(name, type_)
        (open_[-1][1].setdefault("fields", []) if open_ else top).append(column)
        while inner.get("fields"):  # members are those of the elements or values
            inner = inner["fields"][-1]
        if inner["type"].strip().lower() in HOLDERS:  # `a.b` below a `long` is a name of its own
            open_.append((path, inner))
    return top


def _spelled(name: str, type_: str) -> dict[str, Any]:
    """A field as the facet has it: `array<string>` is an `array` of an `_element`."""
    head, angle, rest = type_.strip().partition("<")
    if not (angle and rest.endswith(">")) or head not in ("array", "map"):
        return {"name": name, "type": type_}
    try:
        parts = split(rest[:-1], ",", f"field '{name}'")
    except SchemaError:
        return {"name": name, "type": type_}
    names = ("_element",) if head == "array" else ("key", "value")
    if len(parts) != len(names):
        return {"name": name, "type": type_}
    return {"name": name, "type": head, "fields": list(map(_spelled, names, parts))}


def columns_of(keys: Iterable[tuple[str, ...]]) -> list[dict[str, Any]]:
    """The facet's fields for tuples of names without known types."""
    inside: dict[str, list[tuple[str, ...]]] = {}
    for first, *rest in sorted(keys):
        inside.setdefault(first, []).extend([tuple(rest)] if rest else [])
    return [
        {"name": name, "type": "struct", "fields": columns_of(rests)}
        if rests
        else {"name": name, "type": "unknown"}
        for name, rests in inside.items()
    ]

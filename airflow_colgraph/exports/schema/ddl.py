"""Type text of Hive and Spark in, a `Type` out: `array<struct<sku:string,price:decimal(10,2)>>`."""

from __future__ import annotations

from airflow_colgraph.exports.schema.model import (
    MAX_DEPTH,
    Array,
    Column,
    Leaf,
    Map,
    SchemaError,
    Struct,
    Type,
    Union,
    unique_names,
)

OPEN, CLOSE = "<([", ">)]"


def parse_type(text: str, where: str, depth: int = 0) -> Type:
    """The type that a text states; names of simple types are lower-cased and otherwise kept."""
    text = text.strip()
    head, angle, rest = text.partition("<")
    kind = head.strip().lower()
    if not angle or kind not in ("array", "list", "map", "struct", "uniontype"):
        if not text:
            raise SchemaError(f"The type of {where} is empty.")
        return Leaf(text.lower())
    if depth > MAX_DEPTH:
        raise SchemaError(f"The type of {where} is nested deeper than {MAX_DEPTH} levels.")
    if not rest.endswith(">"):
        raise SchemaError(f"The type of {where} has no closing '>': '{text[:80]}'.")
    parts = split(rest[:-1], ",", where)
    if kind == "struct":
        columns = [_column(part, where, depth) for part in parts]
        return Struct(unique_names(columns, where))
    types = tuple(parse_type(part, where, depth + 1) for part in parts)
    if kind == "uniontype":
        return Union(types)
    if len(types) != (2 if kind == "map" else 1):
        raise SchemaError(f"The {kind} of {where} has {len(types)} types inside: '{text[:80]}'.")
    return Map(types[1], types[0]) if kind == "map" else Array(types[0])


def _column(text: str, where: str, depth: int) -> Column:
    name, *type_ = split(text.strip(), ":", where, most=1)
    if not type_:  # Spark's DDL also writes a blank between name and type
        name, *type_ = split(text.strip(), " ", where, most=1)
    if not type_:
        raise SchemaError(f"A field of {where} has no type: '{text.strip()[:80]}'.")
    name = name.strip()
    if name[:1] == "`" == name[-1:] and len(name) > 1:
        name = name[1:-1].replace("``", "`")
    return Column(name, parse_type(type_[0], where, depth + 1))


def split(text: str, at: str, where: str, most: int = -1) -> list[str]:
    """The parts of a text between `at`, those inside brackets or backquotes left whole."""
    if not text.strip():
        return []
    parts: list[str] = []
    depth, quoted, start = 0, False, 0
    for i, char in enumerate(text):
        if char == "`":
            quoted = not quoted
        elif quoted:
            continue
        elif char in OPEN:
            depth += 1
        elif char in CLOSE:
            depth -= 1
        elif char == at and depth == 0 and len(parts) != most:
            parts.append(text[start:i])
            start = i + 1
    if depth or quoted:
        raise SchemaError(f"The type of {where} has brackets that do not match: '{text[:80]}'.")
    return [*parts, text[start:]]

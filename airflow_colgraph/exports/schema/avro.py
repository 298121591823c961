"""An Avro schema (.avsc) in, `Schema` out. Records, enums and fixed are known by full name."""

from __future__ import annotations

from typing import Any

from airflow_colgraph.exports.schema.model import (
    Array,
    Column,
    Leaf,
    Map,
    Named,
    Schema,
    SchemaError,
    Struct,
    Type,
    Union,
    listed,
    unique_names,
)

PRIMITIVES = {"null", "boolean", "int", "long", "float", "double", "bytes", "string"}


def from_avro(document: Any) -> Schema:
    """The schema that an Avro document states."""
    names = _Names()
    top = names.type(document, "", "the schema")
    return Schema(top, "avro", names.records)


class _Names:
    """The named types met so far, by full name."""

    def __init__(self) -> None:
        self.records: dict[str, Struct] = {}
        self.simple: dict[str, Leaf] = {}

    def type(self, declared: Any, namespace: str, where: str) -> Type:
        if isinstance(declared, list):
            return Union(tuple(self.type(m, namespace, where) for m in declared))
        if isinstance(declared, str):
            return self.mentioned(declared, namespace, where)
        if not isinstance(declared, dict) or "type" not in declared:
            raise SchemaError(f"The type of {where} is not an Avro type: {str(declared)[:80]!r}.")
        kind = declared["type"]
        if not isinstance(kind, str):
            return self.type(kind, namespace, where)
        try:
            if kind == "array":
                return Array(self.type(declared["items"], namespace, where))
            if kind == "map":
                return Map(self.type(declared["values"], namespace, where))
            if kind in ("record", "error"):
                return self.record(declared, namespace, where)
            if kind in ("enum", "fixed"):
                full = self.full_name(declared, namespace, where)
                self.simple[full] = Leaf(kind, full.rpartition(".")[2])
                return self.simple[full]
        except KeyError as missing:
            raise SchemaError(f"The {kind} of {where} has no {missing}.") from None
        return self.mentioned(kind, namespace, where)

    def mentioned(self, name: str, namespace: str, where: str) -> Type:
        if name in PRIMITIVES:
            return Leaf(name)
        for full in (f"{namespace}.{name}" if namespace and "." not in name else name, name):
            if full in self.records:
                return Named(full)
            if full in self.simple:
                return self.simple[full]
        raise SchemaError(f"The type of {where} is unknown: '{name}'.")

    def full_name(self, declared: dict[str, Any], namespace: str, where: str) -> str:
        name = declared["name"]
        if not isinstance(name, str) or not name:
            raise SchemaError(f"The {declared['type']} of {where} has no name.")
        inside = declared.get("namespace", namespace)
        full = name if "." in name or not inside else f"{inside}.{name}"
        if full in self.records or full in self.simple:
            raise SchemaError(f"'{full}' is defined twice.")
        return full

    def record(self, declared: dict[str, Any], namespace: str, where: str) -> Named:
        full = self.full_name(declared, namespace, where)
        inside, _, short = full.rpartition(".")
        self.records[full] = Struct((), short)  # known before its fields, which may mention it
        listing = listed(declared["fields"], f"'{short}'")
        columns = [self.column(c, inside, f"'{short}'") for c in listing]
        self.records[full] = Struct(unique_names(columns, f"'{short}'"), short)
        return Named(full)

    def column(self, declared: Any, namespace: str, where: str) -> Column:
        if not isinstance(declared, dict) or not isinstance(declared.get("name"), str):
            raise SchemaError(f"A field of {where} has no name: {str(declared)[:80]!r}.")
        name = declared["name"]
        type_ = self.type(declared.get("type"), namespace, f"field '{name}'")
        doc = declared.get("doc")
        return Column(name, type_, nullable=False, description=doc if isinstance(doc, str) else "")

"""One path for one field: elements of arrays and values of maps have no name of their own. Pure.

Lineage says `items.sku` and `m.p`, as Spark does; the schema facet of OpenLineage spells the same
fields `items._element.sku` and `m.value.p`. A store has the short form only: the element's and the
value's type become part of the column's type, and a map's keys belong to the map itself.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

ELEMENT = "_element"
UNKNOWN = "unknown"


MOST_PARTS = 20  # of a path: a struct that is copied into itself has no end


class NestedFields(NamedTuple):
    """The nested fields of a dataset: their names in order, and the id of each."""

    names: list[str]
    ids: list[int]

    def within(self, name: str) -> list[int]:
        """The ids of the parts of a field."""
        begin, end = f"{name}.", f"{name}/"  # "/" follows "."
        return self.ids[bisect_left(self.names, begin) : bisect_left(self.names, end)]


class Column(NamedTuple):
    """A column of a schema facet by its path; nested ones follow the one that they are in."""

    path: str
    type: str
    description: str


def short(name: str) -> str:
    """The path of a field, however a producer spells that it is in an array's elements.

    >>> short("items._element.sku"), short("items._element"), short("_element")
    ('items.sku', 'items', '_element')
    """
    if ELEMENT not in name:
        return name
    first, *others = name.split(".")
    return ".".join([first, *(part for part in others if part != ELEMENT)])


def in_copy(part: str, whole: str, copy: str) -> str:
    """Where a part of a struct is in a copy of it; the copy itself where that would be too deep.

    >>> in_copy("c.x", "c", "d")
    'd.x'
    """
    name = copy + part[len(whole) :]
    return name if name.count(".") < MOST_PARTS else copy


def columns_of(fields: Any, prefix: str = "") -> Iterator[Column]:
    """The columns in the `fields` of a schema facet, of any form.

    >>> sku = {"name": "sku", "type": "string"}
    >>> inside = {"name": "_element", "type": "struct", "fields": [sku]}
    >>> list(columns_of([{"name": "items", "type": "array", "fields": [inside]}]))
    [Column(path='items', type='array<struct>', description=''), \
Column(path='items.sku', type='string', description='')]
    """
    for field in fields if isinstance(fields, list) else ():
        name = _text(field, "name")
        if name:
            kind, members = _type(field)
            yield Column(prefix + name, kind, _text(field, "description"))
            yield from columns_of(members, f"{prefix}{name}.")


def _type(field: Mapping[str, Any]) -> tuple[str, Any]:
    """The type of a field as text, and the fields that are its members."""
    kind, members = _text(field, "type"), field.get("fields")
    inner = {_text(one, "name"): one for one in members} if isinstance(members, list) else {}
    if kind == "array" and inner.keys() == {ELEMENT}:
        element, members = _type(inner[ELEMENT])
        return f"array<{element or UNKNOWN}>", members
    if kind == "map" and inner.keys() == {"key", "value"}:
        key, _ = _type(inner["key"])
        value, members = _type(inner["value"])
        return f"map<{key or UNKNOWN},{value or UNKNOWN}>", members
    return kind, members


def _text(field: Any, name: str) -> str:
    value = field.get(name) if isinstance(field, dict) else None
    text = value if isinstance(value, str) else "" if value is None else str(value)
    return text.replace("\0", "\ufffd")

"""One path for one field, and what a struct contains. Pure.

Elements of arrays and values of maps have no name of their own: lineage says `items.sku` and `m.p`,
as Spark does; the schema facet of OpenLineage spells the same fields `items._element.sku` and
`m.value.p`. A store has the short form only: the element's and the value's type become part of the
column's type, and a map's keys belong to the map itself.

A whole struct contains its parts in every question: an edge from or to `c` also holds for `c.x`. A
copy of `c` takes `c.x` to the same part of the copy, anything else to all of what comes from `c`;
a part never reaches its siblings.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from airflow_colgraph.store.model.lineage_body import Field

ELEMENT = "_element"
UNKNOWN = "unknown"

MOST_PARTS = 20  # of a path: a struct that is copied into itself has no end
MOST_MOVED = 20_000  # parts in a walk; three copies of a struct into itself have 3**20


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


def prefixes(name: str) -> Iterator[str]:
    """What a nested column's dotted name may be inside.

    >>> list(prefixes("a.b.c"))
    ['a', 'a.b']
    """
    parts = name.split(".")
    return (".".join(parts[:end]) for end in range(1, len(parts)))


def wholes(field: Field) -> list[Field]:
    """The fields that a nested field is in, the nearest first.

    >>> [whole.field for whole in wholes(Field("n", "d", "a.b.c"))]
    ['a.b', 'a']
    """
    return [field._replace(field=name) for name in prefixes(field.field)][::-1]


def is_part(name: str, whole: str) -> bool:
    """Whether a path is inside another one.

    >>> is_part("a.b", "a"), is_part("ab", "a"), is_part("a", "a")
    (True, False, False)
    """
    return name.startswith(f"{whole}.")


def nearest(name: str, paths: Iterable[str]) -> set[str]:
    """Those of the paths that tell most of a field: itself and its parts, or the nearest whole.

    >>> sorted(nearest("c", ["a", "c", "c.x"])), nearest("c.x.u", ["c", "c.x", "c.y"])
    (['c', 'c.x'], {'c.x'})
    """
    every = set(paths)
    itself = {path for path in every if path == name or is_part(path, name)}
    return itself or set([whole for whole in prefixes(name) if whole in every][-1:])


def in_copy(part: str, whole: str, copy: str) -> str:
    """Where a part of a struct is in a copy of it; the copy itself where that would be too deep.

    >>> in_copy("c.x", "c", "d")
    'd.x'
    """
    name = copy + part[len(whole) :]
    return name if name.count(".") < MOST_PARTS else copy


class Copied:
    """Where the parts of copied structs are in the copies, in one walk."""

    def __init__(self) -> None:
        """Nothing has been copied yet."""
        self._places: dict[tuple[Field, Field, Field], Field] = {}

    def place(self, part: Field, whole: Field, copy: Field) -> Field:
        """The part of the copy that a part of the whole goes to.

        The copy itself for all that is no part, and once a walk has met so many parts that it may
        have no end.
        """
        key = part, whole, copy
        is_moved = whole.field and copy.field and is_part(part.field, whole.field)
        if is_moved and key not in self._places and len(self._places) < MOST_MOVED:
            name = in_copy(part.field, whole.field, copy.field)
            self._places[key] = copy._replace(field=name)
        return self._places.get(key, copy)


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
    inner = (
        {_text(member, "name"): member for member in members} if isinstance(members, list) else {}
    )
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

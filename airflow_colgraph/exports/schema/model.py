"""A dataset's schema as one small tree, whatever wrote it: Spark, Avro or OpenLineage.

`schema_spark`, `schema_avro` and `schema_openlineage` make a `Schema`; `fields` walks it; the
string forms of a field's path are in `fieldpath`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

MAX_FIELDS = 100_000
MAX_DEPTH = 200


class SchemaError(ValueError):
    """A schema that cannot be read; the text describes what is wrong and where."""


@dataclass(frozen=True)
class Leaf:
    """A type without fields, named as its system writes it: `long`, `decimal(10,2)`, `enum`."""

    name: str
    member: str = ""  # the name of an Avro enum or fixed, which a union path shows


@dataclass(frozen=True)
class Array:
    """Many of one type."""

    element: Type


@dataclass(frozen=True)
class Map:
    """Values of one type by key; keys never show in a path."""

    value: Type
    key: Type = Leaf("string")


@dataclass(frozen=True)
class Union:
    """One of several types. Two members, one being null, only say that a value may be null."""

    members: tuple[Type, ...]

    @property
    def some(self) -> tuple[Type, ...]:
        """The members that are not null."""
        return tuple(m for m in self.members if m != Leaf("null"))

    @property
    def optional(self) -> bool:
        """Whether the union only says that a value may be null."""
        return len(self.members) == 2 and len(self.some) == 1


@dataclass(frozen=True)
class Struct:
    """Columns under one name; Spark's structs have none, which is written `struct`."""

    columns: tuple[Column, ...]
    name: str = "struct"


@dataclass(frozen=True)
class Named:
    """A record mentioned by its full name, as Avro does for one that was defined before."""

    name: str


Type = Leaf | Array | Map | Union | Struct | Named


@dataclass(frozen=True)
class Column:
    """A named place in a struct."""

    name: str
    type: Type
    nullable: bool = True
    description: str = ""


@dataclass(frozen=True)
class Schema:
    """The type of a dataset's rows. `kind` is what wrote it: spark, avro or openlineage."""

    type: Type
    kind: str
    records: Mapping[str, Struct] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """One name of a path and the types passed to reach it, its own last: array, array, Foo."""

    name: str
    types: tuple[Type, ...]


@dataclass(frozen=True)
class Field:
    """One field of a schema. The first step is the nameless top; `key` is its identity for us."""

    steps: tuple[Step, ...]
    leaf: bool
    nullable: bool = True
    description: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """The names from the top to the field, without arrays, maps and union members."""
        return tuple(step.name for step in self.steps[1:])

    @property
    def type(self) -> Type:
        """The type of the field, arrays and maps around it included."""
        return self.steps[-1].types[0]


@dataclass(frozen=True)
class _Place:
    """Where the walk is: the steps so far, the types since the last name, the column, records."""

    steps: tuple[Step, ...] = ()
    types: tuple[Type, ...] = ()
    column: Column | None = None
    nullable: bool = False
    inside: frozenset[str] = frozenset()

    def within(self, type_: Type) -> _Place:
        return replace(self, types=(*self.types, type_))

    def field(self, type_: Type, leaf: bool) -> Field:
        nullable = self.nullable or (self.column is not None and self.column.nullable)
        text = self.column.description if self.column else ""
        return Field((*self.steps, self.step(type_)), leaf, nullable, text)

    def step(self, type_: Type) -> Step:
        return Step(self.column.name if self.column else "", (*self.types, type_))


def fields(schema: Schema) -> Iterator[Field]:
    """Every field of a schema, each before the fields inside it.

    A union of several members gives a field for itself and one for each member. A record inside
    itself is shown once more and not opened.
    """
    for count, inner in enumerate(_walk(schema, schema.type, _Place()), 1):
        if count > MAX_FIELDS:
            raise SchemaError(f"The schema has more than {MAX_FIELDS:,} fields. Split it.")
        yield inner


def _walk(schema: Schema, type_: Type, at: _Place) -> Iterator[Field]:
    if len(at.steps) + len(at.types) > MAX_DEPTH:
        raise SchemaError(f"The schema is nested deeper than {MAX_DEPTH} levels.")
    if isinstance(type_, Leaf):
        yield at.field(type_, leaf=True)
    elif isinstance(type_, Array):
        yield from _walk(schema, type_.element, at.within(type_))
    elif isinstance(type_, Map):
        yield from _walk(schema, type_.value, at.within(type_))
    elif isinstance(type_, Union):
        yield from _walk_union(schema, type_, at)
    elif isinstance(type_, Named):
        again = type_.name in at.inside
        struct = schema.records[type_.name]
        opened = replace(at, inside=at.inside | {type_.name})
        yield from _walk_struct(schema, replace(struct, columns=()) if again else struct, opened)
    else:
        yield from _walk_struct(schema, type_, at)


def _walk_union(schema: Schema, union: Union, at: _Place) -> Iterator[Field]:
    if Leaf("null") in union.members:
        at = replace(at, nullable=True)
    if not union.optional:
        yield at.field(union, leaf=not union.some)
    for member in union.some:
        yield from _walk(schema, member, at.within(union))


def _walk_struct(schema: Schema, struct: Struct, at: _Place) -> Iterator[Field]:
    if at.column is not None:
        yield at.field(struct, leaf=not struct.columns)
    steps = (*at.steps, at.step(struct))
    for column in struct.columns:
        yield from _walk(schema, column.type, _Place(steps, column=column, inside=at.inside))


def listed(value: Any, where: str) -> list[Any]:
    """The value if it is a list; anything else is an error."""
    if not isinstance(value, list):
        raise SchemaError(f"The fields of {where} are not a list: {str(value)[:80]!r}.")
    return value


def unique_names(columns: list[Column], where: str) -> tuple[Column, ...]:
    """The columns as a tuple; two of the same name are an error that names them."""
    seen: set[str] = set()
    for column in columns:
        if not column.name:
            raise SchemaError(f"A field of {where} has no name.")
        if column.name in seen:
            raise SchemaError(f"Field '{column.name}' occurs twice in {where}.")
        seen.add(column.name)
    return tuple(columns)


def native(type_: Type, named: Callable[[str], str] = str) -> str:
    """A type as one text, in the spelling of Hive and Spark: `array<struct<sku:string>>`.

    `named` spells the names of columns: Spark's DDL needs some of them quoted.
    """
    if isinstance(type_, Leaf):
        return type_.member or type_.name
    if isinstance(type_, Array):
        return f"array<{native(type_.element, named)}>"
    if isinstance(type_, Map):
        return f"map<{native(type_.key, named)},{native(type_.value, named)}>"
    if isinstance(type_, Union):
        return f"union<{','.join(native(m, named) for m in type_.members)}>"
    if isinstance(type_, Named) or type_.name != "struct":
        return type_.name.rpartition(".")[2]
    return f"struct<{','.join(f'{named(c.name)}:{native(c.type, named)}' for c in type_.columns)}>"

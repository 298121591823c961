"""Small tables: their types, their rows, and the same rows with other values in some columns. Pure.

A type is Spark's name of a simple type, a dict (a struct), a list of one type (an array) or a tuple
of one (a map of strings to it).
"""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from random import Random
from typing import Any

Type = Any
Path = tuple[str, ...]
Rows = list[dict[str, Any]]

WORDS = ("a", "b", "ab", "B", "1", "22", "a,b", "2024-01-03", "", " a ", "x1y", "naïve")
NULLS = 0.12  # of the values
KNOWN = 0.7  # of the values of a type of which the query names some
SHARED = 0.5  # of the perturbed values, those that are another row's


def ddl(kind: Type) -> str:
    """A type as SQL says it."""
    if isinstance(kind, dict):
        return f"STRUCT<{', '.join(f'{name}: {ddl(part)}' for name, part in kind.items())}>"
    if isinstance(kind, list):
        return f"ARRAY<{ddl(kind[0])}>"
    if isinstance(kind, tuple):
        return f"MAP<STRING, {ddl(kind[0])}>"
    return str(kind).upper()


def literal(value: Any, kind: Type) -> str:
    """A value as a SQL literal of its type."""
    if value is None:
        return f"CAST(NULL AS {ddl(kind)})"
    if isinstance(kind, dict):
        parts = (f"'{name}', {literal(value[name], part)}" for name, part in kind.items())
        return f"named_struct({', '.join(parts)})"
    if isinstance(kind, list):
        items = ", ".join(literal(item, kind[0]) for item in value)
        return f"array({items})" if value else f"CAST(array() AS {ddl(kind)})"
    if isinstance(kind, tuple):
        items = ", ".join(f"'{name}', {literal(item, kind[0])}" for name, item in value.items())
        return f"map({items})" if value else f"CAST(map() AS {ddl(kind)})"
    text = str(value).replace("\\", "\\\\").replace("'", "\\'")
    return f"CAST('{text}' AS {ddl(kind)})" if kind != "string" else f"'{text}'"


class Values:
    """Where values come from: few of each type, so that joins find partners, groups members."""

    def __init__(self, random: Random, known: Mapping[str, Sequence[Any]] | None = None) -> None:
        """`known` are values that a query names, by column or type: its filters let them by."""
        self.random = random
        self.known = known or {}

    def fresh(self, kind: Type, column: str = "") -> Any:
        """A value of a type, for a column where that is known."""
        random = self.random
        if random.random() < NULLS:
            return None
        if isinstance(kind, dict):
            return self.whole(kind)
        if isinstance(kind, list):
            return [self.fresh(kind[0]) for _ in range(random.randrange(4))]
        if isinstance(kind, tuple):
            names = random.sample(("a", "b", "ab"), random.randrange(4))
            return {name: self.fresh(kind[0]) for name in names}
        name = kind.partition("(")[0]
        known = self.known.get(column) or self.known.get(name)
        return random.choice(known) if known and random.random() < KNOWN else SIMPLE[name](random)

    def whole(self, kind: dict[str, Type]) -> dict[str, Any]:
        """A struct that is there."""
        return {name: self.fresh(part) for name, part in kind.items()}


SIMPLE = {
    "int": lambda random: random.randrange(-2, 9),
    "bigint": lambda random: random.randrange(-2, 9),
    "string": lambda random: random.choice(WORDS),
    "date": lambda random: datetime.date(2024, 1, 1) + datetime.timedelta(random.randrange(60)),
    "timestamp": lambda random: (
        datetime.datetime(2024, 1, 1) + datetime.timedelta(minutes=random.randrange(90000))
    ),
    "decimal": lambda random: Decimal(random.randrange(-300, 900)) / 100,
    "double": lambda random: random.randrange(-8, 40) / 4,
    "boolean": lambda random: random.random() < 0.5,
}
SIMPLE |= dict.fromkeys(("tinyint", "smallint"), SIMPLE["int"])
SIMPLE |= {
    "float": SIMPLE["double"],
    "timestamp_ntz": SIMPLE["timestamp"],
    "binary": SIMPLE["string"],
}


def rows_of(values: Values, columns: dict[str, Type], count: int) -> Rows:
    """So many rows of a table."""
    return [
        {name: values.fresh(kind, name) for name, kind in columns.items()} for _ in range(count)
    ]


def perturbed(
    values: Values, columns: dict[str, Type], rows: Rows, kept: Collection[Path], shapes: bool
) -> Rows:
    """The rows with other values everywhere but in the fields `kept`.

    A struct stays null or not. With `shapes`, an array or a map keeps its length too: `explode`
    makes a row of each element.
    """
    changed = [dict(row) for row in rows]
    for name, kind in columns.items():
        others = values.random.sample([row[name] for row in rows], len(rows))
        for row, other in zip(changed, others, strict=True):
            row[name] = _other(values, kind, row[name], other, (name,), kept, shapes)
    return changed


def _other(
    values: Values,
    kind: Type,
    value: Any,
    other: Any,
    path: Path,
    kept: Collection[Path],
    shapes: bool,
) -> Any:
    """A value with other values in its parts that are not kept; `other` is another row's."""
    if any(path[: len(known)] == known for known in kept):
        return value
    if isinstance(kind, dict):
        if value is None:
            return None
        again = other or values.whole(kind)
        return {
            name: _other(values, part, value[name], again[name], (*path, name), kept, shapes)
            for name, part in kind.items()
        }
    shaped = shapes and isinstance(kind, (list, tuple))
    if not shaped and not any(known[: len(path)] == path for known in kept):
        return other if values.random.random() < SHARED else values.fresh(kind)
    if value is None:
        return None
    element = kind[0]
    if isinstance(kind, list):
        return [_other(values, element, item, None, path, kept, shapes) for item in value]
    if shapes and not any(known[: len(path)] == path for known in kept):
        names = values.random.sample(("a", "b", "ab", "c"), len(value))
        return {name: values.fresh(element) for name in names}
    return {
        name: _other(values, element, item, None, path, kept, shapes)
        for name, item in value.items()
    }


def leaves(kind: Type, path: Path) -> list[Path]:
    """The fields of a column that have no members."""
    while isinstance(kind, (list, tuple)):
        kind = kind[0]
    if isinstance(kind, dict):
        return [leaf for name, part in kind.items() for leaf in leaves(part, (*path, name))]
    return [path]

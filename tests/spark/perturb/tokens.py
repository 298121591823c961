"""Values that nothing else makes: a column that shows one carries its field's values. Pure.

A token is so rare that no literal, no other field and no computation without it comes near it. So a
column that shows a field's token comes from that field's value: the edge is DIRECT, whatever
conditions there are. And what is reported as IDENTITY may show tokens, but never a changed one.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Iterable, Iterator
from decimal import Decimal
from random import Random
from typing import Any, NamedTuple

from tests.spark.perturb.data import Path, Rows, Type

LETTERS = "cdefghkmnpqrtuvwxyz"  # no `a`, no `b`: made queries replace these
NEAR = 500  # what additions of small numbers may do to a token
LARGE = 10**7  # tokens from which on nothing else is so near
EPOCH = datetime.date(3000, 1, 1)
DAYS = 365 * 6000


def token(random: Random, kind: str) -> Any:
    """A rare value of a simple type; None for a type that has none."""
    name = kind.partition("(")[0]
    if name in ("int", "bigint"):
        return random.randrange(10**8, 10**9)
    if name == "string":
        return "".join(random.choice(LETTERS) for _ in range(12))
    if name == "date":
        return EPOCH + datetime.timedelta(random.randrange(DAYS))
    if name == "timestamp":
        start = datetime.datetime.combine(EPOCH, datetime.time())
        return start + datetime.timedelta(seconds=random.randrange(DAYS * 86400))
    if name == "decimal":
        whole, _, places = kind.partition("(")[2].rstrip(")").partition(",")
        digits = int(whole or 10)
        number = random.randrange(10 ** (digits - 1), 10**digits)
        return Decimal(number).scaleb(-int(places or 0))
    if name == "double":
        return random.randrange(10**8, 10**9) / 8
    return None


class Marked(NamedTuple):
    """Rows with tokens in some fields, and the tokens of each field."""

    rows: Rows
    tokens: dict[Path, list[Any]]


def marked(
    random: Random, columns: dict[str, Type], rows: Rows, fields: Collection[Path], share: float
) -> Marked:
    """The rows with tokens for that share of the different values of each field.

    Equal values stay equal and in their order, so that joins and groups find each other; null
    stays null, and arrays and maps keep their lengths.
    """
    found = [dict(row) for row in rows]
    tokens: dict[Path, list[Any]] = {}
    for name, kind in columns.items():
        for path, simple in simple_leaves(kind, (name,)):
            if path not in fields or token(random, simple) is None:
                continue
            every = {v for row in found for v in values_at(row[name], kind, path[1:])}
            old = sorted(every, key=lambda value: (type(value).__name__, value))
            old = [value for value in old if random.random() < share]
            new = sorted(token(random, simple) for _ in old)
            again = dict(zip(old, new, strict=True))
            for row in found:
                row[name] = replaced(row[name], kind, path[1:], again)
            tokens[path] = new
    return Marked(found, tokens)


def simple_leaves(kind: Type, path: Path) -> Iterator[tuple[Path, str]]:
    """The fields of a column that have no members, with their types."""
    while isinstance(kind, (list, tuple)):
        kind = kind[0]
    if isinstance(kind, dict):
        for name, part in kind.items():
            yield from simple_leaves(part, (*path, name))
    else:
        yield path, kind


def values_at(value: Any, kind: Type, path: Path) -> Iterator[Any]:
    """The values of a field in one value of its column."""
    if value is None:
        return
    if isinstance(kind, (list, tuple)):
        for item in value if isinstance(kind, list) else value.values():
            yield from values_at(item, kind[0], path)
    elif isinstance(kind, dict):
        yield from values_at(value[path[0]], kind[path[0]], path[1:])
    else:
        yield value


def replaced(value: Any, kind: Type, path: Path, again: dict[Any, Any]) -> Any:
    """A value of a column with other values in one field."""
    if value is None:
        return None
    if isinstance(kind, list):
        return [replaced(item, kind[0], path, again) for item in value]
    if isinstance(kind, tuple):
        return {name: replaced(item, kind[0], path, again) for name, item in value.items()}
    if isinstance(kind, dict):
        return {**value, path[0]: replaced(value[path[0]], kind[path[0]], path[1:], again)}
    return again.get(value, value)


def scalars(value: Any) -> Iterator[Any]:
    """The simple values in a result's value, the keys of maps too."""
    if value is None or isinstance(value, bool):
        return
    if isinstance(value, dict):
        yield from scalars([*value, *value.values()])
    elif isinstance(value, (list, tuple)):  # a Row is a tuple
        for item in value:
            yield from scalars(item)
    else:
        yield value


def number_of(value: Any) -> float | None:
    """A value as a number, where it is one or is written as one."""
    if isinstance(value, str) and not re.fullmatch(r"-?\d+(\.\d+)?(E\d+)?", value):
        return None
    if isinstance(value, (datetime.date, bytes, bytearray)):
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def same(value: Any, known: Any) -> bool:
    """Whether a value is a token, perhaps cast to a wider type."""
    numbers = number_of(value), number_of(known)
    if None not in numbers:
        return numbers[0] == numbers[1]
    texts = [re.sub(r"[ T]00:00:00$", "", str(item)) for item in (value, known)]
    return texts[0] == texts[1]


def shows(value: Any, known: Any) -> bool:
    """Whether a value comes from a token: the token itself, in a text, or a number near it."""
    number, other = number_of(value), number_of(known)
    if number is not None and other is not None:
        return abs(abs(number) - other) <= (NEAR if other >= LARGE else 0)
    if isinstance(value, (bytes, bytearray)):
        value = value.decode("latin-1")
    text, sought = str(value).lower(), str(known).lower()
    return sought in text or sought[::-1] in text


def showing(values: Iterable[Any], tokens: Collection[Any]) -> tuple[bool, bool]:
    """Whether some value shows a token, and whether one shows it changed."""
    shown = changed = False
    for value in {repr(found): found for item in values for found in scalars(item)}.values():
        if any(shows(value, known) for known in tokens):
            shown = True
            changed = changed or not any(same(value, known) for known in tokens)
    return shown, changed

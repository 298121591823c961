"""Whether two texts are one data type, and the parts that a text names. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from airflow_colgraph.store.model.field_path import UNKNOWN, prefixes

# A text is the same type as another one if both of these read it so: `real` is Spark's `float`,
# but not PostgreSQL's, and `timestamp` has a time zone in Spark only.
DIALECTS = ("spark", "postgres")
TOKEN = re.compile(r"`[^`]*`|\w+\s*:|\w+|\S")  # a name in backticks, a struct's part, a word
NESTED = re.compile(r"(?is)(array|list|map|struct|row)\s*(?:<(.*)>|\((.*)\))?")
PART = re.compile(r"(`[^`]+`|\"[^\"]+\"|[^\s:`\".]+)(?:\s*:\s*|\s+)(.+)", re.DOTALL)
KINDS = {"list": "array", "row": "struct"}
BRACKETS = {"<": 1, "(": 1, ">": -1, ")": -1}


class NestedType(NamedTuple):
    """A struct, an array or a map; `inner` are its parts' names and types, empty if unknown."""

    kind: str
    inner: tuple[tuple[str, str], ...]


@lru_cache(4096)
def is_same_type(text: str, other: str) -> bool:
    """Whether two types differ by their spelling only: `DOUBLE`, `decimal(10, 2)`, `long`.

    Names of a struct's parts count as they are. Without sqlglot, letters and spaces do not count,
    and synonyms are other types. A struct, array or map whose parts are not named may be any.

    >>> is_same_type("struct<a:int>", "struct"), is_same_type("struct<a:int>", "array")
    (True, False)
    """
    if text == other or UNKNOWN in (text, other) or _tokens(text) == _tokens(other):
        return True
    nested, others = nested_type(text), nested_type(other)
    if nested and others:
        return nested.kind == others.kind and _are_same_parts(nested.inner, others.inner)
    try:
        from sqlglot import exp
        from sqlglot.errors import SqlglotError
    except ImportError:
        return False
    try:
        return all(
            exp.DataType.build(text, dialect=dialect) == exp.DataType.build(other, dialect=dialect)
            for dialect in DIALECTS
        )
    except SqlglotError:  # no type of SQL
        return False


Parts = tuple[tuple[str, str], ...]


def _are_same_parts(parts: Parts, others: Parts) -> bool:
    if not parts or not others:
        return True
    return [name for name, _ in parts] == [name for name, _ in others] and all(
        is_same_type(kind, other) for (_, kind), (_, other) in zip(parts, others, strict=True)
    )


@lru_cache(4096)
def nested_type(text: str) -> NestedType | None:
    """The struct, array or map that a text names; None for any other type.

    What is not understood of a struct, as Spark cuts off long ones, is a part without a name.

    >>> nested_type("array<struct<a:int>>")
    NestedType(kind='array', inner=(('', 'struct<a:int>'),))
    >>> nested_type("ROW(a integer, b varchar(9))").inner
    (('a', 'integer'), ('b', 'varchar(9)'))
    """
    text = text.strip()
    if text.endswith("[]"):
        return NestedType("array", (("", text[:-2]),))
    match = NESTED.fullmatch(text)
    if match is None:
        return None
    word = match[1].casefold()
    kind, inside = KINDS.get(word, word), match[2] or match[3] or ""
    pieces = [piece.strip() for piece in _split(inside)] if inside.strip() else []
    if kind != "struct":
        is_whole = len(pieces) in (0, 1 if kind == "array" else 2)
        return NestedType(kind, tuple(("", piece) for piece in pieces)) if is_whole else None
    parts = [PART.fullmatch(piece) for piece in pieces]
    if not all(parts):
        return NestedType(kind, (("", inside),))
    return NestedType(kind, tuple((part[1].strip('`"'), part[2]) for part in parts if part))


def _split(text: str) -> Iterator[str]:
    """The pieces between commas that are in no brackets or quotes."""
    depth, begin, quote = 0, 0, ""
    for place, letter in enumerate(text):
        if quote or letter in "`\"'":
            quote = "" if letter == quote else quote or letter
        elif letter == "," and not depth:
            yield text[begin:place]
            begin = place + 1
        else:
            depth += BRACKETS.get(letter, 0)
    yield text[begin:]


def comparable(
    types: Mapping[str, str], others: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the types of two schemas by path, with the parts of structs that both of them name.

    >>> comparable({"c": "struct<a:int>"}, {"c": "struct", "c.a": "bigint"})
    ({'c': 'struct', 'c.a': 'int'}, {'c': 'struct', 'c.a': 'bigint'})
    >>> comparable({"c": "struct<a:int>"}, {"c": "struct"})
    ({'c': 'struct'}, {'c': 'struct'})
    """
    both = _with_parts(types), _with_parts(others)
    structs = [{_whole(path, each) for path in each} for each in both]
    one_sided = (structs[0] ^ structs[1]) & both[0].keys() & both[1].keys()
    first, second = (
        {path: kind for path, kind in each.items() if one_sided.isdisjoint(prefixes(path))}
        for each in both
    )
    return first, second


def _whole(path: str, types: Mapping[str, str]) -> str:
    """The struct that a part is in, by the paths that a schema has; empty without one."""
    return next((whole for whole in reversed([*prefixes(path)]) if whole in types), "")


def _with_parts(types: Mapping[str, str]) -> dict[str, str]:
    """The types with a path for each part of a struct that only a text names."""
    every: dict[str, str] = {}
    for path, text in types.items():
        kind, parts = _spread(text)
        every[path] = kind
        every.update({f"{path}.{name}": inner for name, inner in parts.items()})
    return every


@lru_cache(4096)
def _spread(text: str) -> tuple[str, dict[str, str]]:
    """A type without its structs' parts, and these by their paths; a map's keys have none."""
    nested = nested_type(text)
    if nested is None or not nested.inner:
        return text, {}
    if nested.kind == "struct":
        if not nested.inner[0][0]:
            return text, {}
        paths: dict[str, str] = {}
        for name, inner in nested.inner:
            kind, parts = _spread(inner)
            paths |= {name: kind} | {f"{name}.{part}": each for part, each in parts.items()}
        return "struct", paths
    *keys, (_, value) = nested.inner
    kind, parts = _spread(value)
    if not parts:
        return text, {}
    return f"{nested.kind}<{','.join([*(key for _, key in keys), kind])}>", parts


def _tokens(text: str) -> list[str]:
    tokens: list[str] = TOKEN.findall(text)
    is_name = (token[0] == "`" or token[-1] == ":" for token in tokens)
    return [
        "".join(token.split()) if named else token.casefold()
        for token, named in zip(tokens, is_name, strict=True)
    ]

"""Whether two texts are one data type. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

# A text is the same type as another one if both of these read it so: `real` is Spark's `float`,
# but not PostgreSQL's, and `timestamp` has a time zone in Spark only.
DIALECTS = ("spark", "postgres")
TOKEN = re.compile(r"`[^`]*`|\w+\s*:|\w+|\S")  # a name in backticks, a struct's part, a word


@lru_cache(4096)
def is_same_type(text: str, other: str) -> bool:
    """Whether two types differ by their spelling only: `DOUBLE`, `decimal(10, 2)`, `long`.

    Names of a struct's parts count as they are. Without sqlglot, letters and spaces do not count,
    and synonyms are other types.
    """
    if text == other or _tokens(text) == _tokens(other):
        return True
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


def _tokens(text: str) -> list[str]:
    tokens: list[str] = TOKEN.findall(text)
    is_name = (token[0] == "`" or token[-1] == ":" for token in tokens)
    return [
        "".join(token.split()) if named else token.casefold()
        for token, named in zip(tokens, is_name, strict=True)
    ]

"""Names of columns without the keys that Spark puts into them. Pure."""

from __future__ import annotations

import json
import re

from airflow_colgraph.collector.redaction.names import REDACTED

STRING_END = re.compile(r'\\.|"', re.DOTALL)
SEALED = re.compile(r"aes_(?:en|de)crypt\(")


def without_keys(text: str) -> str:
    """A JSON text in which no name holds the key of `aes_encrypt(x, 'key')`.

    Spark names a column without an alias after its whole expression, so the key would be part of
    the name wherever the column is read or written.
    """
    if not SEALED.search(text):
        return text
    shown: list[str] = []
    done = 0
    while (start := text.find('"', done)) >= 0:
        end = start + 1
        while (found := STRING_END.search(text, end)) is not None:
            end = found.end()
            if found.group(0) == '"':
                break
        if found is None:
            break
        literal = text[start:end]
        if SEALED.search(literal):
            literal = json.dumps(unkeyed(json.loads(literal)))
        shown += [text[done:start], literal]
        done = end
    return "".join([*shown, text[done:]])


def unkeyed(name: str) -> str:
    """`f(aes_encrypt(x, key, GCM))` as `f(aes_encrypt(x, ***))`: a key may hold any character."""
    found = SEALED.search(name)
    if found is None:
        return name
    depth = open_before = name[: found.end()].count("(") - name[: found.end()].count(")")
    for place in range(found.end(), len(name)):
        depth += {"(": 1, ")": -1}.get(name[place], 0)
        if depth == open_before and name[place] == ",":
            return f"{name[:place]}, {REDACTED}{')' * depth}"
        if depth < open_before:
            break
    return f"{name[: found.end()]}{REDACTED}{')' * open_before}"

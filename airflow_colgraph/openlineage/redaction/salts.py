"""What is given to functions that hash or encrypt, hidden where no quotes show the constants. Pure.

Spark writes constants without quotes into the names of columns, and such names into its messages. A
constant may hold any character, a bracket too.
"""

from __future__ import annotations

import re

from airflow_colgraph.openlineage.redaction.names import REDACTED, is_hash

CALL = re.compile(r"(?<![\w.])[\w.]{1,128}\(")
HIDDEN = f"{REDACTED})"  # behind the bracket of a call
BRACKET = re.compile(r"[()]")
SOURCE_LINE = re.compile(r"[\w$.-]+\.(?:java|scala|kt|py):[0-9]+")  # of a stack trace
OPERATORS = {"hashaggregate", "hashcode", "hashpartitioning", "objecthashaggregate"}  # in plans


def without_salts(name: str) -> str:
    """The name of a column, hidden behind the first call of a function that hashes or encrypts.

    >>> without_salts("upper(sha2(concat(s3cret, card), 256))")
    'upper(sha2(***))'
    """
    for call in CALL.finditer(name):
        if hashes(call) and not name.startswith(HIDDEN, call.end()):
            return hidden_from(name, call.end())
    return name


def hashes(call: re.Match[str]) -> bool:
    """Whether a function hashes or encrypts, by its name without its schema's."""
    return is_hash(call.group(0)[:-1].rpartition(".")[2])


def hidden_from(name: str, at: int) -> str:
    """The name up to a place, with as many brackets closed as are open there."""
    before = name[:at]
    return before + REDACTED + ")" * max(0, before.count("(") - before.count(")"))


def in_calls(text: str) -> str:
    """A message in which each call of such a function is hidden, up to its closing bracket."""
    shown: list[str] = []
    done = 0
    for call in CALL.finditer(text):
        start = call.end()
        if start >= done and hashes(call) and not _is_code(text, call):
            shown += [text[done:start], REDACTED]
            done = _end(text, start)
    return "".join([*shown, text[done:]])


def _is_code(text: str, call: re.Match[str]) -> bool:
    """Whether a line of a stack trace or an operator of a plan only looks like such a call."""
    function = call.group(0)[:-1].rpartition(".")[2]
    return function.lower() in OPERATORS or bool(SOURCE_LINE.match(text, call.end()))


def _end(text: str, at: int) -> int:
    """Where a call's closing bracket is, or the end of the text."""
    depth = 1
    for bracket in BRACKET.finditer(text, at):
        depth += 1 if bracket.group(0) == "(" else -1
        if depth == 0:
            return bracket.start()
    return len(text)

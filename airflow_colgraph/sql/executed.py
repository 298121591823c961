"""Statements in a text that is run: EXECUTE IMMEDIATE, sp_executesql, PostgreSQL's DO. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sqlglot import Dialect

from airflow_colgraph.sql.names import dialect_name
from airflow_colgraph.sql.targets import Target, targets_at
from airflow_colgraph.sql.tokens import Text, items_of, words_of

EXECUTED = ("EXEC", "EXECUTE")
_RUNS = (  # `'` is the text
    ("IMMEDIATE", "'"),
    ("SP_EXECUTESQL", "'"),
    ("(", "'", ")"),
    ("LANGUAGE", "PLPGSQL", "'"),
    ("'", "LANGUAGE", "PLPGSQL"),
    ("'",),
)
_MODES = {"IN", "OUT"}  # of a value that is passed
_PLACEHOLDER = re.compile(
    r"'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*|/\*.*?\*/|(?<![:@\w])(?P<mark>[:@]\w+|\?|\$\d+)", re.S
)
_NUMBERED = {"postgres": "$", "redshift": "$", "snowflake": "?:", "oracle": ":"}
_NAMED = ("bigquery", "databricks", "spark", "tsql", "fabric")


class Executed(NamedTuple):
    """The text that is run, the values that it gets by variables, and what its row is put into."""

    text: str
    values: list[tuple[str, str]]
    into: list[Target]


def executed(text: str, first: str, dialect: Dialect) -> Executed | None:
    """The statements that EXECUTE IMMEDIATE, EXEC or PostgreSQL's DO runs, if a literal has them.

    The values in USING are those of variables of this module's own in the text.
    """
    if first not in (*EXECUTED, "DO"):
        return None
    tokens = dialect.tokenize(text.lstrip()[len(first) :])
    words = words_of(tokens)
    shape = next((shape for shape in _RUNS if tuple(words[: len(shape)]) == shape), ())
    if not shape:
        return None
    whole, at = Text(text.lstrip()[len(first) :], tokens), len(shape)
    whole.text = whole.text[tokens[0].start :]
    inner = str(tokens[shape.index("'")].text)
    into: list[Target] = []
    if words[at : at + 1] == [","]:
        return _with_arguments(inner, whole, at + 1)
    if words[at : at + 1] in (["INTO"], ["BULK COLLECT INTO"]):
        into, at = targets_at(tokens, at + 1)
    if words[at : at + 1] not in ([], ["USING"]):
        return None
    values = [*_values(whole, at + 1)] if at < len(words) else []
    return _with_values(inner, values, into, dialect_name(dialect))


def _with_arguments(inner: str, whole: Text, at: int) -> Executed:
    """`sp_executesql N'..', N'@a INT', @a = 3`: its arguments in place of its parameters."""
    words = whole.words
    (first, _), *arguments = items_of(words, at)
    names = re.findall(r"@(\w+)", str(whole.tokens[first].text))
    said: dict[str, str] = {}
    for place, (start, end) in enumerate(arguments):
        end -= words[end] in ("OUT", "OUTPUT")
        is_named = words[start + 2 : start + 3] == ["="]
        name = whole.tokens[start + 1].text if is_named else "".join(names[place : place + 1])
        said[f"@{name}".casefold()] = whole.said(start + 3 * is_named, end)

    def argument(match: re.Match[str]) -> str:
        return said.get((match["mark"] or "").casefold(), match[0])

    return Executed(_PLACEHOLDER.sub(argument, inner), [], [])


def _values(whole: Text, at: int) -> Iterator[tuple[str, str]]:
    """The values of USING, each with its name, which may be missing."""
    words = whole.words
    end = len(words) - 1
    if words[at] == "(" and words[end] == ")":  # USING (3 AS a)
        at, end = at + 1, end - 1
    for start, last in items_of(words[: end + 1], at):
        start += sum(word in _MODES for word in words[start : start + 2])
        is_named = words[last - 1] == "AS" and last - start > 1
        name = whole.tokens[last].text if is_named else ""
        yield name, whole.said(start, last - 2 * is_named)


def _with_values(
    inner: str, values: list[tuple[str, str]], into: list[Target], dialect: str
) -> Executed | None:
    """The text with a variable for each placeholder; None where it has others than the values."""
    marks = _NUMBERED.get(dialect, "?:@" if dialect in _NAMED else "?")
    sign = "@" if dialect in ("bigquery", "mysql") else ":"
    names = {name.casefold(): at for at, (name, _) in enumerate(values) if name}
    used: list[int] = []

    def variable(match: re.Match[str]) -> str:
        mark = match["mark"] or ""
        if mark[:1] not in marks or not (mark and values):
            return match[0]
        key = mark[1:].casefold()
        is_number = key.isdigit() and dialect != "oracle"
        used.append(int(key) - 1 if is_number else names.get(key, len(used)))
        return f"{sign}colgraph_using_{used[-1]}"

    text = _PLACEHOLDER.sub(variable, inner)
    if values and {*used} != {*range(len(values))}:
        return None
    return Executed(
        text, [(f"colgraph_using_{at}", value) for at, (_, value) in enumerate(values)], into
    )

"""Where rows go that a change returns: T-SQL's `OUTPUT .. INTO t`, `RETURNING .. INTO v`. Pure."""

from __future__ import annotations

from sqlglot.tokens import Token  # type: ignore[attr-defined]

from airflow_colgraph.sql.names import POSTGRES
from airflow_colgraph.sql.targets import Target, targets_at
from airflow_colgraph.sql.tokens import Text, outer_words

INTO = ("INTO", "BULK COLLECT INTO")
INTO_TABLE = (*POSTGRES, "tsql", "fabric")  # where SELECT .. INTO makes a table
FILES = (["OUTFILE"], ["DUMPFILE"])
MARKS = {"#", "@"}
_DOT = "\0"  # between the parts of the one name


def with_one_name(text: str, tokens: list[Token]) -> str:
    """`OUTPUT .. INTO log (a)`, `#t (a)`, `@t (a)` and `dbo.t` with the target in brackets."""
    whole = Text(text, tokens)
    words = whole.words
    start = words.index("OUTPUT") if "OUTPUT" in words else len(words)
    for at in range(len(words) - 2, start, -1):
        last = _last_of_name(words, at + 1)
        is_function = words[at - 1] != "INSERT" and words[last + 1 : last + 2] == ["("]
        if words[at] == "INTO" and (last > at + 1 or is_function):
            named = tokens[at + 1 : last + 1]
            name = "".join(_DOT if token.text == "." else token.text for token in named)
            is_single = _DOT not in name
            whole.replace(at + 1, last, f"[{_DOT * is_single}{name.replace(']', ']]')}]")
    return whole.text


def parts_of_name(name: str) -> tuple[str, ...]:
    """The parts of a target; of a temporary table's the last one."""
    parts = tuple(name.lstrip(_DOT).split(_DOT))
    return parts[-1:] if parts[-1][:1] in MARKS else parts


def returned_into(text: str, tokens: list[Token]) -> tuple[str, list[Target]]:
    """A statement without the INTO of its `RETURNING a, b INTO x, :y`, and these variables."""
    whole = Text(text, tokens)
    words = outer_words(whole.words)
    start = words.index("RETURNING") if "RETURNING" in words else len(words)
    at = next((place for place in range(start, len(words)) if words[place] in INTO), start)
    targets, end = targets_at(tokens, at + 1 + (words[at + 1 : at + 2] == ["STRICT"]))
    if at == start or not targets or end < len(words):
        return text, []
    whole.replace(at, len(words) - 1)
    return whole.text, targets


def selected_into(text: str, tokens: list[Token], dialect: str) -> tuple[str, list[Target]]:
    """A SELECT without its `INTO @a, r.b, x(1)`, and these variables.

    Where INTO may name a table, only what has brackets or follows SELECT is surely a variable.
    """
    whole = Text(text, tokens)
    words = outer_words(whole.words)
    at = next((place for place, word in enumerate(words) if word in INTO), 0)
    start = at + 1 + (words[at + 1 : at + 2] == ["STRICT"])
    is_change = not {"INSERT", "MERGE"}.isdisjoint(words[:at])
    if not at or is_change or words[start : start + 1] in FILES:
        return text, []
    targets, end = targets_at(tokens, start)
    is_variable = any(target.is_element for target in targets) or words[at - 1] == "SELECT"
    if not targets or (dialect in INTO_TABLE and not is_variable):
        return text, []
    whole.replace(at, end - 1)
    return whole.text, targets


def _last_of_name(words: list[str], at: int) -> int:
    """Where a name that begins at a place ends: `t`, `#t`, `a.b`, `a..#t`."""
    while at < len(words) and words[at] in MARKS:
        at += 1
    while words[at + 1 : at + 2] == ["."]:
        at += 2
        while at < len(words) and words[at] in {".", *MARKS}:
            at += 1
    return at

"""Statements that are read as one or two others, which say the same of what is made of what."""

from __future__ import annotations

from sqlglot.tokens import Token  # type: ignore[attr-defined]

EXECUTED = ("EXEC", "EXECUTE")
CHANGE_QUERIES = {"UPDATE": "UPDATE", "DELETE": "DELETE FROM", "INSERT": "INSERT INTO"}
AFTER_QUERY = ("SET", "WHERE", "VALUES", "SELECT", "WITH", "RETURNING", "(")


def taken_apart(text: str, tokens: list[Token], name: str) -> list[str]:
    """The statements as which one of a dialect is read; none if it is read as it is."""
    words = _outer_words(tokens)
    if name in ("tsql", "fabric") and words[0] == "INSERT":
        return _executed(text, tokens, words)
    if name == "redshift" and words[0] == "MERGE" and words[-2:] == ["REMOVE", "DUPLICATES"]:
        return _without_duplicates(text, tokens, words)
    if name == "oracle" and "(" in words[1:3] and words[0] in CHANGE_QUERIES:
        return _of_query(text, tokens, words)
    return []


def _outer_words(tokens: list[Token]) -> list[str]:
    """The words of a statement in capitals, those inside brackets as "" ."""
    depth, words = 0, []
    for token in tokens:
        depth -= token.text == ")"
        words.append("" if depth else token.text.upper())
        depth += token.text == "("
    return words


def _said(text: str, tokens: list[Token], first: int, last: int) -> str:
    """The text of some tokens."""
    start = tokens[0].start
    return text[tokens[first].start - start : tokens[last].end + 1 - start]


def _executed(text: str, tokens: list[Token], words: list[str]) -> list[str]:
    """T-SQL's `INSERT INTO t EXEC p`: the rows of a procedure that is not looked into."""
    at = next((place for place, word in enumerate(words) if word in EXECUTED), 0)
    if at < 2 or {"SELECT", "VALUES", "WITH"} & {*words[:at]}:
        return []
    head = _said(text, tokens, 0, at - 1)
    return [_said(text, tokens, at, len(tokens) - 1), f"{head} DEFAULT VALUES"]


def _without_duplicates(text: str, tokens: list[Token], words: list[str]) -> list[str]:
    """Redshift's MERGE that deletes the rows that match, and inserts all rows of the source."""
    if "USING" not in words or "ON" not in words:
        return []
    using, on = words.index("USING"), words.index("ON")
    target, source = _said(text, tokens, 2, using - 1), _said(text, tokens, using + 1, on - 1)
    condition = _said(text, tokens, on + 1, len(tokens) - 3)
    return [
        f"DELETE FROM {target} USING {source} WHERE {condition}",
        f"INSERT INTO {target} SELECT * FROM {source}",
    ]


def _of_query(text: str, tokens: list[Token], words: list[str]) -> list[str]:
    """Oracle's `UPDATE (SELECT ..) SET ..`, with its query named before the statement."""
    start, end = words.index("("), words.index(")")
    is_named = words[end + 1 : end + 2] and words[end + 1] not in AFTER_QUERY
    after = end + 1 + bool(is_named)
    name = _said(text, tokens, end + 1, end + 1) if is_named else "changed_rows"
    rest = _said(text, tokens, after, len(tokens) - 1) if after < len(tokens) else ""
    query = _said(text, tokens, start, end)
    return [f"WITH {name} AS {query} {CHANGE_QUERIES[words[0]]} {name} {rest}"]

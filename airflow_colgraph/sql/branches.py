"""Statements behind the words of a script's branches and loops: `IF a > 1 THEN INSERT ..`. Pure."""

from __future__ import annotations

from sqlglot import Dialect

# By the first word: what ends the condition; "" where there is none.
_CONDITIONS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("IF", "ELSEIF", "ELSIF"), ("THEN",)),
    "WHILE": ("DO", "LOOP"),
    **dict.fromkeys(("ELSE", "LOOP", "REPEAT"), ()),
}


def branch(text: str, first: str, dialect: Dialect) -> tuple[str, str] | None:
    """A branch's condition and its first statement; None if the text is no branch.

    BigQuery's tokens do not go behind the first word, so what follows is read by itself.
    """
    ends = _CONDITIONS.get(first)
    after = text.lstrip()[len(first) :]
    tokens = dialect.tokenize(after) if ends is not None else []
    if ends is None or len(tokens) < 2:
        return None
    if not ends:
        return "", after
    end = _end_of_condition([token.text.upper() for token in tokens], ends)
    if end is None or end + 1 >= len(tokens):
        return None
    return after[: tokens[end].start], after[tokens[end + 1].start :]


def _end_of_condition(words: list[str], ends: tuple[str, ...]) -> int | None:
    """The place of THEN or DO, which is in no brackets and in no CASE."""
    depth = 0
    for at, word in enumerate(words):
        depth += (word in ("(", "CASE")) - (word in (")", "END"))
        if depth == 0 and word in ends:
            return at
    return None

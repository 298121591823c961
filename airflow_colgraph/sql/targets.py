"""The variables in a list that an assignment or INTO puts values into. Pure."""

from __future__ import annotations

from typing import NamedTuple

from sqlglot.tokens import Token  # type: ignore[attr-defined]

from airflow_colgraph.sql.tokens import words_of

_CLOSING = {"(": ")", "[": "]"}
_MARKS = ("@", ":")


class Target(NamedTuple):
    """A variable, or a member of a record: `x`, `r.a`.

    Of a collection only an element is set, as by `x(i).a`: the others of `x.a` stay as they are.
    """

    name: str  # folded
    is_element: bool = False


def targets_at(tokens: list[Token], at: int = 0) -> tuple[list[Target], int]:
    """The variables in a list that begins at a token, and the place behind it."""
    words, targets = words_of(tokens), []
    while at < len(words):
        target, at = _target_at(tokens, words, at + (words[at] in _MARKS))
        targets.append(target)
        if words[at : at + 1] != [","]:
            break
        at += 1
    return targets, at


def _target_at(tokens: list[Token], words: list[str], at: int) -> tuple[Target, int]:
    """The target that begins at a place, `v`, `v.a`, `v(i).a` or `v[1]`, and the place behind."""
    name, is_element, end = tokens[at : at + 1], False, at + 1
    while words[end : end + 1] and words[end] in (".", *_CLOSING):
        if words[end] == ".":
            name += tokens[end : end + 2]
            end += 2
        else:
            is_element, end = True, _end_of_brackets(words, end)
    text = "".join(token.text for token in name)
    return Target(text.lstrip("".join(_MARKS)).casefold(), is_element), end


def _end_of_brackets(words: list[str], at: int) -> int:
    depth = 0
    for place, word in enumerate(words[at:], at):
        depth += (word in _CLOSING) - (word in _CLOSING.values())
        if not depth:
            return place + 1
    return len(words)

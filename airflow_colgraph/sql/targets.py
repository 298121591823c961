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
        at += words[at] in _MARKS
        end = _end_of_target(words, at)
        targets.append(_target(tokens[at:end]))
        at = end
        if words[end : end + 1] != [","]:
            break
        at += 1
    return targets, at


def _end_of_target(words: list[str], at: int) -> int:
    """Where the name ends that begins at a place: `v`, `v.a`, `v(i).a`, `v[1]`."""
    at += 1
    while words[at : at + 1] and words[at] in (".", *_CLOSING):
        at = at + 2 if words[at] == "." else _end_of_brackets(words, at)
    return at


def _end_of_brackets(words: list[str], at: int) -> int:
    depth = 0
    for place, word in enumerate(words[at:], at):
        depth += (word in _CLOSING) - (word in _CLOSING.values())
        if not depth:
            return place + 1
    return len(words)


def _target(tokens: list[Token]) -> Target:
    depth, name, brackets = 0, "", {*_CLOSING, *_CLOSING.values()}
    for token in tokens:
        depth += (token.text in _CLOSING) - (token.text in _CLOSING.values())
        name += "" if depth or token.text in brackets else token.text
    is_element = not brackets.isdisjoint(token.text for token in tokens)
    return Target(name.lstrip("".join(_MARKS)).casefold(), is_element)

"""A statement as its tokens, and the words in it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from sqlglot.tokens import Token, TokenType  # type: ignore[attr-defined]

QUOTED = {kind for kind in TokenType if kind.name == "STRING" or kind.name.endswith("_STRING")} | {
    TokenType.IDENTIFIER
}


def words_of(tokens: list[Token]) -> list[str]:
    """The words of a statement, in capitals; texts and quoted names as "'", which are no words."""
    return ["'" if token.token_type in QUOTED else token.text.upper() for token in tokens]


def outer_words(words: list[str]) -> list[str]:
    """The words of a statement, those inside brackets as ""."""
    depth, outer = 0, []
    for word in words:
        depth -= word == ")"
        outer.append("" if depth else word)
        depth += word == "("
    return outer


def is_balanced(words: list[str]) -> bool:
    """Whether each bracket of a statement is opened and closed."""
    depths = [0, *accumulate((word == "(") - (word == ")") for word in words)]
    return min(depths) == depths[-1] == 0


class Text:
    """A statement whose tokens get other words: from its end to its start."""

    def __init__(self, text: str, tokens: list[Token]) -> None:
        """`tokens` are those of the text, which may stand in a longer one."""
        self.text, self.tokens, self.words = text, tokens, words_of(tokens)
        self._edits: list[tuple[int, int]] = []  # where, and by how much the text grew

    def replace(self, first: int, last: int, by: str = "") -> None:
        """Other words in place of some tokens; those behind them have been dealt with."""
        before, after = self._place(self.tokens[first : last + 1])
        self._edits.append((self.tokens[first].start, len(by) - (after - before)))
        self.text = self.text[:before] + by + self.text[after:]

    def said(self, first: int, last: int) -> str:
        """The text of tokens by now; empty behind the statement."""
        part = self.tokens[first : last + 1]
        return self.text[slice(*self._place(part))] if part else ""

    def _place(self, part: list[Token]) -> tuple[int, int]:
        """Where the text of tokens starts and ends by now."""
        start, end, origin = part[0].start, part[-1].end, self.tokens[0].start
        before = sum(by for at, by in self._edits if at < start)
        grown = sum(by for at, by in self._edits if at <= end)
        return start - origin + before, end + 1 - origin + grown


def items_of(words: list[str], start: int) -> Iterator[tuple[int, int]]:
    """Where the items of a list with commas start and end, up to the next `|>`."""
    depth = 0
    for at, word in enumerate(words[start:], start):
        if depth == 0 and word in (",", "|>", ")"):
            yield start, at - 1
            start = at + 1
            if word != ",":
                return
        depth += (word in ("(", "[")) - (word in (")", "]"))
    yield start, len(words) - 1

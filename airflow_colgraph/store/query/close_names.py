"""Names like a misspelt one. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from heapq import heappush, heappushpop

NAMES = 10_000  # that a misspelt name is compared with: 0.1 s
MOST_LETTERS = 200  # of what is compared: the time grows with the square of it


def last_part(name: str) -> str:
    """The last part of a dataset's path.

    >>> last_part("lake/shop.orders/")
    'orders'
    """
    return re.split(r"[/.]", name.rstrip("/"))[-1]


def close(text: str, names: Iterable[str], most: int, cutoff: float = 0.6) -> list[str]:
    """The names that are most like the text; none for a text that nobody types.

    They are those of `difflib.get_close_matches`, which compares the text with every name.

    >>> close("ordrs", ["orders", "prices"], most=3)
    ['orders']
    """
    if len(text) > MOST_LETTERS:
        return []
    letters = set(text)
    short = (name for name in names if len(name) <= 3 * MOST_LETTERS)
    bounds = ((_bound(text, letters, name), name) for name in short)
    best: list[tuple[float, str]] = []  # the best so far, the worst of them first
    matcher = SequenceMatcher[str]()
    matcher.set_seq2(text)
    for bound, name in sorted((scored for scored in bounds if scored[0] >= cutoff), reverse=True):
        least = best[0][0] if len(best) == most else cutoff
        if bound < least:
            break
        matcher.set_seq1(name)
        if matcher.quick_ratio() >= least and (ratio := matcher.ratio()) >= least:
            (heappush if len(best) < most else heappushpop)(best, (ratio, name))
    return [name for _, name in sorted(best, reverse=True)]


def _bound(text: str, letters: set[str], name: str) -> float:
    """As like each other as both can be by the letters that they have: quick."""
    others = set(name)
    same = min(len(text) - len(letters - others), len(name) - len(others - letters))
    return 2 * same / (len(text) + len(name) or 1)

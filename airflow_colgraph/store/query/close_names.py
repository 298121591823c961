"""Names like a misspelt one. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

MOST_LETTERS = 200  # of what is compared: the time grows with the square of it


def close(text: str, names: Iterable[str], most: int, cutoff: float = 0.6) -> list[str]:
    """The names that are most like the text; none for a text that nobody types.

    >>> close("ordrs", ["orders", "prices"], most=3)
    ['orders']
    """
    if len(text) > MOST_LETTERS:
        return []
    short = [name for name in names if len(name) <= 3 * MOST_LETTERS]
    return get_close_matches(text, short, n=most, cutoff=cutoff)

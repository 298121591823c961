"""Digests of expressions and conditions, as Spark's plans and SQL texts have them. Pure.

Days, times and ids of runs do not count: an unchanged job may have others in each run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import TypedDict


class Digest(TypedDict):
    """The digest of a column's expression, or of the conditions of a step."""

    name: str
    digest: str


DIGITS = 4  # of 4 bits each
DATED = "<dated>"
DATES = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    r"|(?<!\d)(?:19|20)\d\d-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])"
    r"(?:[T_ ]?\d\d:?\d\d(?::?\d\d)?(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?(?!\d)",
    re.IGNORECASE,
)


def without_dates(text: str) -> str:
    """A constant with one word for each day, time and UUID in it."""
    return DATES.sub(DATED, text)


def digest(*texts: str) -> str:
    """The whole digest of some texts, from which further ones are made."""
    return blake2b("\0".join(texts).encode("utf-8", "replace"), digest_size=16).hexdigest()


def shown(whole: str) -> str:
    """A digest as events have it; empty for the empty text, which stands for none."""
    return whole[:DIGITS]


def shown_steps(steps: Mapping[str, Iterable[str]]) -> list[tuple[str, str]]:
    """The names of steps, in order, each with the digest of all digests of its name."""
    return [(name, shown(digest(*sorted(of)))) for name, of in sorted(steps.items())]


def entries(pairs: Iterable[tuple[str, str]]) -> list[Digest]:
    """Names and digests as the lists of the facet `colgraph_digests`; a list has no empty one."""
    return [{"name": name, "digest": own} for name, own in pairs if name and own]

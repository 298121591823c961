"""Edges that a suite states of statements, beside ours: what differs, and why. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from oracles.conformance.table import Row

Edges = frozenset[tuple[str, str]]  # a column, and a column that it is computed from
NONE: Edges = frozenset()

# A pattern of a test's name, one that each differing edge has to match as a whole, and the reason.
Reasons = Sequence[tuple[str, str, str]]


class Verdict(NamedTuple):
    """What an asserted statement gave: the edges that are expected, and those of our event."""

    name: str
    statement: str
    expected: Edges
    direct: Edges
    every: Edges  # the columns' conditions too
    failure: str = ""

    def differences(self) -> list[str]:
        """The expected edges that are not reported, and those that are direct in our event only."""
        lacking = [f"missing {column} <- {source}" for column, source in self.expected - self.every]
        more = [f"extra {column} <- {source}" for column, source in self.direct - self.expected]
        return sorted([*lacking, *more])


def reason(name: str, differences: list[str], reasons: Reasons) -> str:
    """Why an answer differs on purpose; empty where nothing says so of each differing edge."""
    matching = (
        text
        for test, edge, text in reasons
        if re.search(test, name) and all(re.fullmatch(edge, line) for line in differences)
    )
    return next(matching, "")


def row(suite: str, judged: Sequence[Verdict], reasons: Reasons) -> Row:
    """The row of the table for some verdicts."""
    unread = [verdict.name for verdict in judged if verdict.failure]
    others = [(verdict, verdict.differences()) for verdict in judged if not verdict.failure]
    excuses = [
        (verdict, edges, reason(verdict.name, edges, reasons)) for verdict, edges in others if edges
    ]
    wrong = [
        f"{verdict.statement}: {', '.join(edges)}" for verdict, edges, text in excuses if not text
    ]
    counted = Counter(text for _, _, text in excuses if text)
    return Row(suite, len(others) - len(excuses), wrong, counted, unread)

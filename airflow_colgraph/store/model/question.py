"""A lineage question: its direction, its times and its limits. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model import clock

UP, DOWN = "upstream", "downstream"
DIRECTIONS = (UP, DOWN, "both")
DEPTH, LIMIT = 20, 10_000
# Subtypes of INDIRECT inputs that choose a column's value; FILTER is that of an aggregate.
OF_VALUES = ("CONDITIONAL", "WINDOW", "FILTER")
Time = str | int | float | datetime


class Span(NamedTuple):
    """Which edges count: those that hold now, held at a time, or were seen in [start, end)."""

    start: int | None = None
    end: int | None = None
    at: int | None = None


@dataclass(frozen=True)
class Question:
    """What to traverse. `clock.parse` reads the times; without any the answer is about now.

    Attributes:
        direction: "upstream", "downstream" or "both".
        depth: The number of hops, 1 or more.
        start, end: The edges that a run reported, or that held between two runs that reported them,
            in [start, end).
        at: The edges that held at this time; not together with `start` or `end`.
        indirect: Also inputs of type INDIRECT, which affect which rows exist or how they are
            ordered (filters, joins, grouping).
        conditional: Also those INDIRECT inputs of a column that choose its value: `OF_VALUES`.
        limit: The number of edges at which the traversal ends.
        level: "field", or "dataset" for edges between whole datasets.
        collapse: A regular expression of RE2 for names of temporary datasets, which are left out:
            their inputs are connected with their outputs.
        run_aware: Only edges that contributed to the value at `at`: each hop at the time of the run
            that was reached before.
    """

    direction: str = UP
    depth: int = DEPTH
    start: Time | None = None
    end: Time | None = None
    at: Time | None = None
    indirect: bool = False
    conditional: bool = False
    limit: int = LIMIT
    level: str = "field"
    collapse: str | None = None
    run_aware: bool = False

    def span(self) -> Span:
        """The times in milliseconds; QuestionError if the question makes no sense."""
        _refuse(self._wrong_values())
        times = (None if t is None else clock.parse(t) for t in (self.start, self.end, self.at))
        span = Span(*times)
        _refuse(self._wrong_times(span))
        return span

    def _wrong_values(self) -> Iterator[str]:
        """What is wrong with single values, and with the times that are asked for together."""
        if self.direction not in DIRECTIONS:
            yield f"Direction is {self.direction!r}. Expected one of: {', '.join(DIRECTIONS)}."
        if self.level not in ("field", "dataset"):
            yield f"Level is {self.level!r}. Expected field or dataset."
        if self.depth < 1:
            yield f"Depth is {self.depth}. Expected 1 or more."
        if self.limit < 1:
            yield f"Limit is {self.limit}. Expected 1 or more."
        if self.at is not None and (self.start is not None or self.end is not None):
            yield "Both a time range and a single time are given. Expected one."

    def _wrong_times(self, span: Span) -> Iterator[str]:
        """What is wrong with the times by the direction and level."""
        if self.run_aware and (self.level == "dataset" or span.start or span.end):
            yield "Run-aware lineage is of fields at one time, not in a range."
        if self.run_aware and self.direction != UP and span.at is None:
            yield "Run-aware lineage downstream needs the time that it starts from (at)."
        if span.start is not None and span.end is not None and span.start > span.end:
            yield f"Start {self.start} is after end {self.end}."


def _refuse(reasons: Iterator[str]) -> None:
    """Raise QuestionError with the first reason, if there is one."""
    for reason in reasons:
        raise QuestionError(reason)

"""The one walk over lineage: level by level, each state once. Pure.

A state is what a walk can be at: a field, a dataset, or a field at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

State = TypeVar("State")
Edge = TypeVar("Edge")


def walk(
    starts: Iterable[State],
    edges_of: Callable[[set[State]], list[Edge]],
    ends: Callable[[list[Edge]], Iterable[State]],
    around: Callable[[set[State]], set[State]] = lambda states: states,
) -> Iterator[tuple[set[State], list[Edge]]]:
    """Each level: the states that are new, and the edges at them.

    Args:
        starts: The states of the first level.
        edges_of: The edges at new states that are followed.
        ends: The states that edges lead to; only asked if there is another level.
        around: States with those that are reached along with them.

    >>> after = {1: [2, 3], 2: [3], 3: [1]}
    >>> edges_of = lambda numbers: [end for number in numbers for end in after[number]]
    >>> [states for states, _ in walk([1], edges_of, set)]
    [{1}, {2, 3}]
    """
    seen: set[State] = set()
    states = set(starts)
    while frontier := around(states) - seen:
        seen |= frontier
        edges = edges_of(frontier)
        yield frontier, edges
        states = set(ends(edges))

"""What sets of fields reach, in the memory of one task. NumPy only, no Spark.

A task has all edges, and some of the sets: tasks share the sets, not the edges, so that no round of
a traversal moves anything between them. Set i of a field is bit i % 64 of its word i div 64.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint64]  # a row for each thing, a column for each 64 sets
Numbers = NDArray[np.int64]
EDGES_AT_ONCE = 100_000  # their bits are copied: up to 12.8 MB of 1,024 sets


class Relation(NamedTuple):
    """Pairs of numbers, in the order of `far`."""

    near: Numbers
    far: Numbers


NOTHING = Relation(np.empty(0, np.int64), np.empty(0, np.int64))


def relation(pairs: Numbers) -> Relation:
    """The pairs, each given as `far * 2**32 + near`, in ascending order.

    >>> relation(np.array([1 << 32 | 7, 2 << 32 | 5]))
    Relation(near=array([7, 5]), far=array([1, 2]))
    """
    return Relation(pairs & 0xFFFFFFFF, pairs >> 32)


def reached(starts: Bits, edges: Relation, members: Relation = NOTHING) -> Bits:
    """Follow the edges from near to far, all sets at once.

    Args:
        starts: The sets that each field is in at first.
        edges: One hop each.
        members: Pairs that are followed without a hop, one after each hop and at the start.

    Returns:
        The sets that each field is in at the end.
    """
    seen = starts.copy()
    across(starts, members, seen)
    new = seen
    while new.any():
        reach = np.zeros_like(seen)
        across(new, edges, reach)
        if len(members.near):
            across(reach.copy(), members, reach)
        new = reach & ~seen
        seen |= new
    return seen


def across(bits: Bits, pairs: Relation, into: Bits) -> None:
    """Add the sets of each `near` to those of its `far`."""
    some: NDArray[np.bool_] = np.any(bits, axis=1)
    used = np.flatnonzero(some[pairs.near])
    for start in range(0, len(used), EDGES_AT_ONCE):
        part = used[start : start + EDGES_AT_ONCE]
        far = pairs.far[part]
        first = np.flatnonzero(np.diff(far, prepend=-1))
        into[far[first]] |= np.bitwise_or.reduceat(bits[pairs.near[part]], first, axis=0)


def sizes(bits: Bits) -> Numbers:
    """How many rows each set has.

    >>> sizes(np.array([[1], [3]], np.uint64))[:3]
    array([2, 1, 0])
    """
    total = np.zeros(bits.shape[1] * 64, np.int64)
    for start in range(0, len(bits), EDGES_AT_ONCE):
        part = bits[start : start + EDGES_AT_ONCE].astype("<u8", copy=False)
        total += np.unpackbits(part.view(np.uint8), axis=1, bitorder="little").sum(
            axis=0, dtype=np.int64
        )
    return total

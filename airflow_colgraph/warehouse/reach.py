"""What sets of fields reach, in the memory of one task. NumPy only, no Spark.

A task has all edges, and some of the sets: tasks share the sets, not the edges, so that no round of
a traversal moves anything between them. Set i of a field is bit i % 64 of its word i div 64.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow

Bits = NDArray[np.uint64]  # a row for each thing, a column for each 64 sets
Numbers = NDArray[np.int64]
EDGES_AT_ONCE = 100_000  # their bits are copied: up to 12.8 MB of 1,024 sets
ROWS_AT_ONCE = 1_000  # whose sets are listed: up to a million pairs of 1,024 sets


class Relation(NamedTuple):
    """Pairs of numbers, in the order of `far`."""

    near: Numbers
    far: Numbers


NOTHING = Relation(np.empty(0, np.int64), np.empty(0, np.int64))


class Steps(NamedTuple):
    """What is followed: parts of a graph (see `graph_pairs`).

    Attributes:
        edges: One hop each, from near to far.
        members: Pairs that are followed without a hop, one after each hop and at the start.
        parts: The same.
        moved: As edges, but not from a part that is reached together with its struct: then the
            struct's own edges are followed.
        within: Each struct with its parts, for `moved`.
    """

    edges: Relation = NOTHING
    members: Relation = NOTHING
    parts: Relation = NOTHING
    moved: Relation = NOTHING
    within: Relation = NOTHING

    @classmethod
    def of(cls, parts: Mapping[str, Relation]) -> Steps:
        """Those that a graph has."""
        return cls(**{name: parts[name] for name in cls._fields if name in parts})

    def hop(self, new: Bits) -> Bits:
        """The sets of the fields that are one hop further than the new ones."""
        reach = np.zeros_like(new)
        across(new, self.edges, reach)
        if len(self.moved.near):
            together = np.zeros_like(new)
            across(new, self.within, together)
            across(new & ~together, self.moved, reach)
        self.spread(reach)
        return reach

    def spread(self, bits: Bits) -> None:
        """Add the sets of fields to those of their members and parts."""
        if len(self.members.near) or len(self.parts.near):
            before = bits.copy()
            across(before, self.members, bits)
            across(before, self.parts, bits)


def relation(pairs: Numbers) -> Relation:
    """The pairs, each given as `far * 2**32 + near`, in ascending order.

    >>> relation(np.array([1 << 32 | 7, 2 << 32 | 5]))
    Relation(near=array([7, 5]), far=array([1, 2]))
    """
    return Relation(pairs & 0xFFFFFFFF, pairs >> 32)


def unpacked(batches: Iterable[pyarrow.RecordBatch]) -> tuple[int, dict[str, Relation]]:
    """The task's first set (-1 without a row), and the parts of a graph (see `graph_pairs`)."""
    first, pairs_of = -1, defaultdict[str, list[Numbers]](list)
    for batch in batches:
        first = batch.column("first")[0].as_py()
        for part, pairs in zip(
            batch.column("part").to_pylist(), batch.column("pairs"), strict=True
        ):
            pairs_of[part].append(pairs.values.to_numpy())
    return first, {
        part: relation(np.concatenate(sorted(rows, key=lambda pairs: pairs[0])))
        for part, rows in pairs_of.items()
    }


def with_bits(rows: int, numbers: Numbers, sets: Numbers, total: int) -> Bits:
    """So many rows and sets, where each of the numbers is in the set beside it.

    >>> with_bits(2, np.array([0, 1, 1]), np.array([2, 0, 1]), 3).tolist()
    [[4], [3]]
    """
    bits = np.zeros((rows, -(-total // 64)), np.uint64)
    ones = np.left_shift(np.uint64(1), (sets % 64).astype(np.uint64))
    np.bitwise_or.at(bits, (numbers, sets // 64), ones)
    return bits


def rounds(starts: Bits, steps: Steps, depth: int | None = None) -> Iterator[Bits]:
    """Follow the edges, all sets at once; None as `depth`: all hops.

    Yields the sets that each field is in for the first time: at the start, then after each hop.
    """
    seen = starts.copy()
    steps.spread(seen)
    new = seen.copy()
    for hops in count():
        if not new.any():
            return
        yield new
        if hops == depth:
            return
        new = steps.hop(new) & ~seen
        seen |= new


def reached(starts: Bits, steps: Steps) -> Bits:
    """The sets that each field is in at the end, after all hops (see `rounds`)."""
    seen = np.zeros_like(starts)
    for new in rounds(starts, steps):
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
        total += _columns(bits[start : start + EDGES_AT_ONCE]).sum(axis=0, dtype=np.int64)
    return total


def members(bits: Bits) -> Iterator[tuple[Numbers, Numbers]]:
    """Each row with each of its sets, some at a time.

    >>> [[part.tolist() for part in pair] for pair in members(np.array([[0], [3]], np.uint64))]
    [[[1, 1], [0, 1]]]
    """
    used = np.flatnonzero(np.any(bits, axis=1))
    for start in range(0, len(used), ROWS_AT_ONCE):
        part = used[start : start + ROWS_AT_ONCE]
        rows, sets = np.nonzero(_columns(bits[part]))
        yield part[rows], sets


def _columns(bits: Bits) -> NDArray[np.uint8]:
    """The bits with a column for each set."""
    little = bits.astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(little, axis=1, bitorder="little")


def closure_rows(
    sets: int, fields: int, depth: int | None, batches: Iterable[pyarrow.RecordBatch]
) -> Iterator[pyarrow.RecordBatch]:
    """The fields of a task's sets: for `DataFrame.mapInArrow`, on first, part and pairs.

    `batches` are all parts, with the number of the task's first set; the part `starts` has a
    pair of a set and a field for each start. A row has the numbers of a set and a field, and
    their distance.
    """
    import pyarrow

    first, parts = unpacked(batches)
    starts = parts.get("starts", NOTHING)
    own = (starts.near >= first) & (starts.near < first + sets)
    bits = with_bits(fields, starts.far[own], starts.near[own] - first, sets)
    for distance, new in enumerate(rounds(bits, Steps.of(parts), depth)):
        for numbers, of_set in members(new):
            columns = [of_set + first, numbers, np.full(len(numbers), distance)]
            yield pyarrow.RecordBatch.from_arrays(
                list(map(pyarrow.array, columns)), ("index", "number", "depth")
            )

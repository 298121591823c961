"""How an input makes an output: OpenLineage's transformations, their merging, and sets of inputs.

A transformation is a small number (an index into TRANSFORMATIONS), a set of input fields is the
bits of one integer, and `Inputs` maps the one to the other. So the union of two sets of a thousand
fields is one machine operation, and no set is ever copied field by field.

The merge rules are those of OpenLineage's `TransformationInfo.merge`: walking from the output to
the source, the first INDIRECT met keeps its subtype, else the strongest DIRECT subtype survives;
masking sticks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple


class Transformation(NamedTuple):
    """One entry of `transformations[]` in OpenLineage's columnLineage facet, without its text."""

    type: str
    subtype: str
    masking: bool = False

    def __str__(self) -> str:
        """E.g. `DIRECT:AGGREGATION` or `DIRECT:TRANSFORMATION masking`."""
        return f"{self.type}:{self.subtype}{' masking' if self.masking else ''}"


_DIRECT = ("IDENTITY", "TRANSFORMATION", "AGGREGATION")  # weakest first
_INDIRECT = ("CONDITIONAL", "SORT", "GROUP_BY", "JOIN", "FILTER", "WINDOW")

TRANSFORMATIONS: tuple[Transformation, ...] = tuple(
    Transformation("DIRECT" if subtype in _DIRECT else "INDIRECT", subtype, masking)
    for masking in (False, True)
    for subtype in (*_DIRECT, *_INDIRECT)
)
_COUNT = len(TRANSFORMATIONS) // 2

IDENTITY, TRANSFORMATION, AGGREGATION = range(3)
CONDITIONAL, SORT, GROUP_BY, JOIN, FILTER, WINDOW = range(3, 9)
MASKING = _COUNT  # add it: TRANSFORMATION + MASKING


def merge(step: int, seen: int) -> int:
    """What `seen` becomes one `step` nearer the output."""
    masking = MASKING if step >= MASKING or seen >= MASKING else 0
    step, seen = step % _COUNT, seen % _COUNT
    if step > AGGREGATION:
        return step + masking
    return (seen if seen > AGGREGATION else max(step, seen)) + masking


_MERGED = tuple(
    tuple(merge(step, seen) for seen in range(len(TRANSFORMATIONS)))
    for step in range(len(TRANSFORMATIONS))
)

Inputs = dict[int, int]
"""Transformation -> the set of fields, as bits, that it was applied to. Never changed once made.

No entry at all means that nobody knows. What is shown to be made of no field has an empty set.
"""

NONE: Inputs = {}
CONSTANT: Inputs = {IDENTITY: 0}  # of constants, generators, or rows counted


def union(found: Iterable[Inputs]) -> Inputs:
    """All inputs of several."""
    merged: Inputs = {}
    for inputs in found:
        for transformation, fields in inputs.items():
            merged[transformation] = merged.get(transformation, 0) | fields
    return merged


def through(step: int, found: Iterable[Inputs]) -> Inputs:
    """All inputs of several, one `step` nearer the output."""
    merged: Inputs = {}
    table = _MERGED[step]
    for inputs in found:
        for seen, fields in inputs.items():
            transformation = table[seen]
            merged[transformation] = merged.get(transformation, 0) | fields
    return merged


def fields_of(inputs: Inputs) -> int:
    """All fields among the inputs, however they were used."""
    every = 0
    for fields in inputs.values():
        every |= fields
    return every


def bits(fields: int) -> Iterator[int]:
    """The positions of the bits that are set, lowest first."""
    while fields:
        lowest = fields & -fields
        yield lowest.bit_length() - 1
        fields ^= lowest

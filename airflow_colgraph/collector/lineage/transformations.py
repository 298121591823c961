"""Sets of inputs by how they make an output, and OpenLineage's merge rule over such sets.

A transformation is a small number (an index into TRANSFORMATIONS), a set of input fields is the
bits of one integer, and `Inputs` maps the one to the other. So the union of two sets of a thousand
fields is one machine operation, and no set is ever copied field by field.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from airflow_colgraph.openlineage.transformations import DIRECT, INDIRECT, Transformation
from airflow_colgraph.openlineage.transformations import merge as merge_steps

TRANSFORMATIONS: tuple[Transformation, ...] = tuple(
    Transformation("DIRECT" if subtype in DIRECT else "INDIRECT", subtype, masking)
    for masking in (False, True)
    for subtype in (*DIRECT, *INDIRECT)
)
_COUNT = len(TRANSFORMATIONS) // 2
_NUMBERS = {transformation: number for number, transformation in enumerate(TRANSFORMATIONS)}

IDENTITY, TRANSFORMATION, AGGREGATION = range(3)
CONDITIONAL, SORT, GROUP_BY, JOIN, FILTER, WINDOW = range(3, 9)
MASKING = _COUNT  # add it: TRANSFORMATION + MASKING


def merge(step: int, seen: int) -> int:
    """What `seen` becomes one `step` nearer the output."""
    return _NUMBERS[merge_steps(TRANSFORMATIONS[step], TRANSFORMATIONS[seen])]


_MERGED = tuple(
    tuple(merge(step, seen) for seen in range(len(TRANSFORMATIONS)))
    for step in range(len(TRANSFORMATIONS))
)

Inputs = dict[int, int]
"""Transformation -> the set of fields, as bits, that it was applied to. Never changed once made.

Without an entry the sources are unknown. What is shown to come from no field has an empty set.
"""

NONE: Inputs = {}
CONSTANT: Inputs = {IDENTITY: 0}  # of constants, generators, or rows counted


def union(several: Iterable[Inputs]) -> Inputs:
    """All inputs of several."""
    merged: Inputs = {}
    for inputs in several:
        for transformation, fields in inputs.items():
            merged[transformation] = merged.get(transformation, 0) | fields
    return merged


def through(step: int, several: Iterable[Inputs]) -> Inputs:
    """All inputs of several, one `step` nearer the output."""
    merged: Inputs = {}
    table = _MERGED[step]
    for inputs in several:
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

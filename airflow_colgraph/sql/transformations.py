"""How a column makes an output column: OpenLineage's transformations and their merging. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Source(NamedTuple):
    """A column of a table, by the table's name in parts."""

    table: tuple[str, ...]
    column: str


class Step(NamedTuple):
    """One transformation, as in OpenLineage's columnLineage facet."""

    type: str
    subtype: str
    masking: bool = False


Inputs = frozenset[tuple[Source, Step]]
NONE: Inputs = frozenset()

DIRECT = ("IDENTITY", "TRANSFORMATION", "AGGREGATION")  # weakest first
IDENTITY = Step("DIRECT", "IDENTITY")
TRANSFORMATION = Step("DIRECT", "TRANSFORMATION")
AGGREGATION = Step("DIRECT", "AGGREGATION")
CONDITIONAL, FILTER, GROUP_BY, JOIN, SORT, WINDOW = (
    Step("INDIRECT", name)
    for name in ("CONDITIONAL", "FILTER", "GROUP_BY", "JOIN", "SORT", "WINDOW")
)


def merge(step: Step, seen: Step) -> Step:
    """What `seen` becomes one `step` nearer the output: OpenLineage's rules."""
    masking = step.masking or seen.masking
    if step.type == "INDIRECT":
        return step._replace(masking=masking)
    if seen.type == "INDIRECT":
        return seen._replace(masking=masking)
    strongest = max(step.subtype, seen.subtype, key=DIRECT.index)
    return Step("DIRECT", strongest, masking)


def through(step: Step, found: Iterable[Inputs]) -> Inputs:
    """All inputs of several, one `step` nearer the output."""
    return frozenset((source, merge(step, seen)) for inputs in found for source, seen in inputs)


def union(*found: Inputs) -> Inputs:
    """All inputs of several."""
    return NONE.union(*found)

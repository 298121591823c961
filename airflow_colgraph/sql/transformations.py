"""How columns of tables make an output column, as sets of columns with their steps. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from airflow_colgraph.openlineage.transformations import Transformation, merge

Step = Transformation


class Source(NamedTuple):
    """A column of a table, by the table's name in parts."""

    table: tuple[str, ...]
    column: str


Inputs = frozenset[tuple[Source, Step]]
NONE: Inputs = frozenset()

IDENTITY = Step("DIRECT", "IDENTITY")
TRANSFORMATION = Step("DIRECT", "TRANSFORMATION")
AGGREGATION = Step("DIRECT", "AGGREGATION")
CONDITIONAL, FILTER, GROUP_BY, JOIN, SORT, WINDOW = (
    Step("INDIRECT", name)
    for name in ("CONDITIONAL", "FILTER", "GROUP_BY", "JOIN", "SORT", "WINDOW")
)


def through(step: Step, parts: Iterable[Inputs]) -> Inputs:
    """All inputs of several, one `step` nearer the output."""
    return frozenset((source, merge(step, seen)) for inputs in parts for source, seen in inputs)


def union(*parts: Inputs) -> Inputs:
    """All inputs of several."""
    return NONE.union(*parts)

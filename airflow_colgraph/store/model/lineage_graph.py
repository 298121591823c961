"""The answer to a lineage question: edges with the jobs and runs that reported them. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from airflow_colgraph.store.model.lineage_body import Field, Transformation
from airflow_colgraph.store.model.question import UP, Question
from airflow_colgraph.store.model.runs import Report


class Edge(NamedTuple):
    """An edge from `input` to `output`, `depth` hops from the start."""

    input: Field
    output: Field
    transformation: Transformation
    depth: int
    direction: str
    reported_by: tuple[Report, ...]


@dataclass
class Graph:
    """The answer. `unexplored` counts the nodes that were not followed as the limit was reached."""

    question: Question
    starts: tuple[Field, ...]
    edges: list[Edge] = field(default_factory=list)
    unexplored: int = 0

    @property
    def truncated(self) -> bool:
        """Whether edges are missing because the limit was reached."""
        return self.unexplored > 0

    @property
    def nodes(self) -> dict[Field, int]:
        """Every field of the answer and how many hops from the start it is."""
        found = dict.fromkeys(self.starts, 0)
        for edge in sorted(self.edges, key=lambda edge: edge.depth):
            far = edge.input if edge.direction == UP else edge.output
            near = edge.output if edge.direction == UP else edge.input
            found.setdefault(near, edge.depth - 1)
            found.setdefault(far, edge.depth)
        return found

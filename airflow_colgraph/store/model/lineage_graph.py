"""The answer to a lineage question: edges with the jobs and runs that reported them. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from airflow_colgraph.store.model.lineage_body import Field, Transformation
from airflow_colgraph.store.model.question import UP, Question
from airflow_colgraph.store.model.runs import Report

EDGE = (
    *("input_namespace", "input_name", "input_field"),
    *("output_namespace", "output_name", "output_field"),
    *("type", "subtype", "masking", "description"),
    *("job_namespace", "job", "dag_id", "task_id"),
)
TIMES = ("first_seen", "last_seen", "closed_at")
COLUMNS = ("direction", "depth", *EDGE, "run", *TIMES)

UNREPORTED = Report(None, None, "", "", None)  # of an edge whose reports a caller may not see


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
    """The answer.

    `unexplored` counts the nodes that were not followed as the limit was reached. `gone` are the
    columns that their datasets no longer have; drawings strike them out.
    """

    question: Question
    starts: tuple[Field, ...]
    edges: list[Edge] = field(default_factory=list)
    unexplored: int = 0
    gone: frozenset[Field] = frozenset()

    @property
    def truncated(self) -> bool:
        """Whether edges are missing because the limit was reached."""
        return self.unexplored > 0

    @property
    def nodes(self) -> dict[Field, int]:
        """Every field of the answer and how many hops from the start it is."""
        depths = dict.fromkeys(self.starts, 0)
        for edge in sorted(self.edges, key=lambda edge: edge.depth):
            far = edge.input if edge.direction == UP else edge.output
            near = edge.output if edge.direction == UP else edge.input
            depths.setdefault(near, edge.depth - 1)
            depths.setdefault(far, edge.depth)
        return depths

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """A row of COLUMNS for each edge and job; an empty field is the dataset as a whole."""
        for edge in self.edges:
            ends = (edge.direction, edge.depth, *edge.input, *edge.output, *edge.transformation)
            for report in edge.reported_by or (UNREPORTED,):
                job = report.job or (None, None, None, None)
                run = report.run and report.run.id
                yield (*ends, *job, run, *(time or None for time in report[2:]))

    def to_pandas(self) -> Any:
        """The rows as a `pandas.DataFrame`, which needs pandas."""
        import pandas

        return pandas.DataFrame.from_records(list(self.rows()), columns=list(COLUMNS))

    def to_arrow(self) -> Any:
        """The rows as a `pyarrow.Table`, which needs pyarrow."""
        import pyarrow

        return pyarrow.Table.from_pylist(
            [dict(zip(COLUMNS, row, strict=True)) for row in self.rows()], schema=_schema(pyarrow)
        )


def _schema(pyarrow: Any) -> Any:
    types = {"depth": pyarrow.int64(), "masking": pyarrow.bool_()}
    return pyarrow.schema([(name, types.get(name, pyarrow.string())) for name in COLUMNS])

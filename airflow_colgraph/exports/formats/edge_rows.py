"""A graph answer as plain data for JSON, in which each edge is a row. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from airflow_colgraph.exports.formats.graph_json import json_lines, nearest
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.lineage_graph import UNREPORTED, Edge, Graph


def edge_rows_text(graph: Graph) -> str:
    """The answer as JSON, an edge a line."""
    return json_lines(edge_rows(graph))


def edge_rows(graph: Graph, most: int | None = None) -> dict[str, Any]:
    """Convert a graph answer to plain data that needs no decoder.

    Args:
        graph: The answer of `store.graph.upstream`, `downstream` or `lineage`.
        most: So many edges, those nearest to the start; `left_out` counts the others.

    Returns:
        A dict with

        * the question: `direction`, `depth`, `indirect`, and `starts`, each a field;
        * `edges`: a row for each edge and job that reported it, the latest first: `input` and
          `output` (`namespace`, `name`, and `field`, which is None for the dataset as a whole),
          `type`, `subtype`, `masking` and `description` as in the `columnLineage` facet,
          `direction` and `depth`, `job` (None: a DatasetEvent), the id of its latest `run` with the
          edge, and `first_seen`, `last_seen` and `closed_at`, ISO 8601 (all None if the caller may
          not see them);
        * `truncated`, `unexplored` and `left_out`, as in `graph_json`.
    """
    edges, left_out = nearest(graph, most)
    return {
        "direction": graph.question.direction,
        "depth": graph.question.depth,
        "indirect": graph.question.indirect,
        "starts": [_end(start) for start in graph.starts],
        "edges": [row for edge in edges for row in _rows(edge)],
        "truncated": graph.truncated or left_out > 0,
        "unexplored": graph.unexplored,
        "left_out": left_out,
    }


def _rows(edge: Edge) -> Iterator[dict[str, Any]]:
    for report in edge.reported_by or (UNREPORTED,):
        yield {
            "input": _end(edge.input),
            "output": _end(edge.output),
            **edge.transformation._asdict(),
            "direction": edge.direction,
            "depth": edge.depth,
            "job": report.job and report.job._asdict(),
            "run": report.run and report.run.id,
            "first_seen": report.first_seen or None,
            "last_seen": report.last_seen or None,
            "closed_at": report.closed_at,
        }


def _end(field: Field) -> dict[str, str | None]:
    return {**field._asdict(), "field": field.field or None}

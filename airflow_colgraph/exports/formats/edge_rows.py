"""A graph answer as plain data for JSON, in which each edge is a row. Pure."""

from __future__ import annotations

from typing import Any

from airflow_colgraph.exports.formats.graph_json import json_lines, nearest
from airflow_colgraph.store.model.lineage_body import Field, Transformation
from airflow_colgraph.store.model.lineage_graph import COLUMNS, TIMES, Graph
from airflow_colgraph.store.model.runs import Job

ENDS = ("input", "output")
JOB = ("job_namespace", "job", "dag_id", "task_id")  # in a row


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
    nearest_rows = Graph(graph.question, graph.starts, edges).rows()
    return {
        "direction": graph.question.direction,
        "depth": graph.question.depth,
        "indirect": graph.question.indirect,
        "starts": [_end(*start) for start in graph.starts],
        "edges": [_nested(dict(zip(COLUMNS, row, strict=True))) for row in nearest_rows],
        "truncated": graph.truncated or left_out > 0,
        "unexplored": graph.unexplored,
        "left_out": left_out,
    }


def _nested(row: dict[str, Any]) -> dict[str, Any]:
    """A row of `Graph.rows` with its ends and its job as objects."""
    is_reported = row["job"] is not None
    return {
        **{end: _end(*(row[f"{end}_{part}"] for part in Field._fields)) for end in ENDS},
        **{key: row[key] for key in (*Transformation._fields, "direction", "depth")},
        "job": Job(*(row[key] for key in JOB))._asdict() if is_reported else None,
        **{key: row[key] for key in ("run", *TIMES)},
    }


def _end(namespace: str, name: str, field: str) -> dict[str, str | None]:
    return {"namespace": namespace, "name": name, "field": field or None}

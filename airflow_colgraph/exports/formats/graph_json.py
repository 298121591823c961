"""A graph answer as plain data for JSON. Pure."""

from __future__ import annotations

import json
from typing import Any

from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.lineage_graph import Graph
from airflow_colgraph.store.model.runs import Report


def graph_json_text(graph: Graph) -> str:
    """The answer as indented JSON."""
    return json.dumps(graph_json(graph), indent=2, ensure_ascii=False) + "\n"


def graph_json(graph: Graph) -> dict[str, Any]:
    """Convert a graph answer to plain data.

    Args:
        graph: The answer of `store.graph.upstream`, `downstream` or `lineage`.

    Returns:
        A dict with the question (`direction`, `depth`, `indirect`, `starts`), `nodes` (namespace,
        name, field and depth; a `field` of None is the dataset as a whole), `edges` (input,
        output, the transformation's values, direction, depth, and the jobs and runs that reported
        it), `truncated` and `unexplored`. Equal parts are the same dict, so copy before changing.
    """
    question = graph.question
    nodes = graph.nodes
    fields = {field: _field(field) for field in nodes}
    transformations = {one: one._asdict() for one in {edge.transformation for edge in graph.edges}}
    reports = {id(one): one for edge in graph.edges for one in edge.reported_by}
    reports_json = {key: _report(one) for key, one in reports.items()}
    return {
        "direction": question.direction,
        "depth": question.depth,
        "indirect": question.indirect,
        "starts": [fields[start] for start in graph.starts],
        "nodes": [{**fields[field], "depth": depth} for field, depth in nodes.items()],
        "edges": [
            {
                "input": fields[input],
                "output": fields[output],
                **transformations[transformation],
                "direction": direction,
                "depth": depth,
                "reported_by": [reports_json[id(one)] for one in who],
            }
            for input, output, transformation, depth, direction, who in graph.edges
        ],
        "truncated": graph.truncated,
        "unexplored": graph.unexplored,
    }


def _field(field: Field) -> dict[str, str | None]:
    namespace, name, of = field
    return {"namespace": namespace, "name": name, "field": of or None}


def _report(report: Report) -> dict[str, Any]:
    found = report._asdict()
    if report.job:
        found["job"] = report.job._asdict()
    if report.run:
        found["run"] = report.run._asdict()
    return found

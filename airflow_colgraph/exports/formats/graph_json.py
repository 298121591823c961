"""A graph answer as plain data for JSON. Pure."""

from __future__ import annotations

from typing import Any

from airflow_colgraph.store.graph import Graph, Said
from airflow_colgraph.store.shape import Field


def answer(graph: Graph) -> dict[str, Any]:
    """The answer as dicts and lists; a `field` of null is the dataset as a whole.

    Equal parts are the same dict: an answer names the same few fields, jobs and runs again and
    again. Who changes it should copy it first.
    """
    question = graph.question
    nodes = graph.nodes
    fields = {field: _field(field) for field in nodes}
    transformations = {one: one._asdict() for one in {edge.transformation for edge in graph.edges}}
    said = {id(one): one for edge in graph.edges for one in edge.said}
    said_json = {key: _said(one) for key, one in said.items()}
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
                "said": [said_json[id(one)] for one in who],
            }
            for input, output, transformation, depth, direction, who in graph.edges
        ],
        "truncated": graph.truncated,
        "unexplored": graph.unexplored,
    }


def _field(field: Field) -> dict[str, str | None]:
    namespace, name, of = field
    return {"namespace": namespace, "name": name, "field": of or None}


def _said(said: Said) -> dict[str, Any]:
    found = said._asdict()
    if said.job:
        found["job"] = said.job._asdict()
    if said.run:
        found["run"] = said.run._asdict()
    return found

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
    transformations = {edge.transformation: edge.transformation._asdict() for edge in graph.edges}
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
                "input": fields[edge.input],
                "output": fields[edge.output],
                **transformations[edge.transformation],
                "direction": edge.direction,
                "depth": edge.depth,
                "said": [said_json[id(one)] for one in edge.said],
            }
            for edge in graph.edges
        ],
        "truncated": graph.truncated,
        "unexplored": graph.unexplored,
    }


def _field(field: Field) -> dict[str, str | None]:
    return {**field._asdict(), "field": field.field or None}


def _said(said: Said) -> dict[str, Any]:
    return {
        **said._asdict(),
        "job": said.job and said.job._asdict(),
        "run": said.run and said.run._asdict(),
    }

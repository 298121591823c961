"""A graph answer as plain data for JSON, in which everything is there once. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from airflow_colgraph.store.model.lineage_graph import Edge, Graph
from airflow_colgraph.store.model.runs import Report


def graph_json_text(graph: Graph) -> str:
    """The answer as JSON, an item of a list or a column of a table a line."""
    return json_lines(graph_json(graph))


def json_lines(answer: Mapping[str, Any]) -> str:
    """An answer as JSON, an item of its lists or of its tables a line."""
    lines = [f"{json.dumps(key)}: {_lines(value)}" for key, value in answer.items()]
    return "{\n  " + ",\n  ".join(lines) + "\n}\n"


def _lines(value: Any) -> str:
    if isinstance(value, dict) and value:
        rows = [f"{_line(key)}: {_line(item)}" for key, item in value.items()]
        return "{\n    " + ",\n    ".join(rows) + "\n  }"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n    " + ",\n    ".join(map(_line, value)) + "\n  ]"
    return _line(value)


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def graph_json(graph: Graph, most: int | None = None) -> dict[str, Any]:
    """Convert a graph answer to plain data.

    An edge names what it comes from by its place in other lists, counted from 0: an answer of
    10,000 edges has far fewer datasets, jobs, runs and transformations. The two long lists, `nodes`
    and `edges`, are given by column, so that their keys are there once.

    Args:
        graph: The answer of `store.graph.upstream`, `downstream` or `lineage`.
        most: So many edges, those nearest to the start; `left_out` counts the others.

    Returns:
        A dict with

        * the question: `direction`, `depth`, `indirect`, and `starts`, places in `nodes`;
        * `datasets`: each a namespace and name;
        * `nodes`: lists of the same length: `dataset` (a place), `field` (None: the dataset as a
          whole) and `depth`;
        * `transformations`: type, subtype, masking and description as in the `columnLineage` facet;
        * `jobs`, `runs`, and `reports`: a `job` and a `run` (places, or None), and the times
          between which the job reported the edge;
        * `edges`: lists of the same length: `input` and `output` (places in `nodes`),
          `transformation` (a place), `direction`, `depth`, and `reported_by`, a list of places in
          `reports`, the latest first;
        * `truncated`, whether edges are missing: `unexplored` counts the fields that were not
          followed, `left_out` the edges that were found.
    """
    question = graph.question
    edges, left_out = nearest(graph, most)
    nodes = Graph(question, graph.starts, edges).nodes
    places = {field: at for at, field in enumerate(nodes)}
    datasets = _places((field.namespace, field.name) for field in nodes)
    transformations = _places(edge.transformation for edge in edges)
    reports = _Reports(edges)
    return {
        "direction": question.direction,
        "depth": question.depth,
        "indirect": question.indirect,
        "starts": [places[start] for start in graph.starts],
        "datasets": [{"namespace": namespace, "name": name} for namespace, name in datasets],
        "nodes": {
            "dataset": [datasets[field.namespace, field.name] for field in nodes],
            "field": [field.field or None for field in nodes],
            "depth": list(nodes.values()),
        },
        "transformations": [transformation._asdict() for transformation in transformations],
        **reports.lists(),
        "edges": {
            "input": [places[edge.input] for edge in edges],
            "output": [places[edge.output] for edge in edges],
            "transformation": [transformations[edge.transformation] for edge in edges],
            "direction": [edge.direction for edge in edges],
            "depth": [edge.depth for edge in edges],
            "reported_by": [reports.of(edge) for edge in edges],
        },
        "truncated": graph.truncated or left_out > 0,
        "unexplored": graph.unexplored,
        "left_out": left_out,
    }


def nearest(graph: Graph, most: int | None) -> tuple[list[Edge], int]:
    """So many edges, those nearest to the start, and how many others there are."""
    if most is None or most >= len(graph.edges):
        return graph.edges, 0
    return sorted(graph.edges, key=_depth)[:most], len(graph.edges) - most


def _depth(edge: Edge) -> int:
    return edge.depth


def _places(values: Iterable[Any]) -> dict[Any, int]:
    """Each value once, and its place among them."""
    places: dict[Any, int] = {}
    for value in values:
        places.setdefault(value, len(places))
    return places


class _Named(NamedTuple):
    """A report whose job and run are places."""

    job: int | None
    run: int | None
    first_seen: str
    last_seen: str
    closed_at: str | None


class _Reports:
    """The reports of edges, and the jobs and runs in them, each once."""

    def __init__(self, edges: Iterable[Edge]) -> None:
        # Answers share reports; equal ones are looked for among those that are not the same.
        some = {id(report): report for edge in edges for report in edge.reported_by}
        self._reports = _places(some.values())
        self._place = {key: self._reports[report] for key, report in some.items()}

    def of(self, edge: Edge) -> list[int]:
        """The places of an edge's reports."""
        return [self._place[id(report)] for report in edge.reported_by]

    def lists(self) -> dict[str, list[dict[str, Any]]]:
        """`jobs`, `runs` and `reports`."""
        jobs = _places(report.job for report in self._reports if report.job)
        runs = _places(report.run for report in self._reports if report.run)

        def named(report: Report) -> dict[str, Any]:
            job, run = report.job and jobs[report.job], report.run and runs[report.run]
            return _Named(job, run, *report[2:])._asdict()

        return {
            "jobs": [job._asdict() for job in jobs],
            "runs": [run._asdict() for run in runs],
            "reports": [named(report) for report in self._reports],
        }

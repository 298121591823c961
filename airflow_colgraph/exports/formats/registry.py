"""The text formats of a graph answer, by the names that `--format` and REST's `format` take."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from airflow_colgraph.exports.formats.csv import csv
from airflow_colgraph.exports.formats.dot import dot
from airflow_colgraph.exports.formats.graph_json import graph_json_text
from airflow_colgraph.exports.formats.mermaid import mermaid
from airflow_colgraph.exports.formats.text_tree import text_tree
from airflow_colgraph.store.model.lineage_graph import Graph


class GraphFormat(NamedTuple):
    """How a graph is rendered, and the media type of the text."""

    render: Callable[[Graph], str]
    media_type: str


GRAPH_FORMATS: dict[str, GraphFormat] = {
    "table": GraphFormat(text_tree, "text/plain"),
    "json": GraphFormat(graph_json_text, "application/json"),
    "csv": GraphFormat(csv, "text/csv"),
    "mermaid": GraphFormat(mermaid, "text/plain"),
    "dot": GraphFormat(dot, "text/vnd.graphviz"),
}

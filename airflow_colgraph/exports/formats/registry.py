"""The text formats of a graph answer, by the names that `--format` and REST's `format` take."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from airflow_colgraph.store.model.lineage_graph import Graph


class GraphFormat(NamedTuple):
    """A renderer, as its module in this package and its function, and the text's media type.

    `is_drawing`: it strikes out the columns in `Graph.gone`. The module is imported when a graph is
    rendered: `--help` only needs the names.
    """

    module: str
    function: str
    media_type: str
    is_drawing: bool = False

    def render(self, graph: Graph) -> str:
        """The graph as text."""
        module = importlib.import_module(f"airflow_colgraph.exports.formats.{self.module}")
        return str(getattr(module, self.function)(graph))


GRAPH_FORMATS: dict[str, GraphFormat] = {
    "table": GraphFormat("text_tree", "text_tree", "text/plain"),
    "json": GraphFormat("edge_rows", "edge_rows_text", "application/json"),
    "compact": GraphFormat("graph_json", "graph_json_text", "application/json"),
    "csv": GraphFormat("csv", "csv", "text/csv"),
    "mermaid": GraphFormat("mermaid", "mermaid", "text/plain", is_drawing=True),
    "dot": GraphFormat("dot", "dot", "text/vnd.graphviz", is_drawing=True),
}


def draws(format_: str) -> bool:
    """Whether it is a format that strikes out columns that are gone."""
    return format_ in GRAPH_FORMATS and GRAPH_FORMATS[format_].is_drawing

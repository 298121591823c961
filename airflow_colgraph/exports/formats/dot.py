"""A graph answer in Graphviz' DOT language. Pure: an answer in, text out."""

from __future__ import annotations

from html import escape
from itertools import groupby
from operator import attrgetter

from airflow_colgraph.exports.formats.text_tree import ON_A_LINE, transformation_label
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.lineage_graph import Graph


def dot(graph: Graph) -> str:
    """The answer as a digraph: a cluster per dataset, left to right; INDIRECT edges are dashed.

    Columns that are gone are struck out.
    """
    fields = sorted(graph.nodes)
    ids = {field: f"f{number}" for number, field in enumerate(fields)}
    lines = ["digraph lineage {", "  rankdir=LR;", "  node [shape=box];"]
    for number, (dataset, inside) in enumerate(groupby(fields, attrgetter("dataset"))):
        lines.append(f"  subgraph cluster_{number} {{")
        lines.append(f"    label={_quoted(f'{dataset.namespace} {dataset.name}')};")
        lines += [f"    {ids[field]} [{_node(field, field in graph.gone)}];" for field in inside]
        lines.append("  }")
    drawn: dict[str, None] = {}
    for edge in graph.edges:
        style = "" if edge.transformation.type == "DIRECT" else ", style=dashed"
        label = _quoted(transformation_label(edge.transformation))
        drawn[f"  {ids[edge.input]} -> {ids[edge.output]} [label={label}{style}];"] = None
    return "\n".join([*lines, *drawn, "}"]) + "\n"


def _node(field: Field, is_gone: bool) -> str:
    """The attributes of a column's node; those in `<..>` are read like HTML."""
    name = field.field or "*"
    if not is_gone:
        return f"label={_quoted(name)}"
    struck = f"<s>{escape(name.translate(ON_A_LINE))}</s> (gone)"
    return f"label=<{struck}>, fontcolor=gray40, color=gray40"


def _quoted(text: str) -> str:
    escaped = text.translate(ON_A_LINE).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'

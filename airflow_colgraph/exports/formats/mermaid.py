"""A graph answer as a Mermaid flowchart. Pure: an answer in, text out."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter

from airflow_colgraph.exports.formats.text_tree import ON_A_LINE, transformation_label
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.lineage_graph import Graph

GONE = "  classDef gone color:#6b7280,stroke-dasharray:3 3,text-decoration:line-through"


def mermaid(graph: Graph) -> str:
    """The answer as `flowchart LR`: a box per dataset, a node per field, left to right.

    Edges that only affect rows or values (INDIRECT) are dashed. Columns that are gone are
    struck out.
    """
    fields = sorted(graph.nodes)
    ids = {field: f"f{number}" for number, field in enumerate(fields)}
    lines = ["flowchart LR"]
    for number, (dataset, inside) in enumerate(groupby(fields, attrgetter("dataset"))):
        lines.append(
            f'  subgraph d{number}["{mermaid_text(f"{dataset.namespace} {dataset.name}")}"]'
        )
        lines += [f"    {ids[field]}{_node(field, field in graph.gone)}" for field in inside]
        lines.append("  end")
    drawn: dict[tuple[Field, Field, bool], list[str]] = {}
    for edge in graph.edges:
        dashed = edge.transformation.type != "DIRECT"
        labels = drawn.setdefault((edge.input, edge.output, dashed), [])
        label = transformation_label(edge.transformation)
        if label not in labels:
            labels.append(label)
    for (input, output, dashed), labels in drawn.items():
        arrow = "-.->" if dashed else "-->"
        lines.append(f'  {ids[input]} {arrow}|"{mermaid_text(", ".join(labels))}"| {ids[output]}')
    if graph.gone:
        lines.append(GONE)
    return "\n".join(lines) + "\n"


def _node(field: Field, is_gone: bool) -> str:
    name = mermaid_text(field.field or "*")
    return f'["{name} (gone)"]:::gone' if is_gone else f'["{name}"]'


def mermaid_text(text: str) -> str:
    """The text inside quotes: Mermaid knows entities, no backslashes, and reads some HTML.

    A `%%` would be a comment or a directive.
    """
    escapes = {"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "`": "#96;", "%": "#37;"}
    return "".join(escapes.get(character, character) for character in text.translate(ON_A_LINE))

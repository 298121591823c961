"""Common table expressions, recursive ones too, as plan nodes. Pure."""

from __future__ import annotations

from airflow_colgraph.collector.lineage.frame import EMPTY, Frame, attribute_ids
from airflow_colgraph.collector.lineage.resolution import (
    NODES,
    Resolution,
)
from airflow_colgraph.collector.lineage.transformations import union
from airflow_colgraph.collector.lineage.values import NOTHING, joined
from airflow_colgraph.collector.plan import Node
from airflow_colgraph.collector.registry import register


@register(NODES, "CTERelationDef")
def _cte_definition(node: Node, children: list[Frame], query: Resolution) -> Frame:
    query.ctes[node.row["id"]] = children[0]
    return children[0]


@register(NODES, "UnionLoop")
def _union_loop(node: Node, children: list[Frame], query: Resolution) -> Frame:
    """A recursive query: its own rows feed it until nothing new is found."""
    anchor, recursion = node.children
    frame = query.evaluate(anchor)
    ids = [attribute["id"] for attribute in node.row.get("outputAttrIds") or []]
    output = tuple(ids) or frame.output
    while True:
        query.ctes[node.row["id"]] = frame
        again = query.evaluate(recursion)
        values = {
            number: joined((frame.value(position), again.value(position)))
            for position, number in enumerate(output)
        }
        grown = Frame(output, values, union((frame.rows, again.rows)))
        if grown.rows == frame.rows and list(grown.in_order()) == list(frame.in_order()):
            return grown
        frame = grown


@register(NODES, "CTERelationRef", "UnionLoopRef")
def _cte_reference(node: Node, children: list[Frame], query: Resolution) -> Frame:
    definition = query.ctes.get(node.row["cteId"] if "cteId" in node.row else node.row["loopId"])
    output = attribute_ids(node.output())
    if definition is None:
        query.unresolved[node.kind] += 1
        return Frame(output, dict.fromkeys(output, NOTHING))
    values = {number: definition.value(position) for position, number in enumerate(output)}
    for each in query.described:
        for new, old in zip(output, definition.output):
            each.rename(new, old)
    return Frame(output, values, definition.rows)


@register(NODES, "WithCTE")
def _with_cte(node: Node, children: list[Frame], query: Resolution) -> Frame:
    return children[-1] if children else EMPTY

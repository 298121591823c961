"""Joins and set operations: plan nodes of several children. Pure."""

from __future__ import annotations

from airflow_colgraph.collector.lineage.frame import Frame, side_by_side
from airflow_colgraph.collector.lineage.resolution import NODES, Resolution, scope_of
from airflow_colgraph.collector.lineage.rules.relational import indirect_inputs
from airflow_colgraph.collector.lineage.transformations import GROUP_BY, JOIN, through, union
from airflow_colgraph.collector.lineage.values import joined
from airflow_colgraph.collector.plan import Node, join_type
from airflow_colgraph.collector.registry import register

LEFT_ONLY = ("LeftSemi", "LeftAnti")


@register(NODES, "Join", "AsOfJoin")
def _join(node: Node, children: list[Frame], query: Resolution) -> Frame:
    scope = scope_of(node, children, query)
    conditions = [node.expression("condition"), node.expression("asOfCondition")]
    keys = indirect_inputs(JOIN, conditions, scope)
    both = side_by_side(children).with_row_filters(keys)
    if join_type(node) in LEFT_ONLY:
        return children[0]._replace(rows=both.rows)
    if join_type(node) in ("Inner", "Cross") and not any(conditions):
        sides = [child.sides or (frozenset(child.output),) for child in children]
        return both._replace(sides=sum(sides, ()))
    return both


@register(NODES, "LateralJoin")
def _lateral_join(node: Node, children: list[Frame], query: Resolution) -> Frame:
    scope = scope_of(node, children, query)
    right = node.expression("right") or []
    frame = scope.subquery(right[0]["plan"])
    both = side_by_side([children[0], frame])
    inner = scope_of(node, [both], query)
    return both.with_row_filters(indirect_inputs(JOIN, [node.expression("condition")], inner))


@register(NODES, "Union")
def _union(node: Node, children: list[Frame], query: Resolution) -> Frame:
    first = children[0]
    values = {
        number: joined(child.value(position) for child in children)
        for position, number in enumerate(first.output)
    }
    if query.digests is not None:
        query.digests.combine(first.output, [child.output for child in children])
    return Frame(first.output, values, union(child.rows for child in children))


@register(NODES, "Intersect", "Except")
def _set_operation(node: Node, children: list[Frame], query: Resolution) -> Frame:
    """Rows of the left side, as all columns of both sides decide."""
    left = children[0]
    keys = [value.inputs for child in children for value in child.in_order()]
    distinct = [] if node.row.get("isAll") else [value.inputs for value in left.in_order()]
    rows = union(child.rows for child in children)
    return left._replace(rows=rows).with_row_filters(
        through(JOIN, keys), through(GROUP_BY, distinct)
    )

"""What each plan node does to its attributes: the table NODES. Pure.

A rule gets the node, the frames of its children and the resolution that it is part of. Most nodes
name nothing new and pass their children's attributes through: that is `any_node`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from airflow_colgraph.collector.lineage.evaluation import evaluate, inputs_of
from airflow_colgraph.collector.lineage.frame import (
    Frame,
    attribute_ids,
    is_attribute,
    side_by_side,
)
from airflow_colgraph.collector.lineage.resolution import NODES, Resolution, Scope, scope_of
from airflow_colgraph.collector.lineage.transformations import (
    FILTER,
    GROUP_BY,
    JOIN,
    NONE,
    SORT,
    Inputs,
    through,
    union,
)
from airflow_colgraph.collector.lineage.unknown import (
    PASS_THROUGH,
    all_rows,
    inner_rows,
    is_plan,
    missing_fields,
)
from airflow_colgraph.collector.lineage.values import (
    NOTHING,
    SOURCELESS,
    Value,
    indirect,
    joined,
    made_of,
)
from airflow_colgraph.collector.plan import (
    HELD,
    Node,
    Row,
    Rows,
    as_rows,
    conjuncts,
    expr_id,
    kind,
)
from airflow_colgraph.collector.registry import ANY, register


@register(NODES, ANY)
def any_node(node: Node, children: list[Frame], query: Resolution) -> Frame:
    """A node without a rule: its output by the ids that it shares with its children.

    An output attribute that no child has comes from all the children's. The node is reported as
    opaque, unless it is known to keep its child's rows: unknown is never silently nothing.
    """
    if not children:
        return leaf(node, children, query)
    frame = side_by_side(children)
    output = own_output(node)
    if any(expr_id(row) not in frame.values for row in output):
        opaque = conservative(node, output, frame, query)
        return opaque.with_row_filters(through(FILTER, (v.inputs for v in frame.values.values())))
    if output:
        frame = frame._replace(output=attribute_ids(output))
    return frame if node.kind in PASS_THROUGH else opaque_node(node, frame, query)


def opaque_node(node: Node, frame: Frame, query: Resolution) -> Frame:
    """A node that may do anything: its expressions affect rows, and it is reported as opaque."""
    query.opaque[node.kind] += 1
    inside = [*all_rows(rows for rows in inner_rows(node.row) if not is_plan(rows))]
    ids = {expr_id(row) for row in inside if "exprId" in row}
    every = [*frame.values.values()]
    new = dict.fromkeys(ids - frame.values.keys(), made_of(every))
    # What is new is made by a function, which may affect rows by all that it was given.
    decide = every if new else [frame.values[number] for number in ids]
    values = {**frame.values, **new}
    return frame._replace(values=values).with_row_filters(indirect(FILTER, *decide))


def own_output(node: Node) -> list[Row]:
    """The attributes that a node names as its output, in whichever field."""
    return node.output() or node.output("outputAttrs")


def conservative(node: Node, output: list[Row], frame: Frame, query: Resolution) -> Frame:
    """New attributes computed from all that the node was given, and the node reported as opaque."""
    query.opaque[node.kind] += 1
    everything = made_of([frame.values[number] for number in dict.fromkeys(frame.output)])
    values = {expr_id(row): frame.values.get(expr_id(row), everything) for row in output}
    return Frame(attribute_ids(output), values, frame.rows)


def named(items: Iterable[Rows], scope: Scope) -> tuple[tuple[int, ...], dict[int, Value]]:
    """The ids and values of named expressions."""
    values: dict[int, Value] = {}
    output = []
    for rows in items:
        number = expr_id(rows[0])
        output.append(number)
        values[number] = scope.attribute(rows[0]) if is_attribute(rows) else evaluate(rows, scope)
        for each in scope.query.described:
            each.define(rows)
    return tuple(output), values


def select(node: Node, items: list[Rows], children: list[Frame], query: Resolution) -> Frame:
    """Only the named expressions from here on, with the inputs that they have here."""
    output, values = named(items, scope_of(node, children, query))
    return Frame(output, values, children[0].rows)


def indirect_inputs(subtype: int, items: Iterable[Rows | None], scope: Scope) -> Inputs:
    """The inputs of expressions that only affect rows."""
    pairs = [(rows, inputs_of(rows, scope)) for rows in items]
    if scope.query.descriptions is not None:
        for rows, inputs in pairs:
            if rows:
                scope.query.descriptions.decide(subtype, rows, inputs)
    return through(subtype, (inputs for _, inputs in pairs))


# Leaves ---------------------------------------------------------------------------------------

GENERATED = {"LocalRelation", "OneRowRelation", "Range", "CommandResult", "EmptyRelation"}
GENERATED |= {"ResolvedIdentifier"}  # a name, without rows


RELATIONS = {"DataSourceV2Relation", "HiveTableRelation", "LogicalRelation"}


@register(NODES, *HELD, *RELATIONS)
def leaf(node: Node, children: list[Frame], query: Resolution) -> Frame:
    """A relation: each attribute is a field of the dataset that was read."""
    output = node.output()
    ids = attribute_ids(output)
    is_held = node.kind in HELD or node.kind == "LocalRelation"
    held = query.rdd(ids, node.kind) if is_held else None
    values = query.source(ids, output) if held is None else held.values
    if values is None:
        is_constant = ids in query.sources.notes.constant_rdds
        if node.kind in GENERATED:  # but not where the table's text names variables
            is_constant = not node.row.get("rows") and ids not in query.sources.expansions
        if not is_constant:
            query.unresolved[node.kind] += 1
        values = dict.fromkeys(ids, SOURCELESS if is_constant else NOTHING)
    own = dict.fromkeys(query.sources.notes.metadata_columns.intersection(ids), SOURCELESS)
    return Frame(ids, {**values, **own}, held.rows if held else NONE)


@register(NODES, "LocalRelation", "ResolvedInlineTable")
def _inline_table(node: Node, children: list[Frame], query: Resolution) -> Frame:
    """Rows in the query's own text, which may name variables."""
    output = attribute_ids(node.output())
    rows = node.row.get("rows") or query.sources.expansions.get(output)
    if not rows:
        return leaf(node, children, query)
    return Frame(output, projected(output, rows, scope_of(node, children, query)))


def projected(
    output: tuple[int, ...], projections: Collection[list[Any]], scope: Scope
) -> dict[int, Value]:
    """Columns that are each one of several projections."""
    columns: list[list[Value]] = [[] for _ in output]
    for projection in projections:
        for column, rows in zip(columns, projection):
            column.append(evaluate(as_rows(rows), scope))
    if scope.query.digests is not None:
        scope.query.digests.choose(output, projections)
    return dict(zip(output, map(joined, columns)))


# One child ------------------------------------------------------------------------------------


@register(NODES, "Project")
def _project(node: Node, children: list[Frame], query: Resolution) -> Frame:
    items = node.expressions("projectList")
    (below,) = node.children
    if is_null_check(below) and makes_time_windows(items):  # Spark's own check
        children = [query.evaluate(below.children[0])]
    return select(node, items, children, query)


def is_null_check(node: Node) -> bool:
    """Whether a node is a filter of nothing but `x IS NOT NULL`."""
    condition = node.expression("condition") if node.kind == "Filter" else None
    return condition is not None and kind(condition[0]) == "IsNotNull"


def is_session_check(node: Node) -> bool:
    """Whether a node is a filter of `x IS NOT NULL AND session.end > session.start`."""
    kinds = [kind(row) for row in node.expression("condition") or []]
    ends = [kinds.count(name) for name in ("GreaterThan", "GetStructField")]
    return kinds[:2] == ["And", "IsNotNull"] and ends == [1, 2]


def makes_time_windows(items: Iterable[Rows]) -> bool:
    """Whether one of the expressions is `window(..)` or `session_window(..)`."""
    rows = (row for item in items for row in item)
    return any(kind(row) == "PreciseTimestampConversion" for row in rows)


@register(NODES, "Aggregate")
def _aggregate(node: Node, children: list[Frame], query: Resolution) -> Frame:
    groups = node.expressions("groupingExpressions")
    frame = select(node, node.expressions("aggregateExpressions"), children, query)
    return frame.with_row_filters(
        indirect_inputs(GROUP_BY, groups, scope_of(node, children, query))
    )


@register(NODES, "Filter")
def _filter(node: Node, children: list[Frame], query: Resolution) -> Frame:
    (child,) = children
    (below,) = node.children
    own = is_null_check(node) or is_session_check(node)
    if own and makes_time_windows(below.expressions("projectList")):
        return child
    scope = scope_of(node, children, query)
    parts = [(FILTER, node.expression("condition"))]
    if child.sides:
        parts = [
            (JOIN if joins(rows, child.sides) else FILTER, rows)
            for rows in conjuncts(node.expression("condition") or [])
        ]
    return child.with_row_filters(
        *(indirect_inputs(subtype, [rows], scope) for subtype, rows in parts)
    )


def joins(condition: Rows, sides: Iterable[frozenset[int]]) -> bool:
    """Whether a condition compares one side of a join with another, by itself: without a query."""
    if any("plan" in row for row in condition):
        return False
    ids = {expr_id(row) for row in condition if kind(row) == "AttributeReference"}
    return sum(not ids.isdisjoint(side) for side in sides) > 1


@register(NODES, "Sort")
def _sort(node: Node, children: list[Frame], query: Resolution) -> Frame:
    scope = scope_of(node, children, query)
    return children[0].with_row_filters(indirect_inputs(SORT, node.expressions("order"), scope))


@register(NODES, "RepartitionByExpression")
def _repartition(node: Node, children: list[Frame], query: Resolution) -> Frame:
    """The rows stay as they are; which of them a function of a partition sees together does not."""
    (child,) = children
    scope = scope_of(node, children, query)
    keys = (inputs_of(rows, scope) for rows in node.expressions("partitionExpressions"))
    query.partitioned[id(node)] = node, through(SORT, keys)
    return child


def partition_keys(node: Node, query: Resolution) -> Inputs:
    """The columns by which the program has placed the rows of a node's children in partitions."""
    keys, below = [], [*node.children]
    while below:
        child = below.pop()
        if id(child) in query.partitioned:
            keys.append(query.partitioned[id(child)][1])
        elif child.kind not in SHUFFLED and not (child.kind == "Sort" and child.row.get("global")):
            below.extend(child.children)
    return union(keys)


SHUFFLED = {"Aggregate", "Deduplicate", "Distinct", "Repartition", "Window"}


@register(NODES, "Sample")
def _sample(node: Node, children: list[Frame], query: Resolution) -> Frame:
    """Below `randomSplit` Spark sorts by all columns, to give the same parts each time."""
    (child,) = node.children
    if child.kind != "Sort" or child.row.get("global"):
        return query.evaluate(child)
    frame = query.evaluate(child.children[0])
    keys = [expr_id(rows[1]) for rows in child.expressions("order") if is_attribute(rows[1:])]
    if keys == list(frame.output):
        return frame
    query.unresolved.update(missing_fields(child.kind, child.row))
    return _sort(child, [frame], query)


@register(NODES, "Window")
def _window(node: Node, children: list[Frame], query: Resolution) -> Frame:
    (child,) = children
    output, values = named(node.expressions("windowExpressions"), scope_of(node, children, query))
    return Frame(child.output + output, {**child.values, **values}, child.rows)


@register(NODES, "Distinct")
def _distinct(node: Node, children: list[Frame], query: Resolution) -> Frame:
    """Which rows are the same depends on all columns: SELECT DISTINCT, and UNION without ALL."""
    (child,) = children
    return child.with_row_filters(through(GROUP_BY, (value.inputs for value in child.in_order())))


@register(NODES, "Deduplicate", "DeduplicateWithinWatermark")
def _deduplicate(node: Node, children: list[Frame], query: Resolution) -> Frame:
    scope = scope_of(node, children, query)
    return children[0].with_row_filters(indirect_inputs(GROUP_BY, node.expressions("keys"), scope))

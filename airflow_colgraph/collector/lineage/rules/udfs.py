"""Functions over whole rows, in Python, in a script, in Scala or Java, as plan nodes. Pure.

Their code is not analyzed here: their columns depend on all their inputs. `python_functions` has
the rules for Python functions whose source is known.
"""

from __future__ import annotations

from airflow_colgraph.collector.lineage.evaluation import evaluate
from airflow_colgraph.collector.lineage.frame import Frame, attribute_ids, side_by_side
from airflow_colgraph.collector.lineage.resolution import NODES, Resolution, Scope, scope_of
from airflow_colgraph.collector.lineage.rules.relational import (
    conservative,
    indirect_inputs,
    own_output,
    select,
)
from airflow_colgraph.collector.lineage.transformations import (
    FILTER,
    GROUP_BY,
    TRANSFORMATION,
    Inputs,
    through,
)
from airflow_colgraph.collector.lineage.values import Value, made_of
from airflow_colgraph.collector.plan import Node, expr_id
from airflow_colgraph.collector.registry import register


@register(
    NODES,
    "MapInPandas",
    "MapInArrow",
    "FlatMapGroupsInArrow",
    "FlatMapGroupsInPandas",
    "FlatMapCoGroupsInArrow",
    "FlatMapCoGroupsInPandas",
    "FlatMapGroupsInPandasWithState",
    "PythonMapInArrow",
    "ScriptTransformation",
    "TransformWithStateInPandas",
    "TransformWithStateInPySpark",
)
def function_over_rows(node: Node, children: list[Frame], query: Resolution) -> Frame:
    """Python code sees whole rows: each output comes from all that it was handed."""
    frame = side_by_side(children)
    scope = scope_of(node, children, query)
    result = conservative(node, own_output(node), frame, query)
    function = node.expression("functionExpr") or node.expression("func")
    if function and function[0].get("num-children"):
        value = Value(through(TRANSFORMATION, (evaluate(function, scope).inputs,)))
        result = result._replace(values=dict.fromkeys(result.output, value))
    return deciding_on_rows(result).with_row_filters(*group_keys(node, children, scope))


def group_keys(node: Node, children: list[Frame], scope: Scope) -> tuple[Inputs, Inputs]:
    """The columns that a function's rows are grouped by, named in either of Spark's ways."""
    keys = [
        child.value(position).inputs
        for names in GROUPED_BY_FIRST
        for child, name in zip(children, names)
        for position in range(node.row.get(name) or 0)
    ]
    return grouped(node, scope), through(GROUP_BY, keys)


def deciding_on_rows(frame: Frame) -> Frame:
    """A frame whose columns, all seen by a function, may affect which rows there are."""
    return frame.with_row_filters(through(FILTER, (value.inputs for value in frame.in_order())))


GROUPED_BY_FIRST = (  # for each child, the field with the number of its first columns that are keys
    ("leftGroupingLen", "rightGroupingLen"),
    ("groupingAttributesLen", "initGroupingAttrsLen"),
)


def grouped(node: Node, scope: Scope) -> Inputs:
    """The columns that a function's rows are grouped by."""
    names = ("groupingAttributes", "initialStateGroupingAttrs", "leftGroup", "rightGroup")
    return indirect_inputs(
        GROUP_BY, (rows for name in names for rows in node.expressions(name)), scope
    )


@register(
    NODES,
    "DeserializeToObject",
    "CoGroup",
    "FlatMapGroupsWithState",
    "MapGroups",
    "MapPartitions",
    "MapElements",
    "TransformWithState",
)
def _objects(node: Node, children: list[Frame], query: Resolution) -> Frame:
    """A typed Dataset's functions, in Scala or Java: their objects come from whole rows."""
    output = node.output("outputObjAttr")
    if node.kind != "DeserializeToObject":
        result = conservative(node, output, side_by_side(children), query)
        if node.kind != "MapElements":  # one object for each row
            result = deciding_on_rows(result)
        return result.with_row_filters(grouped(node, scope_of(node, children, query)))
    value = made_of([*side_by_side(children).values.values()])
    return Frame(attribute_ids(output), {expr_id(output[0]): value}, children[0].rows)


@register(NODES, "AppendColumns")
def _keys(node: Node, children: list[Frame], query: Resolution) -> Frame:
    """The keys that a function of `groupByKey` finds in each row."""
    (child,) = children
    new = [rows[0] for rows in node.expressions("serializer")]
    keys = conservative(node, new, child, query)
    return Frame(child.output + keys.output, {**child.values, **keys.values}, child.rows)


@register(NODES, "TypedFilter")
def _typed_filter(node: Node, children: list[Frame], query: Resolution) -> Frame:
    """A function that looks at whole rows decides which stay."""
    (child,) = children
    query.opaque[node.kind] += 1
    return deciding_on_rows(child)


@register(NODES, "SerializeFromObject")
def _serialize(node: Node, children: list[Frame], query: Resolution) -> Frame:
    return select(node, node.expressions("serializer"), children, query)

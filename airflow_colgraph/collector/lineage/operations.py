"""The READ, TRANSFORM and WRITE operations that a query's output is made by. Pure.

As in CDAP's field lineage: an operation has a name, a description (here the expression), inputs as
(the operation a field comes from, its name) and outputs. Only what the output needs is kept: an
operation is one computed column, and what is computed but not written is left out.
"""

from __future__ import annotations

from collections.abc import Iterable

from airflow_colgraph.collector.lineage.frame import attribute_ids
from airflow_colgraph.collector.lineage.operation_origins import (
    NodeOrigins,
    OriginFold,
    Outer,
    Rule,
    by_position,
    visible,
)
from airflow_colgraph.collector.lineage.operation_row_level import ROW_LEVEL
from airflow_colgraph.collector.lineage.query_lineage import QueryLineage
from airflow_colgraph.collector.model import Dataset
from airflow_colgraph.collector.openlineage import Operation
from airflow_colgraph.collector.plan import HELD, Node, Rows, expr_id, parse

NAMED = {
    "Project": "projectList",
    "Aggregate": "aggregateExpressions",
    "Window": "windowExpressions",
    "SerializeFromObject": "serializer",
}


def operations_of(
    lineage: QueryLineage, plan: Rows, dataset: Dataset, columns: Iterable[str]
) -> list[Operation]:
    """The operations of a query that writes a dataset.

    Args:
        lineage: The resolved query: its sources, and the checkpoints that it starts from.
        plan: The plan that it was resolved from.
        dataset: The dataset that is written.
        columns: The names of its columns, in the order of the plan's output.

    Returns:
        READ operations, then computations, each after those whose fields it uses, then one WRITE.

    Raises:
        TooMany: There are more than `MOST_OPERATIONS`.
    """
    fold = OriginFold(lineage, columns, OPERATIONS)
    result = fold.origins_of(parse(plan), {})
    outputs = zip(fold.columns, result.output)
    written = [origin for _, number in outputs for origin in result.origins.get(number, ())]
    return fold.steps.emitted(written, dataset)


def _inline(fold: OriginFold, node: Node, children: list[NodeOrigins], outer: Outer) -> NodeOrigins:
    output = node.output()
    rows = node.row.get("rows") or fold.expansions.get(attribute_ids(output))
    if rows:
        return fold.projected("compute", output, rows, {})
    return fold.leaf(node, children, outer)


def _cte_definition(
    fold: OriginFold, node: Node, children: list[NodeOrigins], outer: Outer
) -> NodeOrigins:
    fold.ctes[node.row["id"]] = children[0]
    return children[0]


def _cte_reference(
    fold: OriginFold, node: Node, children: list[NodeOrigins], outer: Outer
) -> NodeOrigins:
    definition = fold.ctes.get(node.row["cteId"]) if "cteId" in node.row else None
    return by_position(attribute_ids(node.output()), [definition] if definition else [])


def _first(fold: OriginFold, node: Node, children: list[NodeOrigins], outer: Outer) -> NodeOrigins:
    return children[0]


def _last(fold: OriginFold, node: Node, children: list[NodeOrigins], outer: Outer) -> NodeOrigins:
    return children[-1]


def _union(fold: OriginFold, node: Node, children: list[NodeOrigins], outer: Outer) -> NodeOrigins:
    loop = tuple(attribute["id"] for attribute in node.row.get("outputAttrIds") or ())
    return by_position(loop or children[0].output, children)


def _named(fold: OriginFold, node: Node, children: list[NodeOrigins], outer: Outer) -> NodeOrigins:
    items = node.expressions(NAMED[node.kind])
    kept = children[0].output if node.kind == "Window" else ()
    return fold.computed_columns(node, items, kept, visible(children, outer))


def _lateral(
    fold: OriginFold, node: Node, children: list[NodeOrigins], outer: Outer
) -> NodeOrigins:
    seen = visible(children, outer)
    right = fold.origins_of(parse((node.expression("right") or [])[0]["plan"]), seen)
    return NodeOrigins(children[0].output + right.output, {**seen, **right.origins})


def _expanded(
    fold: OriginFold, node: Node, children: list[NodeOrigins], outer: Outer
) -> NodeOrigins:
    rows = fold.expansions.get(attribute_ids(node.output()), [])
    return fold.projected("expand", node.output(), rows, visible(children, outer))


def _generated(
    fold: OriginFold, node: Node, children: list[NodeOrigins], outer: Outer
) -> NodeOrigins:
    (child,) = children
    seen = visible(children, outer)
    rows = node.expression("generator") or []
    inputs = tuple(dict.fromkeys(fold.inputs(rows, seen)))
    new = node.output("generatorOutput")
    origins = {
        expr_id(row): fold.steps.computed("generate", row["name"], inputs, rows) for row in new
    }
    return NodeOrigins(child.output + attribute_ids(new), {**child.origins, **origins})


OPERATIONS: dict[str, Rule] = {
    **dict.fromkeys(NAMED, _named),
    **dict.fromkeys(("CTERelationRef", "UnionLoopRef"), _cte_reference),
    **dict.fromkeys(("Intersect", "Except"), _first),
    **dict.fromkeys(("LocalRelation", "ResolvedInlineTable"), _inline),
    **dict.fromkeys(("Union", "UnionLoop"), _union),
    "CTERelationDef": _cte_definition,
    "Expand": _expanded,
    "Generate": _generated,
    "LateralJoin": _lateral,
    "WithCTE": _last,
    **ROW_LEVEL,
}

LEAVES = {"DataSourceV2Relation", "HiveTableRelation", "LogicalRelation", *HELD}

# Nodes with a rule in NODES that pass on what their children have, or make all of all.
WITHOUT_OPERATIONS = {
    *("AsOfJoin", "Deduplicate", "DeduplicateWithinWatermark", "Distinct", "Filter", "Join"),
    *("RepartitionByExpression", "Sample", "Sort", "TypedFilter"),
    *("AppendColumns", "AttachDistributedSequence", "CoGroup", "CreateVariable"),
    *("DeserializeToObject", "FlatMapGroupsWithState", "MapElements", "MapGroups"),
    *("FlatMapCoGroupsInArrow", "FlatMapCoGroupsInPandas", "FlatMapGroupsInArrow"),
    *("FlatMapGroupsInPandas", "FlatMapGroupsInPandasWithState", "MapInArrow", "MapInPandas"),
    *("MapPartitions", "PythonMapInArrow", "ScriptTransformation", "TransformWithState"),
    *("TransformWithStateInPandas", "TransformWithStateInPySpark"),
}

"""Plan nodes that make several rows of one, or number them. Pure."""

from __future__ import annotations

from airflow_colgraph.collector.lineage.evaluation import evaluate
from airflow_colgraph.collector.lineage.frame import Frame, attribute_ids
from airflow_colgraph.collector.lineage.resolution import NODES, Resolution, Scope, scope_of
from airflow_colgraph.collector.lineage.rules.relational import conservative, projected
from airflow_colgraph.collector.lineage.transformations import TRANSFORMATION
from airflow_colgraph.collector.lineage.values import (
    SOURCELESS,
    Value,
    joined,
    made_of,
    stepped,
    typed,
)
from airflow_colgraph.collector.plan import Node, Rows, expr_id, flatten, kind, parse
from airflow_colgraph.collector.registry import register


@register(NODES, "Expand")
def _expand(node: Node, children: list[Frame], query: Resolution) -> Frame:
    """Rollup, cube, grouping sets, unpivot: each output is one of several projections."""
    scope = scope_of(node, children, query)
    output = attribute_ids(node.output())
    projections = query.sources.expansions.get(output)
    if projections is None:
        return conservative(node, node.output(), children[0], query)
    return Frame(output, projected(output, projections, scope), children[0].rows)


@register(NODES, "Generate")
def _generate(node: Node, children: list[Frame], query: Resolution) -> Frame:
    (child,) = children
    generator = node.expression("generator") or []
    new = node.output("generatorOutput")
    columns = generated(generator, len(new), scope_of(node, children, query), node)
    values = {expr_id(row): value for row, value in zip(new, columns)}
    if query.digests is not None:
        query.digests.choose(attribute_ids(new), [[generator] * len(new)])
    unused = set(node.row.get("unrequiredChildIndex") or ())
    kept = tuple(number for index, number in enumerate(child.output) if index not in unused)
    return Frame(kept + attribute_ids(new), {**child.values, **values}, child.rows)


def generated(generator: Rows, width: int, scope: Scope, node: Node) -> list[Value]:
    """What each column of a generator comes from."""
    name = kind(generator[0])
    if name == "Stack":
        _, *cells = parse(generator).children
        values = [evaluate(flatten(cell), scope) for cell in cells]
        return [joined(values[column::width]) for column in range(width)]
    if name in OPAQUE_GENERATORS:
        scope.query.opaque[name] += 1
    if name not in ELEMENT_GENERATORS:
        return [made_of([evaluate(generator, scope)])] * width
    whole = evaluate(generator[1:], scope)
    element = whole.built.element if whole.built else stepped(whole, TRANSFORMATION)
    if name == "Inline":
        names = [{"name": str(column), "type": ""} for column in range(width)]
        return list((typed(element, {"type": "struct", "fields": names}).members or {}).values())
    place = whole.built.keys if whole.built else Value(element.inputs)
    return [place] * (width - 1) + [element]


ELEMENT_GENERATORS = {"Explode", "PosExplode", "Inline"}


OPAQUE_GENERATORS = {"PythonUDTF", "UserDefinedGenerator", "HiveGenericUDTF"}


@register(NODES, "AttachDistributedSequence")
def _numbered(node: Node, children: list[Frame], query: Resolution) -> Frame:
    """The index of a pandas frame on Spark: numbers that come from no column."""
    (child,) = children
    number = expr_id(node.output("sequenceAttr")[0])
    return Frame((number, *child.output), {**child.values, number: SOURCELESS}, child.rows)

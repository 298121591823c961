"""What an expression comes from: the fold over its rows, and the table EXPRESSIONS. Pure."""

from __future__ import annotations

from airflow_colgraph.collector.lineage import unknown
from airflow_colgraph.collector.lineage.higher_order import ExpressionRule, evaluate_tree
from airflow_colgraph.collector.lineage.resolution import Scope
from airflow_colgraph.collector.lineage.transformations import MASKING, NONE, Inputs, through
from airflow_colgraph.collector.lineage.values import SOURCELESS, Value, changed
from airflow_colgraph.collector.plan import Row, Rows, kind, parse
from airflow_colgraph.collector.registry import Registry

EXPRESSIONS: Registry[ExpressionRule] = Registry()


def evaluate(rows: Rows, scope: Scope) -> Value:
    """What the expression comes from in `scope`: each rule called once with its children's answers.

    Rows are read from the last to the first, so a node's children are done before it, and the
    definitions of a `With` (its later children) before the expression that refers to them.
    """
    if len(rows) == 1 and rows[0]["class"].endswith(".AttributeReference"):
        return scope.attribute(rows[0])
    if any(row["class"].endswith(".LambdaFunction") for row in rows):
        return evaluate_tree(parse(rows), scope, _apply)
    stack: list[Value] = []
    last = None
    for row in reversed(rows):
        if last is not None and is_no_cast(row, last):
            continue
        children = [stack.pop() for _ in range(row["num-children"])]
        stack.append(_apply(row, scope, children))
        last = row
    (value,) = stack
    return value


CAST = "org.apache.spark.sql.catalyst.expressions.Cast"


def is_no_cast(row: Row, child: Row) -> bool:
    """Whether a row casts a column to the type that it has: Spark does so to a view's columns."""
    return (
        row["class"] == CAST
        and child["class"].endswith(".AttributeReference")
        and row.get("dataType") == child.get("dataType")
    )


def _apply(row: Row, scope: Scope, children: list[Value]) -> Value:
    name = kind(row)
    if not children and name in unknown.SOURCELESS:
        value = SOURCELESS
    else:
        value = EXPRESSIONS.rule(name)(row, scope, children)
    if scope.query.masks(name, row):
        return changed(value, lambda inputs: through(MASKING, (inputs,)))
    return value


def inputs_of(rows: Rows | None, scope: Scope) -> Inputs:
    """The inputs of an expression that may be absent."""
    return evaluate(rows, scope).inputs if rows else NONE

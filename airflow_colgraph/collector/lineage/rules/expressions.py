"""What a Spark expression is made of: the table EXPRESSIONS. Pure.

A rule gets the expression's row, the scope (the attributes it can see) and the values of its
children. An expression without a rule is made of all its children, which is right for almost all
of Spark's functions: a rule is needed where a child only decides, or where nothing is used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from airflow_colgraph.collector.lineage.higher_order import Rule, evaluate_tree
from airflow_colgraph.collector.lineage.transformations import (
    AGGREGATION,
    CONDITIONAL,
    FILTER,
    MASKING,
    NONE,
    SORT,
    TRANSFORMATION,
    WINDOW,
    Inputs,
    fields_of,
    through,
    union,
)
from airflow_colgraph.collector.lineage.values import (
    NOTHING,
    Value,
    changed,
    decided,
    indirect,
    joined,
    made_of,
    stepped,
)
from airflow_colgraph.collector.plan import Row, Rows, as_rows, kind, parse

if TYPE_CHECKING:
    from airflow_colgraph.collector.lineage.frame import Scope

EXPRESSIONS: dict[str, Rule] = {}


def expression(*kinds: str) -> Callable[[Rule], Rule]:
    """File a rule under the Spark expression classes that it is for."""

    def add(rule: Rule) -> Rule:
        EXPRESSIONS.update(dict.fromkeys(kinds, rule))
        return rule

    return add


def evaluate(rows: Rows, scope: Scope) -> Value:
    """What the expression is made of in `scope`: each rule called once with its children's answers.

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
    rule = scope.query.expressions.get(name) or EXPRESSIONS.get(name) or any_expression
    value = rule(row, scope, children)
    if scope.query.masks(name, row):
        return changed(value, lambda inputs: through(MASKING, (inputs,)))
    return value


def inputs_of(rows: Rows | None, scope: Scope) -> Inputs:
    """The inputs of an expression that may be absent."""
    return evaluate(rows, scope).inputs if rows else NONE


def any_expression(row: Row, scope: Scope, children: list[Value]) -> Value:
    """A function that has no rule: made of all its arguments, or of what Spark takes instead."""
    if "replacement" in row and len(children) == 1:
        return stepped(children[0], TRANSFORMATION)
    return made_of(children) if children else NOTHING


@expression("AttributeReference", "NamedLambdaVariable")
def _attribute(row: Row, scope: Scope, children: list[Value]) -> Value:
    return scope.attribute(row)


@expression("OuterReference")
def _outer(row: Row, scope: Scope, children: list[Value]) -> Value:
    if children:
        return children[0]
    return evaluate(as_rows(row["e"]), scope.outer or scope)


@expression("BoundReference")
def _bound(row: Row, scope: Scope, children: list[Value]) -> Value:
    return joined(scope.values.values())


@expression("Literal")
def _literal(row: Row, scope: Scope, children: list[Value]) -> Value:
    return Value(NONE, None, row.get("value"))


@expression("Alias")
def _alias(row: Row, scope: Scope, children: list[Value]) -> Value:
    return children[0]


@expression("StaticInvoke")
def _static_invoke(row: Row, scope: Scope, children: list[Value]) -> Value:
    if row.get("functionName") in OF_CHARS:
        return children[0]
    return any_expression(row, scope, children)


OF_CHARS = {  # padding and length checks of CHAR and VARCHAR, which Spark puts around a column
    "charTypeWriteSideCheck",
    "readSidePadding",
    "varcharTypeWriteSideCheck",
}


@expression("PreciseTimestampConversion")
def _of_a_time_window(row: Row, scope: Scope, children: list[Value]) -> Value:
    """The bounds of a time window: Spark's own conditions in them decide on nothing."""
    (value,) = children
    return Value({TRANSFORMATION: fields_of(value.inputs)} if value.inputs else NONE)


# Values chosen by a condition -----------------------------------------------------------------


def chosen(conditions: list[Value], values: list[Value]) -> Value:
    """One of `values`, as `conditions` decide."""
    picked = stepped(joined(values), TRANSFORMATION)
    return decided(picked, indirect(CONDITIONAL, *conditions))


@expression("If", "NullIfResult")
def _if(row: Row, scope: Scope, children: list[Value]) -> Value:
    return chosen(children[:1], children[1:])


@expression("CaseWhen")
def _case_when(row: Row, scope: Scope, children: list[Value]) -> Value:
    pairs = len(children) // 2 * 2  # when, then, when, then, ... and perhaps an else
    return chosen(children[0:pairs:2], children[1:pairs:2] + children[pairs:])


@expression("Coalesce", "NaNvl")
def _coalesce(row: Row, scope: Scope, children: list[Value]) -> Value:
    return chosen(children, children)


# Aggregates and windows -----------------------------------------------------------------------


@expression("AggregateExpression")
def _aggregate(row: Row, scope: Scope, children: list[Value]) -> Value:
    function, *filters = children
    return decided(stepped(function, AGGREGATION), indirect(FILTER, *filters))


@expression("Count", "CountIf")
def _count(row: Row, scope: Scope, children: list[Value]) -> Value:
    return made_of(children, TRANSFORMATION + MASKING)


@expression("Crc32", "HiveHash", "Md5", "Murmur3Hash", "Sha1", "Sha2", "XxHash64", "Mask")
def _masked(row: Row, scope: Scope, children: list[Value]) -> Value:
    return made_of(children, TRANSFORMATION + MASKING)


@expression("MaxBy", "MinBy")
def _by(row: Row, scope: Scope, children: list[Value]) -> Value:
    value, *ordering = children
    return decided(stepped(value, TRANSFORMATION), indirect(CONDITIONAL, *ordering))


@expression("PivotFirst")
def _pivot_first(row: Row, scope: Scope, children: list[Value]) -> Value:
    pivot, *values = children
    return chosen([pivot], values)


@expression("First", "Last", "CollectList")
def _some_of(row: Row, scope: Scope, children: list[Value]) -> Value:
    return stepped(children[0], TRANSFORMATION)


@expression("Lag", "Lead")
def _neighbour(row: Row, scope: Scope, children: list[Value]) -> Value:
    value, offset, default = children
    return decided(stepped(joined([value, default]), TRANSFORMATION), made_of([offset]).inputs)


@expression("ListAgg")
def _list_agg(row: Row, scope: Scope, children: list[Value]) -> Value:
    value, *rest = children
    return Value(union((made_of([value]).inputs, indirect(SORT, *rest))))


@expression("Rank", "DenseRank", "PercentRank", "RowNumber", "CumeDist", "NTile")
def _rank(row: Row, scope: Scope, children: list[Value]) -> Value:
    return NOTHING  # the window alone decides


@expression("WindowExpression")
def _window(row: Row, scope: Scope, children: list[Value]) -> Value:
    function, specification = children
    return decided(function, indirect(WINDOW, specification))


# Subqueries -----------------------------------------------------------------------------------


@expression("ScalarSubquery")
def _scalar_subquery(row: Row, scope: Scope, children: list[Value]) -> Value:
    frame = scope.subquery(row["plan"])
    return decided(frame.value(0), frame.rows)


@expression("Exists")
def _exists(row: Row, scope: Scope, children: list[Value]) -> Value:
    return Value(scope.subquery(row["plan"]).rows)


@expression("ListQuery")
def _list_query(row: Row, scope: Scope, children: list[Value]) -> Value:
    frame = scope.subquery(row["plan"])
    return Value(union((*(value.inputs for value in frame.in_order()), frame.rows)))


# Definitions inside one expression ------------------------------------------------------------
#
# `With(child, definitions)` stands for `between` and `nullif`. Rows are read from the last to the
# first, so the definitions are met before the references, and inner ones are gone before outer
# references are met: a stack is all it takes. Spark does not print the definitions' ids.


@expression("CommonExpressionDef")
def _common_definition(row: Row, scope: Scope, children: list[Value]) -> Value:
    scope.query.common.append(children[0])
    return NOTHING


@expression("CommonExpressionRef")
def _common_reference(row: Row, scope: Scope, children: list[Value]) -> Value:
    return scope.query.common[-1]


@expression("With")
def _with(row: Row, scope: Scope, children: list[Value]) -> Value:
    definitions = len(children) - 1
    if definitions:
        del scope.query.common[-definitions:]
    return children[0]


@expression("TypedNullLiteral", "TypeOf")
def _of_the_type(row: Row, scope: Scope, children: list[Value]) -> Value:
    return NOTHING  # its child only gives the type
